package taxonomy

import (
	"fmt"
	"maps"
	"slices"
)

// WithMiscellaneous returns a copy of the taxonomy in which each of the listed inner nodes has a
// leaf for the instances that are labelled with the inner node and nothing more specific, and that
// leaf of each. A node that has such a leaf keeps it; the others get a new one. Old nodes keep
// their ids; new leaves have the ids Len(), Len()+1, ... in the order of the list and are called
// "NAME (misc)". Label and LabelName of such a leaf are the inner node and its name. A node listed
// twice counts once. It is an error to list a leaf, which needs no such help.
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

// NewWithLabels is New for a taxonomy some of whose leaves stand for labels of other names, which
// LabelName then returns: those that WithMiscellaneous has added, by node, as LabelNames has them.
// It is how a taxonomy is built again from a file, or from a part of its nodes. A label of an inner
// node, a label without a name, and two leaves with one label are errors.
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
			return nil, fmt.Errorf("taxonomy: a label of node %d; nodes are 0 to %d", n, t.Len()-1)
		case !t.IsLeaf(n):
			return nil, fmt.Errorf("taxonomy: node %q stands for the label %q; only a leaf does", t.names[n], name)
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

// LabelNode returns the node that stands for the label with the given name: the leaf that
// WithMiscellaneous has added for it, if there is one, and otherwise the node called so. It is the
// inverse of LabelName for leaves.
func (t *Taxonomy) LabelNode(name string) (int, bool) {
	if n, ok := t.given().labelNodes[name]; ok {
		return n, true
	}
	return t.Node(name)
}

// LabelNames returns the names of the labels that leaves with another name stand for, by node; nil
// if there is none. The map must not be modified.
func (t *Taxonomy) LabelNames() map[int]string { return t.given().labels }

// LabelName returns the name by which the data know the label n: that of the inner node, for a leaf
// that WithMiscellaneous has added below it, and otherwise the name of n. No two leaves have the
// same.
func (t *Taxonomy) LabelName(n int) string {
	t.mustHave(n)
	if name, ok := t.labels[n]; ok {
		return name
	}
	return t.names[n]
}

// Label returns the node that is the label n in the data: the inner node, for a leaf that
// WithMiscellaneous has added below it, and otherwise n. In a taxonomy that has the leaf but not
// the inner node above it, as one that was learned, it is n.
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

// WithoutMiscellaneous returns the taxonomy without the leaves that stand for the node above them,
// and for each node of t the node there that is its Label. It is what distances, ancestors and
// depths of labels are measured in. Nodes keep their order, and their ids if the leaves are the
// last nodes, where WithMiscellaneous puts them. Without any such leaf it returns t itself.
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
