package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// Shared is the shared SVM (SSVM), which learns the node weights alpha together with the
// predictors: [CSS16, (14)] with lambda = 1/(2C),
//
//	min 1/2 sum_n ||U_n||^2 / alpha_n + C sum_i max_y { F(x_i, y) - F(x_i, y_i) + Delta(y_i, y) }
//	s.t. alpha >= 0, the sum of alpha over the ancestors of every leaf, the leaf included, is at most 1
//
// over U and alpha, where F(x, y) is the sum of <U_n, x> over the ancestors n of the leaf y, itself
// included. (15) there is the same with the structured shared norm of U. With several labels, the
// maximum is over pairs of a label and another leaf, as for [Flat]. The value in the paper's scale
// is 1/C times this one. The taxonomy is a tree, a forest or, beyond the paper, a graph.
//
// The model has the weights W_n = U_n / sqrt(alpha_n) and the attributes sqrt(alpha_n) of
// [Normalized], which give the same scores; [Model.NodeWeights] returns alpha. The minimiser need
// not be unique.
//
// Fit alternates between the SVM with fixed alpha, which continues from the previous dual point,
// and the alpha of [CSS16, (20)], which has a closed form on trees and is a small convex program on
// graphs. The certificate is that of the joint problem. For a dual point beta, with G_n(beta) its
// weights of node n if all attributes are 1,
//
//	b'beta - 1/2 max_alpha sum_n alpha_n ||G_n(beta)||^2
//
// is a lower bound, whose maximum is a linear program. A weight of 0 would never change. Weights
// are therefore kept above a floor that the gap allows, so that training reaches the optimum from
// any starting point.
//
// The zero value is ready to use.
type Shared struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Loss is Delta, which does not depend on alpha here. The default value is the 0/1 loss.
	Loss loss.Loss
	// Settings apply to the epochs of all rounds together. Start may be the result of a problem
	// with the same instances and leaves. Intercept is the value of a constant feature, whose
	// weights are the intercepts; see the package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	// Method solves the SVM with fixed alpha; it must be able to continue from a dual point, which
	// Pegasos and RDA can't.
	Method solver.Method
}

// Constants of the rounds of Shared.
const (
	// maximum epochs of a round; doubled after each round that needs more
	roundEpochs = 10
	roundGap    = 0.5  // gap of a round's SVM, as a share of that of the joint problem
	floorShare  = 0.01 // share of the gap that keeping weights above 0 may cost
	beyond      = 0.8  // extrapolation of steps of alpha, as a share of their length
	fastest     = 10.0 // largest factor of a weight in such a step
	// share of the requested gap at which to stop: the rest is for rounding of stored weights
	spare       = 0.9
	smallestGap = 1e-12
)

// Fit trains the SVM; see [classifier.Estimator].
func (s Shared) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := s.Settings.Check(); err != nil {
		return nil, err
	}
	s.Settings.Begin()
	return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Shared) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkData(d); err != nil {
		return nil, err
	}
	if !startsAnywhere(s.Method) {
		return nil, fmt.Errorf("svm: Shared continues from the dual point of the previous round, and %T starts from zero weights; use another Method, such as solver.BCFW", s.Method)
	}
	var err error
	if s.C, err = defaultC(s.C); err != nil {
		return nil, err
	}
	if s.Loss == nil {
		s.Loss = loss.ZeroOne()
	}
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		return nil, err
	}
	f := &sharing{Shared: s, taxonomy: d.Taxonomy, labels: d.Labels, weights: d.Weights, inputs: inputs, started: time.Now(), joint: structured.Certificate{Primal: math.Inf(1)}}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	err = f.alternate(ctx)
	if f.result == nil {
		return nil, err
	}
	f.result.Seconds = time.Since(f.started).Seconds()
	m := classifier.New(f.attributes, f.result.Weights, classifier.Solved(f.result), d)
	m.Name, m.C, m.Workers, m.Problem = "shared SVM", s.C, s.Settings.Workers, f.problem
	return m, err
}

// WithC returns the estimator with another C.
func (s Shared) WithC(c float64) Regularized { s.C = c; return s }

