package dataset

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Under returns the data set under another taxonomy: every label is now the node of t that stands
// for the same label, by name: t.LabelNode of its LabelName. It is how instances come under a
// hierarchy that was learned or drawn at random, and those with labels at inner nodes under the
// taxonomy of a model that was trained on Leafed data. A label without a node of its name, and
// labels of one instance of which t puts one above another, are errors.
func (d *Dataset) Under(t *taxonomy.Taxonomy) (*Dataset, error) {
	if d == nil {
		return nil, noData{}
	}
	if t == nil || d.Taxonomy == nil {
		return nil, fmt.Errorf("dataset: to put %q under another taxonomy both taxonomies are needed", d.Name)
	}
	s := *d
	s.Taxonomy = t
	s.Labels = make([][]int, len(d.Labels))
	for i, set := range d.Labels {
		moved := make([]int, len(set))
		for k, n := range set {
			if n < 0 || n >= d.Taxonomy.Len() {
				return nil, fmt.Errorf("dataset: row %d of %q has label %d; its taxonomy has nodes 0..%d", i, d.Name, n, d.Taxonomy.Len()-1)
			}
			name := d.Taxonomy.LabelName(n)
			node, ok := t.LabelNode(name)
			if !ok {
				return nil, fmt.Errorf("dataset: row %d of %q has the label %q, which the other taxonomy does not have", i, d.Name, name)
			}
			moved[k] = node
		}
		slices.Sort(moved)
		for _, n := range moved {
			if len(moved) == 1 || t.IsLeaf(n) {
				continue
			}
			for _, m := range moved {
				if _, above := slices.BinarySearch(t.Ancestors(m), n); above && m != n {
					return nil, fmt.Errorf("dataset: row %d of %q has the labels %q and %q, and the first is an ancestor of the second in the other taxonomy", i, d.Name, t.Name(n), t.Name(m))
				}
			}
		}
		s.Labels[i] = moved
	}
	return &s, nil
}
