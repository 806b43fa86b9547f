package structured

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// factor is a sparse L with LL' = G + diag(ground), where G is the Laplacian of a graph of nodes:
// for every node the number of its edges on the diagonal, and -1 for every edge. A ground of 1 is
// an edge to zero. Nodes are eliminated by degree, the smallest first, which keeps the factor
// sparse [GL89]; of equal ones that with the shortest chain of eliminated nodes behind it is, which
// keeps the rows of the inverse short, and of these the last in topological order. Roots count as
// having an edge more, so that on trees children come before parents and L has no more entries than
// nodes and edges. Where nothing has ground there is no way to it that rows are to keep to, and a
// degree of one is equal to two, which add no entries either, so that a path is halved again and
// again.
//
// A part of the graph without ground has a singular matrix. The last of its nodes, whose pivot is
// zero, gets a pivot of one; it is free.
type factor struct {
	diagonal []float64 // of G + diag(ground)
	order    []int32   // of the elimination
	pivot    []float64 // by node, the diagonal of L
	// by node, its column of L below the diagonal, in the order of the elimination
	below [][]factorEntry
	free  []int // ascending
}

// factorEntry is one of a column, or of a row.
type factorEntry struct {
	node  int32
	value float64
}

// maxFactor bounds the entries of a factor (400 MB).
const maxFactor = 1 << 24

// maxUpdates is how many entries are changed before the context is looked at; it is not for trees.
const maxUpdates = 1 << 16

// newFactor returns the factor of a graph over the nodes of the taxonomy, which is undirected.
// ground has one number a node, none negative; nil is 0 for all. It is an error if an edge is no
// edge or is given twice, or if the graph is so far from a tree that the factor would fill the
// memory.
func newFactor(ctx context.Context, t *taxonomy.Taxonomy, edges [][2]int, ground []float64) (*factor, error) {
	n := t.Len()
	f := &factor{diagonal: make([]float64, n), order: make([]int32, 0, n), pivot: make([]float64, n), below: make([][]factorEntry, n)}
	rest := make([]map[int32]float64, n) // of the matrix: for each node those it has entries with that are not eliminated
	for v := range rest {
		rest[v] = make(map[int32]float64)
		if ground != nil {
			f.diagonal[v] = ground[v]
		}
	}
	for _, e := range edges {
		a, b := e[0], e[1]
		if min(a, b) < 0 || max(a, b) >= n || a == b {
			return nil, fmt.Errorf("structured: an edge between the nodes %d and %d; edges must be between different nodes in 0..%d", a, b, n-1)
		}
		if rest[a][int32(b)] != 0 {
			return nil, fmt.Errorf("structured: the edge between %q and %q is listed twice; list it once, in one direction", t.Name(a), t.Name(b))
		}
		rest[a][int32(b)], rest[b][int32(a)] = -1, -1
		f.diagonal[a]++
		f.diagonal[b]++
	}
	grounded := groundedParts(rest, ground)
	least := int32(0)
	if !slices.Contains(grounded, true) {
		least = 2
	}
	next := newElimination(t, rest, least)
	pivot := slices.Clone(f.diagonal)
	entries, updates := 0, 0
	for len(f.order) < n {
		if updates >= maxUpdates {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("structured: stopped while the graph was factored: %w", ctx.Err())
			}
			updates = 0
		}
		v := next.pop()
		f.order = append(f.order, v)
		if len(rest[v]) == 0 && !grounded[v] {
			pivot[v] = 1
			f.free = append(f.free, int(v))
		}
		d := math.Sqrt(pivot[v])
		f.pivot[v] = d
		if entries += 1 + len(rest[v]); entries > maxFactor {
			return nil, fmt.Errorf("structured: the graph has so many nodes with several parents that its edges take more than %d numbers; keep one parent for each, as with Minimal, or use a method for trees", maxFactor)
		}
		column := make([]factorEntry, 0, len(rest[v]))
		for a, m := range rest[v] {
			column = append(column, factorEntry{a, m / d})
		}
		slices.SortFunc(column, func(a, b factorEntry) int { return cmp.Compare(a.node, b.node) })
		rest[v] = nil
		updates += len(column) * len(column) / 2
		for k, a := range column {
			delete(rest[a.node], v)
			pivot[a.node] -= a.value * a.value
			for _, b := range column[:k] {
				m := rest[a.node][b.node] - a.value*b.value
				rest[a.node][b.node], rest[b.node][a.node] = m, m
			}
		}
		for _, a := range column {
			next.moved(a.node, len(rest[a.node]), v)
		}
		f.below[v] = column
	}
	place := make([]int, n)
	for k, v := range f.order {
		place[v] = k
	}
	for _, column := range f.below {
		slices.SortFunc(column, func(a, b factorEntry) int { return cmp.Compare(place[a.node], place[b.node]) })
	}
	slices.Sort(f.free)
	return f, nil
}

