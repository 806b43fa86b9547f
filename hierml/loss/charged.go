package loss

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Uni returns [QGH09, (6)] with weight 1 for every node: a node is charged if it is an ancestor of
// exactly one label and its parent is not; a root is charged if it is an ancestor of exactly one
// label. It returns an error if a node has several parents. Uni, Sib and Sub are Decomposing
// losses: between sets they are the H-loss, see HLoss.
func Uni(t *taxonomy.Taxonomy) (Loss, error) { return byCosts("uni", t, UniformCosts) }

// Sib returns [QGH09, (6) and (7)], the H-loss with SiblingCosts: a root has weight 1, any other
// node its parent's weight divided by the number of the parent's children. It returns an error if a
// node has several parents.
func Sib(t *taxonomy.Taxonomy) (Loss, error) { return byCosts("sib", t, SiblingCosts) }

// Sub returns [QGH09, (6) and (8)], the H-loss with SubtreeCosts: the weight of a node is the share
// of all nodes that are at or below it. It returns an error unless there is exactly one root, and
// if a node has several parents.
func Sub(t *taxonomy.Taxonomy) (Loss, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if len(t.Roots()) != 1 {
		return nil, fmt.Errorf("loss: the loss sub needs a tree with one root; this taxonomy has %d", len(t.Roots()))
	}
	return newCharged("sub", t, SubtreeCosts(t))
}

// byCosts is newCharged with costs of the taxonomy.
func byCosts(name string, t *taxonomy.Taxonomy, costs func(*taxonomy.Taxonomy) []float64) (Loss, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	return newCharged(name, t, costs(t))
}

// pairsAndSets is a loss between labels and between sets of them.
type pairsAndSets interface {
	Loss
	Decomposing
}

// charged sums the weights of the topmost nodes in which two paths differ.
type charged struct{ *path }

func newCharged(name string, t *taxonomy.Taxonomy, weight []float64) (pairsAndSets, error) {
	if !t.IsTree() {
		return nil, fmt.Errorf("loss: the loss %s needs a tree or forest; in this taxonomy a node has several parents", name)
	}
	return charged{newPath(t, weight, 1, 1, true)}, nil
}

func (c charged) Cost(truth, predicted int) float64 {
	var sum float64
	a, b := truth, predicted
	for a != b {
		// The deeper label, or both, step up; what a label was before it met the other is charged.
		up := c.t.Depth(a) - c.t.Depth(b)
		before := [2]int{-1, -1}
		if up >= 0 {
			before[0], a = a, c.above(a)
		}
		if up <= 0 {
			before[1], b = b, c.above(b)
		}
		if a != b {
			continue
		}
		for _, n := range before {
			if n >= 0 {
				sum += c.weight[n]
			}
		}
	}
	return sum
}

func (c charged) Taxonomy() *taxonomy.Taxonomy { return c.t }

func (c charged) NodeRow(truth int, dst []float64) { c.nodeRow(truth, dst) }

func (c charged) SetCost(truth, predicted []int) float64 {
	x, y := c.t.Closure(truth), c.t.Closure(predicted)
	in := func(set []int, n int) bool {
		_, found := slices.BinarySearch(set, n)
		return found
	}
	var sum float64
	for _, side := range [2][2][]int{{x, y}, {y, x}} {
		for _, n := range side[0] {
			// What is above a node of one set is in that set, so parents differ where the other set
			// lacks them.
			if p := c.above(n); !in(side[1], n) && (p < 0 || in(side[1], p)) {
				sum += c.weight[n]
			}
		}
	}
	return sum
}

// above returns the parent of n, -1 for a root.
func (c charged) above(n int) int {
	if p := c.t.Parents(n); len(p) > 0 {
		return p[0]
	}
	return -1
}
