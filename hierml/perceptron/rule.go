package perceptron

import (
	"math"

	"github.com/hierml/notebook/hierml/structured"
)

// rule determines the update of an instance. It has scratch space, so each goroutine needs its own.
type rule struct {
	*method
	relevant []bool // by candidate, while choosing
	step     *structured.Step
	// of the losses of all candidates by true one, for the averaged Hieron
	roots map[int32][]float64
	// tolerance is the difference up to which scores count as equal.
	tolerance float64
}

// rounding is the tolerance as a share of the largest change of a margin by an update of its
// instance. Scores that are equal by definition are computed as sums of such changes in different
// orders; they differ by less than the tolerance, so ties are resolved as documented. Other scores
// differ by more.
const rounding = 1e-12

func newRule(m *method) *rule {
	return &rule{
		method: m, relevant: make([]bool, len(m.attributes.Candidates())), step: structured.NewStep(len(m.attributes.Columns())),
		roots: make(map[int32][]float64),
	}
}

// pair are the positions of two candidates, a label and another, and how much higher the first one
// scores.
type pair struct {
	y, z   int32
	margin float64
}

// choose returns the pair that determines the margin of an instance with the given labels and
// scores. ok is false if all candidates are labels, or none.
func (r *rule) choose(labels []int32, scores []float64) (p pair, ok bool) {
	if len(labels) == 0 || len(labels) == len(scores) {
		return pair{}, false
	}
	if r.hieron {
		y := labels[0]
		var roots []float64
		if r.averaged {
			roots = r.lossRoots(y)
		}
		z := r.highest(scores, roots)
		return pair{y, z, scores[y] - scores[z]}, true
	}
	y := labels[0]
	if len(labels) == 1 {
		z := r.highestBut(y, scores)
		return pair{y, z, scores[y] - scores[z]}, true
	}
	for _, k := range labels {
		r.relevant[k] = true
		if scores[k] < scores[y]-r.tolerance {
			y = k
		}
	}
	z, high := int32(-1), 0.0
	for k, f := range scores {
		if (z < 0 || f > high+r.tolerance) && !r.relevant[k] {
			z, high = int32(k), f
		}
	}
	for _, k := range labels {
		r.relevant[k] = false
	}
	return pair{y, z, scores[y] - high}, true
}

// highestBut returns the candidate other than y with the highest score, in case of a tie the first.
func (r *rule) highestBut(y int32, scores []float64) int32 {
	at := int32(0)
	if y == 0 {
		at = 1
	}
	best := scores[at]
	for z := at + 1; int(z) < len(scores); z++ {
		if f := scores[z]; f > best+r.tolerance && z != y {
			best, at = f, z
		}
	}
	return at
}

// highest returns the candidate with the highest score, plus root if there are roots, in case of a
// tie the first.
func (r *rule) highest(scores, roots []float64) int32 {
	best, at := math.Inf(-1), 0
	for z, f := range scores {
		if roots != nil {
			f += roots[z]
		}
		if f > best+r.tolerance {
			best, at = f, z
		}
	}
	return int32(at)
}

// maxRoots bounds the cached square roots of losses.
const maxRoots = 1 << 24

// lossRoots returns the square roots of the losses of all candidates when the one at position y is
// true.
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

// cost returns the loss of the candidate at position z when that at y is true.
func (r *rule) cost(y, z int32) float64 {
	candidates := r.attributes.Candidates()
	return r.loss.Cost(candidates[y], candidates[z])
}

// wrong reports whether the pair requires an update.
func (r *rule) wrong(p pair) bool {
	if r.hieron {
		return p.y != p.z
	}
	return p.margin <= r.tolerance
}

// mistaken reports whether an instance with the given scores and pair is a mistake. Mistakes
// require an update; the averaged Hieron also requires one if the label leads by too little.
func (r *rule) mistaken(p pair, scores []float64) bool {
	if r.hieron && r.averaged {
		return r.highest(scores, nil) != p.y
	}
	return r.wrong(p)
}

// size returns tau for a mistake on an instance with the given squared norm, or zero if no step
// helps.
func (r *rule) size(p pair, square float64) float64 {
	delta := r.cost(p.y, p.z)
	if !r.hieron {
		return delta
	}
	norm := r.attributes.NormDifference(int(p.y), int(p.z))
	lack := math.Sqrt(delta) - p.margin
	if norm == 0 || square == 0 || lack <= r.tolerance {
		return 0
	}
	return lack / (norm * norm * square)
}

// direction returns the columns where Lambda(y) and Lambda(z) differ and size times the difference
// there, valid until the next call.
func (r *rule) direction(y, z int32, size float64) (columns []int32, u []float64) {
	r.attributes.AddTo(r.step, int(y), size)
	r.attributes.AddTo(r.step, int(z), -size)
	return r.step.Take()
}
