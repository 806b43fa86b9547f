package svm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// learn calls fit, for data without a kernel with the features that occur, and notes in ctx if the
// training has ended far from the gap.
func learn(ctx context.Context, d *dataset.Dataset, kernel gram.Kernel, gap float64, fit func(d *dataset.Dataset) (*classifier.Model, error)) (*classifier.Model, error) {
	train := classifier.FitOccurring
	if kernel != nil { // which may look at all features
		train = func(d *dataset.Dataset, fit func(d *dataset.Dataset) (*classifier.Model, error)) (*classifier.Model, error) {
			return fit(d)
		}
	}
	m, err := train(d, fit)
	if err == nil {
		note(ctx, m, d.X, cmp.Or(gap, solver.DefaultGap))
	}
	return m, err
}

// far is how many times the gap asked for a gap is that is worth a note.
const far = 10

// littleGained is the share of the possible improvement over zero weights below which one is told.
const littleGained = 0.5

// note says of a training that its bounds have ended far from the gap what the certificate is, and
// of one that has reached it if the weights are hardly better than zero.
func note(ctx context.Context, m *classifier.Model, x *dataset.Matrix, gap float64) {
	r := m.Training.Certificate
	if r == nil {
		return
	}
	if r.Status == solver.Converged {
		if r.Gained() < littleGained {
			constant := ""
			if x.NonZeros() > x.Rows*(x.Cols/2) && !hasConstant(x) { // a table of numbers
				constant = ", or a constant feature, which these data have not (Dataset.WithConstant)"
			}
			progress.Note(ctx, fmt.Sprintf("%s: zero weights are within %.2g of the optimum, and these weights are surely better by %.0f %% of that alone: they may have learned nothing. A larger C or a smaller Gap makes them learn, or another method%s.",
				m.Name, (r.Origin-r.Dual)/r.Origin, 100*r.Gained(), constant))
		}
		return
	}
	if r.Gap <= far*gap {
		return
	}
	progress.Note(ctx, fmt.Sprintf("%s: %v at a gap of %.2g, where %g was asked for: the value of the objective may be that share above the optimum. More time or epochs, a smaller C, or features of one scale (features.Scaling) bring it nearer.",
		m.Name, r.Status, r.Gap, gap))
}

// hasConstant reports whether a column has the same value in all rows, and not zero.
func hasConstant(x *dataset.Matrix) bool {
	if x.Rows == 0 {
		return false
	}
	columns, values := x.Row(0)
	constant := make(map[int32]float32, len(columns))
	for k, j := range columns {
		constant[j] = values[k]
	}
	for i := 1; i < x.Rows && len(constant) > 0; i++ {
		columns, values := x.Row(i)
		stays := make(map[int32]float32, len(constant))
		for k, j := range columns {
			if v, ok := constant[j]; ok && v == values[k] {
				stays[j] = v
			}
		}
		constant = stays
	}
	return len(constant) > 0
}

// train solves the problem of the competitors over the columns of the attributes, which predict,
// and returns its model without a name.
func train(ctx context.Context, a *structured.Attributes, competitors structured.Competitors, d *dataset.Dataset, settings solver.Settings, method solver.Method) (*classifier.Model, error) {
	return trainKernel(ctx, a, competitors, d, nil, settings, method)
}

// trainKernel is train for instances known by a kernel, or, if it is nil, by themselves.
func trainKernel(ctx context.Context, a *structured.Attributes, competitors structured.Competitors, d *dataset.Dataset, kernel gram.Kernel, settings solver.Settings, method solver.Method) (*classifier.Model, error) {
	inputs, err := newInputs(ctx, kernel, d.X, settings)
	if err != nil {
		return nil, err
	}
	problem := &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: competitors}
	result, err := solver.Solve(ctx, problem, &settings, method)
	if result == nil {
		return nil, err
	}
	m, failed := newModel(a, kernel, result, d, settings)
	if failed != nil {
		return nil, failed
	}
	if kernel == nil {
		m.Problem = problem
	}
	return m, err
}

// newModel returns the model of a result for instances known by a kernel, or, if it is nil, by
// themselves.
func newModel(a *structured.Attributes, kernel gram.Kernel, result *solver.Result, d *dataset.Dataset, settings solver.Settings) (*classifier.Model, error) {
	m := classifier.New(a, result.Weights, classifier.Solved(result), d)
	if kernel != nil {
		var err error
		if m, err = classifier.NewKernel(a, kernel, result.Expansion, classifier.Solved(result), d); err != nil {
			return nil, err
		}
	}
	m.Workers = settings.Workers
	return m, nil
}

// newInputs returns the instances as a kernel knows them, or themselves if it is nil.
func newInputs(ctx context.Context, kernel gram.Kernel, x *dataset.Matrix, settings solver.Settings) (structured.Inputs, error) {
	if kernel == nil {
		return structured.NewLinear(x)
	}
	return prepare(ctx, settings, "the kernel of the instances was computed; give more time, or fewer instances", func(ctx context.Context) (structured.Inputs, error) {
		return kernelInputs(ctx, kernel, x, settings.Workers)
	})
}

// errPreparing ends preparations when Settings.Time is over.
var errPreparing = errors.New("svm: the time was over before the training")

// prepare calls do for what there are no weights without, in the time of the settings. what it is,
// and what to do where that is too little, is for the error.
func prepare[T any](ctx context.Context, settings solver.Settings, what string, do func(ctx context.Context) (T, error)) (T, error) {
	if settings.Time <= 0 {
		return do(ctx)
	}
	settings.Begin()
	timed, cancel := context.WithTimeoutCause(ctx, settings.Left(), errPreparing)
	defer cancel()
	made, err := do(timed)
	if err != nil && errors.Is(context.Cause(timed), errPreparing) {
		err = fmt.Errorf("svm: the time of %v was over before the training, while %s", settings.Time, what)
	}
	return made, err
}

// factored is prepare for factors of a graph.
func factored[T any](ctx context.Context, settings solver.Settings, do func(ctx context.Context) (T, error)) (T, error) {
	return prepare(ctx, settings, "the graph was factored; give more time, or a taxonomy with fewer nodes of several parents", do)
}

// comparison is a problem that compares the labels of every instance with the other leaves.
type comparison struct {
	name       string
	attributes *structured.Attributes
	loss       loss.Loss
	rescaling  structured.Rescaling
	c          float64
	kernel     gram.Kernel // nil for linear models
	settings   solver.Settings
	method     solver.Method
}

// fit solves the problem on data that checkData accepts, and wraps the result.
func (p *comparison) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	c, err := defaultC(p.c)
	if err != nil {
		return nil, err
	}
	competitors, err := compare(p.attributes, d.Labels, p.loss, p.rescaling, c)
	if err != nil {
		return nil, err
	}
	m, err := trainKernel(ctx, p.attributes, competitors, d, p.kernel, p.settings, p.method)
	if m != nil {
		m.Name, m.C = p.name, c
	}
	return m, err
}

// compare returns the comparisons of the labels of every instance with the other leaves: one label
// with all others where every instance has one, which is the faster form, pairs of labels and
// leaves that are none otherwise.
func compare(a *structured.Attributes, sets [][]int, l loss.Loss, r structured.Rescaling, c float64) (structured.Competitors, error) {
	if slices.ContainsFunc(sets, func(set []int) bool { return len(set) != 1 }) {
		return structured.NewRanking(a, sets, l, r, c)
	}
	y := make([]int, len(sets))
	for i, set := range sets {
		y[i] = set[0]
	}
	return structured.NewLabels(a, y, l, r, c)
}
