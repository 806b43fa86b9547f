package decision

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// HLoss chooses the label sets with the smallest expected H-loss, the decisions of B-SVM [CBGZ06],
// from the probability of each node given that its parent is a label. It works for any model of
// such probabilities if they are calibrated. With p_v = P(v | parent of v, x) and costs c, under
// the model in which nodes below a parent are independent given it,
//
//	H_v = min(c_v p_v, c_v (1 - p_v) + p_v sum of H over the children of v)
//
// is the expected cost of the nodes at and below v, given the parent of v. v is chosen if its
// parent is and the second term is smaller. The risk is the sum of H over the roots, and no closed
// set has a smaller one.
//
// The decision may end at inner nodes, and may be empty; the costs determine how often. With
// loss.SiblingCosts a node above leaves is chosen from a probability of at most 2/3, one above
// those from 3/4, and so on. loss.UniformCosts are degenerate: if a root is certain and each of its
// six children has probability 1/2, leaving out the root costs 1, because nothing below is then
// charged, and choosing it costs 3, so the best decision is the empty set.
type HLoss struct {
	taxonomy *taxonomy.Taxonomy
	costs    []float64
}

// NewHLoss returns the decisions for the costs of the nodes, one per node, finite and not negative.
// It returns an error if a node has several parents. The costs are not copied.
func NewHLoss(t *taxonomy.Taxonomy, costs []float64) (*HLoss, error) {
	if t == nil {
		return nil, fmt.Errorf("decision: decisions for the H-loss need a taxonomy")
	}
	if _, err := loss.HLoss(t, costs); err != nil {
		return nil, fmt.Errorf("decision: %w", err)
	}
	return &HLoss{t, costs}, nil
}

// Decide returns, for every row of p, the label set with the smallest expected H-loss and that
// loss. p has one column per node, by id, with the probability from 0 to 1 that the node is at or
// above a label given that its parent is; for roots it is unconditional. Sets are in their most
// specific form: ascending, none above another, possibly empty; Taxonomy.Closure adds the
// ancestors. Of two decisions with the same cost it is the smaller set.
func (h *HLoss) Decide(p mat.Matrix) (sets [][]int, risks []float64, err error) {
	rows, err := h.check(p)
	if err != nil {
		return nil, nil, err
	}
	sets, risks = make([][]int, rows), make([]float64, rows)
	row, expected, on := make([]float64, h.taxonomy.Len()), make([]float64, h.taxonomy.Len()), make([]bool, h.taxonomy.Len())
	for i := range rows {
		mat.Row(row, i, p)
		h.expect(row, expected, on)
		for _, r := range h.taxonomy.Roots() {
			risks[i] += expected[r]
		}
		sets[i] = h.specific(on)
	}
	return sets, risks, nil
}

// expect writes H of every node, and which nodes are decided for.
func (h *HLoss) expect(p, expected []float64, on []bool) {
	t := h.taxonomy
	for _, v := range slices.Backward(t.Topological()) {
		var below float64
		for _, c := range t.Children(v) {
			below += expected[c]
		}
		out, in := h.costs[v]*p[v], h.costs[v]*(1-p[v])+p[v]*below
		on[v], expected[v] = in < out, min(in, out)
	}
	for _, v := range t.Topological() {
		for _, a := range t.Parents(v) {
			on[v] = on[v] && on[a]
		}
	}
}

// specific returns the nodes of a closed set that have no child in it, ascending.
func (h *HLoss) specific(on []bool) []int {
	set := []int{}
	for n, is := range on {
		if is && !slices.ContainsFunc(h.taxonomy.Children(n), func(c int) bool { return on[c] }) {
			set = append(set, n)
		}
	}
	return set
}

// Risk returns the expected H-loss of a label set for every row of p, which is as in Decide. sets
// has one set per row; the ancestors of a label are implied.
func (h *HLoss) Risk(p mat.Matrix, sets [][]int) ([]float64, error) {
	rows, err := h.check(p)
	if err != nil {
		return nil, err
	}
	if rows != len(sets) {
		return nil, fmt.Errorf("decision: %d label sets for the probabilities of %d instances; pass one per instance", len(sets), rows)
	}
	t := h.taxonomy
	risks, likely := make([]float64, rows), make([]float64, t.Len())
	for i, set := range sets {
		for _, n := range set {
			if n < 0 || n >= t.Len() {
				return nil, fmt.Errorf("decision: row %d has label %d; the taxonomy has nodes 0..%d", i, n, t.Len()-1)
			}
		}
		on := t.Closure(set)
		in := func(n int) bool { _, found := slices.BinarySearch(on, n); return found }
		for _, v := range t.Topological() {
			above, decided := 1.0, true // the parent's probability, and whether it is decided for
			for _, a := range t.Parents(v) {
				above, decided = likely[a], in(a)
			}
			likely[v] = above * p.At(i, v)
			switch {
			case in(v):
				risks[i] += h.costs[v] * (above - likely[v])
			case decided:
				risks[i] += h.costs[v] * likely[v]
			}
		}
	}
	return risks, nil
}

func (h *HLoss) check(p mat.Matrix) (rows int, err error) {
	if h == nil || h.taxonomy == nil {
		return 0, fmt.Errorf("decision: this HLoss has no taxonomy and costs; create it with NewHLoss")
	}
	if p == nil {
		return 0, fmt.Errorf("decision: the probabilities are nil")
	}
	rows, columns := p.Dims()
	if rows > 0 && columns != h.taxonomy.Len() {
		return 0, fmt.Errorf("decision: probabilities of %d nodes for a taxonomy of %d; pass one column per node", columns, h.taxonomy.Len())
	}
	for i := range rows {
		for n := range columns {
			if v := p.At(i, n); !(v >= 0 && v <= 1) {
				return 0, fmt.Errorf("decision: row %d, node %q: probability %v; probabilities must be from 0 to 1", i, h.taxonomy.Name(n), v)
			}
		}
	}
	return rows, nil
}
