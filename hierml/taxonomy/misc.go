package taxonomy

import (
	"fmt"
	"maps"
	"slices"
)

// WithMiscellaneous returns a copy of the taxonomy in which each listed inner node has a leaf for
// the instances labelled with the inner node and nothing more specific. It also returns that leaf
// for each listed node. A node that already has such a leaf keeps it; the others get a new one. Old
// nodes keep their ids; new leaves have the ids Len(), Len()+1, ... in the order of the list, and
// the names "NAME (misc)". Label and LabelName of such a leaf return the inner node and its name. A
// node listed twice counts once. It returns an error if a listed node is a leaf.
func (t *Taxonomy) WithMiscellaneous(inner []int) (*Taxonomy, map[int]int, error) {
	names := slices.Clone(t.names)
	edges := slices.Clone(t.edges)
	labels := maps.Clone(t.labels)
	if labels == nil {
		labels = make(map[int]string)
	}
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
		if at := slices.IndexFunc(t.children[v], func(c int) bool { return t.Label(c) == v }); at >= 0 {
			leafOf[v] = t.children[v][at]
			continue
		}
		name := fmt.Sprintf("%s (misc)", t.names[v])
		for i := 2; t.has(name) || taken[name]; i++ {
			name = fmt.Sprintf("%s (misc %d)", t.names[v], i)
		}
		taken[name] = true
		leafOf[v] = len(names)
		edges = append(edges, [2]int{v, len(names)})
		labels[len(names)] = t.names[v]
		names = append(names, name)
	}
	if len(names) == len(t.names) {
		return t, leafOf, nil
	}
	extended, err := NewWithLabels(names, edges, labels)
	if err != nil {
		return nil, nil, err
	}
	return extended, leafOf, nil
}

func (t *Taxonomy) has(name string) bool {
	_, ok := t.ids[name]
	return ok
}

// NewWithLabels is New for a taxonomy with leaves that represent labels with other names, such as
// those that WithMiscellaneous adds; LabelName then returns these names. They are given by node, as
// LabelNames returns them. Use it to rebuild a taxonomy from a file, or from a part of its nodes.
// It returns an error for a label of an inner node, for a label without a name, and for two leaves
// with one label.
func NewWithLabels(names []string, edges [][2]int, labels map[int]string) (*Taxonomy, error) {
	t, err := New(names, edges)
	if err != nil || len(labels) == 0 {
		return t, err
	}
	leaf := make(map[string]int, len(labels))
	for _, n := range slices.Sorted(maps.Keys(labels)) {
		name := labels[n]
		switch {
		case n < 0 || n >= t.Len():
			return nil, fmt.Errorf("taxonomy: a label is given for node %d; nodes are 0 to %d", n, t.Len()-1)
		case !t.IsLeaf(n):
			return nil, fmt.Errorf("taxonomy: node %q stands for the label %q; only a leaf can", t.names[n], name)
		case name == "":
			return nil, fmt.Errorf("taxonomy: leaf %q stands for a label without a name", t.names[n])
		}
		other, twice := leaf[name]
		if v, ok := t.ids[name]; ok && !twice && v != n && t.IsLeaf(v) && labels[v] == "" {
			other, twice = v, true
		}
		if twice {
			return nil, fmt.Errorf("taxonomy: the leaves %q and %q both stand for the label %q", t.names[other], t.names[n], name)
		}
		leaf[name] = n
	}
	t.labels, t.labelNodes = maps.Clone(labels), leaf
	return t, nil
}

// LabelNode returns the node that represents the label with the given name: the leaf that
// WithMiscellaneous added for it, if there is one, otherwise the node with this name. It is the
// inverse of LabelName for leaves.
func (t *Taxonomy) LabelNode(name string) (int, bool) {
	if n, ok := t.given().labelNodes[name]; ok {
		return n, true
	}
	return t.Node(name)
}

// LabelNames returns the names of the labels of leaves that have another name, by node, or nil if
// there are none. The map must not be modified.
func (t *Taxonomy) LabelNames() map[int]string { return t.given().labels }

// LabelName returns the name of the label n in the data: that of the inner node for a leaf that
// WithMiscellaneous added below it, otherwise the name of n. No two leaves have the same one.
func (t *Taxonomy) LabelName(n int) string {
	t.mustHave(n)
	if name, ok := t.labels[n]; ok {
		return name
	}
	return t.names[n]
}

// Label returns the node that is the label n in the data: the inner node for a leaf that
// WithMiscellaneous added below it, otherwise n. If the taxonomy has the leaf but not the inner
// node above it, as a learned one may, it is n.
func (t *Taxonomy) Label(n int) int {
	t.mustHave(n)
	if name, ok := t.labels[n]; ok {
		for _, p := range t.parents[n] {
			if t.names[p] == name {
				return p
			}
		}
	}
	return n
}

// WithoutMiscellaneous returns the taxonomy without the miscellaneous leaves, and for each node of
// t the node there that is its Label. Distances, ancestors and depths of labels are measured in it.
// Nodes keep their order, and also their ids if the leaves are the last nodes, where
// WithMiscellaneous puts them. If there is no such leaf, it returns t itself.
func (t *Taxonomy) WithoutMiscellaneous() (*Taxonomy, []int) {
	var kept []int
	to := make([]int, t.Len())
	for n := range to {
		if t.Label(n) == n {
			to[n] = len(kept)
			kept = append(kept, n)
		}
	}
	if len(kept) == t.Len() {
		return t, to
	}
	for n := range to {
		to[n] = to[t.Label(n)]
	}
	return t.restrict(kept), to
}
