package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/structured"
)

// A SoftmaxProblem is a multinomial logistic regression without a bias:
//
//	min 1/2 sum_c ||w_c||^2 + C sum_i sum_c q_ic (log sum_b exp <w_b, x_i> - <w_c, x_i>),
//
// where q_ic is the share that example i has in class c.
type SoftmaxProblem struct {
	Classes int
	C       float64
	Shares  [][]Share // by example, at most one per class; examples without shares are ignored
	// Start is a result of the same problem to continue from; nil for none.
	Start *SoftmaxResult
}

// Origin returns the value at zero weights, summed as SolveSoftmax does.
func (p *SoftmaxProblem) Origin() float64 {
	sum := 0.0
	for _, shares := range p.Shares {
		sum += p.cost(shares) * math.Log(float64(p.Classes))
	}
	return sum
}

// cost returns C times the sum of the shares of an example.
func (p *SoftmaxProblem) cost(shares []Share) float64 {
	weight := 0.0
	for _, q := range shares {
		weight += q.Weight
	}
	return weight * p.C
}

// A Share is a class of an example with its weight, above zero.
type Share struct {
	Class  int
	Weight float64
}

// A SoftmaxResult is the outcome.
type SoftmaxResult struct {
	Weights      *structured.Weights // whose columns are the classes
	Primal, Dual float64             // value of the weights, and a lower bound of the optimum
	Epochs       int                 // passes over the examples
	Status       Status

	// point is where ascent continues, one row of dual coefficients per example; nil if Newton's
	// method continues from the weights.
	point *structured.Weights
}

// SolveSoftmax solves the problem by block coordinate ascent in the dual [YHL11, section 4]
//
//	max sum_i C a_i H(p_i) - 1/2 ||sum_i C (q_i - a_i p_i) x_i'||^2
//
// with a_i the sum of q_i, H the entropy, and any distributions p_i: each visit of an example
// maximizes it in its p_i. If that takes many epochs, as it may when C times the squared norms of
// the examples is large, Newton's method takes over (softmaxnewton.go).
//
// The certificate of ascent is the dual point itself, with its weights, which are summed again in
// float64 and rounded once.
//
// The weights are never worse than zero, or than Start. If Settings.Time is up first, or
// Settings.MaxEpochs is reached, they are the best certified ones, or the best multiple, by a power
// of two, of the last ones. Settings.Start and Settings.Seed are ignored: the optimum is unique,
// and the random order of the visits is always the same. Progress is called after each epoch and
// with each certificate. With its error, or that of ctx, SolveSoftmax returns the result so far.
func SolveSoftmax(ctx context.Context, inputs *structured.Linear, problem SoftmaxProblem, settings Settings) (*SoftmaxResult, error) {
	s, err := newSoftmax(ctx, inputs, problem, settings)
	if err != nil {
		return nil, err
	}
	err = s.solve(ctx)
	r := s.result
	switch {
	case errors.Is(err, errReached):
		r.Status, err = Converged, nil
	case errors.Is(err, errOver):
		r.Status, err = TimeLimit, nil
		s.end(ctx, s.settings.Left())
	case errors.Is(err, errEpochs) || errors.Is(err, errBeyond):
		err = nil
	case ctx.Err() != nil:
		r.Status, err = Cancelled, ctx.Err()
		s.end(ctx, afterCancel)
	case err != nil:
		r.Status = Stopped
	}
	if r.Weights == nil {
		r.Weights = s.zeros(inputs.Matrix().Cols)
	}
	if !s.newtonian {
		r.point = s.point
	}
	return r, err
}

// afterCancel is how long a certificate may take when the training has been cancelled.
const afterCancel = 200 * time.Millisecond

// end certifies the current point of ascent if that takes no longer than a time.
func (s *softmax) end(ctx context.Context, longest time.Duration) {
	if !s.newtonian && s.pace > 0 && s.certificateTime() <= longest {
		s.ended = true
		_ = s.certify(context.WithoutCancel(ctx), true) // the reason for the end is known
	}
}

// softmax is the state of the work on a problem.
type softmax struct {
	settings  Settings
	inputs    *structured.Linear
	problem   SoftmaxProblem
	result    *SoftmaxResult
	classes   int
	cost      []float64 // by example, C times the sum of its shares
	order     []int32   // examples with a cost and a feature
	origin    float64   // value of zero weights
	constant  float64   // part of both values of examples without a feature
	newtonian bool      // Newton's method has taken over
	noNewton  bool      // there is no memory for it
	ended     bool      // the weights do not change any more
	every     int       // examples between two checks of the clock

	held int64 // bytes of the following
	// The weights of ascent, and their dual coefficients C a_i p_ik, one row per example.
	weights, point *structured.Weights

	// nanoseconds per example of a certificate, measured by the last one or by visits
	pace float64
	softmaxAscent
}

