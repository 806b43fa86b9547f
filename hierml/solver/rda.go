package solver

import (
	"context"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/structured"
)

// RDA is the regularized dual averaging method with optimality bounds of the
// paper on orthogonal transfer (Algorithm 1), split as in its section 4.3: Omega
// less lambda_min/2 ||w||^2, and the hinges, are replaced by their subgradients,
// and the next weights are the mean g(t) of all subgradients so far, divided by
// -lambda_min. An epoch is an iteration. Of competitors that are equally violated
// it takes the first, from the top of the path downwards.
//
// It fits orthogonal transfer alone; see [SolveOrthogonal]. The upper bound is the
// lowest value of an iterate, the lower bound the largest of
//
//	delta(t) + <g(t), w(t+1)> + lambda_min/2 ||w(t+1)||^2
//
// which hardly moves where lambda_min is small beside the entries of K: the first
// iterates are far away and stay in the means. But the mean of the competitors
// taken is a point of the dual. In iterations 1, 2, 3 and so on, a quarter later
// each time, the saddle bound of that point is computed, and the weights that
// belong to it, and both count where they are better than Algorithm 1's.
//
// Errors fall like ln(t)/t. Use RDA to compare with the paper, and BCFW to solve
// the problem.
type RDA struct{}

func (RDA) start(*state) (iteration, error) {
	return nil, fmt.Errorf("solver: RDA solves orthogonal transfer alone; use it with SolveOrthogonal, and BCFW or Pegasos here")
}

// averaging is the state of RDA. Vectors of weights are held as coefficients of
// the examples, so that kernels need no other code.
type averaging struct {
	problem *OrthogonalProblem
	nodes   *structured.Oracle
	workers int
	lambda  float64
	t       int // iterations done

	coefficients []float64 // of w(t+1): examples x nodes
	mean         []float64 // of the subgradients, likewise
	weights      structured.State
	at           evaluation // w(t+1)

	upper, lower float64 // the paper's bounds
	delta        float64
	picks        [][]pick // by block
	bounded      int      // iteration of the last saddle bound

	search structured.Search
	step   *structured.Step
	row    []float64 // by node
}

// evaluation is what a subgradient and the bounds need to know of weights.
type evaluation struct {
	products *orthogonal.Products
	omega    float64
	hinge    float64
	gain     float64 // sum of the costs of the competitors picked times C
	norm     float64 // ||w||^2
	picked   []int32 // by block, -1 for none
}

func (e *evaluation) value() float64 { return e.omega + e.hinge }

func newAveraging(o *orthogonalRun) *averaging {
	p := o.problem
	examples, nodes := p.Inputs.Len(), p.Regularizer.Len()
	a := &averaging{
		problem: p, nodes: o.nodes, workers: o.settings.Workers, lambda: p.Regularizer.LambdaMin(),
		coefficients: make([]float64, examples*nodes), mean: make([]float64, examples*nodes), weights: o.nodes.NewState(o.settings.Wide()),
		at:    evaluation{products: p.Regularizer.NewProducts(), picked: make([]int32, o.nodes.Blocks())},
		picks: make([][]pick, o.nodes.Blocks()), search: o.nodes.NewSearch(), step: o.nodes.NewStep(), row: make([]float64, nodes),
	}
	if o.nodes.Blocks() > 0 {
		a.upper = o.nodes.C(0) * float64(examples)
	}
	a.evaluate()
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

// evaluate sets the weights to w(t+1) and evaluates them.
func (a *averaging) evaluate() {
	a.weights.Set(a.rows(), a.workers)
	e, nodes := &a.at, len(a.row)
	e.products.Clear()
	e.hinge, e.gain = 0, 0
	scores := make([]float64, a.weights.Width())
	var worst []int32
	for i := range a.problem.Inputs.Len() {
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
}

// iterate makes steps 1 to 4 of Algorithm 1.
func (a *averaging) iterate() {
	a.t++
	t, nodes := float64(a.t), len(a.row)
	e := &a.at
	// phi(w) - <g, w>, where Omega is of degree 2 and the hinges picked are linear.
	a.delta = (t-1)/t*a.delta + (e.gain-e.omega+a.lambda/2*e.norm)/t
	for i := range a.problem.Inputs.Len() {
		w, mean := a.coefficients[i*nodes:(i+1)*nodes], a.mean[i*nodes:(i+1)*nodes]
		e.products.Subgradient(a.row, w)
		for _, b := range a.nodes.BlocksOf(i) {
			if id := e.picked[b]; id >= 0 {
				a.nodes.Direct(b, id, a.nodes.C(b), a.step)
				a.count(b, id)
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
	a.evaluate()
	a.upper = min(a.upper, e.value())
	a.lower = max(a.lower, a.delta-a.lambda/2*e.norm)
}

func (a *averaging) count(b int, id int32) {
	k := slices.IndexFunc(a.picks[b], func(p pick) bool { return p.id == id })
	if k < 0 {
		k = len(a.picks[b])
		a.picks[b] = append(a.picks[b], pick{id: id})
	}
	a.picks[b][k].count++
}

func (a *averaging) epoch(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.iterate()
	return nil
}

// estimate has every iteration certified: Algorithm 1's bounds cost nothing.
func (a *averaging) estimate() float64 { return 0 }

func (a *averaging) certify(ctx context.Context, o *orthogonalRun) error {
	o.dual = max(o.dual, a.lower)
	o.offer(a.at.value(), a.rows)
	if a.t < a.bounded+(a.bounded+3)/4 {
		return nil
	}
	a.bounded = a.t
	return a.bound(ctx, o)
}

// bound certifies the mean of the competitors picked.
func (a *averaging) bound(ctx context.Context, o *orthogonalRun) error {
	point := a.nodes.NewDual()
	for b, picks := range a.picks {
		var ids []int32
		var values []float64
		for _, p := range picks {
			ids = append(ids, p.id)
			values = append(values, a.nodes.C(b)*float64(p.count)/float64(a.t))
		}
		point.SetRow(b, ids, values)
	}
	s := o.saddle
	s.point = point
	ridge, _, err := s.certified(ctx, 0)
	if err != nil {
		return err
	}
	if err := s.ascend(ridge.weights, point, o.gap()); err != nil {
		return err
	}
	ridge, primal, err := s.certified(ctx, 0)
	if err != nil {
		return err
	}
	o.dual = max(o.dual, ridge.certificate.Dual)
	o.offer(primal, func() *structured.Rows { return s.weights(point) })
	return nil
}
