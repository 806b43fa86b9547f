package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/structured"
)

// A SoftmaxProblem is a multinomial logistic regression without a bias,
//
//	min 1/2 sum_c ||w_c||^2 + C sum_i sum_c q_ic (log sum_b exp <w_b, x_i> - <w_c, x_i>),
//
// where q_ic is the share that example i has in class c.
type SoftmaxProblem struct {
	Classes int
	C       float64
	Shares  [][]Share // by example, one of each class at most; examples without any take no part
}

// Origin returns the value at zero weights, as SolveSoftmax adds it up.
func (p *SoftmaxProblem) Origin() float64 {
	sum := 0.0
	for _, shares := range p.Shares {
		weight := 0.0
		for _, q := range shares {
			weight += q.Weight
		}
		weight *= p.C
		sum += weight * math.Log(float64(p.Classes))
	}
	return sum
}

// A Share is a class of an example with its weight, above zero.
type Share struct {
	Class  int
	Weight float64
}

// A SoftmaxResult is the outcome.
type SoftmaxResult struct {
	Weights      []float64 // one a feature and class, those of a feature together
	Primal, Dual float64   // value of the weights, and a bound below that of all
	Epochs       int       // passes over the examples
	Status       Status
}

// SolveSoftmax solves the problem by Newton's method, as Binary goes on where coordinate ascent is
// slow: conjugate gradients find the step of each iteration roughly, from the products of the Hessian
// and vectors, and the objective has to fall along it [LWK08].
//
// The certificate is a point of the dual, sum_i C a_i H(p_i) - 1/2 ||sum_i C (q_i - a_i p_i) x_i'||^2
// with a_i the sum of q_i, H the entropy, and any distributions p_i: where these are those of the
// weights it is below their value by half the squared gradient.
//
// However short Settings.Time is, one step is made. Settings.Workers and Settings.Start are not used.
// Progress is called with each certificate; its error, and that of ctx, come with the result so far.
func SolveSoftmax(ctx context.Context, inputs *structured.Linear, problem SoftmaxProblem, settings Settings) (*SoftmaxResult, error) {
	s, err := newSoftmax(inputs, problem, settings)
	if err != nil {
		return nil, err
	}
	r := &SoftmaxResult{Status: MaxEpochs} // with a bound of 0: no loss is below
	if err = s.evaluate(ctx, s.weights); err == nil {
		r.Epochs++
		err = s.iterate(ctx, r)
	} else {
		r.Primal = s.origin
	}
	switch {
	case errors.Is(err, errOver):
		r.Status, err = TimeLimit, nil
	case ctx.Err() != nil:
		r.Status, err = Cancelled, ctx.Err()
	case err != nil:
		r.Status = Stopped
	}
	r.Weights = s.weights
	return r, err
}

// softmax is the work on a problem. Vectors have one entry a feature and class.
type softmax struct {
	settings Settings
	inputs   *structured.Linear
	problem  SoftmaxProblem
	classes  int
	origin   float64 // value of zero weights
	deadline time.Time
	stepped  bool

	weights []float64
	primal  float64 // of what was evaluated last
	// The gradient and the diagonal of the Hessian in the step, and the probabilities, one an example
	// and class, are of what was evaluated last.
	newtonStep
	probabilities []float32

	trial  []float64
	scores []float64 // of one example
}

func newSoftmax(inputs *structured.Linear, problem SoftmaxProblem, settings Settings) (*softmax, error) {
	if err := structured.CheckC(problem.C); err != nil {
		return nil, err
	}
	set, err := settings.check()
	if err != nil {
		return nil, err
	}
	if len(problem.Shares) != inputs.Len() || problem.Classes < 1 {
		return nil, fmt.Errorf("solver: classes of %d examples for %d, and %d classes", len(problem.Shares), inputs.Len(), problem.Classes)
	}
	set.Begin()
	s := &softmax{settings: set, inputs: inputs, problem: problem, classes: problem.Classes}
	for i, shares := range problem.Shares {
		for _, q := range shares {
			if q.Class < 0 || q.Class >= s.classes || !(q.Weight > 0) || math.IsInf(q.Weight, 1) {
				return nil, fmt.Errorf("solver: example %d has a share of %v in class %d; expected one above zero in a class of 0..%d", i, q.Weight, q.Class, s.classes-1)
			}
		}
	}
	s.origin = problem.Origin()
	if err := structured.CheckOrigin(s.origin); err != nil {
		return nil, err
	}
	if set.Time > 0 {
		s.deadline = set.began.Add(set.Time)
	}
	s.scores, s.probabilities = make([]float64, s.classes), make([]float32, inputs.Len()*s.classes)
	n := s.classes * inputs.Matrix().Cols
	s.weights, s.trial = make([]float64, n), make([]float64, n)
	s.newtonStep.size(n)
	return s, nil
}