// groundedParts reports for every node whether its component of the graph has ground.
func groundedParts(neighbours []map[int32]float64, ground []float64) []bool {
	grounded := make([]bool, len(neighbours))
	var open []int32
	for v, g := range ground {
		if g > 0 {
			grounded[v] = true
			open = append(open, int32(v))
		}
	}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		for a := range neighbours[v] {
			if !grounded[a] {
				grounded[a] = true
				open = append(open, a)
			}
		}
	}
	return grounded
}

// rows returns L by row: for each node where it begins, with its end, and the entries, the diagonal
// last.
func (f *factor) rows() (begin []int, columns []int32, values []float64) {
	begin = make([]int, len(f.order)+1)
	for v, column := range f.below {
		begin[v+1]++
		for _, a := range column {
			begin[a.node+1]++
		}
	}
	for v := range f.order {
		begin[v+1] += begin[v]
	}
	columns, values = make([]int32, begin[len(f.order)]), make([]float64, begin[len(f.order)])
	at := slices.Clone(begin)
	set := func(row, column int32, value float64) {
		columns[at[row]], values[at[row]] = column, value
		at[row]++
	}
	for _, v := range f.order {
		set(v, v, f.pivot[v])
		for _, a := range f.below[v] {
			set(a.node, v, a.value)
		}
	}
	return begin, columns, values
}

// inverseRow returns the row of a node in the transposed inverse of L: the nodes, ascending, and
// the values. These nodes are the node itself and, on trees, those above it. scratch has a zero for
// every node, and has so again.
func (f *factor) inverseRow(node int, scratch []float64) (nodes []int, values []float64) {
	scratch[node] = 1
	for v := int32(node); ; v = f.below[v][0].node {
		nodes = append(nodes, int(v))
		scratch[v] /= f.pivot[v]
		for _, a := range f.below[v] {
			scratch[a.node] -= a.value * scratch[v]
		}
		if len(f.below[v]) == 0 {
			break
		}
	}
	slices.Sort(nodes)
	values = make([]float64, len(nodes))
	for k, v := range nodes {
		values[k], scratch[v] = scratch[v], 0
	}
	return nodes, values
}

// elimination is a heap of nodes. A node is in it once for every state that it has had; only the
// last counts.
type elimination struct {
	place   []int32 // in topological order
	above   []int32 // 1 for roots
	least   int32   // degree that smaller ones count as
	state   []waiting
	waiting []waiting
}

// waiting is the state of a node; height is the length of the longest chain behind it.
type waiting struct{ node, degree, height int32 }

func newElimination(t *taxonomy.Taxonomy, neighbours []map[int32]float64, least int32) *elimination {
	e := &elimination{least: least, place: make([]int32, t.Len()), above: make([]int32, t.Len()), state: make([]waiting, t.Len())}
	for k, v := range t.Topological() {
		e.place[v] = int32(k)
	}
	for _, r := range t.Roots() {
		e.above[r] = 1
	}
	for v, others := range neighbours {
		e.state[v] = waiting{node: int32(v), degree: max(int32(len(others))+e.above[v], least)}
	}
	e.waiting = slices.Clone(e.state)
	heap.Init(e)
	return e
}

// pop takes out the next node.
func (e *elimination) pop() int32 {
	for {
		if w := heap.Pop(e).(waiting); e.state[w.node] == w {
			e.state[w.node].degree = -1
			return w.node
		}
	}
}

// moved says that a node has so many neighbours now that another, which was one, is eliminated.
func (e *elimination) moved(node int32, degree int, eliminated int32) {
	before := e.state[node]
	now := waiting{node, max(int32(degree)+e.above[node], e.least), max(before.height, e.state[eliminated].height+1)}
	if now != before {
		e.state[node] = now
		heap.Push(e, now)
	}
}

func (e *elimination) Len() int { return len(e.waiting) }

func (e *elimination) Less(i, j int) bool {
	a, b := e.waiting[i], e.waiting[j]
	if a.degree != b.degree {
		return a.degree < b.degree
	}
	if a.height != b.height {
		return a.height < b.height
	}
	return e.place[a.node] > e.place[b.node]
}

func (e *elimination) Swap(i, j int) { e.waiting[i], e.waiting[j] = e.waiting[j], e.waiting[i] }

func (e *elimination) Push(w any) { e.waiting = append(e.waiting, w.(waiting)) }

func (e *elimination) Pop() any {
	w := e.waiting[len(e.waiting)-1]
	e.waiting = e.waiting[:len(e.waiting)-1]
	return w
}