func (s Shared) withStart(r *solver.Result) Regularized { s.Settings.Start = r; return s }

// sharing is the state of a training of Shared.
type sharing struct {
	Shared
	taxonomy *taxonomy.Taxonomy
	labels   [][]int
	weights  []float64 // of the instances
	inputs   *structured.Linear
	started  time.Time

	plain   *structured.Oracle // the problem with all attributes 1
	columns []int              // its columns: the nodes above some but not all leaves

	joint      structured.Certificate
	result     *solver.Result         // of the best weights
	attributes *structured.Attributes // of these weights
	problem    *structured.Problem    // likewise
	history    []solver.Progress
	epochs     int
}

// prepare sets up the problem with all attributes 1.
func (f *sharing) prepare() error {
	a := structured.Ancestors(f.taxonomy)
	competitors, err := compare(a, f.labels, f.Loss, structured.Margin, f.C)
	if err != nil {
		return err
	}
	f.columns = a.Columns()
	f.plain, err = (&structured.Problem{Inputs: f.inputs, Columns: f.columns, Competitors: competitors, Weights: f.weights}).Compile()
	return err
}

// alternate repeats rounds until a stopping criterion holds.
func (f *sharing) alternate(ctx context.Context) error {
	want := f.Settings.Gap
	if math.IsNaN(want) || want < 0 {
		return fmt.Errorf("svm: Gap is %v; it must be a relative duality gap, or 0 for the default of %v", want, solver.DefaultGap)
	}
	if want == 0 {
		want = solver.DefaultGap
	}
	limit := f.Settings.MaxEpochs
	if limit == 0 {
		limit = solver.DefaultMaxEpochs
	}
	ctx, end := f.Settings.Watch(ctx)
	defer end()
	alpha, err := weighting.MaxMin{}.Weights(f.taxonomy)
	if err != nil {
		return fmt.Errorf("svm: node weights: %w", err)
	}
	start, gap := f.Settings.Start, 1.0
	idle := 0        // rounds whose SVM was already solved
	improve := false // whether the next round must not be idle
	epochs := roundEpochs
	var kept time.Duration // time reserved for the bound: the longest so far
	for {
		set := f.Settings
		set.Start = start
		set.Gap = max(roundGap*gap, smallestGap)
		set.MaxEpochs = min(epochs, limit-f.epochs-idle)
		if improve {
			set.Gap, set.MaxEpochs = smallestGap, 1
		}
		set.Seed += uint64(f.epochs)
		set.Progress = f.progress
		if set.Time > 0 {
			set.Time = max(set.Time-kept, 1)
		}
		a, p, r, err := f.solve(ctx, alpha, &set)
		if r == nil {
			f.finish(interrupted(err))
			return err
		}
		if r.Primal < f.joint.Primal {
			f.joint.Primal, f.result, f.attributes, f.problem = r.Primal, r, a, p
		}
		f.epochs += r.Epochs
		if r.Status == solver.MaxEpochs && r.Epochs == epochs {
			epochs *= 2
		}
		if improve = r.Epochs == 0; improve {
			idle++
		}
		if err != nil {
			f.finish(r.Status)
			return err
		}
		last, before := r.Last, time.Now()
		squares, err := f.bound(ctx, last)
		kept = max(kept, time.Since(before))
		if err != nil {
			f.finish(interrupted(err))
			return err
		}
		gap = f.joint.Gap()
		switch {
		case gap <= spare*want:
			f.finish(solver.Converged)
			return nil
		case f.epochs+idle >= limit:
			f.finish(solver.MaxEpochs)
			return nil
		case r.Status == solver.TimeLimit:
			f.finish(solver.TimeLimit)
			return nil
		}
		if alpha, err = f.reweigh(ctx, alpha, squares, gap); err != nil {
			f.finish(interrupted(err))
			return err
		}
		start = &solver.Result{Point: last}
	}
}

