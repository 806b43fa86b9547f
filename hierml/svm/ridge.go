package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/definite"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// Ridge is kernel ridge regression [SGV98] of what nodes an instance has, one function a node:
//
//	min 1/2 sum_n ||w_n||^2 + C/2 sum_n sum_i (y_in - <w_n, phi(x_i)>)^2
//
// where y_in is 1 if instance i has a label at or below node n, otherwise 0, and phi(x) is x in the
// feature space of the kernel together with a constant feature of 1. The score of a node is about how
// likely a label is there, so that nodes may be compared with each other however rare they are: no
// label is lost because others are more frequent, as in a ranking of labels. Labels may be leaves
// and inner nodes, any number an instance. The model's labels are the leaves, as everywhere;
// [NodeSets] predicts sets of nodes from the scores of all nodes, and Ridge is its default.
//
// With K the Gram matrix, all nodes have a factor of one matrix in common,
//
//	A = (K + 11' + I/C)^-1 Y,  w_n = sum_i A_in phi(x_i),
//
// and the score of an instance for a model trained without it is y_in - A_in / ((K + 11' + I/C)^-1)_ii
// (Allen's PRESS): exact scores of instances held out for the price of one training.
//
// By these the kernel and C are chosen unless they are given: on all instances, or on 1500 drawn at
// random, of exponential kernels (gram.Exponential) of four widths, in units of the root of the mean
// squared distance, and four values of C, those with the smallest squared error of the instances
// left out. The factor is found by as many operations as the cube of the instances, and kept
// in 8 bytes a pair: 8,000 instances take 512 MB.
//
// The zero value is ready to use.
type Ridge struct {
	// C weighs the squared errors. 0 is for a choice, with WithC and in grids, too, where 0 does not
	// become the default of 1 before.
	C float64
	// Kernel compares instances. nil is for a choice.
	Kernel gram.Kernel
	// Seed determines the instances that are chosen by.
	Seed uint64
	// Workers is the number of goroutines; results do not depend on it. The default value is the
	// number of processors.
	Workers int
	// Time bounds the training. Where it is over before all instances are learned from, the model is
	// that of the instances that were chosen by, and a note says so; where it is over before there is
	// one, it is an error. The default value is no bound.
	Time time.Duration
	// Progress is told what part of the work is done, by its operations. An error it returns ends Fit.
	Progress func(done float64, state string) error
}

// Fit trains the functions; see [classifier.Estimator]. There is no model where ctx ends.
func (s Ridge) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	f, err := s.fit(ctx, d)
	if err != nil {
		return nil, err
	}
	return f.model(d)
}

// WithC returns the estimator with another C.
func (s Ridge) WithC(c float64) Regularized { s.C = c; return s }

const (
	chosenBy   = 1500    // instances
	mostOfPair = 1 << 30 // pairs of instances, and of an instance and a node: 8 GiB
)

// The kernels and the values of C to choose from: widths in units of the root of the mean squared
// distance.
var (
	widths = []float64{4, 2, 1, 0.5}
	ridges = []float64{0.3, 1, 3, 10}
)

// regression is a ridge regression at work, of some instances.
type regression struct {
	Ridge
	began time.Time
	work  *ridgeWork
	rows  []int // instances that are learned from, ascending
	x     *dataset.Matrix
	nodes []int32 // that an instance has, ascending: the columns of y
	y     *mat.Dense

	values   []float64  // the Gram matrix above its diagonal, by rows, and other things elsewhere
	diagonal []float64  // of the Gram matrix
	a        *mat.Dense // A
	left     *mat.Dense // scores of the instances by models without them
	seconds  float64
	result   *solver.Result
}

