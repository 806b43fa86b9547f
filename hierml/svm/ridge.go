package svm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/definite"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// Ridge is kernel ridge regression [SGV98] of the nodes of an instance, with one function per node:
//
//	min 1/2 sum_n ||w_n||^2 + C/2 sum_n sum_i (y_in - <w_n, phi(x_i)>)^2
//
// where y_in is 1 if instance i has a label at or below node n, otherwise 0, and phi(x) is x in the
// feature space of the kernel together with a constant feature of 1. The score of a node is roughly
// the probability of a label there, so scores of rare and frequent nodes are comparable: no label
// is lost because others are more frequent, as in a ranking of labels. Labels may be leaves and
// inner nodes, any number per instance. The model's labels are the leaves, as everywhere;
// [NodeSets] predicts sets of nodes from the scores of all nodes, and Ridge is its default.
//
// With K the Gram matrix, one matrix factorization serves all nodes,
//
//	A = (K + 11' + I/C)^-1 Y,  w_n = sum_i A_in phi(x_i),
//
// and the scores of the instances F of a fold for a model trained without them are Y_F - G_FF^-1
// A_F, where G is the inverse of that matrix: exact held-out scores for ten folds, at about the
// cost of one training.
//
// Instances of one group are in one fold. Unless they are given, the kernel and C are chosen by the
// squared error of these scores, on all instances or on 1500 drawn at random. The candidates are
// exponential kernels (gram.Exponential) of four widths, in units of the root mean squared
// distance, with C = 1, and then four values of C. The factorization takes time cubic in the number
// of instances and 8 bytes per pair: 8,000 instances take 512 MB.
//
// The zero value is ready to use.
type Ridge struct {
	// C is the weight of the squared errors. 0 means that Fit chooses; in the grids of Search and
	// NodeSets, 0 means 1, as for other estimators.
	C float64
	// Kernel compares instances. nil means that Fit chooses.
	Kernel gram.Kernel
	// Seed determines the instances that the choice uses.
	Seed uint64
	// Workers is the number of goroutines; results do not depend on it. The default value is the
	// number of CPUs.
	Workers int
	// Time bounds the training. The default, 0, is no bound. The time for all instances is
	// estimated from the 1500 that the choice uses. If there is not enough time, Fit tries fewer
	// kernels and values of C, or trains on fewer instances, drawn at random; a note says what was
	// left out. Fit returns an error if Time is up before there is a model.
	Time time.Duration
	// Progress is called with the share of the operations that is done. If it returns an error, Fit
	// stops.
	Progress func(done float64, state string) error

	folds  int // of the held-out scores; 0 for the default
	sample int // instances that the choice uses; 0 for the default
}

// Fit trains the functions; see [classifier.Estimator]. If ctx is cancelled, there is no model.
func (s Ridge) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return classifier.FitAll(ctx, d, func(d *dataset.Dataset) (*classifier.Model, error) {
		f, err := s.fit(ctx, d, false)
		if err != nil {
			return nil, err
		}
		return f.model(d)
	})
}

// WithC returns the estimator with another C.
func (s Ridge) WithC(c float64) Regularized { s.C = c; return s }

const (
	chosenBy   = 1500    // instances
	ridgeFolds = 10      // or the number of instances if smaller
	maxOfPair  = 1 << 30 // pairs of instances, and of an instance and a node: 8 GiB
)

// The candidates: kernel widths in units of the root mean squared distance, tried with the middle
// C, and then the other values of C.
const middle = 1

var (
	widths = []float64{4, 2, 1, 0.5}
	ridges = []float64{0.3, 1, 3, 10}
)

// regression is the state of a ridge regression of some instances.
type regression struct {
	Ridge
	began   time.Time
	hold    bool // held-out scores are wanted for all instances, not only to choose
	work    *ridgeWork
	took    time.Duration // time for the model and, if hold, for the held-out scores
	tried   int           // kernels and values of C, of all
	choices int
	rows    []int // training instances, grouped by fold
	border  []int // start of each fold, and the end
	x       *dataset.Matrix
	weights []float64 // of the instances, in the order of rows; nil for ones
	nodes   []int32   // that an instance has, ascending: the columns of y
	y       *mat.Dense

	values   []float64  // the Gram matrix above its diagonal, by rows, and the factor elsewhere
	diagonal []float64  // of the Gram matrix
	a        *mat.Dense // A
	held     *mat.Dense // scores of the instances by models without their folds
	seconds  float64
	result   *solver.Result
}

