// Package labelset finds the best label set of a taxonomy: given a reward per node, the non-empty
// set of leaves, closed under taking ancestors, whose nodes have the largest sum of rewards. It is
// the inference of multi-label hierarchical classification, in training ([CSS16, (18) and (19)],
// where the reward of a leaf contains its part of the loss) and in prediction.
//
// It is separate from package structured, because it needs only the taxonomy: training, prediction
// and evaluation use it.
//
// On trees and forests [Searcher.Best] is dynamic programming in O(nodes), and likewise on graphs
// in which few nodes have several parents (eliminate.go). On other graphs the problem is NP-hard;
// there it is a branch and bound whose bound is a dual point of the linear relaxation of [CSS16,
// (19)], improved by message passing between a node and its parents. [Space.Relax] solves the
// relaxation itself.
//
// [Closed] searches label sets that may end at inner nodes or be empty.
package labelset

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Space is the set of all label sets of a taxonomy. It is immutable and safe for concurrent use.
type Space struct {
	taxonomy *taxonomy.Taxonomy
	forest   bool
	plan     *plan // nil on forests, and where it would be too large
	graph    graph
}

// New returns the label sets of the taxonomy, which must have at least one leaf.
func New(t *taxonomy.Taxonomy) (*Space, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if len(t.Leaves()) == 0 {
		return nil, fmt.Errorf("labelset: the taxonomy has no nodes, and so no label sets")
	}
	s := &Space{taxonomy: t, forest: true, graph: newGraph(t)}
	for n := range t.Len() {
		s.forest = s.forest && len(t.Parents(n)) <= 1
	}
	if !s.forest {
		s.plan = newPlan(&s.graph)
	}
	return s, nil
}

// Taxonomy returns the taxonomy.
func (s *Space) Taxonomy() *taxonomy.Taxonomy { return s.taxonomy }

// Exact reports whether Best always finds the optimum, in a time that does not depend on the
// rewards. It does on trees, forests and similar graphs.
func (s *Space) Exact() bool { return s.forest || s.plan != nil }

// graph is the taxonomy below one more node, the root, that is in every label set. It has id Len()
// and is the parent of the nodes without parents, so that "not empty" says that the root has a
// child.
type graph struct {
	root    int32
	order   []int32 // parents before children, the root first
	leaf    []bool
	leaves  []int32
	first   []int32 // edges to the children of n: first[n] to first[n+1]
	child   []int32 // of an edge
	parent  []int32 // of an edge
	firstUp []int32 // edges from the parents of n: up[firstUp[n]:firstUp[n+1]]
	up      []int32

	// Ancestors of the k-th leaf, itself included, without the root.
	firstAbove []int32
	above      []int32
}

func newGraph(t *taxonomy.Taxonomy) graph {
	n := t.Len()
	g := graph{root: int32(n), leaf: make([]bool, n+1), order: []int32{int32(n)}}
	for _, v := range t.Topological() {
		g.order = append(g.order, int32(v))
	}
	for v := range n + 1 {
		g.first = append(g.first, int32(len(g.child)))
		children := t.Roots()
		if v < n {
			children = t.Children(v)
			g.leaf[v] = len(children) == 0
		}
		for _, c := range children {
			g.child = append(g.child, int32(c))
			g.parent = append(g.parent, int32(v))
		}
	}
	g.first = append(g.first, int32(len(g.child)))
	into := make([][]int32, n+1)
	for e, c := range g.child {
		into[c] = append(into[c], int32(e))
	}
	for _, edges := range into {
		g.firstUp = append(g.firstUp, int32(len(g.up)))
		g.up = append(g.up, edges...)
	}
	g.firstUp = append(g.firstUp, int32(len(g.up)))
	g.firstAbove = append(g.firstAbove, 0)
	for _, l := range t.Leaves() {
		g.leaves = append(g.leaves, int32(l))
		for _, a := range t.Ancestors(l) {
			g.above = append(g.above, int32(a))
		}
		g.firstAbove = append(g.firstAbove, int32(len(g.above)))
	}
	return g
}

func (g *graph) edges(n int32) (from, to int32) { return g.first[n], g.first[n+1] }
func (g *graph) into(n int32) []int32           { return g.up[g.firstUp[n]:g.firstUp[n+1]] }
func (g *graph) ancestors(k int) []int32        { return g.above[g.firstAbove[k]:g.firstAbove[k+1]] }

// Solution is the result of a search. Its slices belong to the searcher and are valid until its
// next search.
type Solution struct {
	Leaves []int   // node ids of the leaves of the set, ascending, at least one
	Nodes  []int   // node ids of the closed set: the leaves and all their ancestors, parents first
	Value  float64 // the sum of the rewards of Nodes
	// Bound is an upper bound on the value of every label set. It exceeds Value only by rounding,
	// unless the search reached its limit of branches or its Share.
	Bound    float64
	Branches int // subproblems that the search bounded; one on trees and forests
}

// Defaults of the settings of a Searcher.
const (
	DefaultBranches = 20000
	DefaultSweeps   = 100
)

