package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

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
	// Start is the weights to start from, as those of a result; nil for zeros.
	Start []float64
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

// SolveSoftmax solves the problem by the limited-memory BFGS method [LN89], that of gonum.
//
// The certificate is a point of the dual, sum_i C a_i H(p_i) - 1/2 ||sum_i C (q_i - a_i p_i)
// x_i'||^2 with a_i the sum of q_i, H the entropy, and any distributions p_i: where these are those
// of the weights it is below their value by half the squared gradient.
//
// The weights are never worse than zero, or than Start where Settings.Time ends. Settings.Workers
// and Settings.Start are not used. Progress is called with each certificate; its error, and that of
// ctx, come with the result so far.
func SolveSoftmax(ctx context.Context, inputs *structured.Linear, problem SoftmaxProblem, settings Settings) (*SoftmaxResult, error) {
	s, err := newSoftmax(ctx, inputs, problem, settings)
	if err != nil {
		return nil, err
	}
	r := &SoftmaxResult{Primal: s.origin, Status: MaxEpochs} // with a bound of 0: no loss is below
	err = s.minimize(ctx, r)
	r.Epochs = s.passes
	switch {
	case errors.Is(err, errReached):
		r.Status, err = Converged, nil
	case errors.Is(err, errOver):
		r.Status, err = TimeLimit, nil
	case errors.Is(err, errEpochs) || errors.Is(err, errBeyond):
		err = nil
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
	longest  time.Duration // a pass has taken
	passes   int
	weights  []float64 // of the last step, or the best before the first
	stepped  bool

	// What was evaluated last, and what is kept of that.
	at, kept []float64
	primal   float64
	gradient []float64

	scores []float64 // of one example
}

func newSoftmax(ctx context.Context, inputs *structured.Linear, problem SoftmaxProblem, settings Settings) (*softmax, error) {
	if err := structured.CheckC(problem.C); err != nil {
		return nil, err
	}
	set, err := settings.check()
	if err != nil {
		return nil, err
	}
	if n := problem.Classes * inputs.Matrix().Cols; problem.Start != nil && len(problem.Start) != n {
		return nil, fmt.Errorf("solver: Start has %d weights; expected %d, one a feature and class", len(problem.Start), n)
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
	vector := 8 * int64(s.classes) * int64(inputs.Matrix().Cols)
	if err := set.Fits(ctx, fmt.Sprintf("%d classes", s.classes), leastVectors*vector, (leastVectors+2*store)*vector, 0); err != nil {
		return nil, err
	}
	n := s.classes * inputs.Matrix().Cols
	s.weights, s.gradient, s.scores = make([]float64, n), make([]float64, n), make([]float64, s.classes)
	return s, nil
}

// Reasons to end that are no failures.
var (
	errReached = errors.New("solver: the gap is reached")
	errEpochs  = errors.New("solver: the largest number of epochs")
	errBeyond  = errors.New("solver: weights that overflow")
)

// store is the number of steps that BFGS remembers, two vectors each.
const store = 7

// leastVectors are those beside: the weights and the gradient, those of a step, and where it goes.
const leastVectors = 5

// minimize makes steps until there is a reason to end, which is the error, or none lowers the
// objective any more.
func (s *softmax) minimize(ctx context.Context, r *SoftmaxResult) error {
	if len(s.weights) == 0 { // no example has a feature: there is nothing to choose
		r.certify(s.origin, nil)
		return errReached
	}
	var failed error
	problem := optimize.Problem{
		Func: func(w []float64) float64 {
			if failed = s.pass(ctx, w); failed == nil && !s.stepped && s.primal < r.Primal {
				copy(s.weights, s.kept)
				r.certify(s.primal, s.gradient)
			}
			return s.primal
		},
		Grad: func(gradient, w []float64) {
			if failed == nil && !slices.Equal(w, s.at) {
				failed = s.pass(ctx, w)
			}
			copy(gradient, s.gradient)
		},
		Status: func() (optimize.Status, error) {
			if failed != nil {
				return optimize.Failure, failed
			}
			return optimize.NotTerminated, nil
		},
	}
	method := &optimize.LBFGS{Store: store, Linesearcher: &optimize.MoreThuente{DecreaseFactor: 1e-4}}
	start := make([]float64, len(s.weights))
	copy(start, s.problem.Start)
	_, err := optimize.Minimize(problem, start, &optimize.Settings{
		Converger: optimize.NeverTerminate{},
		Recorder:  recorder(func(x *optimize.Location) error { return s.step(x, r) }),
	}, method)
	if failed != nil || err != nil && !errors.Is(err, optimize.ErrNoProgress) && !errors.Is(err, optimize.ErrLinesearcherFailure) {
		return err
	}
	// The gradient is zero, which may be so before the first step, or as near to it as rounding
	// lets it be.
	if slices.Equal(s.kept, s.weights) {
		r.certify(s.primal, s.gradient)
	}
	if s.reached(r) {
		return errReached
	}
	return nil
}

func (s *softmax) reached(r *SoftmaxResult) bool {
	return s.settings.reached(structured.Certificate{Primal: r.Primal, Dual: r.Dual}, s.origin, s.passes)
}

// recorder is called after each step.
type recorder func(*optimize.Location) error

func (recorder) Init() error { return nil }

func (f recorder) Record(x *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	return f(x)
}

// step takes over the weights of a step, and returns the reason if there is one to end.
func (s *softmax) step(x *optimize.Location, r *SoftmaxResult) error {
	copy(s.weights, x.X)
	s.keep(s.weights)
	s.stepped = true
	r.certify(x.F, x.Gradient)
	if s.settings.Progress != nil {
		p := Progress{Epoch: s.passes, Primal: r.Primal, Dual: r.Dual, Gap: structured.Certificate{Primal: r.Primal, Dual: r.Dual}.Gap(), Seconds: time.Since(s.settings.began).Seconds()}
		if err := s.settings.Progress(p); err != nil {
			return err
		}
	}
	if s.reached(r) {
		return errReached
	}
	return nil
}

// certify takes over the value of weights, and the bound that their gradient gives.
func (r *SoftmaxResult) certify(primal float64, gradient []float64) {
	r.Primal = primal
	if dual := primal - floats.Dot(gradient, gradient)/2; dual > r.Dual { // no number where the square overflows
		r.Dual = dual
	}
}

// keep rounds weights to what is kept of them.
func (s *softmax) keep(weights []float64) {
	if s.settings.Wide() {
		return
	}
	for f, w := range weights {
		weights[f] = float64(float32(w))
	}
}

// pass evaluates weights, unless ctx ends, or there is no time for one more, or have been as many
// passes as may be. A value that is no number ends it, too: the weights are
// beyond what can be computed with.
func (s *softmax) pass(ctx context.Context, weights []float64) error {
	began := time.Now()
	if !s.deadline.IsZero() && began.Add(s.longest).After(s.deadline) {
		return errOver
	}
	if s.passes >= s.settings.MaxEpochs {
		return errEpochs
	}
	s.passes++
	s.at, s.kept = append(s.at[:0], weights...), append(s.kept[:0], weights...)
	s.keep(s.kept)
	if err := s.evaluate(ctx, s.kept); err != nil {
		return err
	}
	if math.IsNaN(s.primal) || math.IsInf(s.primal, 0) {
		return errBeyond
	}
	s.longest = max(s.longest, time.Since(began))
	return nil
}

// addScores adds the products of weights and a row to scores, one a class.
func addScores(w []float64, features []int32, values []float32, scores []float64) {
	k := len(scores)
	for j, f := range features {
		floats.AddScaled(scores, float64(values[j]), w[int(f)*k:int(f)*k+k])
	}
}

// addOuter adds the products of a value a class and a row to weights.
func addOuter(w []float64, features []int32, values []float32, by []float64) {
	k := len(by)
	for j, f := range features {
		floats.AddScaled(w[int(f)*k:int(f)*k+k], float64(values[j]), by)
	}
}

// evaluate finds the value of weights and their gradient, unless ctx ends.
func (s *softmax) evaluate(ctx context.Context, weights []float64) error {
	x, c, by := s.inputs.Matrix(), s.problem.C, s.scores
	s.primal = floats.Dot(weights, weights) / 2
	copy(s.gradient, weights)
	for i, shares := range s.problem.Shares {
		if i%visits == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(shares) == 0 {
			continue
		}
		features, values := x.Row(i)
		clear(by)
		addScores(weights, features, values, by)
		top, sum, weight := floats.Max(by), 0.0, 0.0
		for _, q := range shares {
			weight += c * q.Weight
			s.primal += c * q.Weight * (top - by[q.Class])
		}
		for k, z := range by {
			by[k] = math.Exp(z - top)
			sum += by[k]
		}
		s.primal += weight * math.Log(sum)
		floats.Scale(weight/sum, by)
		for _, q := range shares {
			by[q.Class] -= c * q.Weight
		}
		addOuter(s.gradient, features, values, by)
	}
	return nil
}