// fit trains, and returns what a model and its scores without each instance are made of.
func (s Ridge) fit(ctx context.Context, d *dataset.Dataset) (*regression, error) {
	began := time.Now()
	if err := checkRows(d); err != nil {
		return nil, err
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return nil, err
	}
	if s.C != 0 {
		if err := structured.CheckC(s.C); err != nil {
			return nil, err
		}
	}
	if s.Workers < 0 || s.Time < 0 {
		return nil, fmt.Errorf("svm: Workers is %d and Time is %v; neither is negative, 0 is for one a processor and no bound", s.Workers, s.Time)
	}
	if s.Workers == 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	nodes := occurringNodes(d)
	if n := d.X.Rows; n > mostOfPair/(n+3*len(nodes)) {
		return nil, fmt.Errorf("svm: ridge regression of %d instances and %d nodes takes %.0f GiB, and at most 8 are allowed; learn from fewer instances, or take svm.OneVsRest", n, len(nodes), float64(n)*float64(n+3*len(nodes))/(1<<27))
	}
	whole := ctx
	ctx, report, end := progress.Follow(ctx, "ridge regression", s.Progress)
	defer end()
	if s.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, began.Add(s.Time), errRidgeTime)
		defer cancel()
	}
	all := make([]int, d.X.Rows)
	for i := range all {
		all[i] = i
	}
	f := &regression{Ridge: s, began: began, work: &ridgeWork{report: report}, rows: all, x: d.X, nodes: nodes}
	chosen := s.C == 0 || s.Kernel == nil
	if !chosen || len(all) > chosenBy {
		f.work.total = cube(len(all))
	}
	var sample *regression
	if chosen {
		var err error
		if sample, err = f.choose(ctx, d); err != nil {
			return nil, stoppedRidge(err, d.X.Rows)
		}
		f.C, f.Kernel = sample.C, sample.Kernel
	}
	var err error
	if sample != nil && len(sample.rows) == len(all) {
		f = sample
	} else {
		f.y = f.indicators(d)
		err = f.solve(ctx, nil)
	}
	if err == nil {
		err = f.certify(ctx)
	}
	if errors.Is(err, errRidgeTime) && sample != nil {
		progress.Note(whole, fmt.Sprintf("kernel ridge regression: in %v not all %d instances could be learned from, and the model is that of %d; more time, or svm.OneVsRest, learns from all.", s.Time, len(all), len(sample.rows)))
		f = sample
		if err = f.certify(context.WithoutCancel(ctx)); err == nil {
			f.result.Status = solver.TimeLimit
		}
	}
	if err != nil {
		return nil, stoppedRidge(err, d.X.Rows)
	}
	f.seconds = time.Since(began).Seconds()
	return f, nil
}

// errRidgeTime ends the work when Time is over.
var errRidgeTime = errors.New("the time is over")

func stoppedRidge(err error, n int) error {
	if errors.Is(err, errRidgeTime) {
		return fmt.Errorf("svm: Time is over before the ridge regression of %d instances has a result; give more, or learn from fewer instances", n)
	}
	return fmt.Errorf("svm: ridge regression of %d instances: %w", n, err)
}

// occurringNodes returns the nodes that an instance has a label at or below, ascending.
func occurringNodes(d *dataset.Dataset) []int32 {
	occurs := make([]bool, d.Taxonomy.Len())
	for _, set := range d.Labels {
		for _, n := range d.Taxonomy.Closure(set) {
			occurs[n] = true
		}
	}
	var nodes []int32
	for n, is := range occurs {
		if is {
			nodes = append(nodes, int32(n))
		}
	}
	return nodes
}

// indicators returns y for the rows.
func (f *regression) indicators(d *dataset.Dataset) *mat.Dense {
	y := mat.NewDense(len(f.rows), len(f.nodes), nil)
	for k, i := range f.rows {
		row := y.RawRowView(k)
		for _, n := range d.Taxonomy.Closure(d.Labels[i]) {
			c, _ := slices.BinarySearch(f.nodes, int32(n))
			row[c] = 1
		}
	}
	return y
}

