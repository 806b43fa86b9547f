package taxonomy

import (
	"fmt"
	"slices"
)

// WithMiscellaneous returns a copy of the taxonomy with one more leaf below each of the listed
// inner nodes, for the instances that are labelled with the inner node and nothing more specific,
// and the new leaf of each. Old nodes keep their ids; new leaves have the ids Len(), Len()+1, ...
// in the order of the list and are called "NAME (misc)". A node listed twice counts once. It is an
// error to list a leaf, which needs no such help.
func (t *Taxonomy) WithMiscellaneous(inner []int) (*Taxonomy, map[int]int, error) {
	names := slices.Clone(t.names)
	edges := slices.Clone(t.edges)
	leafOf := make(map[int]int, len(inner))
	taken := make(map[string]bool, len(inner))
	for _, v := range inner {
		if v < 0 || v >= len(t.names) {
			return nil, nil, fmt.Errorf("taxonomy: no node %d to add a miscellaneous leaf to; nodes are 0 to %d", v, len(t.names)-1)
		}
		if _, ok := leafOf[v]; ok {
			continue
		}
		if t.IsLeaf(v) {
			return nil, nil, fmt.Errorf("taxonomy: node %d, %q, is a leaf; only inner nodes get a miscellaneous leaf", v, t.names[v])
		}
		name := fmt.Sprintf("%s (misc)", t.names[v])
		for i := 2; t.has(name) || taken[name]; i++ {
			name = fmt.Sprintf("%s (misc %d)", t.names[v], i)
		}
		taken[name] = true
		leafOf[v] = len(names)
		edges = append(edges, [2]int{v, len(names)})
		names = append(names, name)
	}
	extended, err := New(names, edges)
	if err != nil {
		return nil, nil, err
	}
	return extended, leafOf, nil
}

func (t *Taxonomy) has(name string) bool {
	_, ok := t.ids[name]
	return ok
}