func newSoftmax(ctx context.Context, inputs *structured.Linear, problem SoftmaxProblem, settings Settings) (*softmax, error) {
	if err := structured.CheckC(problem.C); err != nil {
		return nil, fmt.Errorf("solver: %w", err)
	}
	set, err := settings.check()
	if err != nil {
		return nil, err
	}
	if len(problem.Shares) != inputs.Len() || problem.Classes < 1 {
		return nil, fmt.Errorf("solver: classes of %d examples for %d, and %d classes", len(problem.Shares), inputs.Len(), problem.Classes)
	}
	set.Begin()
	features := inputs.Matrix().Cols
	s := &softmax{
		settings: set, inputs: inputs, problem: problem, classes: problem.Classes,
		every: max(1, visits*visits/(visits+problem.Classes)),
		cost:  make([]float64, inputs.Len()), result: &SoftmaxResult{Status: MaxEpochs}, // with a bound of 0: no loss is below
	}
	for i, shares := range problem.Shares {
		for _, q := range shares {
			if q.Class < 0 || q.Class >= s.classes || !(q.Weight > 0) || math.IsInf(q.Weight, 1) {
				return nil, fmt.Errorf("solver: example %d has a share of %v in class %d; shares must be above zero in a class of 0..%d", i, q.Weight, q.Class, s.classes-1)
			}
		}
		s.cost[i] = problem.cost(shares)
		switch {
		case s.cost[i] == 0:
		case inputs.SquaredNorm(i) > 0:
			s.order = append(s.order, int32(i))
		default:
			s.constant += s.cost[i] * math.Log(float64(s.classes))
		}
	}
	s.origin = problem.Origin()
	if err := structured.CheckOrigin(s.origin); err != nil {
		return nil, err
	}
	s.result.Primal = s.origin
	if from := problem.Start; from != nil {
		if w := from.Weights; w.Features != features || len(w.Columns) != s.classes || from.point != nil && from.point.Features != inputs.Len() {
			return nil, fmt.Errorf("solver: Start is the result of another problem: it has %d classes and %d features; expected %d and %d, and the same examples", len(w.Columns), w.Features, s.classes, features)
		}
		s.result.Primal, s.result.Dual, s.result.Weights = from.Primal, from.Dual, from.Weights
	}
	rows := func(n int) int64 { return int64(n) * int64((s.classes+7)&^7) * s.bytes() }
	s.held = rows(features) + rows(inputs.Len())
	if err := set.Fits(ctx, fmt.Sprintf("%d classes", s.classes), s.held, s.held+rows(features), 0); err != nil {
		return nil, err
	}
	s.weights, s.point = s.zeros(features), s.zeros(inputs.Len())
	s.softmaxAscent = s.newAscent()
	return s, nil
}

// bytes is the size of a weight.
func (s *softmax) bytes() int64 {
	if s.settings.Wide() {
		return 8
	}
	return 4
}

// zeros returns rows of zeros with one entry per class.
func (s *softmax) zeros(rows int) *structured.Weights {
	columns := make([]int, s.classes)
	for k := range columns {
		columns[k] = k
	}
	if s.settings.Wide() {
		return structured.NewWideWeights(columns, rows)
	}
	return structured.NewWeights(columns, rows)
}

// Reasons to end that are not failures.
var (
	errReached = errors.New("solver: the gap is reached")
	errEpochs  = errors.New("solver: the largest number of epochs")
	errBeyond  = errors.New("solver: weights that overflow")
)

// solve works until there is a reason to end, which is the error, or nothing lowers the objective
// any more.
func (s *softmax) solve(ctx context.Context) error {
	r := s.result
	if len(s.order) == 0 { // there is nothing to choose
		r.Primal, r.Dual, r.Weights = s.origin, s.origin, nil
		return errReached
	}
	if from := s.problem.Start; from != nil && from.point == nil {
		copyRows(s.weights, from.Weights)
		return s.newton(ctx)
	}
	err := s.begin(ctx)
	for err == nil {
		if r.Epochs >= s.settings.MaxEpochs {
			return errEpochs
		}
		r.Epochs++
		if err = s.epoch(ctx); err != nil {
			break
		}
		s.ended = r.Epochs == s.settings.MaxEpochs
		if s.settled() || s.ended {
			err = s.certify(ctx, s.ended)
		} else {
			err = s.report(s.estimate())
		}
		if err == nil && !s.ended && s.slow() && s.fitsNewton(ctx) {
			if err = s.certify(ctx, true); err == nil {
				err = s.newton(ctx)
			}
		}
	}
	return err
}