// fit trains and returns the regression, from which a model and, if hold, the held-out scores are
// made.
func (s Ridge) fit(ctx context.Context, d *dataset.Dataset, hold bool) (*regression, error) {
	began := time.Now()
	if err := checkRows(d); err != nil {
		return nil, err
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return nil, err
	}
	if s.C != 0 {
		if err := structured.CheckC(s.C); err != nil {
			return nil, withPackage(err)
		}
	}
	if s.Workers < 0 || s.Time < 0 {
		return nil, fmt.Errorf("svm: Workers is %d and Time is %v; neither may be negative. Workers: 0 means one per CPU; Time: 0 means no limit", s.Workers, s.Time)
	}
	s.Workers = guarded.Workers(s.Workers)
	nodes := occurringNodes(d)
	if n := d.X.Rows; n > maxOfPair/(n+4*len(nodes)) {
		return nil, fmt.Errorf("svm: ridge regression of %d instances and %d nodes takes %.0f GiB, and at most 8 are allowed; train on fewer instances, or use svm.OneVsRest", n, len(nodes), float64(n)*float64(n+4*len(nodes))/(1<<27))
	}
	whole := ctx
	ctx, report, end := progress.Follow(ctx, "ridge regression", s.Progress)
	defer end()
	if s.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, began.Add(s.Time), errRidgeTime)
		defer cancel()
	}
	f := &regression{Ridge: s, began: began, hold: hold, work: &ridgeWork{report: report}, nodes: nodes}
	n, chosenBy := d.X.Rows, cmp.Or(s.sample, chosenBy)
	drawn := rand.New(rand.NewPCG(s.Seed, 0)).Perm(n)
	var sample *regression
	chosen := s.C == 0 || s.Kernel == nil || s.Time > 0 && n > chosenBy // the last to estimate the time
	if !chosen || n > chosenBy {
		f.work.total = f.operations(n)
	}
	if chosen {
		some := []int(nil)
		if n > chosenBy {
			some = drawn[:chosenBy]
		}
		var err error
		if sample, err = f.choose(ctx, d, some); err != nil {
			return nil, stoppedRidge(err, n)
		}
		f.C, f.Kernel = sample.C, sample.Kernel
	}
	rows := n
	if sample != nil {
		rows = sample.affordable(n)
	}
	var err error
	switch {
	case sample != nil && rows <= len(sample.rows):
		f = sample
	case rows < n:
		f.work.total += f.operations(rows) - f.operations(n)
		err = f.trainOn(d, drawn[:rows])
	default:
		err = f.trainOn(d, nil)
	}
	if err == nil && f != sample {
		err = f.solve(ctx, nil, hold)
	}
	if err == nil {
		err = f.certify(ctx)
	}
	if errors.Is(err, errRidgeTime) && sample != nil {
		f = sample
		err = f.certify(context.WithoutCancel(ctx))
	}
	if err != nil {
		return nil, stoppedRidge(err, n)
	}
	if len(f.rows) < n {
		f.result.Status = solver.TimeLimit
	}
	f.noteLeftOut(whole, sample, n)
	f.seconds = time.Since(began).Seconds()
	return f, nil
}

// noteLeftOut adds a note about the work that there was no time for.
func (f *regression) noteLeftOut(ctx context.Context, sample *regression, n int) {
	var left []string
	if len(f.rows) < n {
		left = append(left, fmt.Sprintf("only %d of %d instances were used", len(f.rows), n))
	}
	if sample != nil && sample.tried < sample.choices {
		left = append(left, fmt.Sprintf("only %d of %d kernels and values of C were tried", sample.tried, sample.choices))
	}
	if left != nil {
		progress.Note(ctx, fmt.Sprintf("kernel ridge regression: in %v %s. Give more time, or use svm.OneVsRest.", f.Time, strings.Join(left, ", and ")))
	}
}

// cost estimates how long training on n instances takes. It scales with the cube of n, which is too
// much for the kernel, and adds a half for other work on the machine.
func (f *regression) cost(n int) time.Duration {
	return time.Duration(1.5 * float64(f.took) * cube(n) / cube(len(f.rows)))
}

// affordable returns the number of instances, at most n, that there is time to train on.
func (f *regression) affordable(n int) int {
	if f.Time == 0 || len(f.rows) == n {
		return n
	}
	left := float64(f.Time - time.Since(f.began))
	return int(min(float64(n), float64(len(f.rows))*math.Cbrt(max(0, left)/float64(f.cost(len(f.rows))))))
}

// errRidgeTime ends the work when Time is up.
var errRidgeTime = errors.New("the time is up")

func stoppedRidge(err error, n int) error {
	if errors.Is(err, errRidgeTime) {
		return fmt.Errorf("svm: Time is up before the ridge regression of %d instances has a result; allow more time, or train on fewer instances", n)
	}
	return fmt.Errorf("svm: ridge regression of %d instances: %w", n, err)
}

// occurringNodes returns the nodes with a label of some instance at or below them, ascending.
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

