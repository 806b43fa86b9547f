package solver

import (
	"context"
	"errors"
	"slices"

	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/structured"
)

// RDA is regularized dual averaging [Xia10] with the optimality bounds of [ZXW11, Algorithm 1]. It
// splits the objective into a strongly convex part, lambda/2 ||w||^2, and the rest, which it
// replaces by its subgradients; the next weights are the mean g(t) of all subgradients so far,
// divided by -lambda. An epoch is an iteration. Of equally violated competitors it takes the first.
// The upper bound is the lowest value of an iterate, and the lower bound the largest of
//
//	delta(t) + <g(t), w(t+1)> + lambda/2 ||w(t+1)||^2
//
// It fits every problem, where lambda is 1, the rest are the hinges, and the lower bound is the
// dual value of the mean of the competitors taken.
//
// For orthogonal transfer, see [SolveOrthogonal], lambda is lambda_min and the rest contains Omega
// less that part [ZXW11, section 4.3]. The lower bound hardly moves there if lambda_min is small
// compared with the entries of K: the first iterates are far away and stay in the means. The mean
// of the competitors taken is also a dual point. In iterations 1, 2, 3 and so on, a quarter later
// each time, its saddle bound and its weights are computed, and both are used where they are better
// than those of Algorithm 1.
//
// Errors fall like ln(t)/t. Use RDA to compare with the paper, and BCFW to solve a problem. It
// always starts from zero weights.
type RDA struct {
	// Observe, if not nil, is called after every iteration on orthogonal transfer.
	Observe func(RDAStep)
}

// RDAStep is an iteration of [ZXW11, Algorithm 1] as printed: its own bounds and its iterate, which
// need not be the best known.
type RDAStep struct {
	Iteration int     // t, from 1
	Upper     float64 // the upper bound at t+1, at first C times the number of instances
	Lower     float64 // the lower bound at t+1
	Value     float64 // of w(t+1)

	// w(t+1), of linear or of kernel inputs, until the call returns.
	Weights   *structured.Weights
	Expansion *structured.Expansion
}

func (RDA) errStart() error {
	return errors.New("solver: RDA averages from zero weights and cannot start from a result or a checkpoint; leave Start nil and Checkpoint empty, or use BCFW")
}

func (RDA) start(s *state) (iteration, error) {
	return &means{state: s, search: s.oracle.NewSearch(), scores: make([]float64, s.weights.Width()), taken: newTaken(s.oracle)}, nil
}

// means is the state of RDA on a ridge problem.
type means struct {
	*state
	search structured.Search
	scores []float64
	worst  []int32
	taken  *taken
}

// epoch is an iteration at the weights of the last certificate, which is one of the iteration
// before.
func (m *means) epoch(context.Context) parts {
	return func(yield func(float64, error) bool) {
		o := m.oracle
		for i := range o.Inputs().Len() {
			blocks := o.BlocksOf(i)
			if len(blocks) > 0 {
				m.weights.Scores(i, m.scores)
			}
			for _, b := range blocks {
				if m.search.Load(b, m.scores) > 0 {
					for _, id := range m.search.Worst(1, 0, nil, m.worst[:0]) {
						m.taken.count(b, id)
					}
				}
			}
			if !yield(float64(i+1)/float64(o.Inputs().Len()), nil) {
				return
			}
		}
		m.taken.iterations++
		m.taken.mean(m.dual)
	}
}

func (m *means) point() *structured.Dual { return m.dual }

// estimate makes every epoch end with a certificate, which also computes the next iterate.
func (m *means) estimate() float64 { return 0 }

// taken counts the competitors that gave subgradients.
type taken struct {
	oracle     *structured.Oracle
	iterations int
	picks      [][]pick // by block
	ids        []int32
	values     []float64
}

func newTaken(o *structured.Oracle) *taken {
	return &taken{oracle: o, picks: make([][]pick, o.Blocks())}
}

