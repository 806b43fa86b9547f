package dataset

import (
	"fmt"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Dataset is a set of instances, each a sparse vector of features, with their labels. Its methods
// never change it, and their results share the taxonomy, the vocabulary and the label lists with
// it.
type Dataset struct {
	Name     string
	Taxonomy *taxonomy.Taxonomy
	X        *Matrix // one row an instance

	// Labels has the nodes of each instance, ascending, in their most specific form: no node is
	// listed with one of its ancestors, which are implied.
	Labels [][]int

	// Weights are the weights of the instances in training: an instance of weight 2 counts like two
	// equal instances of weight 1, and one of weight 0 is ignored. They must be finite, not
	// negative, and not all zero. If Weights is nil, every instance has weight 1. See Balanced for
	// weights by class. File formats do not store them, and writers return an error for them.
	Weights []float64

	// Vocabulary has the names of the columns of X, or is nil if they have none. It is that of X if
	// this library made the data set.
	Vocabulary []string

	// Groups says which instances belong together, such as those of one author: one group name per
	// instance, or nil. The instances of a group are never split, so that no test instance has a
	// similar one in the training part. An instance with an empty name forms its own group. Writers
	// of vectors omit groups.
	Groups []string
}

// Len returns the number of instances.
func (d *Dataset) Len() int { return len(d.given().Labels) }

// GroupCount returns the number of groups. An instance without a group counts as one.
func (d *Dataset) GroupCount() int {
	if groups, _ := d.given().divider().grouped(); groups != nil {
		return len(groups)
	}
	return d.Len()
}

// Subset returns the instances at the given rows, in that order. A row may be repeated. It panics
// for a row outside 0..Len()-1, and for a data set whose parts have different numbers of rows.
func (d *Dataset) Subset(rows []int) *Dataset {
	s := *d.given()
	if err := d.fits(); err != nil {
		panic(err)
	}
	s.X = d.X.Subset(rows)
	s.Labels = make([][]int, len(rows))
	for i, r := range rows {
		s.Labels[i] = d.Labels[r]
	}
	if d.Groups != nil {
		s.Groups = chosen(d.Groups, rows)
	}
	if d.Weights != nil {
		s.Weights = chosen(d.Weights, rows)
	}
	return &s
}

// Labelled returns the instances that have a label.
func (d *Dataset) Labelled() *Dataset { return d.Subset(withLabels(d.given().Labels)) }

// Split splits the instances into a training and a test part; the latter has about testFraction of
// every class. It follows the rules of Corpus.Split.
func (d *Dataset) Split(testFraction float64, seed uint64) (train, test *Dataset, err error) {
	if d == nil {
		return nil, nil, noData{}
	}
	by, err := d.HoldOut(testFraction, seed)
	if err != nil {
		return nil, nil, err
	}
	noteRepeats(d.Name, by, d.Prints)
	train, test = d.Divide(by)
	return train, test, nil
}

// PerClass returns at most t instances of every class, drawn at random, in the order in which
// they stand. See Corpus.PerClass, whose rules it follows.
func (d *Dataset) PerClass(t int, seed uint64) *Dataset {
	return d.Subset(d.given().divider().perClass(t, seed))
}

// SplitPerClass splits the instances into t of every class, drawn as in PerClass, and all others,
// without those whose group was chosen.
func (d *Dataset) SplitPerClass(t int, seed uint64) (chosen, others *Dataset) {
	by := d.given().divider()
	rows := by.perClass(t, seed)
	return d.Subset(rows), d.Subset(by.apart(rows))
}

// Leafed returns the data set with every label at a leaf: the taxonomy gets a miscellaneous leaf
// below each inner node that is a label of some instance, unless it has one, and the label moves
// there. Predictions, reports and written files still use the name of the inner node. A data set
// whose labels are all leaves is returned unchanged. Use Collection.Leafed for parts that must keep
// a common taxonomy.
func (d *Dataset) Leafed() (*Dataset, error) {
	if d == nil {
		return nil, noData{}
	}
	t, labels, err := leafed(d.Taxonomy, d.Labels)
	if err != nil {
		return nil, err
	}
	if labels == nil {
		return d, nil
	}
	s := *d
	s.Taxonomy, s.Labels = t, labels[0]
	return &s, nil
}

// A noData is what methods panic with, and functions fail with, that are given no data set.
type noData struct{}

func (noData) Error() string {
	return "dataset: the data set is nil; check the error of the function that should have returned it"
}

func (d *Dataset) divider() *divider { return &divider{d.Name, d.Labels, d.Groups, d.fits()} }

// fits returns an error unless matrix, labels, groups and weights are those of as many rows.
func (d *Dataset) fits() error {
	n := len(d.Labels)
	switch {
	case d.X != nil && d.X.Rows != n:
		return fmt.Errorf("dataset: %q has a matrix of %d rows and the labels of %d; give every row its labels", d.Name, d.X.Rows, n)
	case d.Groups != nil && len(d.Groups) != n:
		return fmt.Errorf("dataset: %q has %d Groups for %d instances; give one for each", d.Name, len(d.Groups), n)
	case d.Weights != nil && len(d.Weights) != n:
		return fmt.Errorf("dataset: %q has %d instances and %d weights; give one weight for each, or none", d.Name, n, len(d.Weights))
	}
	return nil
}

// given returns d. It panics if there is none.
func (d *Dataset) given() *Dataset {
	if d == nil {
		panic(noData{})
	}
	return d
}