// report calls the progress function, with an estimate of the relative gap if it is above zero.
func (s *softmax) report(estimate float64) error {
	if s.settings.Progress == nil {
		return nil
	}
	r := s.result
	p := Progress{Epoch: r.Epochs, Primal: r.Primal, Dual: r.Dual, Gap: structured.Certificate{Primal: r.Primal, Dual: r.Dual}.Gap(), Estimate: estimate, Seconds: time.Since(s.settings.began).Seconds()}
	return s.settings.Progress(p)
}

// record stores a certificate, and the weights if they are better than those before. It returns
// errReached if the gap is small enough.
func (s *softmax) record(primal, dual float64) error {
	if v := primal - dual; math.IsNaN(v) || math.IsInf(v, 0) {
		return errBeyond
	}
	r := s.result
	r.Dual = max(r.Dual, dual)
	better := primal < r.Primal
	if better {
		r.Primal = primal
	}
	reached := s.settings.reached(structured.Certificate{Primal: r.Primal, Dual: r.Dual}, s.origin, r.Epochs)
	switch {
	case !better:
	case reached || s.ended:
		r.Weights = s.weights
	default:
		if r.Weights == nil || s.problem.Start != nil && r.Weights == s.problem.Start.Weights {
			r.Weights = s.zeros(s.weights.Features)
		}
		copyRows(r.Weights, s.weights)
	}
	if err := s.report(0); err != nil {
		return err
	}
	if reached {
		return errReached
	}
	return nil
}

// over returns errOver if the time is up, otherwise the error of ctx.
func (s *softmax) over(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.settings.Time > 0 && s.settings.Left() <= s.kept() {
		return errOver
	}
	return nil
}

// kept is the time reserved for a certificate, which may take more than the last.
func (s *softmax) kept() time.Duration {
	if s.newtonian {
		return 0
	}
	return s.certificateTime() * 4 / 3
}

// certificateTime is how long a certificate may take.
func (s *softmax) certificateTime() time.Duration {
	return time.Duration(s.pace * float64(len(s.order)))
}

// certify computes the primal and the dual value of the weights of the dual point. If scaled is
// true, it takes their best multiple by a power of two, from which ascent does not continue.
func (s *softmax) certify(ctx context.Context, scaled bool) error {
	began := time.Now()
	exact, stored, err := s.rebuild(ctx)
	if err != nil {
		return err
	}
	s.norm = stored
	multiples := 0
	if scaled {
		multiples = halvings + doublings + 1
	}
	e, err := s.evaluate(ctx, multiples)
	if err != nil {
		return err
	}
	s.pace, s.certified = float64(time.Since(began))/float64(len(s.order)), true
	primal := stored/2 + e.loss + s.constant
	// The coefficients of an example sum to its cost up to rounding. They are a point of the
	// problem whose costs are these sums; its values exceed ours by at most that factor.
	dual := (e.terms - exact/2 + s.constant) / e.over
	if v := primal - dual; s.gap > 0 && v > 0 {
		s.trust = min(max(v/s.guess(), 0.1), 3)
	}
	best := 1.0
	for k, loss := range e.multiples {
		factor := math.Ldexp(1, k-halvings)
		if v := factor*factor*stored/2 + loss + s.constant; v < primal {
			best, primal = factor, v
		}
	}
	if best != 1 {
		for k := range s.weights.Data {
			s.weights.Data[k] *= float32(best)
		}
		for k := range s.weights.Wide {
			s.weights.Wide[k] *= best
		}
	}
	return s.record(primal, dual)
}

// Multiples of weights are tried by halving and doubling this often.
const halvings, doublings = 8, 3

// rebuild sets the weights to those of the dual point, summed in float64, and returns their squared
// norm before and after rounding. The result does not depend on workers.
func (s *softmax) rebuild(ctx context.Context) (exact, stored float64, err error) {
	x, w := s.inputs.ByFeature(), s.weights
	sums := s.sums()
	norms := make([][2]float64, x.Rows/guarded.ChunkSize+1)
	rows := make([][]float64, guarded.Workers(s.settings.Workers))
	guarded.Chunks(x.Rows, len(rows), func(worker, lo, hi int) {
		if rows[worker] == nil {
			rows[worker] = make([]float64, w.Stride)
		}
		row, norm := rows[worker], &norms[lo/guarded.ChunkSize]
		for f := lo; f < hi && ctx.Err() == nil; f++ {
			examples, values := x.Row(f)
			s.point.Scores(examples, values, row) // the sum of their coefficients
			for k, i := range examples {
				for _, q := range s.problem.Shares[i] {
					row[q.Class] -= float64(values[k]) * sums[i] * q.Weight
				}
			}
			at := f * w.Stride
			for k, v := range row {
				norm[0] += v * v
				if w.Wide != nil {
					w.Wide[at+k] = -v
				} else {
					w.Data[at+k] = float32(-v)
					v = float64(float32(v))
				}
				norm[1] += v * v
			}
		}
	})
	for _, norm := range norms {
		exact += norm[0]
		stored += norm[1]
	}
	return exact, stored, ctx.Err()
}

