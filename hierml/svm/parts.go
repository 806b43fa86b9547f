package svm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// part is one of several independent problems.
type part struct {
	size   int     // cost of solving it, relative to the others
	origin float64 // value of the objective at zero weights, summed as the solver does
	nodes  []int   // the node whose weights each of its columns is
	most   int     // weights that can be other than zero
	// solve solves the part and stores the weights in p if they improve. It returns nil if it was
	// cancelled before there were any weights. A worker solves one part at a time. Time in the
	// settings is the share of the part. A part that ran out of time is solved again and continues
	// from its previous outcome. solve is nil for a class, which solveClass solves.
	solve func(ctx context.Context, p *parts, k, worker int, settings solver.Settings) (*outcome, error)
	class *class // nil for other problems
}

// An outcome is the end of a part.
type outcome struct {
	primal, dual float64
	epochs       int
	status       solver.Status
	last         *solver.Result // where the part, or one with another C, continues; nil if it cannot
}

// parts solves independent problems, the largest first, as many at a time as there are workers. It
// combines them into one result whose certificate is the sum of theirs. Settings bound the whole,
// except that MaxEpochs bounds each part; Start has the starting point of each part.
//
// Each part has a share of Settings.Time. Parts that need more, or were delayed by the scheduler,
// are cut off; they continue in later rounds with the time that the others did not use.
type parts struct {
	parts    []part
	weights  *partWeights
	settings solver.Settings
	method   solver.Method
	workers  int       // requested
	opened   []*opened // by worker, nil before it needs one

	// solved, if not nil, is called with each finished part and its weights, which are then not
	// kept.
	solved func(k int, end *outcome, weights *record) error

	started time.Time
	cancel  context.CancelCauseFunc

	round  int // from 0
	mu     sync.Mutex
	left   float64         // total size of the parts not yet started in this round
	took   []time.Duration // by the part in its last round
	kept   []float64       // objective of the stored weights, infinite before there are any
	primal []float64       // best values so far, initially those of zero weights and 0
	dual   []float64
	guess  []float64 // of the duality gap, zero where primal and dual are certified
	status []solver.Status
	epochs []int
	result *solver.Result
	err    error // the first of a part or of the progress function
}

// solveParts returns the model of an estimator over the columns of the attributes, without a name,
// a C or a rule. Like solver.Solve, it returns the best model so far if ctx is cancelled or the
// progress function returns an error. With a farm it then returns no model.
func solveParts(ctx context.Context, s inParts, all []part, a *structured.Attributes, d *dataset.Dataset, settings solver.Settings, method solver.Method) (*classifier.Model, error) {
	engine, directory := settings.Farm, settings.Directory
	if engine != nil {
		if err := checkFarm(settings); err != nil {
			return nil, err
		}
		settings.Farm, settings.Directory = nil, ""
	}
	if err := settings.Check(); err != nil {
		return nil, err
	}
	if settings.Start != nil && len(settings.Start.Parts) != len(all) {
		return nil, fmt.Errorf("svm: Start has the results of %d parts, and this problem has %d; start from a result with the same instances and labels", len(settings.Start.Parts), len(all))
	}
	settings.Begin()
	most := 0
	for _, part := range all {
		most += part.most
	}
	p := &parts{
		parts: all, settings: settings, method: method, workers: settings.Workers, started: time.Now(),
		primal: make([]float64, len(all)), dual: make([]float64, len(all)), guess: make([]float64, len(all)),
		status: make([]solver.Status, len(all)), epochs: make([]int, len(all)), took: make([]time.Duration, len(all)), kept: make([]float64, len(all)),
		result: &solver.Result{Parts: make([]*solver.Result, len(all))},
	}
	for k := range all {
		p.primal[k], p.kept[k] = all[k].origin, math.Inf(1)
	}
	if own, ok := ctx.Value(shareKey{}).(*share); ok {
		return nil, own.solve(ctx, p)
	}
	least, about := partMemory(len(a.Columns()), d.X.Cols, most, settings.Wide())
	if err := settings.Fits(ctx, fmt.Sprintf("%d nodes", len(a.Columns())), least, about, 0); err != nil {
		return nil, err
	}
	if engine == nil {
		watched := settings
		watched.MaxEpochs = math.MaxInt // which bounds each part
		var end func()
		ctx, end = watched.Watch(ctx)
		defer end()
		p.settings.Progress = watched.Progress
	}
	p.weights = newPartWeights(a.Columns(), d.X.Cols, len(all), most, settings.Wide())
	if err := structured.CheckOrigin(p.progress(0).Primal); err != nil {
		return nil, err
	}
	if engine != nil {
		if err := p.onFarm(ctx, s, d, engine, directory); err != nil {
			return nil, fmt.Errorf("svm: %w", err)
		}
	} else {
		p.solveHere(ctx, p.order())
	}
	result, err := p.finish(ctx)
	if result == nil {
		return nil, err
	}
	var sparse *structured.SparseWeights
	result.Weights, sparse = p.weights.finish()
	m := classifier.New(a, result.Weights, classifier.Solved(result), d)
	if sparse != nil {
		m = classifier.NewSparse(a, sparse, classifier.Solved(result), d)
	}
	m.Workers = settings.Workers
	return m, err
}

