package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"time"
)

// softmaxAscent is the state of block coordinate ascent, in addition to weights and dual point.
type softmaxAscent struct {
	rng     *rand.Rand
	step    *entropyStep
	entropy []float64 // by example, its term of the dual
	norm    float64   // squared, of the weights

	gap, loss  float64   // of the epoch, as seen by its visits
	gaps       []float64 // of the epochs so far
	trust      float64   // ratio of the gap of a certificate to its estimate
	certified  bool      // there was a certificate
	negligible float64   // gap of an example below which it is skipped

	scores, share, next, change []float64
	single                      []float32
}

func (s *softmax) newAscent() softmaxAscent {
	stride := s.weights.Stride
	a := softmaxAscent{
		rng: rand.New(rand.NewPCG(0, 0)), step: newEntropyStep(s.classes), entropy: make([]float64, len(s.cost)), trust: 1,
		scores: make([]float64, stride), share: make([]float64, s.classes), next: make([]float64, s.classes), change: make([]float64, stride),
	}
	if !s.settings.Wide() {
		a.single = make([]float32, stride)
	}
	return a
}

// begin sets the dual point: that of the result to continue from, or the shares of the examples,
// whose weights are zero.
func (s *softmax) begin(ctx context.Context) error {
	if from := s.problem.Start; from != nil {
		copyRows(s.point, from.point)
		var err error
		if _, s.norm, err = s.rebuild(ctx); err != nil {
			return err
		}
	} else {
		for _, i := range s.order {
			for _, q := range s.problem.Shares[i] {
				s.point.Set(int(i), q.Class, s.problem.C*q.Weight)
			}
		}
	}
	for _, i := range s.order {
		for _, v := range rowOf(s.point, i, s.share) {
			if v > 0 {
				s.entropy[i] -= v * math.Log(v/s.cost[i])
			}
		}
	}
	return nil
}

// epoch visits the examples in random order.
func (s *softmax) epoch(ctx context.Context) error {
	s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	s.gap, s.loss = 0, 0
	began := time.Now()
	for k, i := range s.order {
		if k%s.every == 0 {
			if !s.certified && k > 0 && k >= len(s.order)/8 { // the first visits take longer than others
				s.pace = float64(time.Since(began)) / float64(k)
			}
			if err := s.over(ctx); err != nil {
				return err
			}
		}
		if !s.visit(i) {
			return errBeyond
		}
	}
	s.gaps = append(s.gaps, s.gap)
	s.negligible = negligibleGap * aim * s.settings.Gap * s.value() / float64(len(s.order))
	return nil
}

// negligibleGap is the share of the allowed gap per example below which an example is skipped.
const negligibleGap = 0.2

// value is the primal value as seen by the visits of the epoch.
func (s *softmax) value() float64 { return s.norm/2 + s.loss + s.constant }

// Tolerances of a visit, with weights in float32 and in float64.
const singleTolerance, wideTolerance = 1e-7, 1e-14

// visit maximizes the dual in the coefficients of an example. It reports whether all numbers are
// finite.
func (s *softmax) visit(i int32) bool {
	features, values := s.inputs.Matrix().Row(int(i))
	s.weights.Scores(features, values, s.scores)
	z, cost, square := s.scores[:s.classes], s.cost[i], s.inputs.SquaredNorm(int(i))
	s.step.load(z)
	p := rowOf(s.point, i, s.share)
	mean := 0.0
	for k, v := range p {
		mean += v * z[k]
		p[k] = v / cost
	}
	loss := cost * s.step.normal
	s.gap += loss - mean - s.entropy[i]
	left := loss - mean - s.entropy[i]
	for _, q := range s.problem.Shares[i] {
		loss -= s.problem.C * q.Weight * z[q.Class]
	}
	s.loss += loss
	if left < s.negligible {
		return true
	}
	tolerance := singleTolerance
	if s.settings.Wide() {
		tolerance = wideTolerance
	}
	entropy := s.step.solve(cost*square, p, s.next, tolerance)
	if math.IsNaN(entropy) {
		return false
	}
	s.entropy[i] = cost * entropy
	product, length := 0.0, 0.0
	at := int(i) * s.point.Stride
	if s.settings.Wide() {
		row := s.point.Wide[at : at+s.classes]
		for k, v := range s.next {
			v *= cost
			d := row[k] - v
			row[k], s.change[k] = v, d
			product += d * z[k]
			length += d * d
		}
		s.weights.AddWideOuter(features, values, s.change)
	} else {
		row := s.point.Data[at : at+s.classes]
		for k, v := range s.next {
			v := float32(cost * v)
			d := float64(row[k]) - float64(v)
			row[k], s.single[k] = v, float32(d)
			product += d * z[k]
			length += d * d
		}
		s.weights.AddOuter(features, values, s.single)
	}
	s.norm += 2*product + square*length
	return true
}

// guess estimates the gap at the end of an epoch from the gap seen by the visits and its decrease
// from epoch to epoch.
func (s *softmax) guess() float64 {
	const ofRate, least = 2, 0.12 // by the sets of texts and images
	part := firstTrust
	if n := len(s.gaps); n > 1 {
		part = min(max(ofRate*s.gap/s.gaps[n-2], least), 1)
	}
	return part * s.gap
}

// estimate is an estimate of the relative gap.
func (s *softmax) estimate() float64 { return s.trust * s.guess() / s.value() }

// settled reports whether a certificate is worthwhile: whether the gap is well below the requested
// one. Near the requested gap, the error of ascent is mostly in the weights, so predictions differ;
// primal methods have it mostly in the bound.
func (s *softmax) settled() bool { return s.estimate() <= aim*s.settings.Gap }

// aim is the share of the requested gap at which there is a certificate.
const aim = 0.3

// patienceSoftmax is the number of epochs after which ascent may be found slow, by the rate of the
// last rateEpochs, and mostAhead how many more are not too many: by dense sets with C up to 1,000,
// and the same with features of all scales, Newton's method takes as long then.
const patienceSoftmax, rateEpochs, mostAhead = 8, 4, 300

// slow reports whether ascent would take many more epochs.
func (s *softmax) slow() bool {
	n := len(s.gaps)
	if n < patienceSoftmax {
		return false
	}
	rate := math.Log(s.gaps[n-1-rateEpochs]/s.gap) / rateEpochs
	left := math.Log(s.estimate() / (aim * s.settings.Gap))
	return left > 0 && !(left <= mostAhead*rate)
}
