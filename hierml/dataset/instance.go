package dataset

import (
	"fmt"
	"iter"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Instance is one row of a data set: its labels, and the columns and values of its non-zero
// features, with ascending columns. In a loop over instances, the columns and values are valid
// until the next iteration; the labels remain valid.
type Instance struct {
	Labels  []int
	Columns []int32
	Values  []float32
	Group   string // as Dataset.Groups has it
}

// Instances yields the instances in the order of the rows, for online learners, which can also read
// them from a file: SVMLight.Instances, LSHTC.Instances. An instance has no weight: if the data set
// has Weights that are not all 1, it yields an error instead of the first instance.
func (d *Dataset) Instances() iter.Seq2[Instance, error] {
	return func(yield func(Instance, error) bool) {
		if slices.ContainsFunc(d.Weights, func(w float64) bool { return w != 1 }) {
			yield(Instance{}, fmt.Errorf("dataset: %q has weights, but files and single instances cannot hold them; set Weights to nil to leave them out", d.Name))
			return
		}
		for i, labels := range d.Labels {
			columns, values := d.X.Row(i)
			in := Instance{Labels: labels, Columns: columns, Values: values}
			if d.Groups != nil {
				in.Group = d.Groups[i]
			}
			if !yield(in, nil) {
				return
			}
		}
	}
}

// Collect makes a data set of the instances. It has as many columns as the largest that is not
// zero, or as many as are given where that is more.
func Collect(name string, t *taxonomy.Taxonomy, columns int, instances iter.Seq2[Instance, error]) (*Dataset, error) {
	if t == nil || instances == nil {
		return nil, fmt.Errorf("dataset: %q needs a taxonomy and instances", name)
	}
	var b Builder
	for in, err := range instances {
		if err != nil {
			return nil, err
		}
		b.Add(in)
	}
	return b.Dataset(name, t, columns), nil
}

// appendGroup puts the group of a row behind those of earlier ones, of which the last have none
// where they are fewer.
func appendGroup(groups []string, row int, group string) []string {
	if group == "" {
		return groups
	}
	return append(append(groups, make([]string, row-len(groups))...), group)
}

// allGroups returns the groups of all rows, or nil if none has one.
func allGroups(groups []string, rows int) []string {
	if len(groups) == 0 {
		return nil
	}
	return append(groups, make([]string, rows-len(groups))...)
}
