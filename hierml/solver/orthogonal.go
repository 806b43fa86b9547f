package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/structured"
)

// OrthogonalProblem is the training problem of orthogonal transfer [ZXW11, (4) and (7)]: the
// regularizer couples the weights of nodes, and the nodes at or above a label are compared with
// their siblings:
//
//	min  Omega(w) + sum_b C_b max(0, max_j (b_j - <u_j, s(x_i)>))
//
// For a fixed point S of Omega's saddle form it is a ridge problem, whose attributes express node
// weights by the weights of that problem. The dual value of each such problem is a lower bound of
// the optimum. It is the certificate of every method here, because RDA's own bound hardly moves for
// the paper's K.
type OrthogonalProblem struct {
	Inputs structured.Inputs
	// Siblings are comparisons over structured.Nodes.
	Siblings    *structured.Siblings
	Regularizer *orthogonal.Regularizer
	// Weights are those of [structured.Problem].
	Weights []float64
}

func (p *OrthogonalProblem) check() error {
	if p == nil || p.Inputs == nil || p.Siblings == nil || p.Regularizer == nil {
		return fmt.Errorf("solver: orthogonal transfer needs Inputs, Siblings and a Regularizer")
	}
	if n, m := p.Regularizer.Len(), p.Siblings.Attributes().Taxonomy().Len(); n != m {
		return fmt.Errorf("solver: K has %d rows for %d nodes; give it one row per node", n, m)
	}
	return p.Regularizer.Strong()
}

// compile returns the ridge problem whose weights give the node weights by the attribute vectors.
func (p *OrthogonalProblem) compile(row func(node int) (columns []int, values []float64)) (*structured.Oracle, error) {
	old := p.Siblings.Attributes()
	a, err := structured.NewCandidates(old.Taxonomy(), old.Candidates(), row)
	if err != nil {
		return nil, err
	}
	siblings, err := p.Siblings.With(a)
	if err != nil {
		return nil, err
	}
	return (&structured.Problem{Inputs: p.Inputs, Columns: a.Columns(), Competitors: siblings, Weights: p.Weights}).Compile()
}

// itself is the attribute vector of a node with its own column.
func itself(node int) (columns []int, values []float64) { return []int{node}, []float64{1} }

// SolveOrthogonal solves orthogonal transfer. With a method for ridge problems, nil for BCFW, it
// works in the dual: epochs of the method for fixed S alternate with the best S for the current
// dual point, which needs only the inner products of the nodes' vectors. Both ascend one concave
// function of S and the dual point, so together they reach its maximum, the optimum. With [RDA] it
// is [ZXW11, Algorithm 1].
//
// The result has node weights, one column per node. Settings, status and errors are as in [Solve];
// for a K without strong convexity the error is an *orthogonal.ConvexityError.
func SolveOrthogonal(ctx context.Context, p *OrthogonalProblem, settings *Settings, m Method) (*Result, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if settings == nil {
		settings = &Settings{}
	}
	set, err := settings.check()
	if err != nil {
		return nil, err
	}
	set.Begin()
	nodes, err := p.compile(itself)
	if err != nil {
		return nil, err
	}
	// There are weights of a ridge problem and, at the end, of the nodes.
	if err := set.fits(ctx, nodes, set.precision(false), 2); err != nil {
		return nil, err
	}
	o := &orthogonalRun{problem: p, settings: set, nodes: nodes}
	zero, value := set.originOf(ctx, nodes)
	o.primal, o.origin = zero.Primal, value
	if err := structured.CheckOrigin(o.primal); err != nil {
		return nil, err
	}
	ctx, cancel := set.limit(ctx, 0)
	defer cancel()
	if o.saddle, err = newSaddle(o); err != nil {
		return nil, err
	}
	if set.Start != nil {
		if set.Start.Point == nil || set.Start.Point.Blocks() != nodes.Blocks() {
			return nil, fmt.Errorf("solver: Start is the result of another problem; start from one with the same examples and comparisons")
		}
		o.saddle.point = set.Start.Point
	}
	switch m := m.(type) {
	case nil:
		o.method = &alternation{saddle: o.saddle, method: BCFW{}, limit: fewEpochs}
	case RDA:
		if set.Start != nil {
			return nil, m.errStart()
		}
		a := newAveraging(ctx, o)
		a.observe = m.Observe
		o.method = a
	case Pegasos:
		return nil, fmt.Errorf("solver: orthogonal transfer must continue from a dual point, and Pegasos cannot; use BCFW or RDA")
	default:
		o.method = &alternation{saddle: o.saddle, method: m, limit: fewEpochs}
	}
	return o.run(ctx)
}

