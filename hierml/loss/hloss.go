package loss

import (
	"github.com/hierml/notebook/hierml/taxonomy"
)

// HLoss returns the H-loss of [CGZ06] with your own costs, one per node, finite and not negative;
// they are not copied. A node is charged if it is at or above a label of exactly one set, and its
// parent of both or none: after a mistake at a node, those below it are not charged. Uni, Sib and
// Sub are the H-loss with UniformCosts, SiblingCosts and SubtreeCosts. It returns an error if a
// node has several parents.
func HLoss(t *taxonomy.Taxonomy, costs []float64) (Decomposing, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if err := checkWeights(t, costs); err != nil {
		return nil, err
	}
	return newCharged("HLoss", t, costs)
}

// UniformCosts returns a cost of 1 per node. A mistake at the top of a tree then costs no more than
// one at a leaf, so if the labels below a node are uncertain, predicting nothing is cheapest: see
// decision.HLoss.
func UniformCosts(t *taxonomy.Taxonomy) []float64 {
	costs := make([]float64, t.Len())
	for n := range costs {
		costs[n] = 1
	}
	return costs
}

// SiblingCosts returns 1 for roots, and for any other node its parent's cost divided by the number
// of the parent's children, so all mistakes below a node together cost no more than one at the node
// [QGH09, (7)]. For a node with several parents it uses the one with the smallest id.
func SiblingCosts(t *taxonomy.Taxonomy) []float64 {
	costs := make([]float64, t.Len())
	for _, n := range t.Topological() {
		costs[n] = 1
		for _, p := range t.Parents(n) {
			costs[n] = costs[p] / float64(len(t.Children(p)))
			break
		}
	}
	return costs
}

// SubtreeCosts returns the fraction of all nodes that are at or below a node [QGH09, (8)].
func SubtreeCosts(t *taxonomy.Taxonomy) []float64 {
	costs := make([]float64, t.Len())
	for n := range costs {
		costs[n] = float64(len(t.Descendants(n))) / float64(t.Len())
	}
	return costs
}

// Decompose says of a closed prediction z what the charged nodes cost: where the parent of n is at
// or above a true label, c_n if n is too and is not in z although its parent is, and c_n if n is
// not but is in z.
func (c charged) Decompose(truth []int, dst []float64) (constant float64) {
	clear(dst)
	for _, r := range c.t.Roots() {
		dst[r] = c.weight[r]
	}
	closed := c.t.Closure(truth)
	for _, n := range closed {
		for _, child := range c.t.Children(n) {
			dst[child] = c.weight[child]
		}
	}
	for _, n := range closed {
		dst[n] -= 2 * c.weight[n] // it is true after all
		if p := c.above(n); p >= 0 {
			dst[p] += c.weight[n]
		} else {
			constant += c.weight[n]
		}
	}
	return constant
}