func (t *taken) count(b int, id int32) {
	k := slices.IndexFunc(t.picks[b], func(p pick) bool { return p.id == id })
	if k < 0 {
		k = len(t.picks[b])
		t.picks[b] = append(t.picks[b], pick{id: id})
	}
	t.picks[b][k].count++
}

// mean writes the point of the dual that the mean of the subgradients is.
func (t *taken) mean(dst *structured.Dual) {
	for b, picks := range t.picks {
		t.ids, t.values = t.ids[:0], t.values[:0]
		for _, p := range picks {
			t.ids = append(t.ids, p.id)
			t.values = append(t.values, t.oracle.C(b)*float64(p.count)/float64(t.iterations))
		}
		dst.SetRow(b, t.ids, t.values)
	}
}

// averaging is the state of RDA on orthogonal transfer. Vectors of weights are held as coefficients
// of the examples, so that kernels need no other code.
type averaging struct {
	problem *OrthogonalProblem
	nodes   *structured.Oracle
	workers int
	lambda  float64

	coefficients []float64 // of w(t+1): examples x nodes
	mean         []float64 // of the subgradients, likewise
	weights      structured.State
	at           evaluation // w(t+1)
	evaluated    bool       // it is complete

	upper, lower float64 // the paper's bounds
	delta        float64
	taken        *taken
	bounded      int // iteration of the last saddle bound

	search  structured.Search
	step    *structured.Step
	row     []float64 // by node
	observe func(RDAStep)
}

// evaluation has the values of weights that a subgradient and the bounds need.
type evaluation struct {
	products *orthogonal.Products
	omega    float64
	hinge    float64
	gain     float64 // sum of the costs of the competitors picked times C
	norm     float64 // ||w||^2
	picked   []int32 // by block, -1 for none
}

func (e *evaluation) value() float64 { return e.omega + e.hinge }

func newAveraging(ctx context.Context, o *orthogonalRun) *averaging {
	p := o.problem
	examples, nodes := p.Inputs.Len(), p.Regularizer.Len()
	a := &averaging{
		problem: p, nodes: o.nodes, workers: o.settings.Workers, lambda: p.Regularizer.LambdaMin(),
		coefficients: make([]float64, examples*nodes), mean: make([]float64, examples*nodes), weights: o.nodes.NewState(o.settings.precision(false)),
		at:    evaluation{products: p.Regularizer.NewProducts(), picked: make([]int32, o.nodes.Blocks())},
		taken: newTaken(o.nodes), search: o.nodes.NewSearch(), step: o.nodes.NewStep(), row: make([]float64, nodes),
	}
	if o.nodes.Blocks() > 0 {
		for i := range examples {
			a.upper += weigh.Of(p.Weights, int32(i)) * p.Siblings.C(0)
		}
	}
	a.evaluate(ctx)
	return a
}

// rows returns the coefficients of w(t+1).
func (a *averaging) rows() *structured.Rows {
	nodes := len(a.row)
	rows := &structured.Rows{Border: make([]int, 1, a.problem.Inputs.Len()+1)}
	for i := range a.problem.Inputs.Len() {
		of := a.coefficients[i*nodes : (i+1)*nodes]
		for c, n := range a.nodes.Columns() {
			if of[n] != 0 {
				rows.Columns = append(rows.Columns, int32(c))
				rows.Values = append(rows.Values, of[n])
			}
		}
		rows.Border = append(rows.Border, len(rows.Columns))
	}
	return rows
}