// Searcher searches in a Space. It has scratch space, so each goroutine needs its own.
type Searcher struct {
	// Branches limits the subproblems of one search on a graph that is not a forest. The default
	// value is DefaultBranches. At the limit, Solution.Bound shows how good the best set found is.
	Branches int
	// Sweeps limits the passes of messages over a graph before its first branch. The default value
	// is DefaultSweeps. A search with hints needs few.
	Sweeps int
	// Share, if above zero, lets a search on a graph that is not a forest stop when Bound - Value
	// is at most Share times Value + Offset.
	Share, Offset float64

	space    *Space
	chosen   []bool // by node: in the set found
	leaves   []int
	nodes    []int
	best     []float64 // of the subtree of a node, on forests
	values   []float64 // of the tables of a plan
	entry    []int32   // of each table, by its beginning, that the best set has
	messages *messages
}

// NewSearcher returns a searcher.
func (s *Space) NewSearcher() *Searcher {
	n := len(s.graph.order)
	found := &Searcher{space: s, chosen: make([]bool, n)}
	switch {
	case s.forest:
		found.best = make([]float64, n)
	case s.plan != nil:
		found.values, found.entry = make([]float64, s.plan.entries), make([]int32, s.plan.entries)
	default:
		found.messages = newMessages(&s.graph)
	}
	return found
}

func (s *Space) check(rewards []float64) error {
	if len(rewards) != s.taxonomy.Len() {
		return fmt.Errorf("labelset: %d rewards for a taxonomy of %d nodes; give one per node", len(rewards), s.taxonomy.Len())
	}
	for n, r := range rewards {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return fmt.Errorf("labelset: the reward of node %q is %v; rewards must be finite", s.taxonomy.Name(n), r)
		}
	}
	return nil
}

// Hints are the knowledge of a search on a graph that is not a forest. The next search for similar
// rewards on the same taxonomy can start from them. They affect the time, but not the validity of
// bounds. The zero value is empty. They must not be used concurrently.
type Hints struct {
	messages []float32
	leaves   []int32 // of the best set, by position
}

// Best returns the label set with the largest sum of rewards, [CSS16, (18)]; rewards has one entry
// per node. Among sets of equal value, rounding decides.
func (s *Searcher) Best(rewards []float64) (Solution, error) { return s.BestFrom(rewards, nil) }

// BestFrom is Best with the hints of an earlier search, which it replaces by its own; nil means
// none.
func (s *Searcher) BestFrom(rewards []float64, hints *Hints) (Solution, error) {
	if err := s.space.check(rewards); err != nil {
		return Solution{}, err
	}
	branches, bound := 1, math.Inf(-1)
	switch {
	case s.space.forest:
		s.onForest(rewards)
	case s.space.plan != nil:
		s.eliminate(rewards)
	default:
		limit := s.Branches
		if limit <= 0 {
			limit = DefaultBranches
		}
		s.messages.share, s.messages.offset = s.Share, s.Offset
		s.messages.sweeps = s.Sweeps
		if s.Sweeps <= 0 {
			s.messages.sweeps = DefaultSweeps
		}
		branches, bound = s.messages.solve(rewards, limit, hints, s.chosen)
	}
	out := s.collect(rewards)
	out.Branches, out.Bound = branches, max(out.Value, bound)
	return out, nil
}

// collect returns the solution of the nodes chosen.
func (s *Searcher) collect(rewards []float64) Solution {
	g := &s.space.graph
	var value float64
	s.nodes, s.leaves = s.nodes[:0], s.leaves[:0]
	for _, n := range g.order[1:] {
		if s.chosen[n] {
			s.nodes = append(s.nodes, int(n))
			value += rewards[n]
		}
	}
	for _, n := range g.leaves {
		if s.chosen[n] {
			s.leaves = append(s.leaves, int(n))
		}
	}
	return Solution{Leaves: s.leaves, Nodes: s.nodes, Value: value}
}

// onForest chooses by dynamic programming: the best of a subtree that contains its root n is n with
// every child that adds, or with the best child if none does.
func (s *Searcher) onForest(rewards []float64) {
	g := &s.space.graph
	for i := len(g.order) - 1; i > 0; i-- {
		n := g.order[i]
		s.best[n] = rewards[n]
		if g.leaf[n] {
			continue
		}
		sum, most := 0.0, math.Inf(-1)
		for e, to := g.edges(n); e < to; e++ {
			b := s.best[g.child[e]]
			sum += max(0, b)
			most = max(most, b)
		}
		if most <= 0 {
			sum = most
		}
		s.best[n] += sum
	}
	clear(s.chosen)
	s.chosen[g.root] = true
	for _, n := range g.order {
		if !s.chosen[n] || g.leaf[n] {
			continue
		}
		e, to := g.edges(n)
		most := e
		some := false
		for ; e < to; e++ {
			b := s.best[g.child[e]]
			if b > 0 {
				s.chosen[g.child[e]], some = true, true
			}
			if b > s.best[g.child[most]] {
				most = e
			}
		}
		if !some {
			s.chosen[g.child[most]] = true
		}
	}
}
