package classifier

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
)

// CheckData returns an error unless a method can learn from the labels of the data: every instance
// has a set of nodes, ascending, and at least one set is not empty. structured.CheckMatrix checks
// the matrix. Put the name of the method's package before the error.
func CheckData(d *dataset.Dataset) error {
	switch {
	case d == nil:
		return fmt.Errorf("the dataset is nil; training needs one with instances and a taxonomy")
	case d.X == nil:
		return fmt.Errorf("dataset %q has no matrix of instances; set X", d.Name)
	case d.Taxonomy == nil:
		return fmt.Errorf("dataset %q has no taxonomy; set Taxonomy", d.Name)
	}
	if d.X.Rows == 0 {
		return fmt.Errorf("dataset %q has no instances to learn from", d.Name)
	}
	if len(d.Labels) != d.X.Rows {
		return fmt.Errorf("dataset %q has %d instances and labels for %d; Labels needs one entry per instance", d.Name, d.X.Rows, len(d.Labels))
	}
	if !slices.ContainsFunc(d.Labels, func(set []int) bool { return len(set) > 0 }) {
		return fmt.Errorf("no instance of dataset %q has a label to learn from", d.Name)
	}
	for i, set := range d.Labels {
		for k, n := range set {
			if n < 0 || n >= d.Taxonomy.Len() {
				return fmt.Errorf("row %d of dataset %q has label %d; the taxonomy has nodes 0..%d", i, d.Name, n, d.Taxonomy.Len()-1)
			}
			if k > 0 && set[k-1] >= n {
				return fmt.Errorf("the labels %v of row %d of dataset %q are not ascending; list each once, the smallest node first", set, i, d.Name)
			}
		}
	}
	return nil
}

// CheckUnweighted returns an error if the instances have weights. method, such as "a perceptron",
// cannot use them, and the clause why says why.
func CheckUnweighted(d *dataset.Dataset, method, why string) error {
	if d == nil || d.Weights == nil {
		return nil
	}
	return fmt.Errorf("dataset %q has weights, which %s cannot use: %s; set Weights to nil, or repeat rows with Subset", d.Name, method, why)
}

// CheckLeaves returns the error of CheckData, or one if a label is an inner node.
func CheckLeaves(d *dataset.Dataset) error {
	if err := CheckData(d); err != nil {
		return err
	}
	for i, set := range d.Labels {
		for _, n := range set {
			if !d.Taxonomy.IsLeaf(n) {
				return fmt.Errorf("row %d of dataset %q is labelled with the inner node %q; move such labels to added leaves with Dataset.Leafed, or with Collection.Leafed for both parts", i, d.Name, d.Taxonomy.Name(n))
			}
		}
	}
	return nil
}
