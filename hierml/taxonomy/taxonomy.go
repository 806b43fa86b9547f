// Package taxonomy holds the categories of a classification problem and how they contain each
// other: an immutable tree, forest or directed acyclic graph of named nodes, its walks (ancestors,
// descendants, siblings, depths, distances), the readers that make one, and the miscellaneous
// leaves that take the instances labelled with an inner node.
//
// A node is an id from 0 to Len()-1. A leaf is a node without children, a root one without parents;
// a node alone is both. Ancestors and Descendants contain the node itself, as in all sums of the
// papers. Instances, costs and weights belong to the packages dataset, loss and weighting.
package taxonomy

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Taxonomy is a tree, forest or directed acyclic graph of named nodes. It never changes after New
// and may be used from several goroutines at once.
//
// The slices its methods return belong to the taxonomy and must not be modified. A node id outside
// 0..Len()-1 panics, as an index outside a slice does.
type Taxonomy struct {
	names     []string
	ids       map[string]int
	edges     [][2]int
	parents   [][]int
	children  [][]int
	roots     []int
	leaves    []int
	leafIndex []int
	order     []int
	longest   []int
	shortest  []int
	tree      bool

	// ancestors and descendants are filled when first asked for: on a deep graph the sets
	// together are much larger than the graph.
	ancestors   []atomic.Pointer[[]int]
	descendants []atomic.Pointer[[]int]
}

// New returns the taxonomy of the named nodes and the edges {parent, child} between them. Names are
// distinct and not empty; there is at least one node. It returns a *DuplicateError for a name or an
// edge given twice, a *RangeError for an edge to a node that is not there, a *CycleError for a cycle,
// and a *NameError for an empty name. It keeps neither slice.
func New(names []string, edges [][2]int) (*Taxonomy, error) {
	n := len(names)
	if n == 0 {
		return nil, fmt.Errorf("taxonomy: no nodes; at least one is needed")
	}
	t := &Taxonomy{
		names:       slices.Clone(names),
		ids:         make(map[string]int, n),
		edges:       slices.Clone(edges),
		parents:     make([][]int, n),
		children:    make([][]int, n),
		leafIndex:   make([]int, n),
		ancestors:   make([]atomic.Pointer[[]int], n),
		descendants: make([]atomic.Pointer[[]int], n),
	}
	for i, name := range t.names {
		if name == "" {
			return nil, &NameError{Node: i}
		}
		if first, ok := t.ids[name]; ok {
			return nil, &DuplicateError{Kind: "node name", Name: fmt.Sprintf("%q", name), First: first, Second: i}
		}
		t.ids[name] = i
	}
	if err := t.connect(edges); err != nil {
		return nil, err
	}
	t.tree = true
	for v := range n {
		t.leafIndex[v] = -1
		if len(t.children[v]) == 0 {
			t.leafIndex[v] = len(t.leaves)
			t.leaves = append(t.leaves, v)
		}
		if len(t.parents[v]) == 0 {
			t.roots = append(t.roots, v)
		}
		if len(t.parents[v]) > 1 {
			t.tree = false
		}
	}
	if err := t.sort(); err != nil {
		return nil, err
	}
	t.measure()
	return t, nil
}

// connect checks the edges and sorts them into parents and children.
func (t *Taxonomy) connect(edges [][2]int) error {
	n := len(t.names)
	seen := make(map[[2]int]int, len(edges))
	for i, e := range edges {
		for _, v := range e {
			if v < 0 || v >= n {
				return &RangeError{Edge: i, Node: v, Len: n}
			}
		}
		if first, ok := seen[e]; ok {
			return &DuplicateError{
				Kind: "edge", Name: fmt.Sprintf("%q > %q", t.names[e[0]], t.names[e[1]]), First: first, Second: i,
			}
		}
		seen[e] = i
	}
	slices.SortFunc(t.edges, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
	for _, e := range t.edges {
		t.children[e[0]] = append(t.children[e[0]], e[1])
		t.parents[e[1]] = append(t.parents[e[1]], e[0])
	}
	return nil
}

// sort orders the nodes so that parents come before children.
func (t *Taxonomy) sort() error {
	missing := make([]int, len(t.names))
	for v := range missing {
		missing[v] = len(t.parents[v])
	}
	t.order = append(make([]int, 0, len(t.names)), t.roots...)
	for i := 0; i < len(t.order); i++ {
		for _, c := range t.children[t.order[i]] {
			if missing[c]--; missing[c] == 0 {
				t.order = append(t.order, c)
			}
		}
	}
	if len(t.order) < len(t.names) {
		return t.cycle(missing)
	}
	return nil
}

// cycle names a cycle among the nodes that still miss a parent.
func (t *Taxonomy) cycle(missing []int) *CycleError {
	at := slices.IndexFunc(missing, func(m int) bool { return m > 0 })
	step := make(map[int]int)
	var up []int
	for {
		if first, ok := step[at]; ok {
			up = up[first:]
			break
		}
		step[at] = len(up)
		up = append(up, at)
		for _, p := range t.parents[at] {
			if missing[p] > 0 {
				at = p
				break
			}
		}
	}
	slices.Reverse(up)
	e := &CycleError{Nodes: up}
	for _, v := range up {
		e.Names = append(e.Names, t.names[v])
	}
	return e
}

// measure sets the depths of all nodes.
func (t *Taxonomy) measure() {
	t.longest = make([]int, len(t.names))
	t.shortest = make([]int, len(t.names))
	for _, v := range t.order {
		for i, p := range t.parents[v] {
			t.longest[v] = max(t.longest[v], t.longest[p]+1)
			if i == 0 || t.shortest[p]+1 < t.shortest[v] {
				t.shortest[v] = t.shortest[p] + 1
			}
		}
	}
}

// Len returns the number of nodes.
func (t *Taxonomy) Len() int { return len(t.names) }

// Name returns the name of node n.
func (t *Taxonomy) Name(n int) string { return t.names[n] }

// Names returns the names of all nodes, by id.
func (t *Taxonomy) Names() []string { return t.names }

// Node returns the id of the node called name.
func (t *Taxonomy) Node(name string) (int, bool) {
	n, ok := t.ids[name]
	return n, ok
}

// Parents returns the parents of n, ascending.
func (t *Taxonomy) Parents(n int) []int { return t.parents[n] }

// Children returns the children of n, ascending.
func (t *Taxonomy) Children(n int) []int { return t.children[n] }

// Edges returns all edges {parent, child}, ascending by parent, then child.
func (t *Taxonomy) Edges() [][2]int { return t.edges }

// Roots returns the nodes without parents, ascending.
func (t *Taxonomy) Roots() []int { return t.roots }

// Leaves returns the nodes without children, ascending. Everything that has one row or column a
// leaf, in this library, is in this order.
func (t *Taxonomy) Leaves() []int { return t.leaves }

// LeafIndex returns the position of n in Leaves, or -1 where n is not a leaf.
func (t *Taxonomy) LeafIndex(n int) int { return t.leafIndex[n] }

// IsLeaf reports whether n has no children.
func (t *Taxonomy) IsLeaf(n int) bool { return t.leafIndex[n] >= 0 }

// IsTree reports whether no node has more than one parent. A forest of trees counts.
func (t *Taxonomy) IsTree() bool { return t.tree }

// Topological returns all nodes, parents before children.
func (t *Taxonomy) Topological() []int { return t.order }
