package loss

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Symdiff returns the number of nodes that are an ancestor of one label and not of the other, the
// labels themselves included: [Cai08, (3.12)], and the hierarchical Hamming loss of [CSS16, section
// 4]. On trees and forests it equals Tree. It is a Decomposing loss.
func Symdiff(t *taxonomy.Taxonomy) Loss { return newWeighted(t, nil, 1, 1) }

// Half returns half of Symdiff: the loss Delta_h of [Cai08]. On trees whose leaves are all equally
// deep it is the height of the lowest common ancestor. It is a Decomposing loss.
func Half(t *taxonomy.Taxonomy) Loss { return newWeighted(t, nil, 0.5, 0.5) }

// Weighted returns the loss [Cai08, (3.11)], for items that are delivered to the subscribers of
// nodes: weight[n] is the number of subscribers of node n, missed the cost of not delivering to one
// of them, and added the cost of an unnecessary delivery. A node that is an ancestor of the truth
// only costs missed times its weight, one that is an ancestor of the prediction only costs added
// times its weight. With weights and costs of 1 it is Symdiff. If missed and added differ, the loss
// isn't symmetric. No value may be negative; weight is not copied. It is a Decomposing loss.
func Weighted(t *taxonomy.Taxonomy, weight []float64, missed, added float64) (Loss, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if err := checkWeights(t, weight); err != nil {
		return nil, err
	}
	for _, c := range []float64{missed, added} {
		if !(c >= 0) || math.IsInf(c, 1) {
			return nil, fmt.Errorf("loss: a node missed costs %v and a node added %v; costs must be finite and not negative", missed, added)
		}
	}
	return newWeighted(t, weight, missed, added), nil
}

func checkWeights(t *taxonomy.Taxonomy, weight []float64) error {
	if len(weight) != t.Len() {
		return fmt.Errorf("loss: %d node weights for a taxonomy of %d nodes; give one per node", len(weight), t.Len())
	}
	for n, w := range weight {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("loss: the weight of node %q is %v; weights must be finite and not negative", t.Name(n), w)
		}
	}
	return nil
}

// weighted sums the weights of the nodes in which two sets of ancestors differ.
type weighted struct{ *path }

func newWeighted(t *taxonomy.Taxonomy, weight []float64, missed, added float64) weighted {
	return weighted{newPath(t, weight, missed, added, false)}
}

func (w weighted) Cost(truth, predicted int) float64 {
	missed, added := w.parts(w.t.Ancestors(truth), w.t.Ancestors(predicted))
	return w.missed*missed + w.added*added
}

func (w weighted) SetCost(truth, predicted []int) float64 {
	missed, added := w.parts(w.t.Closure(truth), w.t.Closure(predicted))
	return w.missed*missed + w.added*added
}

// parts sums the weights of what only x and what only y contains; both ascend.
func (w weighted) parts(x, y []int) (onlyX, onlyY float64) {
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case j == len(y) || i < len(x) && x[i] < y[j]:
			onlyX += w.of(x[i])
			i++
		case i == len(x) || y[j] < x[i]:
			onlyY += w.of(y[j])
			j++
		default:
			i++
			j++
		}
	}
	return onlyX, onlyY
}

func (w weighted) Decompose(truth []int, dst []float64) float64 {
	for n := range dst {
		dst[n] = w.added * w.of(n)
	}
	var constant float64
	for _, n := range w.t.Closure(truth) {
		constant += w.missed * w.of(n)
		dst[n] = -w.missed * w.of(n)
	}
	return constant
}

func (w weighted) Taxonomy() *taxonomy.Taxonomy { return w.t }

func (w weighted) NodeRow(truth int, dst []float64) {
	switch {
	case w.t.IsTree():
		w.nodeRow(truth, dst)
	case w.weight == nil:
		w.count(truth, dst)
	default:
		costs(w, truth, dst)
	}
}

// count is NodeRow for weights of 1 on graphs whose nodes have several parents.
func (w weighted) count(truth int, dst []float64) {
	own := w.t.Ancestors(truth)
	common := dst
	clear(common)
	for _, a := range own {
		for _, n := range w.t.Descendants(a) {
			common[n]++
		}
	}
	for n, c := range common {
		dst[n] = w.missed*(float64(len(own))-c) + w.added*(float64(len(w.t.Ancestors(n)))-c)
	}
}