// trainOn sets the training instances, nil for all.
func (f *regression) trainOn(d *dataset.Dataset, some []int) error {
	from := d
	if some != nil {
		from = d.Subset(some)
	}
	parts := [][]int{make([]int, from.Len())}
	for i := range parts[0] {
		parts[0][i] = i
	}
	n := min(cmp.Or(f.folds, ridgeFolds), from.GroupCount())
	heldOut := f.C == 0 || f.Kernel == nil || f.folds != 0 // the scores are used
	if n > 1 || heldOut && from.Len() > 1 {
		var err error
		if parts, err = folds(from, max(n, 2), f.Seed); err != nil {
			return fmt.Errorf("svm: ridge regression: %w", err)
		}
	}
	f.rows, f.border = nil, []int{0}
	for _, fold := range parts {
		f.rows = append(f.rows, fold...)
		f.border = append(f.border, len(f.rows))
	}
	if some != nil {
		for k, r := range f.rows {
			f.rows[k] = some[r]
		}
	}
	f.x, f.weights = d.X.Subset(f.rows), weightsOf(d.Weights, f.rows)
	f.y = mat.NewDense(len(f.rows), len(f.nodes), nil)
	for k, i := range f.rows {
		row := f.y.RawRowView(k)
		for _, n := range d.Taxonomy.Closure(d.Labels[i]) {
			c, _ := slices.BinarySearch(f.nodes, int32(n))
			row[c] = 1
		}
	}
	return nil
}

// choose returns the regression of some instances, nil for all, with the best kernel and C. It
// tries fewer if time is short: it reserves the time for training on all instances, or half of
// Time.
func (f *regression) choose(ctx context.Context, d *dataset.Dataset, some []int) (*regression, error) {
	sample := *f
	if err := sample.trainOn(d, some); err != nil {
		return nil, err
	}
	kernels, err := sample.kernels()
	if err != nil {
		return nil, err
	}
	constants := []float64{cmp.Or(f.C, middle)}
	others := slices.DeleteFunc(slices.Clone(ridges), func(c float64) bool { return f.C != 0 || c == middle })
	choices, tried := len(kernels)+len(others), 0
	f.work.total += cube(len(sample.rows)) * float64(choices)
	var best *regression
	var trial, took time.Duration // times of the last trial, and of a model with its kernel
	try := func(k gram.Kernel, values *mat.SymDense, constants []float64) error {
		for _, c := range constants {
			if best != nil && f.Time > 0 {
				whole := time.Duration(0)
				if n := d.X.Rows; n > len(sample.rows) {
					whole = min(best.cost(n), f.Time/2)
				}
				if time.Since(f.began)+trial > f.Time-whole {
					return nil
				}
			}
			one := sample
			one.Kernel, one.C = k, c
			began := time.Now()
			if err := one.solve(ctx, values, true); err != nil {
				return err
			}
			trial, took = time.Since(began), max(took, one.took)
			if tried++; best == nil || one.squaredError() < best.squaredError() {
				best = &one
			}
			best.took = took
		}
		return nil
	}
	for _, k := range kernels {
		if err = try(k, nil, constants); err != nil {
			break
		}
	}
	if err == nil {
		err = try(best.Kernel, mat.NewSymDense(len(sample.rows), best.values), others)
	}
	if errors.Is(err, errRidgeTime) && best != nil {
		err = nil
	}
	if best != nil {
		best.tried, best.choices = tried, choices
	}
	return best, err
}

// operations is the cost of training on n instances; a trial costs their cube.
func (f *regression) operations(n int) float64 {
	if f.hold {
		return cube(n)
	}
	return cube(n) / 2
}

func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }

// kernels returns the kernels to choose from.
func (f *regression) kernels() ([]gram.Kernel, error) {
	if f.Kernel != nil {
		return []gram.Kernel{f.Kernel}, nil
	}
	// The mean squared distance is twice the difference of the mean squared norm and the squared
	// norm of the mean.
	x, _ := f.x.Occurring()
	mean := make([]float64, x.Cols)
	var square float64
	for i := range x.Rows {
		features, values := x.Row(i)
		for k, feature := range features {
			v := float64(values[k])
			mean[feature] += v / float64(x.Rows)
			square += v * v / float64(x.Rows)
		}
	}
	distance := math.Sqrt(2 * max(0, square-floats.Dot(mean, mean)))
	if math.IsInf(distance, 1) || math.IsNaN(distance) {
		return nil, fmt.Errorf("the features are too large to compare instances; scale them (features.Scaling)")
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

// solve finds A and, if hold, the held-out scores. values is the Gram matrix, nil if it is not
// known; its values above the diagonal do not change, and the diagonal is saved.
func (f *regression) solve(ctx context.Context, values *mat.SymDense, hold bool) (err error) {
	began := time.Now()
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
				v := f.diagonal[i] + 1/f.penalty(i)
				if i > j {
					v = f.values[j*n+i]
				}
				f.values[i*n+j] = v + 1
			}
		}
	})
	factor, err := definite.Factorize(ctx, f.values, n, f.Workers)
	if errors.Is(err, definite.ErrNotDefinite) {
		return fmt.Errorf("with C = %g: %w; set a smaller C, or scale the features (features.Scaling)", f.C, err)
	}
	if err != nil {
		return err
	}
	f.a = mat.DenseCopyOf(f.y)
	if err := factor.Solve(ctx, f.a.RawMatrix().Data, q); err != nil {
		return err
	}
	err = f.work.did(cube(n)/2, f.state())
	f.took = time.Since(began)
	if err != nil || !hold {
		return err
	}
	if err := f.holdOut(ctx, factor); err != nil {
		return err
	}
	err = f.work.did(cube(n)/2, f.state())
	if f.hold {
		f.took = time.Since(began)
	}
	return err
}