// choose returns the regression of the instances that are chosen by with the best kernel and C. Where
// the time is short it tries fewer: half of it is for all instances.
func (f *regression) choose(ctx context.Context, d *dataset.Dataset) (*regression, error) {
	sample := *f
	if len(f.rows) > chosenBy {
		sample.rows = rand.New(rand.NewPCG(f.Seed, 0)).Perm(len(f.rows))[:chosenBy]
		slices.Sort(sample.rows)
		sample.x = f.x.Subset(sample.rows)
	}
	sample.y = sample.indicators(d)
	kernels, err := sample.kernels()
	if err != nil {
		return nil, err
	}
	constants := ridges
	if f.C != 0 {
		constants = []float64{f.C}
	}
	f.work.total += cube(len(sample.rows)) * float64(len(kernels)*len(constants))
	var best *regression
	smallest := math.Inf(1)
	for _, k := range kernels {
		values, err := gram.Matrix(ctx, k, sample.x, &gram.Settings{Workers: f.Workers})
		if err != nil {
			return nil, err
		}
		for _, c := range constants {
			if best != nil && f.Time > 0 && time.Since(f.began) > f.Time/2 {
				return best, nil
			}
			one := sample
			one.Kernel, one.C = k, c
			if err := one.solve(ctx, values); err != nil {
				if errors.Is(err, errRidgeTime) && best != nil {
					return best, nil
				}
				return nil, err
			}
			if e := one.squaredError(); best == nil || e < smallest {
				best, smallest = &one, e
			}
		}
	}
	return best, nil
}

func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }

// kernels returns the kernels to choose from.
func (f *regression) kernels() ([]gram.Kernel, error) {
	if f.Kernel != nil {
		return []gram.Kernel{f.Kernel}, nil
	}
	// The mean squared distance is twice what the mean squared norm is more than the squared norm of
	// the mean.
	mean := make([]float64, f.x.Cols)
	var square float64
	for i := range f.x.Rows {
		features, values := f.x.Row(i)
		for k, feature := range features {
			v := float64(values[k])
			mean[feature] += v / float64(f.x.Rows)
			square += v * v / float64(f.x.Rows)
		}
	}
	distance := math.Sqrt(2 * max(0, square-floats.Dot(mean, mean)))
	if math.IsInf(distance, 1) || math.IsNaN(distance) {
		return nil, fmt.Errorf("the features are too large to compare instances by; scale them (features.Scaling)")
	}
	if distance == 0 {
		distance = 1 // all instances are equal
	}
	var kernels []gram.Kernel
	for _, w := range widths {
		kernels = append(kernels, gram.Exponential{Gamma: 1 / (w * distance)})
	}
	return kernels, nil
}

// solve finds A and the scores without each instance. values is the Gram matrix, nil if it is not
// known; what is above its diagonal stays as it is, and the diagonal is kept.
func (f *regression) solve(ctx context.Context, values *mat.SymDense) (err error) {
	if values == nil {
		if values, err = gram.Matrix(ctx, f.Kernel, f.x, &gram.Settings{Workers: f.Workers}); err != nil {
			return err
		}
	}
	n, q := f.y.Dims()
	f.values = values.RawSymmetric().Data
	f.diagonal = make([]float64, n)
	for i := range n {
		f.diagonal[i] = f.Kernel.Value(gram.Row(f.x, i), gram.Row(f.x, i))
	}
	guarded.Each((n+63)/64, f.Workers, func(part int) {
		from, to := 64*part, min(64*part+64, n)
		for j := range to {
			for i := max(from, j); i < to; i++ {
				v := f.diagonal[i] + 1/f.C
				if i > j {
					v = f.values[j*n+i]
				}
				f.values[i*n+j] = v + 1
			}
		}
	})
	factor, err := definite.Factorize(ctx, f.values, n, f.Workers)
	if errors.Is(err, definite.ErrNotDefinite) {
		return fmt.Errorf("with C = %g: %w; take a smaller C, or scale the features (features.Scaling)", f.C, err)
	}
	if err != nil {
		return err
	}
	if err := f.work.did(cube(n)/2, f.state()); err != nil {
		return err
	}
	inverse, err := factor.InverseDiagonal(ctx)
	if err != nil {
		return err
	}
	f.a, f.left = mat.DenseCopyOf(f.y), mat.NewDense(n, q, nil)
	if err := factor.Solve(ctx, f.a.RawMatrix().Data, q); err != nil {
		return err
	}
	for i := range n {
		a, y, left := f.a.RawRowView(i), f.y.RawRowView(i), f.left.RawRowView(i)
		for c := range left {
			left[c] = y[c] - a[c]/inverse[i]
		}
	}
	return f.work.did(cube(n)/2, f.state())
}