// evaluate sets the weights to w(t+1) and evaluates them, unless ctx ends before.
func (a *averaging) evaluate(ctx context.Context) {
	a.evaluated = false
	if _, _, err := a.weights.Set(ctx, a.rows(), a.workers); err != nil {
		return
	}
	e, nodes := &a.at, len(a.row)
	e.products.Clear()
	e.hinge, e.gain = 0, 0
	scores := make([]float64, a.weights.Width())
	var worst []int32
	for i := range a.problem.Inputs.Len() {
		if ctx.Err() != nil {
			return
		}
		a.weights.Scores(i, scores)
		for c, n := range a.nodes.Columns() {
			a.row[n] = scores[c]
		}
		e.products.Add(a.coefficients[i*nodes:(i+1)*nodes], a.row)
		for _, b := range a.nodes.BlocksOf(i) {
			e.picked[b] = -1
			if v := a.search.Load(b, scores); v > 0 {
				worst = a.search.Worst(1, 0, nil, worst[:0])
				e.picked[b] = worst[0]
				e.hinge += a.nodes.C(b) * v
				e.gain += a.nodes.C(b) * a.nodes.Cost(b, worst[0])
			}
		}
	}
	e.omega, e.norm = e.products.Value(), e.products.Trace()
	a.evaluated = true
}

// iterate makes steps 1 to 4 of [ZXW11, Algorithm 1], unless ctx ends before.
func (a *averaging) iterate(ctx context.Context) {
	a.taken.iterations++
	t, nodes := float64(a.taken.iterations), len(a.row)
	e := &a.at
	// phi(w) - <g, w>, where Omega is of degree 2 and the hinges picked are linear.
	a.delta = (t-1)/t*a.delta + (e.gain-e.omega+a.lambda/2*e.norm)/t
	a.evaluated = false
	for i := range a.problem.Inputs.Len() {
		if ctx.Err() != nil {
			return
		}
		w, mean := a.coefficients[i*nodes:(i+1)*nodes], a.mean[i*nodes:(i+1)*nodes]
		e.products.Subgradient(a.row, w)
		for _, b := range a.nodes.BlocksOf(i) {
			if id := e.picked[b]; id >= 0 {
				a.nodes.Direct(b, id, a.nodes.C(b), a.step)
				a.taken.count(b, id)
			}
		}
		columns, values := a.step.Take()
		for k, c := range columns {
			a.row[a.nodes.Columns()[c]] -= values[k]
		}
		for n, g := range a.row {
			mean[n] = (t-1)/t*mean[n] + (g-a.lambda*w[n])/t
			w[n] = -mean[n] / a.lambda
		}
	}
	if a.evaluate(ctx); !a.evaluated {
		return
	}
	a.upper = min(a.upper, e.value())
	a.lower = max(a.lower, a.delta-a.lambda/2*e.norm)
}

func (a *averaging) epoch(ctx context.Context) parts {
	return func(yield func(float64, error) bool) {
		if a.iterate(ctx); !a.evaluated {
			yield(0, ctx.Err())
			return
		}
		if a.observe != nil {
			expansion, _ := a.weights.(*structured.Expansion)
			a.observe(RDAStep{
				Iteration: a.taken.iterations, Upper: a.upper, Lower: a.lower, Value: a.at.value(),
				Weights: structured.LinearWeights(a.weights), Expansion: expansion,
			})
		}
	}
}

// estimate makes every iteration end with a certificate: Algorithm 1's bounds cost nothing.
func (a *averaging) estimate() float64 { return 0 }

func (a *averaging) certify(ctx context.Context, o *orthogonalRun) error {
	if !a.evaluated {
		return ctx.Err()
	}
	o.raise(a.lower)
	o.keepBest(a.at.value(), a.rows)
	if a.taken.iterations < a.bounded+(a.bounded+3)/4 {
		return nil
	}
	a.bounded = a.taken.iterations
	return a.bound(ctx, o)
}

// bound certifies the mean of the competitors picked.
func (a *averaging) bound(ctx context.Context, o *orthogonalRun) error {
	point := a.nodes.NewDual()
	a.taken.mean(point)
	s := o.saddle
	s.point = point
	ridge, _, err := s.certified(ctx, 0)
	if err != nil {
		return err
	}
	if err := s.ascend(ctx, ridge.weights, point, s.excess(o.primal, o.gap())); err != nil {
		return err
	}
	ridge, primal, err := s.certified(ctx, 0)
	if err != nil {
		return err
	}
	o.raise(ridge.certificate.Dual)
	o.keepBest(primal, func() *structured.Rows { return s.weights(point) })
	return nil
}
