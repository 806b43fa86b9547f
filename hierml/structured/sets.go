package structured

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hierml/notebook/hierml/labelset"
	"github.com/hierml/notebook/hierml/loss"
)

// Sets compares the label set of every example with every other non-empty set of leaves, in one
// block per example: the largest
//
//	Delta(Y_i, Y) + F(x_i, Y) - F(x_i, Y_i)   over the sets Y,   F(x, Y) = sum_{n above Y} Lambda_n <W_n, x>
//
// is [CSS16, (2), (10) and (12)] for several labels per example. The loss is a sum over the nodes
// of Y, so package labelset finds the most violating set: exactly by dynamic programming on trees,
// forests, and graphs in which few nodes have several parents, and by branch and bound on other
// graphs. A search that reaches its limit of branches reports its bound, so the certificate holds
// in any case.
//
// Sets are numbered per block, in the order in which the searches found them.
type Sets struct {
	attributes *Attributes
	space      *labelset.Space
	c          float64
	share      float64
	values     []float64 // Lambda_n by node, zero without a column
	columns    []int32   // by node
	byColumn   []float64 // Lambda by column

	examples []setExample
	// reward of a node as the loss of an example without labels has it
	common   []float64
	positive float64                   // the sum of those above zero
	scratch  sync.Pool                 // of one zero a column
	visited  []atomic.Pointer[visited] // by block
	foundSets
}

// setExample is the label set of an example.
type setExample struct {
	truth    []int32 // columns of the closed set, ascending
	constant float64 // loss of the empty set
	// The loss's rewards at the nodes where they are not the common ones.
	nodes   []int32
	rewards []float64
}

