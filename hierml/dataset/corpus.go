package dataset

import (
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Document is a text with its labels.
type Document struct {
	ID   string
	Text string

	// Labels are nodes of the corpus' taxonomy, ascending, in their most specific form: no node is
	// listed with one of its ancestors, which are implied.
	Labels []int

	// Group names the documents that belong together, as Dataset.Groups does.
	Group string

	// Part is the part of the corpus, "train" or "test", that its publisher put the document into,
	// or empty.
	Part string
}

// Corpus is a set of labelled texts. Its methods never change it, and their results share the
// taxonomy and the label lists with it.
type Corpus struct {
	Name      string
	Taxonomy  *taxonomy.Taxonomy
	Documents []Document
}

// Len returns the number of documents.
func (c *Corpus) Len() int { return len(c.Documents) }

// Subset returns the documents at the given positions, in that order. A position may be repeated;
// it panics for one outside 0..Len()-1.
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

// Split splits the documents into a training and a test part, each in the original order. If each
// document has one label, testFraction * n of the n documents of a class go to the test part,
// rounded to the nearest whole number but at least one and at most n-1. A class with a single
// document is in the training part, because a class without training documents cannot be predicted.
// Documents without labels count as a separate class.
//
// All documents of a group go to the same part. If there are groups, or documents with several
// labels, a search brings sizes and classes close to testFraction: it places one group after the
// other where the sum of squares
//
//	sum_p (size_p / n - share_p)^2 + mean_c sum_p (n_cp / n_c - share_p)^2
//
// rises least, and then moves and exchanges them while it falls. Here n_cp is the number of
// documents of class c in part p, where a class are the documents with one label, and those whose
// groups have about one size; share_p is testFraction or 1 - testFraction. It need not find the
// smallest. A test compares it with iterative stratification [STV11], which takes the rarest label
// first. No split can balance a class with few groups, above all one with a single group.
//
// In a notebook, and in hierml train, a note says how many documents of the test part repeat one of
// the training part; see Prints.
//
// The same seed gives the same parts. It returns an error if testFraction is not strictly between 0
// and 1, or if there are fewer than two groups.
func (c *Corpus) Split(testFraction float64, seed uint64) (train, test *Corpus, err error) {
	by, err := c.HoldOut(testFraction, seed)
	if err != nil {
		return nil, nil, err
	}
	noteRepeats(c.Name, by, c.Prints)
	train, test = c.Divide(by)
	return train, test, nil
}

// PerClass returns at most t documents of every class, drawn at random without repetition, in the
// original order. A document with several labels belongs to the class of its rarest label (in case
// of a tie, the smallest node), and those without labels form a class. With the same seed, the
// sample for a smaller t is part of the sample for a larger one, for learning curves. If there are
// groups, they are drawn first, and all classes draw from the same groups as far as possible.
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