// orthogonalRun is the loop around the methods for orthogonal transfer.
type orthogonalRun struct {
	problem  *OrthogonalProblem
	settings Settings
	nodes    *structured.Oracle // of node weights
	saddle   *saddle
	method   orthogonalMethod
	longest  time.Duration // a certificate took

	// The best so far: vectors of node weights by example, nil for zero, their value, and the best
	// lower bound.
	best   *structured.Rows
	primal float64
	dual   float64
	origin float64 // value of zero weights
}

// orthogonalMethod is a running method.
type orthogonalMethod interface {
	// epoch makes a step, part by part, see [work].
	epoch(ctx context.Context) parts
	// estimate is an estimate of the current gap, for an epoch without a certificate; zero if the
	// next epoch needs a certificate.
	estimate() float64
	// certify passes the certified values to the run.
	certify(ctx context.Context, o *orthogonalRun) error
}

// gap returns the relative gap of the best so far.
func (o *orthogonalRun) gap() float64 {
	return structured.Certificate{Primal: o.primal, Dual: o.dual}.Gap()
}

// raise stores a lower bound if it is better than all before; NaN is ignored.
func (o *orthogonalRun) raise(dual float64) {
	if dual > o.dual && !math.IsInf(dual, 1) {
		o.dual = dual
	}
}

// keepBest stores weights with their value if they are better than all before.
func (o *orthogonalRun) keepBest(primal float64, weights func() *structured.Rows) {
	if primal < o.primal {
		o.primal, o.best = primal, weights()
	}
}

