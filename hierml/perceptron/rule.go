package perceptron

import (
	"math"

	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
)

// rule says which update an instance asks for. It holds scratch space: one rule a goroutine.
type rule struct {
	*method
	relevant []bool // by candidate, while choosing
	step     *structured.Step
	unit     float64
	roots    map[int32][]float64 // of the losses of all candidates by true one, for the averaged Hieron
}

func newRule(m *method) *rule {
	r := &rule{
		method: m, relevant: make([]bool, len(m.attributes.Candidates())), step: structured.NewStep(len(m.attributes.Columns())),
		unit: 1, roots: make(map[int32][]float64),
	}
	if !m.hieron {
		r.unit = unit(m.attributes, m.loss)
	}
	return r
}

// pair are the positions of two candidates, a label and another, and how much higher the first one scores.
type pair struct {
	y, z   int32
	margin float64
}

// choose returns the pair that the instance with the labels and scores given is judged by. It is not ok if there is none because
// all candidates are labels, or none.
func (r *rule) choose(labels []int32, scores []float64) (p pair, ok bool) {
	if len(labels) == 0 || len(labels) == len(scores) {
		return pair{}, false
	}
	if r.hieron {
		y := labels[0]
		z := r.highest(y, scores)
		return pair{y, z, scores[y] - scores[z]}, true
	}
	y := labels[0]
	for _, k := range labels {
		r.relevant[k] = true
		if scores[k] < scores[y] {
			y = k
		}
	}
	z, high := int32(-1), 0.0
	for k, f := range scores {
		if (z < 0 || f > high) && !r.relevant[k] {
			z, high = int32(k), f
		}
	}
	for _, k := range labels {
		r.relevant[k] = false
	}
	return pair{y, z, scores[y] - high}, true
}

// highest returns the candidate that a Hieron compares with label y: the first of the highest score, in the averaged one of
// the highest sum of score and root of the loss. It is y itself where nothing is wrong.
func (r *rule) highest(y int32, scores []float64) int32 {
	if !r.averaged {
		return int32(structured.Argmax(scores))
	}
	roots := r.lossRoots(y)
	best := 0
	for z, f := range scores {
		if f+roots[z] > scores[best]+roots[best] {
			best = z
		}
	}
	return int32(best)
}

// maxRoots bounds the roots of losses that are kept.
const maxRoots = 1 << 24

// lossRoots returns the roots of the losses of all candidates where the one at position y is true.
func (r *rule) lossRoots(y int32) []float64 {
	if roots, ok := r.roots[y]; ok {
		return roots
	}
	candidates := r.attributes.Candidates()
	if (len(r.roots)+1)*len(candidates) > maxRoots {
		clear(r.roots)
	}
	roots := make([]float64, len(candidates))
	for z := range roots {
		roots[z] = math.Sqrt(r.cost(y, int32(z)))
	}
	r.roots[y] = roots
	return roots
}

// cost returns the loss of the candidate at position z where that at y is true.
func (r *rule) cost(y, z int32) float64 {
	candidates := r.attributes.Candidates()
	return r.loss.Cost(candidates[y], candidates[z])
}

// wrong tells whether an instance judged by the pair is a mistake.
func (r *rule) wrong(p pair) bool {
	if r.hieron {
		return p.y != p.z
	}
	return p.margin <= 0
}

// size returns tau for a mistake of an instance of the squared norm given, zero where no step helps, and the factor that it
// is multiplied with in the weights.
func (r *rule) size(p pair, square float64) float64 {
	delta := r.cost(p.y, p.z)
	if !r.hieron {
		return delta
	}
	norm := r.attributes.NormDifference(int(p.y), int(p.z))
	if norm == 0 || square == 0 {
		return 0
	}
	return max(0, math.Sqrt(delta)-p.margin) / (norm * norm * square)
}

// direction returns the columns where Lambda(y) and Lambda(z) differ and size times the difference there, valid until the next call.
func (r *rule) direction(y, z int32, size float64) (columns []int32, u []float64) {
	r.attributes.AddTo(r.step, int(y), size)
	r.attributes.AddTo(r.step, int(z), -size)
	return r.step.Take()
}

// Bounds of the search for a unit: leaves whose losses are all looked at, and the largest unit tried.
const (
	unitLeaves = 256
	maxUnit    = 5040
)

// unit returns the smallest number that makes integers of all losses between candidates, 1 if none is found. Weights are kept
// multiplied by it: in that scale those learned from integers are integers, without rounding errors, so that scores that are equal
// by definition are equal in the computer, and ties are resolved as stated.
func unit(a *structured.Attributes, l loss.Loss) float64 {
	candidates := a.Candidates()
	if len(candidates) > unitLeaves {
		return 1
	}
	distinct := make(map[float64]bool)
	for _, y := range candidates {
		for _, z := range candidates {
			distinct[l.Cost(y, z)] = true
		}
	}
	for n := 1.0; n <= maxUnit; n++ {
		all := true
		for v := range distinct {
			if product := n * v; math.Abs(product-math.Round(product)) > 1e-12*product {
				all = false
				break
			}
		}
		if all {
			return n
		}
	}
	return 1
}
