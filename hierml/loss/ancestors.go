package loss

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// ZeroOne returns the loss that is 1 for every wrong prediction.
func ZeroOne() Loss { return zeroOne{} }

type zeroOne struct{}

func (zeroOne) Cost(truth, predicted int) float64 {
	if truth == predicted {
		return 0
	}
	return 1
}

func (zeroOne) Taxonomy() *taxonomy.Taxonomy { return nil }

func (zeroOne) NodeRow(truth int, dst []float64) {
	for n := range dst {
		dst[n] = 1
	}
	dst[truth] = 0
}

// Normalized returns the loss in which each edge from a label up to the deepest common ancestor
// costs 1 over twice the label's depth [Cai08, (7.2)], so it is at most 1 between leaves of a tree
// with one root. The depth is the number of ancestors without the label. If all labels have the
// same depth, it is Half divided by that depth, and not Half, as printed there. It is undefined at
// roots: a root that is a leaf is an error, and the cost of a root that is an inner node is not
// finite.
func Normalized(t *taxonomy.Taxonomy) (Loss, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	for _, l := range t.Leaves() {
		if len(t.Parents(l)) == 0 {
			return nil, fmt.Errorf("loss: the normalized loss divides by depth, and leaf %q is a root; put a node above it, or use another loss", t.Name(l))
		}
	}
	l := normalized{differ: newWeighted(t, nil, 1, 1)}
	for _, leaf := range t.Leaves() {
		l.half = append(l.half, 1/(2*l.depth(leaf)))
	}
	return l, nil
}

type normalized struct {
	differ weighted
	half   []float64 // half the weight of an edge above each leaf
}

func (l normalized) Cost(truth, predicted int) float64 {
	if truth == predicted {
		return 0
	}
	t := l.differ.t
	a, b := l.differ.parts(t.Ancestors(truth), t.Ancestors(predicted))
	return (a/l.depth(truth) + b/l.depth(predicted)) / 2
}

func (l normalized) Taxonomy() *taxonomy.Taxonomy { return l.differ.t }

func (l normalized) NodeRow(truth int, dst []float64) {
	l.differ.NodeRow(truth, dst)
	a := l.depth(truth)
	for n, both := range dst {
		// Of the nodes above exactly one of the labels, (both+a-b)/2 are above the truth.
		b := l.depth(n)
		dst[n] = ((both+a-b)/(2*a) + (both-a+b)/(2*b)) / 2
	}
	dst[truth] = 0
}

func (l normalized) leafRow(truth int, dst []float64) {
	t := l.differ.t
	l.differ.leafRow(truth, dst)
	a := l.depth(truth)
	half := 1 / (2 * a)
	for y, n := range t.Leaves() {
		both, b := dst[y], float64(t.Depth(n))
		dst[y] = ((both+a-b)*half + (both-a+b)*l.half[y]) / 2
	}
	if y := t.LeafIndex(truth); y >= 0 {
		dst[y] = 0
	}
}

// depth is the number of ancestors of n without n.
func (l normalized) depth(n int) float64 {
	if l.differ.t.IsTree() {
		return float64(l.differ.t.Depth(n))
	}
	return float64(len(l.differ.t.Ancestors(n)) - 1)
}

// SqrtAlpha returns the square root of the sum of the weights of the nodes counted by Symdiff:
// [CSS16, (9)], the distance of the labels' attribute vectors. alpha has one weight per node, none
// negative, and is not copied. It is a SetLoss.
func SqrtAlpha(t *taxonomy.Taxonomy, alpha []float64) (Loss, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if err := checkWeights(t, alpha); err != nil {
		return nil, err
	}
	return sqrtAlpha{newWeighted(t, alpha, 1, 1)}, nil
}

type sqrtAlpha struct{ sum weighted }

func (s sqrtAlpha) Cost(truth, predicted int) float64 {
	return math.Sqrt(s.sum.Cost(truth, predicted))
}

func (s sqrtAlpha) SetCost(truth, predicted []int) float64 {
	return math.Sqrt(s.sum.SetCost(truth, predicted))
}

func (s sqrtAlpha) Taxonomy() *taxonomy.Taxonomy { return s.sum.t }

func (s sqrtAlpha) NodeRow(truth int, dst []float64) {
	if !s.sum.t.IsTree() {
		costs(s, truth, dst)
		return
	}
	s.sum.NodeRow(truth, dst)
	roots(dst)
}

func (s sqrtAlpha) leafRow(truth int, dst []float64) {
	s.sum.leafRow(truth, dst)
	roots(dst)
}

func roots(v []float64) {
	for k, x := range v {
		v[k] = math.Sqrt(x)
	}
}