// state names what is worked on.
func (f *regression) state() string {
	return fmt.Sprintf("%d instances, %v, C = %g", len(f.rows), f.Kernel, f.C)
}

// squaredError is that of the scores without each instance.
func (f *regression) squaredError() (sum float64) {
	for i := range f.rows {
		sum += math.Pow(floats.Distance(f.y.RawRowView(i), f.left.RawRowView(i), 2), 2)
	}
	return sum
}

// certify computes the objective at A, and a bound below it. With F the scores of the instances, the
// squared norm of the functions is <A, F>, and the dual is <A, Y> - <A, F>/2 - <A, A>/(2C).
func (f *regression) certify(ctx context.Context) error {
	n, q := f.y.Dims()
	a, y := f.a.RawMatrix().Data, f.y.RawMatrix().Data
	scores, err := definite.Multiply(ctx, f.values, f.diagonal, n, a, q, f.Workers)
	if err != nil {
		return err
	}
	sums := f.constants()
	var norm, loss, product, square, origin float64
	for i := range n {
		for c := range q {
			k := i*q + c
			score := scores[k] + sums[c]
			norm += a[k] * score
			loss += (y[k] - score) * (y[k] - score)
			product += a[k] * y[k]
			square += a[k] * a[k]
			origin += y[k] * y[k]
		}
	}
	f.result = &solver.Result{
		Primal: norm/2 + f.C/2*loss, Dual: max(0, product-norm/2-square/(2*f.C)), Origin: f.C / 2 * origin,
		Epochs: 1, Status: solver.Converged,
	}
	f.result.Gap = structured.Certificate{Primal: f.result.Primal, Dual: f.result.Dual}.Gap()
	return nil
}

// constants returns the weights of the constant feature, by column.
func (f *regression) constants() []float64 {
	sums := make([]float64, len(f.nodes))
	for i := range f.rows {
		floats.Add(sums, f.a.RawRowView(i))
	}
	return sums
}

// model returns the model.
func (f *regression) model(d *dataset.Dataset) (*classifier.Model, error) {
	all := make([]int, len(f.nodes))
	for c, n := range f.nodes {
		all[c] = int(n)
	}
	attributes, err := structured.Flat(d.Taxonomy).Widen(all)
	if err != nil {
		return nil, err
	}
	columns := make([]int32, len(f.nodes))
	constants := make([]float64, len(attributes.Columns()))
	for c, sum := range f.constants() {
		columns[c] = int32(attributes.Column(all[c]))
		constants[columns[c]] = sum
	}
	e := &structured.Expansion{Columns: attributes.Columns()}
	e.Rows.Border = make([]int, 1, d.X.Rows+1)
	next := 0
	for i := range d.X.Rows {
		if next < len(f.rows) && f.rows[next] == i {
			e.Rows.Columns = append(e.Rows.Columns, columns...)
			e.Rows.Values = append(e.Rows.Values, f.a.RawRowView(next)...)
			next++
		}
		e.Rows.Border = append(e.Rows.Border, len(e.Rows.Values))
	}
	f.result.Seconds = f.seconds
	m, err := classifier.NewKernelConstant(attributes, f.Kernel, e, constants, classifier.Solved(f.result), d)
	if err != nil {
		return nil, err
	}
	m.Name, m.C, m.Workers = "kernel ridge regression", f.C, f.Workers
	return m, nil
}

// ridgeWork is how far the work is, in operations.
type ridgeWork struct {
	done, total float64
	report      func(done float64, state string) error
}

// did reports that some of it is done.
func (w *ridgeWork) did(operations float64, state string) error {
	w.done += operations
	if w.report == nil {
		return nil
	}
	if err := w.report(min(1, w.done/w.total), state); err != nil {
		return fmt.Errorf("stopped: %w", err)
	}
	return nil
}