// penalty is the C of an instance.
func (f *regression) penalty(i int) float64 { return weigh.Of(f.weights, i) * f.C }

// holdOut finds the scores of the instances by models without their folds.
func (f *regression) holdOut(ctx context.Context, factor *definite.Factor) error {
	blocks, err := factor.InverseBlocks(ctx, f.border)
	if err != nil {
		return err
	}
	f.held = mat.DenseCopyOf(f.a)
	q := len(f.nodes)
	held, y := f.held.RawMatrix().Data, f.y.RawMatrix().Data
	for k, block := range blocks {
		from, to := f.border[k], f.border[k+1]
		part, err := definite.Factorize(ctx, block, to-from, f.Workers)
		if err != nil {
			return err
		}
		if err := part.Solve(ctx, held[from*q:to*q], q); err != nil {
			return err
		}
	}
	for i, e := range held {
		held[i] = y[i] - e
	}
	return nil
}

// state describes the current work.
func (f *regression) state() string {
	return fmt.Sprintf("%d instances, %v, C = %g", len(f.rows), f.Kernel, f.C)
}

// squaredError is the squared error of the held-out scores.
func (f *regression) squaredError() (sum float64) {
	for i := range f.rows {
		sum += weigh.Of(f.weights, i) * math.Pow(floats.Distance(f.y.RawRowView(i), f.held.RawRowView(i), 2), 2)
	}
	return sum
}

// certify computes the objective at A, and a bound below it. With F the scores of the instances,
// the squared norm of the functions is <A, F>, and the dual is <A, Y> - <A, F>/2 - <A, A>/(2C).
func (f *regression) certify(ctx context.Context) error {
	n, q := f.y.Dims()
	a, y := f.a.RawMatrix().Data, f.y.RawMatrix().Data
	scores, err := definite.Multiply(ctx, f.values, f.diagonal, n, a, q, f.Workers)
	if err != nil {
		return err
	}
	sums := f.intercepts()
	var norm, loss, product, square, origin float64
	for i := range n {
		cost := f.penalty(i)
		for c := range q {
			k := i*q + c
			score := scores[k] + sums[c]
			norm += a[k] * score
			loss += cost / 2 * (y[k] - score) * (y[k] - score)
			product += a[k] * y[k]
			square += cost / 2 * (a[k] / cost) * (a[k] / cost) // the square of A itself would underflow for a small C
			origin += cost / 2 * y[k] * y[k]
		}
	}
	f.result = &solver.Result{
		Primal: norm/2 + loss, Dual: max(0, product-norm/2-square), Origin: origin,
		Epochs: 1, Status: solver.Converged,
	}
	f.result.Gap = structured.Certificate{Primal: f.result.Primal, Dual: f.result.Dual}.Gap()
	return nil
}

// intercepts returns the weights of the constant feature, by column.
func (f *regression) intercepts() []float64 {
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
	for c, sum := range f.intercepts() {
		columns[c] = int32(attributes.Column(all[c]))
		constants[columns[c]] = sum
	}
	e := &structured.Expansion{Columns: attributes.Columns()}
	e.Rows.Border = make([]int, 1, d.X.Rows+1)
	at := make([]int, d.X.Rows) // in rows, from 1 on
	for k, i := range f.rows {
		at[i] = k + 1
	}
	for i := range d.X.Rows {
		if at[i] > 0 {
			e.Rows.Columns = append(e.Rows.Columns, columns...)
			e.Rows.Values = append(e.Rows.Values, f.a.RawRowView(at[i]-1)...)
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

// ridgeWork counts the operations done, for progress.
type ridgeWork struct {
	done, total float64
	report      func(done float64, state string) error
}

// did reports operations as done.
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
