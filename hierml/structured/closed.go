package structured

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/hierml/notebook/hierml/labelset"
	"github.com/hierml/notebook/hierml/loss"
)

// ClosedSets compares the label set of every example with every other set of nodes that is closed
// under taking ancestors, including the empty set, in one block per example: the largest
//
//	Delta(Y_i, Y) + F(x_i, Y) - F(x_i, Y_i)   over the closed sets Y,   F(x, Y) = sum_{n in Y} <theta_n, x>,
//
// with the nodes coupled by Edges: HM3 [RSSS06] over the labelings that are consistent with the
// hierarchy. Labels may be inner nodes. The most violating set is found exactly on every graph, by
// labelset.Closed.
//
// Sets are numbered per block, in the order in which the searches found them.
type ClosedSets struct {
	edges *Edges
	space *labelset.Space
	c     float64

	examples []setExample // whose columns are nodes
	common   []float64    // reward of a node as the loss of an example without labels has it
	scratch  sync.Pool    // of one zero a node
	foundSets
}

// NewClosedSets returns the comparisons for examples with the given sets of labels, nodes of the
// taxonomy, possibly none; the nodes above are implied. c is the weight of every example.
func NewClosedSets(e *Edges, labels [][]int, l loss.Decomposing, c float64) (*ClosedSets, error) {
	if e == nil || l == nil {
		return nil, fmt.Errorf("structured: comparing closed sets needs Edges and a loss")
	}
	if err := CheckC(c); err != nil {
		return nil, fmt.Errorf("structured: %w", err)
	}
	t := e.taxonomy
	if err := loss.CheckSets(l, t); err != nil {
		return nil, err
	}
	space, err := labelset.New(t)
	if err != nil {
		return nil, err
	}
	s := &ClosedSets{edges: e, space: space, c: c, examples: make([]setExample, len(labels)), common: make([]float64, t.Len()), foundSets: newFoundSets(len(labels))}
	s.scratch.New = func() any { zeros := make([]float64, t.Len()); return &zeros }
	l.Decompose(nil, s.common)
	rewards := make([]float64, t.Len())
	for i, set := range labels {
		for _, n := range set {
			if n < 0 || n >= t.Len() {
				return nil, fmt.Errorf("structured: row %d has label %d; the taxonomy has nodes 0..%d", i, n, t.Len()-1)
			}
		}
		x := &s.examples[i]
		for _, n := range t.Closure(set) {
			x.truth = append(x.truth, int32(n))
		}
		x.constant = l.Decompose(set, rewards)
		for n, r := range rewards {
			if math.IsNaN(r) || math.IsInf(r, 0) {
				return nil, fmt.Errorf("structured: the loss of row %d at node %q is %v; a loss must be finite", i, t.Name(n), r)
			}
			if r != s.common[n] {
				x.nodes, x.rewards = append(x.nodes, int32(n)), append(x.rewards, r)
			}
		}
	}
	return s, nil
}

// Edges returns the coupling of the nodes.
func (s *ClosedSets) Edges() *Edges { return s.edges }

// Blocks returns the number of examples.
func (s *ClosedSets) Blocks() int { return len(s.examples) }

// Example returns b.
func (s *ClosedSets) Example(b int) int { return b }

// C returns the weight of the training error.
func (s *ClosedSets) C(int) float64 { return s.c }

// sign returns the node of an entry of a set, and whether the truth or the set has it.
func sign(entry int32) (node int32, sign float64) {
	if entry < 0 {
		return ^entry, -1
	}
	return entry, 1
}

// Direct adds scale times the difference of the vectors over the columns.
func (s *ClosedSets) Direct(b int, id int32, scale float64, step *Step) {
	for _, entry := range s.sets(b)[id].columns {
		n, sign := sign(entry)
		columns, factors := s.edges.Row(int(n))
		for k, c := range columns {
			step.Add(c, sign*scale*factors[k])
		}
	}
}

// Product returns the inner product of two such differences.
func (s *ClosedSets) Product(b int, k, l int32) float64 {
	var products [3]float64
	s.Products(b, []int32{k, l}, products[:], 1)
	return products[1]
}

// Products writes the inner products of all pairs of some differences.
func (s *ClosedSets) Products(b int, ids []int32, dst []float64, stride int) {
	sets := s.sets(b)
	dense := s.scratch.Get().(*[]float64)
	for k, id := range ids {
		for _, entry := range sets[id].columns {
			n, sign := sign(entry)
			s.edges.multiply(n, sign, *dense)
		}
		for l, other := range ids[:k+1] {
			var sum float64
			for _, entry := range sets[other].columns {
				n, sign := sign(entry)
				sum += sign * (*dense)[n]
			}
			dst[k*stride+l] = sum
		}
		for _, entry := range sets[id].columns {
			n, _ := sign(entry)
			(*dense)[n] = 0
			for _, m := range s.edges.taxonomy.Parents(int(n)) {
				(*dense)[m] = 0
			}
			for _, m := range s.edges.taxonomy.Children(int(n)) {
				(*dense)[m] = 0
			}
		}
	}
	s.scratch.Put(dense)
}

// NewSearch returns a search for the most violating set.
func (s *ClosedSets) NewSearch() Search {
	n := len(s.common)
	return &closedSearch{ClosedSets: s, searcher: s.space.NewClosed(), theta: make([]float64, n), rewards: make([]float64, n), in: make([]bool, n)}
}

type closedSearch struct {
	*ClosedSets
	searcher *labelset.Closed
	theta    []float64 // scores by node
	rewards  []float64
	in       []bool // by node

	worst foundWorst
}

func (q *closedSearch) Load(b int, scores []float64) float64 {
	q.worst.block = b
	e := &q.examples[b]
	q.edges.Nodes(scores, q.theta)
	for n, v := range q.theta {
		q.rewards[n] = v + q.common[n]
	}
	for k, n := range e.nodes {
		q.rewards[n] = q.theta[n] + e.rewards[k]
	}
	nodes, _, err := q.searcher.Best(q.rewards)
	if err != nil { // scores are not finite: the weights are beyond what can be computed with
		q.worst.violation = math.Inf(1)
		return q.worst.violation
	}
	q.describe(e, nodes)
	q.worst.violation = q.violationOf(&q.worst.set)
	return max(0, q.worst.violation)
}

// describe sets worst to the closed set.
func (q *closedSearch) describe(e *setExample, nodes []int) {
	w := &q.worst.set
	w.columns, w.cost = w.columns[:0], e.constant
	for _, n := range nodes {
		q.in[n] = true
		w.cost += q.common[n]
	}
	for k, n := range e.nodes {
		if q.in[n] {
			w.cost += e.rewards[k] - q.common[n]
		}
	}
	for _, n := range e.truth {
		if !q.in[n] {
			w.columns = append(w.columns, n)
		}
		q.in[n] = false
	}
	for _, n := range nodes {
		if q.in[n] {
			w.columns = append(w.columns, ^int32(n))
		}
		q.in[n] = false
	}
	slices.Sort(w.columns)
	w.setHash()
}

func (q *closedSearch) violationOf(set *foundSet) float64 {
	v := set.cost
	for _, entry := range set.columns {
		n, sign := sign(entry)
		v -= sign * q.theta[n]
	}
	return v
}

func (q *closedSearch) Violation(id int32) float64 { return q.violationOf(&q.sets(q.worst.block)[id]) }

func (q *closedSearch) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	return q.name(&q.worst, n, floor, known, dst)
}
