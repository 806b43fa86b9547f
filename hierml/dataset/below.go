package dataset

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Below returns the instances that have labels at the named node or below it, with these labels,
// under the taxonomy of that part, such as the subtree CCAT of RCV1. Columns stay as they are.
func (d *Dataset) Below(node string) (*Dataset, error) {
	if d == nil {
		return nil, noData{}
	}
	if err := d.fits(); err != nil {
		return nil, err
	}
	part, id, err := below(d.Name, d.Taxonomy, node)
	if err != nil {
		return nil, err
	}
	return d.restrict(part, id), nil
}

// below returns the part of the taxonomy, and the ids in it by those in t.
func below(name string, t *taxonomy.Taxonomy, node string) (*taxonomy.Taxonomy, map[int]int, error) {
	if t == nil {
		return nil, nil, fmt.Errorf("dataset: %q has no taxonomy to take a part of", name)
	}
	n, ok := t.Node(node)
	if !ok {
		return nil, nil, fmt.Errorf("dataset: the taxonomy of %q has no node %q; a root is %q", name, node, t.Name(t.Roots()[0]))
	}
	part, nodes := t.Below(n)
	id := make(map[int]int, len(nodes))
	for k, v := range nodes {
		id[v] = k
	}
	return part, id, nil
}

func (d *Dataset) restrict(part *taxonomy.Taxonomy, id map[int]int) *Dataset {
	var rows []int
	var labels [][]int
	for i, set := range d.Labels {
		var kept []int
		for _, n := range set {
			if k, ok := id[n]; ok {
				kept = append(kept, k)
			}
		}
		if len(kept) > 0 {
			slices.Sort(kept)
			rows, labels = append(rows, i), append(labels, kept)
		}
	}
	s := d.Subset(rows)
	s.Taxonomy, s.Labels = part, labels
	return s
}