// iterate makes steps until the gap is reached, or none lowers the objective any more. What was
// evaluated last are the weights.
func (s *softmax) iterate(ctx context.Context, r *SoftmaxResult) error {
	for {
		r.Primal = s.primal
		if dual := s.primal - floats.Dot(s.gradient, s.gradient)/2; dual > r.Dual {
			r.Dual = dual
		}
		gap := structured.Certificate{Primal: r.Primal, Dual: r.Dual}.Gap()
		if s.settings.Progress != nil {
			p := Progress{Epoch: r.Epochs, Primal: r.Primal, Dual: r.Dual, Gap: gap, Seconds: time.Since(s.settings.began).Seconds()}
			if err := s.settings.Progress(p); err != nil {
				return err
			}
		}
		if s.settings.reached(structured.Certificate{Primal: r.Primal, Dual: r.Dual}, s.origin, r.Epochs) {
			r.Status = Converged
			return nil
		}
		if r.Epochs >= s.settings.MaxEpochs {
			return nil
		}
		if err := s.direct(ctx, r); err != nil {
			return err
		}
		fell, err := s.descend(ctx, r)
		if err != nil || !fell {
			return err
		}
		s.stepped = true
	}
}

// over returns errOver at the end of the time, once a step has been made, and the error of ctx.
func (s *softmax) over(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.stepped && s.late() {
		return errOver
	}
	return nil
}

func (s *softmax) late() bool { return !s.deadline.IsZero() && time.Now().After(s.deadline) }

// addScores adds the products of weights and a row to scores, one a class.
func addScores(w []float64, features []int32, values []float32, scores []float64) {
	k := len(scores)
	for j, f := range features {
		v, row := float64(values[j]), w[int(f)*k:int(f)*k+k]
		for c, weight := range row {
			scores[c] += v * weight
		}
	}
}

// addOuter adds the products of a value a class and a row to weights.
func addOuter(w []float64, features []int32, values []float32, by []float64) {
	k := len(by)
	for j, f := range features {
		v, row := float64(values[j]), w[int(f)*k:int(f)*k+k]
		for c, b := range by {
			row[c] += v * b
		}
	}
}

// evaluate finds the value of weights, their gradient, and what the Hessian is made of.
func (s *softmax) evaluate(ctx context.Context, weights []float64) error {
	x, k := s.inputs.Matrix(), s.classes
	s.primal = floats.Dot(weights, weights) / 2
	copy(s.gradient, weights)
	for f := range s.diagonal {
		s.diagonal[f] = 1
	}
	by := s.scores
	for i, shares := range s.problem.Shares {
		if i%visits == 0 {
			if err := s.over(ctx); err != nil {
				return err
			}
		}
		if len(shares) == 0 {
			continue
		}
		features, values := x.Row(i)
		clear(by)
		addScores(weights, features, values, by)
		top, sum, weight := floats.Max(by), 0.0, 0.0
		for _, q := range shares {
			weight += q.Weight
			s.primal += s.problem.C * q.Weight * (top - by[q.Class])
		}
		for c, z := range by {
			by[c] = math.Exp(z - top)
			sum += by[c]
		}
		weight *= s.problem.C
		s.primal += weight * math.Log(sum)
		p := s.probabilities[i*k : i*k+k]
		for c := range by {
			v := by[c] / sum
			p[c] = float32(v)
			by[c] = weight * v
		}
		for j, f := range features {
			v, row := float64(values[j]), s.diagonal[int(f)*k:int(f)*k+k]
			for c, b := range by {
				row[c] += v * v * b * (1 - float64(p[c]))
			}
		}
		for _, q := range shares {
			by[q.Class] -= s.problem.C * q.Weight
		}
		addOuter(s.gradient, features, values, by)
	}
	return nil
}

// multiply makes dst the product of the Hessian and a vector.
func (s *softmax) multiply(ctx context.Context, v, dst []float64) error {
	x, k := s.inputs.Matrix(), s.classes
	copy(dst, v)
	by := s.scores
	for i, shares := range s.problem.Shares {
		if i%visits == 0 {
			if err := s.over(ctx); err != nil {
				return err
			}
		}
		if len(shares) == 0 {
			continue
		}
		features, values := x.Row(i)
		clear(by)
		addScores(v, features, values, by)
		p := s.probabilities[i*k : i*k+k]
		mean, weight := 0.0, 0.0
		for c, u := range by {
			mean += float64(p[c]) * u
		}
		for _, q := range shares {
			weight += s.problem.C * q.Weight
		}
		for c, u := range by {
			by[c] = weight * float64(p[c]) * (u - mean)
		}
		addOuter(dst, features, values, by)
	}
	return nil
}

// direct finds the step: minus the inverse of the Hessian times the gradient, roughly.
func (s *softmax) direct(ctx context.Context, r *SoftmaxResult) error {
	again := func(round int) bool {
		if round > 0 && (s.late() || r.Epochs >= s.settings.MaxEpochs) {
			return false
		}
		r.Epochs++
		return true
	}
	return s.find(again, func(v, dst []float64) error { return s.multiply(ctx, v, dst) })
}

// descend goes along the step until the objective falls by a share of what the gradient promises,
// and reports whether it does.
func (s *softmax) descend(ctx context.Context, r *SoftmaxResult) (bool, error) {
	before, slope := s.primal, floats.Dot(s.gradient, s.step)
	const promised, halvings = 1e-4, 30
	for share, k := 1.0, 0; k < halvings && slope < 0; share, k = share/2, k+1 {
		floats.AddScaledTo(s.trial, s.weights, share, s.step)
		if !s.settings.Wide() {
			for f, w := range s.trial {
				s.trial[f] = float64(float32(w)) // as they are kept
			}
		}
		r.Epochs++
		if err := s.evaluate(ctx, s.trial); err != nil {
			return false, err
		}
		if s.primal-before <= promised*share*slope {
			s.weights, s.trial = s.trial, s.weights
			return true, nil
		}
	}
	return false, nil
}