// solveHere solves parts in an order, in rounds.
func (p *parts) solveHere(ctx context.Context, order []int) {
	ctx, p.cancel = context.WithCancelCause(ctx)
	defer p.cancel(nil)
	p.workers = guarded.Workers(p.workers)
	p.opened = make([]*opened, max(1, min(p.workers, len(order))))
	order = p.solveTogether(ctx, order)
	for ; len(order) > 0; order = p.cutOff(ctx) {
		p.solveRound(ctx, order)
		p.round++
	}
}

// solveRound solves parts in an order, each for its share of the time.
func (p *parts) solveRound(ctx context.Context, order []int) {
	workers := max(1, min(p.workers, len(order)))
	p.left = 0
	for _, k := range order {
		p.left += float64(max(1, p.parts[k].size))
	}
	deal(p, workers, order, func(worker, k int) { p.solve(ctx, k, worker, workers) })
}

// deal distributes items to workers, which start them in order. A panic stops all workers.
func deal[T any](p *parts, workers int, items []T, do func(worker int, item T)) {
	next := make(chan T)
	var wait guarded.Group
	for worker := range workers {
		wait.Go(func() {
			for item := range next {
				if !wait.Guard(func() { do(worker, item) }) {
					p.cancel(errStopped)
				}
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	wait.Wait()
}

// cutOff returns the parts that can continue in the remaining time, the farthest from its optimum
// first.
func (p *parts) cutOff(ctx context.Context) []int {
	if p.settings.Time == 0 || p.settings.Left() <= 0 || ctx.Err() != nil {
		return nil
	}
	var order []int
	for k, status := range p.status {
		if status == solver.TimeLimit {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.primal[b]-p.dual[b], p.primal[a]-p.dual[a]) })
	return order
}

// order returns the parts, the largest first.
func (p *parts) order() []int {
	order := make([]int, len(p.parts))
	for k := range order {
		order[k] = k
	}
	return p.sorted(order)
}

// sorted sorts parts by size, the largest first, and keeps the order of equal ones.
func (p *parts) sorted(order []int) []int {
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(p.parts[b].size, p.parts[a].size), cmp.Compare(a, b)) })
	return order
}

// solve solves one part in its share of the time. If no time is left, its weights stay as they are.
func (p *parts) solve(ctx context.Context, k, worker, workers int) {
	if ctx.Err() != nil {
		p.record(k, solver.Cancelled)
		return
	}
	settings := p.settings
	settings.Workers, settings.Start = max(1, p.workers/workers), p.start(k)
	if settings.Time > 0 {
		share := p.share(k, workers)
		if share <= 0 {
			p.record(k, solver.TimeLimit)
			return
		}
		settings = settings.Share(share)
	}
	settings.MaxEpochs = max(1, cmp.Or(settings.MaxEpochs, solver.DefaultMaxEpochs)-p.epochs[k])
	settings.Progress = func(s solver.Progress) error { return p.report(k, s) }
	began := time.Now()
	var end *outcome
	var err error
	if solve := p.parts[k].solve; solve != nil {
		end, err = solve(ctx, p, k, worker, settings)
	} else {
		end, err = p.solveClass(ctx, k, worker, settings)
	}
	switch {
	case end != nil:
		p.took[k] = time.Since(began)
		p.note(k, end, ctx.Err() == nil && err == nil)
	case ctx.Err() != nil:
		p.record(k, solver.Cancelled)
	default:
		p.fail(err)
	}
}

// note records the outcome of a part, whether it finished or was cut off.
func (p *parts) note(k int, end *outcome, byItself bool) {
	p.mu.Lock()
	p.primal[k], p.dual[k], p.guess[k] = min(p.primal[k], end.primal), max(p.dual[k], end.dual), 0
	p.epochs[k] += end.epochs
	p.result.Parts[k] = end.last
	p.status[k] = end.status
	p.mu.Unlock()
	if p.solved != nil && byItself {
		if err := p.solved(k, end, p.weights.records[k]); err != nil {
			p.fail(err)
		}
		p.weights.records[k] = nil
	}
}