// progress passes the state of the joint problem on.
func (f *sharing) progress(p solver.Progress) error {
	joint := f.joint
	joint.Primal = min(joint.Primal, p.Primal)
	whole := solver.Progress{
		Epoch: f.epochs + p.Epoch, Primal: joint.Primal, Dual: joint.Dual, Gap: joint.Gap(),
		Seconds: time.Since(f.started).Seconds(),
	}
	if p.Estimate > 0 {
		whole.Estimate = max(p.Estimate, whole.Gap)
	}
	f.history = append(f.history, whole)
	if f.Settings.Progress == nil {
		return nil
	}
	return f.Settings.Progress(whole)
}

// interrupted records the effect of an error on the training.
func interrupted(err error) solver.Status {
	if errors.Is(err, context.DeadlineExceeded) {
		return solver.TimeLimit
	}
	return solver.Cancelled
}

// finish turns the result, if there is one, into that of the joint problem.
func (f *sharing) finish(status solver.Status) {
	if f.result == nil {
		return
	}
	r := *f.result
	r.Primal, r.Dual, r.Gap = f.joint.Primal, f.joint.Dual, f.joint.Gap()
	r.Epochs, r.Status, r.History = f.epochs, status, f.history
	f.result = &r
}

// solve solves the SVM for fixed alpha.
func (f *sharing) solve(ctx context.Context, alpha []float64, set *solver.Settings) (*structured.Attributes, *structured.Problem, *solver.Result, error) {
	a, err := structured.SqrtAlpha(f.taxonomy, alpha)
	if err != nil {
		return nil, nil, nil, err
	}
	competitors, err := compare(a, f.labels, f.Loss, structured.Margin, f.C)
	if err != nil {
		return nil, nil, nil, err
	}
	p := &structured.Problem{Inputs: f.inputs, Columns: a.Columns(), Competitors: competitors, Weights: f.weights}
	r, err := solver.Solve(ctx, p, set, f.Method)
	return a, p, r, err
}

// bound raises the lower bound to that of a dual point, or of a smaller multiple of it. It returns
// ||G_n||^2 of every node.
func (f *sharing) bound(ctx context.Context, point *structured.Dual) ([]float64, error) {
	squares := make([]float64, f.taxonomy.Len())
	for c, v := range structured.ColumnSquares(f.inputs, f.plain.Rows(point), len(f.columns), f.Settings.Workers) {
		squares[f.columns[c]] = v
	}
	var gain float64
	for b := range f.plain.Blocks() {
		ids, values := point.Row(b)
		for k, id := range ids {
			gain += values[k] * f.plain.Cost(b, id)
		}
	}
	heaviest, err := weighting.Heaviest{Values: squares}.Solve(ctx, f.taxonomy)
	if err != nil {
		return nil, err
	}
	scale := 1.0
	if heaviest.Dual > gain {
		scale = gain / heaviest.Dual
	}
	f.joint.Dual = max(f.joint.Dual, scale*(gain-scale*heaviest.Dual/2))
	return squares, nil
}

// reweigh returns the alpha of [CSS16, (20)] for U_n = alpha_n G_n, extrapolated in the direction
// of the step: the plain step is a contraction that shrinks errors without changing their sign, so
// a step nearly twice as long is still a contraction.
func (f *sharing) reweigh(ctx context.Context, alpha, squares []float64, gap float64) ([]float64, error) {
	var total float64
	norms := make([]float64, len(alpha))
	for n, a := range alpha {
		norms[n] = a * math.Sqrt(squares[n])
		total += a * squares[n]
	}
	if total == 0 {
		return alpha, nil
	}
	floor := floorShare * gap * math.Sqrt(total) / float64(len(f.columns)+1)
	for _, n := range f.columns {
		norms[n] = max(norms[n], floor)
	}
	for n, v := range norms {
		norms[n] = v * v
	}
	s, err := weighting.Shared{Squares: norms}.Solve(ctx, f.taxonomy)
	if err != nil {
		return nil, err
	}
	for n, a := range alpha {
		if norms[n] > 0 && a > 0 {
			norms[n] *= math.Pow(min(max(s.Alpha[n]/a, 1/fastest), fastest), 2*beyond)
		}
	}
	s, err = weighting.Shared{Squares: norms}.Solve(ctx, f.taxonomy)
	if err != nil {
		return nil, err
	}
	return s.Alpha, nil
}
