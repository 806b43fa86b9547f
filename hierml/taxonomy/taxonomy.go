package taxonomy

import (
	"fmt"
	"slices"
)

// Taxonomy is a tree, forest or directed acyclic graph of named nodes. It never changes after New
// and is safe for concurrent use.
//
// The slices returned by its methods belong to the taxonomy and must not be modified. Methods panic
// for a node id outside 0..Len()-1.
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
	labels    map[int]string // of leaves that stand for another label, its name
	// the inverse of labels
	labelNodes map[string]int

	ancestors, descendants closures
}

// New returns the taxonomy of the named nodes and the edges {parent, child} between them. Names
// must be distinct and not empty, and there must be at least one node. It returns a *DuplicateError
// for a repeated name or edge, a *RangeError for an edge to a node that does not exist, a
// *CycleError for a cycle, and a *NameError for an empty name. It does not keep the slices.
func New(names []string, edges [][2]int) (*Taxonomy, error) {
	n := len(names)
	if n == 0 {
		return nil, fmt.Errorf("taxonomy: no nodes; at least one is needed")
	}
	ids := make(map[string]int, n)
	for i, name := range names {
		if name == "" {
			return nil, &NameError{Node: i}
		}
		if first, ok := ids[name]; ok {
			return nil, &DuplicateError{Kind: "node name", Name: fmt.Sprintf("%q", name), First: first, Second: i}
		}
		ids[name] = i
	}
	for i, e := range edges {
		for _, v := range e {
			if v < 0 || v >= n {
				return nil, &RangeError{Edge: i, Node: v, Len: n}
			}
		}
	}
	order := ascending(n, edges)
	if again := repeated(edges, order); len(again) > 0 {
		e := edges[again[0].edge]
		return nil, &DuplicateError{
			Kind: "edge", Name: fmt.Sprintf("%q > %q", names[e[0]], names[e[1]]), First: again[0].of, Second: again[0].edge,
		}
	}
	return build(slices.Clone(names), ids, pick(edges, order))
}

// pick returns the edges at the positions.
func pick(edges [][2]int, positions []int) [][2]int {
	picked := make([][2]int, len(positions))
	for k, i := range positions {
		picked[k] = edges[i]
	}
	return picked
}

// Len returns the number of nodes.
func (t *Taxonomy) Len() int { return len(t.given().names) }

// Name returns the name of node n.
func (t *Taxonomy) Name(n int) string {
	t.mustHave(n)
	return t.names[n]
}

// NamesOf returns the names of labels, such as those that a model predicts, in their order: the
// LabelName of each node.
func (t *Taxonomy) NamesOf(nodes ...int) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = t.LabelName(n)
	}
	return names
}

// Names returns the names of all nodes, by id.
func (t *Taxonomy) Names() []string { return t.given().names }

// Node returns the id of the node with the given name.
func (t *Taxonomy) Node(name string) (int, bool) {
	n, ok := t.given().ids[name]
	return n, ok
}

// Parents returns the parents of n, ascending.
func (t *Taxonomy) Parents(n int) []int {
	t.mustHave(n)
	return t.parents[n]
}

// Children returns the children of n, ascending.
func (t *Taxonomy) Children(n int) []int {
	t.mustHave(n)
	return t.children[n]
}

// Ancestors returns n and all nodes above it, ascending. Results are cached up to half a gigabyte
// in total, because the sets of a deep taxonomy can be much larger than the taxonomy (a chain of a
// million nodes: 4 terabytes). Further results are computed at each call.
func (t *Taxonomy) Ancestors(n int) []int {
	t.mustHave(n)
	return t.ancestors.of(n, t.parents, t.tree)
}

// Descendants returns n and all nodes below it, ascending. It caches results as Ancestors does.
func (t *Taxonomy) Descendants(n int) []int {
	t.mustHave(n)
	return t.descendants.of(n, t.children, t.tree)
}

// Edges returns all edges {parent, child}, ascending by parent, then child.
func (t *Taxonomy) Edges() [][2]int { return t.given().edges }

// Roots returns the nodes without parents, ascending.
func (t *Taxonomy) Roots() []int { return t.given().roots }

// Leaves returns the nodes without children, ascending. In this library, everything with one row or
// column per leaf is in this order.
func (t *Taxonomy) Leaves() []int { return t.given().leaves }

// LeafIndex returns the position of n in Leaves, or -1 if n is not a leaf.
func (t *Taxonomy) LeafIndex(n int) int {
	t.mustHave(n)
	return t.leafIndex[n]
}

// IsLeaf reports whether n has no children.
func (t *Taxonomy) IsLeaf(n int) bool {
	t.mustHave(n)
	return t.leafIndex[n] >= 0
}

// IsTree reports whether no node has more than one parent. A forest of trees counts.
func (t *Taxonomy) IsTree() bool { return t.given().tree }

// Topological returns all nodes, parents before children.
func (t *Taxonomy) Topological() []int { return t.given().order }

// given returns t. It panics if t is nil.
func (t *Taxonomy) given() *Taxonomy {
	if t == nil {
		panic(noNode{})
	}
	return t
}

// mustHave panics if there is no node n.
func (t *Taxonomy) mustHave(n int) {
	if t == nil || uint(n) >= uint(len(t.names)) {
		panic(noNode{t, n})
	}
}