// sums returns the sum of the coefficients of each example, divided by the sum of its shares.
func (s *softmax) sums() []float64 {
	sums := make([]float64, len(s.cost))
	row := make([]float64, s.classes)
	for _, i := range s.order {
		sum := 0.0
		for _, v := range rowOf(s.point, i, row) {
			sum += v
		}
		sums[i] = sum / s.cost[i] * s.problem.C
	}
	return sums
}

// copyRows copies weights to dst, rounded as dst is stored.
func copyRows(dst, w *structured.Weights) {
	if dst.Data != nil && w.Data != nil {
		copy(dst.Data, w.Data)
		return
	}
	for f := range w.Features {
		for c := range w.Columns {
			dst.Set(f, c, w.At(f, c))
		}
	}
}

// rowOf copies a row to dst.
func rowOf(point *structured.Weights, i int32, dst []float64) []float64 {
	at := int(i) * point.Stride
	if point.Wide != nil {
		copy(dst, point.Wide[at:])
		return dst
	}
	for k, v := range point.Data[at : at+len(dst)] {
		dst[k] = float64(v)
	}
	return dst
}

// softmaxSums are the results of evaluate.
type softmaxSums struct {
	loss      float64   // sum under the weights
	multiples []float64 // and under multiples of them
	terms     float64   // sum of the entropies of the dual point
	over      float64   // largest sum of the coefficients of an example, divided by its cost
}

// evaluate returns sums over the examples, with losses under that many multiples of the weights.
// The result does not depend on workers.
func (s *softmax) evaluate(ctx context.Context, multiples int) (*softmaxSums, error) {
	x, w, order := s.inputs.Matrix(), s.weights, s.order
	parts := make([]softmaxSums, len(order)/guarded.ChunkSize+1)
	rows := make([][2][]float64, guarded.Workers(s.settings.Workers))
	guarded.Chunks(len(order), len(rows), func(worker, lo, hi int) {
		if rows[worker][0] == nil {
			rows[worker] = [2][]float64{make([]float64, w.Stride), make([]float64, s.classes)}
		}
		scores, row, p := rows[worker][0], rows[worker][1], &parts[lo/guarded.ChunkSize]
		p.multiples = make([]float64, multiples)
		for k := lo; k < hi && ctx.Err() == nil; k++ {
			i := order[k]
			features, values := x.Row(int(i))
			w.Scores(features, values, scores)
			z, cost := scores[:s.classes], s.cost[i]
			own := 0.0
			for _, q := range s.problem.Shares[i] {
				own += s.problem.C * q.Weight * z[q.Class]
			}
			normal, top := logSumExp(z)
			p.loss += cost*normal - own
			addMultiples(p.multiples, z, top, own, cost)
			sum, term := 0.0, 0.0
			for _, v := range rowOf(s.point, i, row) {
				if v > 0 {
					sum += v
					term -= v * math.Log(v)
				}
			}
			p.terms += term + sum*math.Log(sum)
			p.over = max(p.over, sum/cost)
		}
	})
	all := softmaxSums{multiples: make([]float64, multiples), over: 1}
	for _, p := range parts {
		all.loss, all.terms, all.over = all.loss+p.loss, all.terms+p.terms, max(all.over, p.over)
		for k, v := range p.multiples {
			all.multiples[k] += v
		}
	}
	return &all, ctx.Err()
}

// addMultiples adds the losses of an example under multiples of the weights, of which there may be
// none.
func addMultiples(multiples, z []float64, top, own, cost float64) {
	if len(multiples) == 0 {
		return
	}
	var sums [halvings + doublings + 1]float64
	for _, v := range z {
		e := math.Exp(math.Ldexp(v-top, -halvings))
		for k := range sums {
			sums[k] += e
			e *= e
		}
	}
	for k, sum := range sums {
		multiples[k] += math.Ldexp(cost*top-own, k-halvings) + cost*math.Log(sum)
	}
}

// logSumExp returns log sum exp z, and the largest of z.
func logSumExp(z []float64) (normal, top float64) {
	top = z[0]
	for _, v := range z {
		if v > top {
			top = v
		}
	}
	sum := 0.0
	for _, v := range z {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum), top
}
