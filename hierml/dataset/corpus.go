package dataset

import (
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Document is a text with its labels.
type Document struct {
	ID   string
	Text string

	// Labels are nodes of the corpus' taxonomy, ascending, in their most specific form: no node
	// stands together with one of its ancestors, which are implied.
	Labels []int

	// Group names the documents that belong together, as Dataset.Groups does.
	Group string

	// Part is the part of the corpus, "train" or "test", that its publisher put the document into,
	// or empty.
	Part string
}

// Corpus is a set of labelled texts. Its methods never change it, and what they return shares the
// taxonomy and the label lists with it.
type Corpus struct {
	Name      string
	Taxonomy  *taxonomy.Taxonomy
	Documents []Document
}

// Len returns the number of documents.
func (c *Corpus) Len() int { return len(c.Documents) }

// Subset returns the documents at the given positions, in that order. A position may be given more
// than once; one outside 0..Len()-1 panics, as an index outside a slice does.
func (c *Corpus) Subset(positions []int) *Corpus {
	s := *c
	s.Documents = make([]Document, len(positions))
	for i, p := range positions {
		s.Documents[i] = c.Documents[p]
	}
	return &s
}

// Part returns the documents whose Part is name, in the order in which they stand.
func (c *Corpus) Part(name string) *Corpus {
	var positions []int
	for i := range c.Documents {
		if c.Documents[i].Part == name {
			positions = append(positions, i)
		}
	}
	return c.Subset(positions)
}

// Labelled returns the documents that have a label.
func (c *Corpus) Labelled() *Corpus { return c.Subset(withLabels(c.LabelSets())) }

// withLabels returns the positions of the lists that have a label.
func withLabels(labels [][]int) []int {
	var positions []int
	for i, set := range labels {
		if len(set) > 0 {
			positions = append(positions, i)
		}
	}
	return positions
}

// Split divides the documents into training and test parts, each in the order in which the
// documents stand. Where each has one label, a class of n documents gives testFraction * n of them
// to the test part, rounded to the nearest whole number but at least one and at most n-1; a class
// of a single document gives it to the training part, because a class without training documents
// cannot be predicted. Documents without labels count as a class of their own.
//
// Documents of one group all go to the same part. Where there are groups, or documents of several
// labels, sizes and classes are as close to testFraction as a search finds them: it puts one after
// the other where the sum of squares
//
//	sum_p (size_p / n - share_p)^2 + mean_c sum_p (n_cp / n_c - share_p)^2
//
// rises least, and then moves and exchanges them as long as it falls. Here n_cp is the number of
// documents of class c in part p, where a class are the documents with one label, and those whose
// groups have about one size; share_p is testFraction or 1 - testFraction. It need not find the
// smallest. A test compares it with iterative stratification [STV11], which takes the
// rarest label first. What a class of few groups, and above all of a single one, does to the parts,
// no division can mend.
//
// In a notebook, and in hierml train, a note says how many documents of the test part repeat one of
// the training part; see Prints.
//
// The same seed gives the same parts. It is an error if testFraction is not strictly between 0 and
// 1, or if there are fewer than two groups.
func (c *Corpus) Split(testFraction float64, seed uint64) (train, test *Corpus, err error) {
	by, err := c.HoldOut(testFraction, seed)
	if err != nil {
		return nil, nil, err
	}
	noteRepeats(c.Name, by, c.Prints)
	train, test = c.Divide(by)
	return train, test, nil
}

// PerClass returns at most t documents of every class, drawn at random without repetition, in
// the order in which they stand. A document with several labels counts as one of its rarest (of
// the smallest node, where several are as rare), and those without labels are a class. With one
// seed, the sample for a smaller t is part of the sample for a larger one, as learning curves
// want it. Where there are groups, they are drawn first, and all classes draw from the same ones
// as far as these have enough.
func (c *Corpus) PerClass(t int, seed uint64) *Corpus {
	return c.Subset(c.divider().perClass(t, seed))
}

// Leafed returns the corpus with every label at a leaf, as Dataset.Leafed does.
func (c *Corpus) Leafed() (*Corpus, error) {
	t, labels, err := leafed(c.Taxonomy, c.LabelSets())
	if err != nil {
		return nil, err
	}
	if labels == nil {
		return c, nil
	}
	s := &Corpus{Name: c.Name, Taxonomy: t, Documents: make([]Document, len(c.Documents))}
	for i, d := range c.Documents {
		d.Labels = labels[0][i]
		s.Documents[i] = d
	}
	return s, nil
}

// Groups returns the group of each document, as Dataset.Groups has them, or nil if none has one.
func (c *Corpus) Groups() []string {
	if !slices.ContainsFunc(c.Documents, func(d Document) bool { return d.Group != "" }) {
		return nil
	}
	groups := make([]string, len(c.Documents))
	for i := range c.Documents {
		groups[i] = c.Documents[i].Group
	}
	return groups
}

func (c *Corpus) divider() *divider {
	return &divider{name: c.Name, labels: c.LabelSets(), groups: c.Groups()}
}

// LabelSets returns the nodes of each document, as Dataset.Labels has them. The inner slices are
// those of the documents.
func (c *Corpus) LabelSets() [][]int {
	labels := make([][]int, len(c.Documents))
	for i := range c.Documents {
		labels[i] = c.Documents[i].Labels
	}
	return labels
}
