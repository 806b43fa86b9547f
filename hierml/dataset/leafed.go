package dataset

import (
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// leafed returns the taxonomy with a miscellaneous leaf below each inner node that is a label in
// one of the lists, and the lists with these labels moved there; t and nil where all labels are
// leaves.
func leafed(t *taxonomy.Taxonomy, lists ...[][]int) (*taxonomy.Taxonomy, [][][]int, error) {
	isInner := make([]bool, t.Len())
	var inner []int
	for _, labels := range lists {
		for _, set := range labels {
			for _, n := range set {
				if !t.IsLeaf(n) && !isInner[n] {
					isInner[n] = true
					inner = append(inner, n)
				}
			}
		}
	}
	if len(inner) == 0 {
		return t, nil, nil
	}
	slices.Sort(inner)
	extended, leafOf, err := t.WithMiscellaneous(inner)
	if err != nil {
		return nil, nil, err
	}
	moved := make([][][]int, len(lists))
	for i, labels := range lists {
		moved[i] = make([][]int, len(labels))
		for j, set := range labels {
			moved[i][j] = set
			if !slices.ContainsFunc(set, func(n int) bool { return isInner[n] }) {
				continue
			}
			set = slices.Clone(set)
			for k, n := range set {
				if leaf, ok := leafOf[n]; ok {
					set[k] = leaf
				}
			}
			slices.Sort(set)
			moved[i][j] = set
		}
	}
	return extended, moved, nil
}