// takes reports whether weights of a part are better than the stored ones and should replace them.
func (p *parts) takes(k int, primal float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	better := primal < p.kept[k]
	if better {
		p.kept[k] = primal
	}
	return better
}

// start returns the starting point of a part.
func (p *parts) start(k int) *solver.Result {
	switch {
	case p.result.Parts[k] != nil:
		return startable(p.method, p.result.Parts[k])
	case p.settings.Start == nil:
		return nil
	}
	return p.settings.Start.Parts[k]
}

// share returns how long part k may take, so that the later parts get their shares of the remaining
// time. It is at least the time of its previous round, and zero or negative if no time is left.
func (p *parts) share(k, workers int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.settings.Left()
	size := float64(max(1, p.parts[k].size))
	whole := p.left
	p.left -= size
	if left <= 0 {
		return left
	}
	return max(1, min(left, max(p.took[k], time.Duration(float64(left)*float64(workers)*size/whole))))
}

// solveProblem solves a part by a method for structured problems. features has the indices of its
// features, ascending, nil for all.
func (p *parts) solveProblem(ctx context.Context, k int, problem *structured.Problem, features []int32, settings solver.Settings) (*outcome, error) {
	r, err := solver.Solve(ctx, problem, &settings, p.method)
	if r == nil {
		return nil, err
	}
	if p.takes(k, r.Primal) {
		p.weights.set(k, p.parts[k].nodes, r.Weights, features)
	}
	return &outcome{r.Primal, r.Dual, r.Epochs, r.Status, onward(r)}, nil
}

func (p *parts) record(k int, s solver.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status[k] = s
}

func (p *parts) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	p.cancel(err)
}

// errStopped makes a part stop because another one was stopped.
var errStopped = errors.New("another part was stopped")

// report adds an epoch of a part to the history and calls the progress function.
func (p *parts) report(k int, s solver.Progress) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return errStopped
	}
	p.primal[k], p.dual[k], p.guess[k] = min(p.primal[k], s.Primal), max(p.dual[k], s.Dual), s.Estimate*s.Primal
	if err := p.tell(); err != nil {
		p.err = fmt.Errorf("svm: stopped after %d epochs of parts: %w", len(p.result.History), err)
		p.result.Status = solver.Stopped
		p.cancel(err)
		return err
	}
	return nil
}

// tell adds the state of the whole to the history and calls the progress function.
func (p *parts) tell() error {
	s := p.progress(len(p.result.History) + 1)
	p.result.History = append(p.result.History, s)
	if p.settings.Progress == nil {
		return nil
	}
	return p.settings.Progress(s)
}

// progress sums up the parts.
func (p *parts) progress(epoch int) solver.Progress {
	s := solver.Progress{Epoch: epoch, Seconds: time.Since(p.started).Seconds()}
	guess, guessed := 0.0, false
	for k := range p.parts {
		s.Primal += p.primal[k]
		s.Dual += p.dual[k]
		if p.guess[k] > 0 {
			guess, guessed = guess+p.guess[k], true
		} else {
			guess += p.primal[k] - p.dual[k]
		}
	}
	s.Gap = structured.Certificate{Primal: s.Primal, Dual: s.Dual}.Gap()
	if guessed && s.Primal > 0 {
		s.Estimate = guess / s.Primal
	}
	return s
}

// finish makes the result of the whole.
func (p *parts) finish(ctx context.Context) (*solver.Result, error) {
	r := p.result
	if p.err != nil && r.Status != solver.Stopped {
		return nil, p.err
	}
	s := p.progress(0)
	r.Primal, r.Dual, r.Gap, r.Seconds = s.Primal, s.Dual, s.Gap, s.Seconds
	for _, part := range p.parts {
		r.Origin += part.origin
	}
	r.Epochs = slices.Max(append(p.epochs, 0))
	if r.Status == solver.Stopped {
		return r, p.err
	}
	goal := p.settings.Gap
	if goal == 0 {
		goal = solver.DefaultGap
	}
	r.Status = solver.Converged
	if r.Gap <= goal {
		return r, nil
	}
	for _, status := range p.status {
		r.Status = max(r.Status, status)
	}
	if err := ctx.Err(); err != nil {
		r.Status = solver.Cancelled
		if errors.Is(err, context.DeadlineExceeded) {
			r.Status = solver.TimeLimit
		}
		return r, fmt.Errorf("svm: stopped before all parts were solved: %w", err)
	}
	return r, nil
}

// newWeights returns zero weights, in float64 if wide.
func newWeights(columns []int, features int, wide bool) *structured.Weights {
	if wide {
		return structured.NewWideWeights(columns, features)
	}
	return structured.NewWeights(columns, features)
}