func (o *orthogonalRun) run(ctx context.Context) (*Result, error) {
	set := &o.settings
	ctx, end := set.Watch(ctx)
	defer end()
	result := &Result{Origin: o.origin}
	certified := true // what the last epoch reached
	var err error
	if set.Start != nil {
		if err = o.method.certify(set.follow(ctx, "the given point"), o); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	for {
		if certified && set.reached(structured.Certificate{Primal: o.primal, Dual: o.dual}, o.origin, result.Epochs) {
			if o.store(ctx, result); result.Gap <= set.Gap {
				result.Status = Converged
				break
			}
		}
		if result.Epochs == set.MaxEpochs {
			result.Status = MaxEpochs
			break
		}
		certified = false
		p := Progress{Epoch: result.Epochs + 1}
		epoch, cancel := set.limit(ctx, set.kept(o.longest))
		err = work(epoch, o.method, func(share float64) error {
			set.watched.within(p.Epoch, share)
			return nil
		})
		cancel()
		if err == nil {
			if p.Estimate = o.method.estimate(); p.Estimate == 0 || p.Epoch == set.MaxEpochs {
				began := time.Now()
				err = o.method.certify(set.follow(ctx, fmt.Sprintf("epoch %d", p.Epoch)), o)
				certified, p.Estimate = err == nil, 0
				o.longest = max(o.longest, time.Since(began))
			}
		}
		if err != nil {
			over := overTime(epoch, err) || overTime(ctx, err)
			if ctx.Err() == nil && !over {
				return nil, err
			}
			result.Status = Cancelled
			if errors.Is(err, context.DeadlineExceeded) {
				result.Status = TimeLimit
			}
			if err = fmt.Errorf("solver: stopped in epoch %d: %w", p.Epoch, err); over {
				err = nil
			}
			break
		}
		result.Epochs = p.Epoch
		p.Primal, p.Dual, p.Gap, p.Seconds = o.primal, o.dual, o.gap(), time.Since(set.began).Seconds()
		result.History = append(result.History, p)
		if set.Progress != nil {
			if err = set.Progress(p); err != nil {
				result.Status, err = Stopped, fmt.Errorf("solver: stopped after %d epochs: %w", p.Epoch, err)
				break
			}
		}
	}
	if !certified {
		final, cancel := set.limit(ctx, o.longest/2) // to store the weights
		if err != nil {
			cancel()
			final, cancel = context.WithTimeout(context.WithoutCancel(ctx), grace)
		}
		defer cancel()
		if late := o.method.certify(final, o); late != nil && final.Err() == nil {
			return nil, late
		}
	}
	if result.Status != Converged {
		o.store(context.WithoutCancel(ctx), result)
	}
	if result.Point = o.saddle.point; result.Point == nil {
		result.Point = o.nodes.NewDual()
	}
	result.Last = result.Point
	result.Seconds = time.Since(set.began).Seconds()
	return result, err
}

// store puts the best weights into the result, with the value of the stored, rounded weights. If
// ctx is cancelled before, the value is infinite.
func (o *orthogonalRun) store(ctx context.Context, result *Result) {
	w := o.nodes.NewState(o.settings.precision(false))
	result.Primal, result.Dual = o.primal, o.dual
	if o.best != nil {
		result.Primal = o.value(ctx, w)
	}
	result.Weights = structured.LinearWeights(w)
	result.Expansion, _ = w.(*structured.Expansion)
	result.Gap = structured.Certificate{Primal: result.Primal, Dual: result.Dual}.Gap()
}

// value sets w to the best weights and returns their value.
func (o *orthogonalRun) value(ctx context.Context, w structured.State) float64 {
	products := o.problem.Regularizer.NewProducts()
	if _, _, err := w.Set(ctx, o.best, o.settings.Workers); err != nil {
		return math.Inf(1)
	}
	if err := addProducts(ctx, products, w, o.best, o.settings.Workers); err != nil {
		return math.Inf(1)
	}
	hinge := 0.0
	search, scores := o.nodes.NewSearch(), make([]float64, w.Width())
	for i := range o.nodes.Inputs().Len() {
		for k, b := range o.nodes.BlocksOf(i) {
			if k == 0 {
				w.Scores(i, scores)
			}
			hinge += o.nodes.C(b) * search.Load(b, scores)
		}
	}
	if v := products.Value() + hinge; !math.IsNaN(v) {
		return v
	}
	return math.Inf(1)
}

// alternation alternates epochs of a method for ridge problems with the best S.
type alternation struct {
	*saddle
	method Method

	// The ridge problem of the current S, and the method that solves it; nil before the first
	// epoch.
	state *state
	at    iteration

	target float64 // gap of the ridge problem at which the turn ends
	epochs int     // in this turn
	limit  int     // of epochs in a turn
	turns  uint64
}

const (
	turnShare = 0.3 // share of the initial gap of a turn at which it ends
	fewEpochs = 4   // maximum of a turn; doubled after each turn that needs more
)

func (a *alternation) epoch(ctx context.Context) parts {
	return func(yield func(float64, error) bool) {
		if a.at == nil {
			if _, err := a.begin(ctx); err != nil {
				yield(0, err)
				return
			}
		}
		a.epochs++
		a.at.epoch(ctx)(yield)
	}
}

// begin is the first turn, under the best S for the point given.
func (a *alternation) begin(ctx context.Context) (float64, error) {
	primal, err := a.turn(ctx)
	if err != nil || a.point == nil {
		return primal, err
	}
	if err := a.ascend(ctx, a.state.weights, a.state.dual, a.excess(primal, a.settings.Gap)); err != nil {
		return 0, err
	}
	return a.turn(ctx)
}

// turn evaluates the point under S, starts the method on the ridge problem of S and returns the
// value of the node weights.
func (a *alternation) turn(ctx context.Context) (float64, error) {
	s, primal, err := a.certified(ctx, a.turns)
	if err != nil {
		return 0, err
	}
	a.turns++
	a.epochs = 0
	a.state = s
	a.target = turnShare * (primal - s.certificate.Dual)
	a.at, err = a.method.start(s)
	return primal, err
}

func (a *alternation) estimate() float64 {
	gap := a.at.estimate()
	relative := gap / a.state.certificate.Primal
	if gap <= a.target || relative <= a.settings.Gap {
		return 0
	}
	if a.epochs >= a.limit {
		a.limit *= 2
		return 0
	}
	return relative
}

func (a *alternation) certify(ctx context.Context, o *orthogonalRun) error {
	var primal float64
	var err error
	if a.at == nil {
		primal, err = a.begin(ctx)
	} else if err = a.ascend(ctx, a.state.weights, a.at.point(), a.excess(o.primal, o.gap())); err == nil {
		primal, err = a.turn(ctx)
	}
	if err != nil {
		return err
	}
	o.raise(a.state.certificate.Dual)
	o.keepBest(primal, func() *structured.Rows { return a.weights(a.state.dual) })
	return nil
}