// NewSets returns the comparisons for examples with the given sets of labels, leaves of the
// taxonomy, at least one per example. The attributes must be those of the leaves, with a value at
// each ancestor of a leaf that depends only on the node, as in Ancestors and SqrtAlpha. c is the
// weight of every example. On graphs that are not forests a search may stop at a violation within
// the given share of the largest one; zero requires the largest.
func NewSets(a *Attributes, labels [][]int, l loss.Decomposing, c, share float64) (*Sets, error) {
	if a == nil || l == nil {
		return nil, fmt.Errorf("structured: comparing label sets needs Attributes and a loss")
	}
	if err := CheckC(c); err != nil {
		return nil, fmt.Errorf("structured: %w", err)
	}
	if err := loss.CheckSets(l, a.taxonomy); err != nil {
		return nil, err
	}
	if !(share >= 0 && share < 1) {
		return nil, fmt.Errorf("structured: a search for label sets within a share of %v; it must be at least 0 and below 1", share)
	}
	values, err := a.NodeValues()
	if err != nil {
		return nil, err
	}
	t := a.taxonomy
	space, err := labelset.New(t)
	if err != nil {
		return nil, err
	}
	s := &Sets{
		attributes: a, space: space, c: c, share: share, values: values, columns: make([]int32, t.Len()), byColumn: make([]float64, len(a.columns)),
		examples: make([]setExample, len(labels)), common: make([]float64, t.Len()), foundSets: newFoundSets(len(labels)), visited: make([]atomic.Pointer[visited], len(labels)),
	}
	for n := range values {
		s.columns[n] = int32(a.column[n])
		if s.columns[n] < 0 {
			s.values[n] = 0
			s.columns[n] = int32(len(a.columns) - 1)
		} else {
			s.byColumn[s.columns[n]] = values[n]
		}
	}
	s.scratch.New = func() any { zeros := make([]float64, len(a.columns)); return &zeros }
	l.Decompose(nil, s.common)
	for _, r := range s.common {
		s.positive += max(0, r)
	}
	rewards, above := make([]float64, t.Len()), make([]bool, t.Len())
	for i, set := range labels {
		if err := s.addExample(i, set, l, rewards, above); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// addExample prepares a block; rewards and above are scratch, above false.
func (s *Sets) addExample(i int, set []int, l loss.Decomposing, rewards []float64, above []bool) error {
	t := s.attributes.taxonomy
	if len(set) == 0 {
		return fmt.Errorf("structured: row %d has no labels; a label set needs at least one; remove such rows with Labelled() of the dataset", i)
	}
	var closed []int
	for _, n := range set {
		if n < 0 || n >= t.Len() || !t.IsLeaf(n) {
			return fmt.Errorf("structured: row %d has label %d, which is not a leaf of the taxonomy", i, n)
		}
		for _, a := range t.Ancestors(n) {
			if !above[a] {
				above[a] = true
				closed = append(closed, a)
			}
		}
	}
	e := &s.examples[i]
	for _, n := range closed {
		above[n] = false
		if s.values[n] != 0 {
			e.truth = append(e.truth, s.columns[n])
		}
	}
	slices.Sort(e.truth)
	e.constant = l.Decompose(set, rewards)
	for n, r := range rewards {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return fmt.Errorf("structured: the loss of row %d at node %q is %v; a loss must be finite", i, t.Name(n), r)
		}
		if r != s.common[n] {
			e.nodes = append(e.nodes, int32(n))
			e.rewards = append(e.rewards, r)
		}
	}
	return nil
}

// NodeValues returns the common value of every node in the attribute vectors of all leaves below
// it, zero for nodes in no vector. It returns an error if there is no common value, or if the
// vectors are not those of the leaves.
func (a *Attributes) NodeValues() ([]float64, error) {
	t := a.taxonomy
	if !slices.Equal(a.candidates, t.Leaves()) {
		return nil, fmt.Errorf("structured: label sets are sets of leaves, and these attributes have other candidates")
	}
	values := make([]float64, t.Len())
	for k, n := range a.nodes {
		if values[n] != 0 && values[n] != a.values[k] {
			return nil, fmt.Errorf("structured: the attributes have the values %v and %v at node %q; label sets need one value per node, the same for all leaves below", values[n], a.values[k], t.Name(n))
		}
		values[n] = a.values[k]
	}
	for y, leaf := range t.Leaves() {
		nodes, _ := a.Leaf(y)
		above := 0
		for _, n := range t.Ancestors(leaf) {
			if values[n] != 0 {
				above++
				if _, has := slices.BinarySearch(nodes, n); !has {
					return nil, fmt.Errorf("structured: leaf %q has no attribute for its ancestor %q, but other leaves do; for label sets, give every leaf below a node the attribute of the node", t.Name(leaf), t.Name(n))
				}
			}
		}
		if above != len(nodes) {
			return nil, fmt.Errorf("structured: the attributes of leaf %q have nodes that are not above it; label sets can't have them", t.Name(leaf))
		}
	}
	return values, nil
}

// Attributes returns the attribute vectors of the leaves.
func (s *Sets) Attributes() *Attributes { return s.attributes }

// Blocks returns the number of examples.
func (s *Sets) Blocks() int { return len(s.examples) }

// Example returns b.
func (s *Sets) Example(b int) int { return b }

// C returns the weight of the training error.
func (s *Sets) C(int) float64 { return s.c }

// Direct adds scale times the difference of the attribute vectors.
func (s *Sets) Direct(b int, id int32, scale float64, step *Step) {
	for _, c := range s.sets(b)[id].columns {
		if c >= 0 {
			step.Add(c, scale*s.byColumn[c])
		} else {
			step.Add(^c, -scale*s.byColumn[^c])
		}
	}
}

// Product returns the inner product of two such differences.
func (s *Sets) Product(b int, k, l int32) float64 {
	var products [3]float64
	s.Products(b, []int32{k, l}, products[:], 1)
	return products[1]
}

// Products writes the inner products of all pairs of some differences.
func (s *Sets) Products(b int, ids []int32, dst []float64, stride int) {
	sets := s.sets(b)
	dense := s.scratch.Get().(*[]float64)
	squares := *dense
	for k, id := range ids {
		// The sign of a column where two sets differ from the truth is that of the truth, hence the
		// same.
		for _, c := range sets[id].columns {
			squares[c^c>>31] = s.byColumn[c^c>>31] * s.byColumn[c^c>>31]
		}
		for l, other := range ids[:k+1] {
			var sum float64
			for _, c := range sets[other].columns {
				sum += squares[c^c>>31]
			}
			dst[k*stride+l] = sum
		}
		for _, c := range sets[id].columns {
			squares[c^c>>31] = 0
		}
	}
	s.scratch.Put(dense)
}

// NewSearch returns a search for the most violating set.
func (s *Sets) NewSearch() Search {
	return &setSearch{
		Sets: s, searcher: s.space.NewSearcher(), rewards: make([]float64, s.attributes.taxonomy.Len()),
		inWorst: make([]bool, len(s.byColumn)), inSet: make([]bool, s.attributes.taxonomy.Len()),
	}
}

type setSearch struct {
	*Sets
	searcher *labelset.Searcher
	scores   []float64
	rewards  []float64
	inWorst  []bool // by column
	inSet    []bool // by node

	worst foundWorst
}

func (q *setSearch) Load(b int, scores []float64) float64 {
	q.worst.block, q.scores = b, scores
	e := &q.examples[b]
	// Nodes without a column have value 0 and any column that exists.
	columns := q.columns[:len(q.rewards)]
	values, common := q.values[:len(q.rewards)], q.common[:len(q.rewards)]
	for n := range q.rewards {
		q.rewards[n] = values[n]*scores[columns[n]] + common[n]
	}
	for k, n := range e.nodes {
		q.rewards[n] += e.rewards[k] - q.common[n]
	}
	var truth float64
	for _, c := range e.truth {
		truth += q.byColumn[c] * scores[c]
	}
	q.searcher.Offset = e.constant - truth
	found, err := q.search(b)
	if err != nil { // scores are not finite: the weights are beyond what can be computed with
		q.worst.violation = math.Inf(1)
		return q.worst.violation
	}
	q.describe(e, found.Nodes)
	q.worst.violation = q.violationOf(&q.worst.set)
	return max(0, q.worst.violation, e.constant+found.Bound-truth)
}

// atMost returns a bound of the largest violation of a block at zero weights: the loss of a set of
// nodes that need not be closed.
func (s *Sets) atMost(b int) float64 {
	e := &s.examples[b]
	most := s.positive
	for k, n := range e.nodes {
		most += max(0, e.rewards[k]) - max(0, s.common[n])
	}
	return max(0, e.constant+most)
}

// describe sets worst to the closed set.
func (q *setSearch) describe(e *setExample, nodes []int) {
	w := &q.worst.set
	w.columns, w.cost = w.columns[:0], e.constant
	for _, n := range nodes {
		q.inSet[n] = true
		w.cost += q.common[n]
		if q.values[n] != 0 {
			q.inWorst[q.columns[n]] = true
		}
	}
	for k, n := range e.nodes {
		if q.inSet[n] {
			w.cost += e.rewards[k] - q.common[n]
		}
	}
	for _, n := range nodes {
		q.inSet[n] = false
	}
	truth := e.truth
	for c, in := range q.inWorst {
		also := len(truth) > 0 && int(truth[0]) == c
		if also {
			truth = truth[1:]
		}
		if also && !in {
			w.columns = append(w.columns, int32(c))
		} else if in && !also {
			w.columns = append(w.columns, ^int32(c))
		}
		q.inWorst[c] = false
	}
	w.setHash()
}

func (q *setSearch) violationOf(set *foundSet) float64 {
	v := set.cost
	for _, c := range set.columns {
		if c >= 0 {
			v -= q.byColumn[c] * q.scores[c]
		} else {
			v += q.byColumn[^c] * q.scores[^c]
		}
	}
	return v
}

func (q *setSearch) Violation(id int32) float64 { return q.violationOf(&q.sets(q.worst.block)[id]) }

func (q *setSearch) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	return q.name(&q.worst, n, floor, known, dst)
}

// visited is what the searches for an example on a graph that is not a forest learned.
type visited struct {
	labelset.Hints
	searches int
}

// Effort of a search on a graph that is not a forest. The first searches for an example are for
// directions to move the weights in; the more often it is searched for, the nearer the weights are
// to their optimum, and the more an exact answer is worth.
const (
	sweeps   = 12   // of the first search
	branches = 1000 // of the first search, times the number of nodes
	patience = 8    // searches after which there is one more of either
)

// search looks for the best set under the rewards.
func (q *setSearch) search(b int) (labelset.Solution, error) {
	if q.space.Exact() {
		return q.searcher.Best(q.rewards)
	}
	return q.searchGraph(b)
}

// searchGraph is search on a graph that is not a forest.
func (q *setSearch) searchGraph(b int) (labelset.Solution, error) {
	known := q.visited[b].Swap(nil)
	if known == nil {
		known = new(visited)
	}
	q.searcher.Share = q.share
	q.searcher.Sweeps = sweeps + known.searches/patience
	q.searcher.Branches = 1 + branches/len(q.rewards) + known.searches/patience
	known.searches++
	found, err := q.searcher.BestFrom(q.rewards, &known.Hints)
	q.visited[b].Store(known)
	return found, err
}
