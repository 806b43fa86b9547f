package taxonomy

import (
	"slices"
	"sync/atomic"
)

// maxRemembered bounds how many ids closures cache.
const maxRemembered = 1 << 26

// closures caches the nodes reachable along one direction of the edges, for the nodes that were
// queried.
type closures struct {
	known      []atomic.Pointer[[]int]
	remembered atomic.Int64 // ids in known
}

func (c *closures) init(nodes int) { c.known = make([]atomic.Pointer[[]int], nodes) }

// of returns n and what is reached from it along next, ascending. On a tree nothing is reached
// twice.
func (c *closures) of(n int, next [][]int, tree bool) []int {
	if set := c.known[n].Load(); set != nil {
		return *set
	}
	set := []int{n}
	var seen map[int]bool
	if !tree {
		seen = map[int]bool{n: true}
	}
	for i := 0; i < len(set); i++ {
		for _, m := range next[set[i]] {
			if tree {
				set = append(set, m)
			} else if !seen[m] {
				seen[m] = true
				set = append(set, m)
			}
		}
	}
	slices.Sort(set)
	set = slices.Clip(set)
	if c.remembered.Add(int64(len(set))) > maxRemembered {
		c.remembered.Add(-int64(len(set)))
		return set
	}
	c.known[n].Store(&set)
	return set
}

// Closure returns the union of the Ancestors of the nodes in set: the nodes that are above a label
// of the set, or are one, ascending. The slice is new.
func (t *Taxonomy) Closure(set []int) []int {
	var all []int
	for _, n := range set {
		all = append(all, t.Ancestors(n)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// MostSpecific sorts the nodes and removes repeated ones and those that are an ancestor of another
// one, which Closure would add again. A leaf that represents an inner node is removed if the inner
// node is. It modifies the given slice.
func (t *Taxonomy) MostSpecific(nodes []int) []int {
	if len(nodes) > 1 {
		above, has := make(map[int]bool), make(map[int]bool)
		for _, n := range nodes {
			label := t.Label(n)
			for _, a := range t.Ancestors(label) {
				if a != label {
					above[a] = true
				}
			}
			if n != label {
				has[label] = true // by its leaf
			}
		}
		nodes = slices.DeleteFunc(nodes, func(n int) bool { return has[n] || above[t.Label(n)] })
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// Siblings returns the other nodes that share at least one parent with n, ascending. Roots have
// none. The slice is new.
func (t *Taxonomy) Siblings(n int) []int {
	var all []int
	for _, p := range t.Parents(n) {
		for _, c := range t.children[p] {
			if c != n {
				all = append(all, c)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// SiblingsOrRoots is Siblings, except that the siblings of a root are the other roots, as if all
// roots were the children of one node outside the taxonomy, as in [ZXW11]. The slice is new.
func (t *Taxonomy) SiblingsOrRoots(n int) []int {
	if len(t.Parents(n)) > 0 {
		return t.Siblings(n)
	}
	return slices.DeleteFunc(slices.Clone(t.roots), func(r int) bool { return r == n })
}

// Depth returns the number of edges on the longest path from a root to n.
func (t *Taxonomy) Depth(n int) int {
	t.mustHave(n)
	return t.longest[n]
}

// ShortestDepth returns the number of edges on the shortest path from a root to n. On a tree it is
// the Depth.
func (t *Taxonomy) ShortestDepth(n int) int {
	t.mustHave(n)
	return t.shortest[n]
}

// Distance returns the number of edges on the shortest path between a and b, in any direction, in
// the taxonomy with a virtual root above all roots. So two roots are two edges apart, whether or
// not they are connected otherwise. Adding an edge to a node with a parent never increases a
// distance; adding one to a root can, because it is then no longer a root. On trees and forests the
// distance is the size of the symmetric difference of the two sets of ancestors [Cai08, (3.13)]; on
// graphs with several parents per node the two differ.
//
// It costs O(depth) on trees and one breadth-first search otherwise; for many nodes at once see
// Distances.
func (t *Taxonomy) Distance(a, b int) int {
	t.mustHave(a)
	t.mustHave(b)
	if !t.tree {
		if a == b {
			return 0
		}
		return t.Distances(a)[b]
	}
	da, db := t.longest[a], t.longest[b]
	steps := 0
	for ; da > db; da-- {
		a = t.parents[a][0]
		steps++
	}
	for ; db > da; db-- {
		b = t.parents[b][0]
		steps++
	}
	for a != b {
		steps += 2
		if da == 0 {
			return steps
		}
		a, b, da = t.parents[a][0], t.parents[b][0], da-1
	}
	return steps
}

// Distances returns the Distance from a to every node, by id, by one breadth-first search. The
// slice is new.
func (t *Taxonomy) Distances(a int) []int {
	t.mustHave(a)
	n := len(t.names) // the virtual root
	d := make([]int, n+1)
	for v := range d {
		d[v] = -1
	}
	d[a] = 0
	frontier := []int{a}
	reach := func(v, distance int) {
		if d[v] < 0 {
			d[v] = distance
			frontier = append(frontier, v)
		}
	}
	for i := 0; i < len(frontier); i++ {
		v := frontier[i]
		if v == n {
			for _, r := range t.roots {
				reach(r, d[n]+1)
			}
			continue
		}
		if len(t.parents[v]) == 0 {
			reach(n, d[v]+1)
		}
		for _, next := range [2][]int{t.parents[v], t.children[v]} {
			for _, w := range next {
				reach(w, d[v]+1)
			}
		}
	}
	return d[:n:n]
}
