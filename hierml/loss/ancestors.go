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

// Symdiff returns the number of nodes that are an ancestor of one label and not of the other, the
// labels themselves included: Cai's thesis, 3.12, and the hierarchical Hamming loss of NHSVM, section 4.
// On trees and forests it equals Tree.
func Symdiff(t *taxonomy.Taxonomy) Loss { return symdiff{t, 1} }

// Half returns half of Symdiff: the loss Delta_h of Cai's thesis. On trees whose leaves are all
// equally deep it is the height of the lowest common ancestor.
func Half(t *taxonomy.Taxonomy) Loss { return symdiff{t, 0.5} }

type symdiff struct {
	t     *taxonomy.Taxonomy
	scale float64
}

func (l symdiff) Cost(truth, predicted int) float64 {
	above, below := difference(l.t, truth, predicted, func(int) float64 { return 1 })
	return l.scale * (above + below)
}

func (l symdiff) Taxonomy() *taxonomy.Taxonomy { return l.t }

func (l symdiff) NodeRow(truth int, dst []float64) {
	if !l.t.IsTree() {
		costs(l, truth, dst)
		return
	}
	topDown(l.t, truth, nil, false, dst)
	for n := range dst {
		dst[n] *= l.scale
	}
}

// Normalized returns the loss in which the edges from either label up to the deepest common
// ancestor weigh 1 over twice the label's depth (Cai's thesis, 7.2), so that it is at most 1; depth
// is the number of ancestors without the label. Where all labels have one depth it is Half divided
// by that depth, not Half, as the thesis says. It does not exist at roots: a root that is a
// leaf is an error.
func Normalized(t *taxonomy.Taxonomy) (Loss, error) {
	for _, l := range t.Leaves() {
		if len(t.Parents(l)) == 0 {
			return nil, fmt.Errorf("loss: the normalized loss divides by depth, and leaf %q is a root; put a node above it or take another loss", t.Name(l))
		}
	}
	return normalized{t}, nil
}

type normalized struct{ t *taxonomy.Taxonomy }

func (l normalized) Cost(truth, predicted int) float64 {
	if truth == predicted {
		return 0
	}
	a, b := difference(l.t, truth, predicted, func(int) float64 { return 1 })
	return (a/float64(len(l.t.Ancestors(truth))-1) + b/float64(len(l.t.Ancestors(predicted))-1)) / 2
}

func (l normalized) Taxonomy() *taxonomy.Taxonomy { return l.t }

func (l normalized) NodeRow(truth int, dst []float64) {
	if !l.t.IsTree() {
		costs(l, truth, dst)
		return
	}
	topDown(l.t, truth, nil, false, dst)
	a := float64(l.t.Depth(truth))
	for n, both := range dst {
		if n == truth {
			continue
		}
		// Of the nodes that one path has and the other has not, (both+a-b)/2 are the truth's.
		b := float64(l.t.Depth(n))
		dst[n] = ((both+a-b)/(2*a) + (both-a+b)/(2*b)) / 2
	}
}

// SqrtAlpha returns the root of the sum of the node weights over the nodes counted by Symdiff:
// NHSVM, equation 9, the distance of the labels' attribute vectors. alpha has one weight a node, none
// negative, and is not copied.
func SqrtAlpha(t *taxonomy.Taxonomy, alpha []float64) (Loss, error) {
	if len(alpha) != t.Len() {
		return nil, fmt.Errorf("loss: %d node weights for a taxonomy of %d nodes", len(alpha), t.Len())
	}
	for n, a := range alpha {
		if !(a >= 0) || math.IsInf(a, 1) {
			return nil, fmt.Errorf("loss: the weight of node %q is %v; weights are finite and not negative", t.Name(n), a)
		}
	}
	return sqrtAlpha{t, alpha}, nil
}

type sqrtAlpha struct {
	t     *taxonomy.Taxonomy
	alpha []float64
}

func (l sqrtAlpha) Cost(truth, predicted int) float64 {
	a, b := difference(l.t, truth, predicted, func(n int) float64 { return l.alpha[n] })
	return math.Sqrt(a + b)
}

func (l sqrtAlpha) Taxonomy() *taxonomy.Taxonomy { return l.t }

func (l sqrtAlpha) NodeRow(truth int, dst []float64) {
	if !l.t.IsTree() {
		costs(l, truth, dst)
		return
	}
	topDown(l.t, truth, l.alpha, false, dst)
	for n, sum := range dst {
		dst[n] = math.Sqrt(sum)
	}
}

// difference sums the weights of the ancestors of a that are not ancestors of b, and the other way
// round.
func difference(t *taxonomy.Taxonomy, a, b int, weight func(n int) float64) (onlyA, onlyB float64) {
	x, y := t.Ancestors(a), t.Ancestors(b)
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case j == len(y) || i < len(x) && x[i] < y[j]:
			onlyA += weight(x[i])
			i++
		case i == len(x) || y[j] < x[i]:
			onlyB += weight(y[j])
			j++
		default:
			i++
			j++
		}
	}
	return onlyA, onlyB
}
