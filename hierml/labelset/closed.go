package labelset

import (
	"math"
	"slices"
)

// Closed searches the sets of nodes that are closed under taking ancestors and may end at inner
// nodes or be empty: the label sets of HM3 [RSSS06]. (Searcher requires leaves.) It is exact on
// every graph: on trees and forests by dynamic programming in O(nodes), with
//
//	best(v) = reward of v + sum over the children c of max(0, best(c)),
//
// and on other graphs as the closure of largest weight, which is a minimum cut between the nodes
// with positive rewards and those with negative ones, through the edges to parents. It has scratch
// space, so each goroutine needs its own.
type Closed struct {
	space *Space
	best  []float64 // on forests, by node
	in    []bool
	nodes []int
	flow  *flow // on other graphs
}

// NewClosed returns a search.
func (s *Space) NewClosed() *Closed {
	c := &Closed{space: s, in: make([]bool, s.taxonomy.Len())}
	if s.forest {
		c.best = make([]float64, s.taxonomy.Len())
	} else {
		c.flow = newFlow(s)
	}
	return c
}

// Best returns the set with the largest sum of rewards, parents before children, and that sum,
// which is not negative. rewards has one entry per node. Nodes that add nothing are left out. The
// slice is valid until the next search.
func (c *Closed) Best(rewards []float64) (nodes []int, value float64, err error) {
	if err := c.space.check(rewards); err != nil {
		return nil, 0, err
	}
	t := c.space.taxonomy
	c.nodes = c.nodes[:0]
	if c.space.forest {
		for _, n := range slices.Backward(t.Topological()) {
			c.best[n] = rewards[n]
			for _, child := range t.Children(n) {
				c.best[n] += max(0, c.best[child])
			}
		}
		for _, n := range t.Topological() {
			p := t.Parents(n)
			c.in[n] = c.best[n] > 0 && (len(p) == 0 || c.in[p[0]])
		}
	} else {
		c.flow.cut(rewards, c.in)
	}
	for _, n := range t.Topological() {
		if c.in[n] {
			c.nodes = append(c.nodes, n)
			value += rewards[n]
		}
	}
	return c.nodes, value, nil
}

// flow is a network with a node for each of the taxonomy, a source and a sink, for Dinic's
// algorithm. Every path that fills an edge fills it exactly, also in rounded numbers, so that it
// ends as with whole ones.
type flow struct {
	source, sink int32
	first        []int32 // edges from n: first[n] to first[n+1] in out
	out          []int32 // edge numbers; that of the reverse of e is e^1
	to           []int32
	left         []float64 // capacity
	level        []int32
	next         []int32
	queue, path  []int32
}

func newFlow(s *Space) *flow {
	t := s.taxonomy
	n := t.Len()
	f := &flow{source: int32(n), sink: int32(n + 1), level: make([]int32, n+2), next: make([]int32, n+2)}
	var from []int32
	edge := func(a, b int32) {
		f.to = append(f.to, b, a)
		from = append(from, a, b)
	}
	for v := range n { // edges 2v: from the source or to the sink, as the reward's sign is
		edge(f.source, int32(v))
	}
	for v := range n {
		edge(int32(v), f.sink)
	}
	for v := range n {
		for _, p := range t.Parents(v) {
			edge(int32(v), int32(p))
		}
	}
	f.left = make([]float64, len(f.to))
	f.first = make([]int32, n+3)
	for _, a := range from {
		f.first[a+1]++
	}
	for k := range n + 2 {
		f.first[k+1] += f.first[k]
	}
	f.out = make([]int32, len(from))
	at := slices.Clone(f.first)
	for e, a := range from {
		f.out[at[a]] = int32(e)
		at[a]++
	}
	return f
}

// cut writes the closure of largest weight: the nodes that are still reached from the source when
// the flow is as large as it can be, the smallest of several.
func (f *flow) cut(rewards []float64, in []bool) {
	n := len(rewards)
	clear(f.left)
	for v, r := range rewards {
		f.left[2*v] = max(0, r)
		f.left[2*(n+v)] = max(0, -r)
	}
	for e := 4 * n; e < len(f.left); e += 2 {
		f.left[e] = math.Inf(1)
	}
	for f.levels() {
		copy(f.next, f.first)
		for f.augment() {
		}
	}
	for v := range in {
		in[v] = f.level[v] > 0
	}
}

// levels measures the distances from the source, 0 for what is not reached, and tells whether the
// sink is.
func (f *flow) levels() bool {
	clear(f.level)
	f.level[f.source] = 1
	f.queue = append(f.queue[:0], f.source)
	for k := 0; k < len(f.queue); k++ {
		v := f.queue[k]
		for _, e := range f.out[f.first[v]:f.first[v+1]] {
			if w := f.to[e]; f.left[e] > 0 && f.level[w] == 0 {
				f.level[w] = f.level[v] + 1
				f.queue = append(f.queue, w)
			}
		}
	}
	return f.level[f.sink] > 0
}

// augment sends what one more path of ascending levels takes, and tells whether there was one.
func (f *flow) augment() bool {
	f.path = f.path[:0]
	v := f.source
	for v != f.sink {
		if f.next[v] == f.first[v+1] { // nothing further from here
			if len(f.path) == 0 {
				return false
			}
			e := f.path[len(f.path)-1]
			f.path = f.path[:len(f.path)-1]
			v = f.to[e^1]
			f.next[v]++
			continue
		}
		e := f.out[f.next[v]]
		if w := f.to[e]; f.left[e] > 0 && f.level[w] == f.level[v]+1 {
			f.path = append(f.path, e)
			v = w
		} else {
			f.next[v]++
		}
	}
	least := math.Inf(1)
	for _, e := range f.path {
		least = min(least, f.left[e])
	}
	for _, e := range f.path {
		f.left[e] -= least
		f.left[e^1] += least
	}
	return true
}
