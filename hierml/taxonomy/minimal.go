package taxonomy

import (
	"fmt"
	"slices"
)

// Minimal is the minimal graph M(G) of a taxonomy for given sets of labels [CSS16, section 5.2]:
// nodes that no set distinguishes are merged.
type Minimal struct {
	Taxonomy *Taxonomy // its node k stands for the nodes Classes[k]
	Classes  [][]int   // old nodes, ascending; classes by their smallest node
	Class    []int     // the new node of each old one, -1 where it is unseen
	Unseen   []int     // old nodes that are above no label, ascending
}

// Minimal returns the minimal graph for the labels of the instances. Nodes that are above labels of
// exactly the same sets become one node, with the name of the last of them in topological order, so
// a chain has the name of its end. Nodes above no label of any set are left out. There is an edge
// between two merged nodes if there is one between nodes of theirs. There is no cycle, because a
// parent is above everything that its children are above.
//
// Two leaves that only occur together become one node, and so does a leaf with an inner node that
// only occurs with it; so in the minimal graph a label need not be a leaf. Minimal returns an error
// if no set has a label, or if a label is not a node.
func (t *Taxonomy) Minimal(sets [][]int) (*Minimal, error) {
	// Every set splits the classes into those above it and the rest; class 0 has the unseen nodes.
	class := make([]int, t.Len())
	last := 0
	renamed := make(map[int]int)
	for i, set := range sets {
		for _, n := range set {
			if n < 0 || n >= t.Len() {
				return nil, fmt.Errorf("taxonomy: set %d has the label %d; nodes are 0 to %d", i, n, t.Len()-1)
			}
		}
		clear(renamed)
		for _, n := range t.Closure(set) {
			c, ok := renamed[class[n]]
			if !ok {
				last++
				c = last
				renamed[class[n]] = c
			}
			class[n] = c
		}
	}
	if last == 0 {
		return nil, fmt.Errorf("taxonomy: no labels in %d sets; the minimal graph needs at least one", len(sets))
	}
	m := &Minimal{Class: make([]int, t.Len())}
	clear(renamed)
	for n, c := range class {
		if c == 0 {
			m.Class[n] = -1
			m.Unseen = append(m.Unseen, n)
			continue
		}
		k, ok := renamed[c]
		if !ok {
			k = len(m.Classes)
			renamed[c] = k
			m.Classes = append(m.Classes, nil)
		}
		m.Class[n] = k
		m.Classes[k] = append(m.Classes[k], n)
	}
	names := make([]string, len(m.Classes))
	labels := make(map[int]string)
	for _, n := range t.order {
		if k := m.Class[n]; k >= 0 {
			names[k] = t.names[n]
			delete(labels, k)
			if label, ok := t.labels[n]; ok {
				if names[k], labels[k] = t.names[n], label; m.Class[t.Label(n)] == k { // they are one node
					names[k] = label
					delete(labels, k)
				}
			}
		}
	}
	var edges [][2]int
	seen := make(map[[2]int]bool)
	for _, e := range t.edges {
		between := [2]int{m.Class[e[0]], m.Class[e[1]]}
		if between[1] < 0 || between[0] == between[1] || seen[between] {
			continue
		}
		seen[between] = true
		edges = append(edges, between)
	}
	for _, e := range edges {
		delete(labels, e[0]) // an inner node is a label itself
	}
	var err error
	if m.Taxonomy, err = NewWithLabels(names, edges, labels); err != nil {
		return nil, err
	}
	return m, nil
}

// Map returns the nodes of the minimal graph for a set of old nodes, ascending; unseen nodes are
// left out.
func (m *Minimal) Map(set []int) []int {
	var classes []int
	for _, n := range set {
		if m.Class[n] >= 0 {
			classes = append(classes, m.Class[n])
		}
	}
	slices.Sort(classes)
	return slices.Compact(classes)
}
