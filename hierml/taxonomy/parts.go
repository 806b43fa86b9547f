package taxonomy

import (
	"fmt"
	"slices"
)

// Below returns the taxonomy of n and all nodes below it, with their names, and the id of each node
// in t. Parents outside are left out, so n is the only root.
func (t *Taxonomy) Below(some ...int) (*Taxonomy, []int) {
	var nodes []int
	for _, n := range some {
		nodes = append(nodes, t.Descendants(n)...)
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	return t.restrict(nodes), nodes
}

// Above returns the taxonomy of the given nodes and all nodes above them, with their names, and the
// id of each node in t. It panics if there are no nodes.
func (t *Taxonomy) Above(some []int) (*Taxonomy, []int) {
	nodes := t.Closure(some)
	return t.restrict(nodes), nodes
}

// restrict returns the taxonomy of the nodes, which are ascending, and the edges between them.
func (t *Taxonomy) restrict(nodes []int) *Taxonomy {
	id := make(map[int]int, len(nodes))
	names := make([]string, len(nodes))
	labels := make(map[int]string)
	for k, v := range nodes {
		id[v], names[k] = k, t.names[v]
		if name, ok := t.labels[v]; ok {
			labels[k] = name
		}
	}
	var edges [][2]int
	for k, v := range nodes {
		for _, c := range t.children[v] {
			if child, ok := id[c]; ok {
				edges = append(edges, [2]int{k, child})
			}
		}
	}
	part, err := NewWithLabels(names, edges, labels)
	if err != nil {
		panic(fmt.Sprintf("taxonomy: a part of a taxonomy is none: %v", err))
	}
	return part
}

// Collapsed returns the taxonomy in which every chain of only children without other parents is
// merged into one node with the name of the last, and the new node of each node of t. It
// distinguishes leaves as t does, with fewer nodes. Minimal merges more, for given instances.
func (t *Taxonomy) Collapsed() (*Taxonomy, []int) {
	became := make([]int, t.Len())
	var kept []int
	for _, v := range slices.Backward(t.order) {
		if c := t.children[v]; len(c) == 1 && len(t.parents[c[0]]) == 1 {
			became[v] = became[c[0]]
			continue
		}
		became[v] = v
		kept = append(kept, v)
	}
	slices.Sort(kept)
	id := make([]int, t.Len())
	names := make([]string, len(kept))
	labels := make(map[int]string)
	for k, v := range kept {
		id[v], names[k] = k, t.names[v]
		if name, ok := t.labels[v]; ok {
			labels[k] = name
		}
	}
	for v := range became {
		became[v] = id[became[v]]
	}
	var edges [][2]int
	for _, e := range t.edges {
		if became[e[0]] != became[e[1]] {
			edges = append(edges, [2]int{became[e[0]], became[e[1]]})
		}
	}
	collapsed, err := NewWithLabels(names, edges, labels)
	if err != nil {
		panic(fmt.Sprintf("taxonomy: a taxonomy without its chains is none: %v", err))
	}
	return collapsed, became
}

// LowestCommonAncestors returns the lowest nodes that are at or above both a and b, none above
// another, ascending: one node on a tree, none if a and b are in different trees.
func (t *Taxonomy) LowestCommonAncestors(a, b int) []int {
	above := t.Ancestors(b)
	var common []int
	for _, v := range t.Ancestors(a) {
		if _, ok := slices.BinarySearch(above, v); ok {
			common = append(common, v)
		}
	}
	// Ancestors of a common ancestor are also common, so the lowest are those without a child among
	// them.
	return slices.DeleteFunc(slices.Clone(common), func(v int) bool {
		return slices.ContainsFunc(t.children[v], func(c int) bool {
			_, ok := slices.BinarySearch(common, c)
			return ok
		})
	})
}
