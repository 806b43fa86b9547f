package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/structured"
)

// Tasks are binary problems, one a candidate y of the attributes, whose weights have parts in common
// [EP04]:
//
//	min 1/2 sum_n ||u_n||^2 + C sum_y sum_i loss(s_iy <w_y, x_i>)  with w_y = sum_n Lambda_n(y) u_n
//
// and s_iy 1 where example i is of y, otherwise -1. With a dual point, alpha_iy of each loss,
//
//	u_n = sum_y Lambda_n(y) v_y  and  v_y = sum_i alpha_iy s_iy x_i
//
// so that one task, the others as they are, is a problem of [Binary] with a scale, the squared norm of
// Lambda(y), and offsets, the scores from the parts of the others.
type Tasks struct {
	Inputs     *structured.Linear
	Attributes *structured.Attributes
	Positive   [][]int32 // by candidate, ascending
	C          float64
	Loss       MarginLoss
}

// SolveTasks solves tasks by sweeps: each in its turn, the others as they are, to a gap that is a share
// of that of the whole after the sweep before. After each sweep the weights are certified. An
// epoch is a sweep, of one pass or more over the examples for each task; Settings.MaxEpochs bounds
// the sweeps, and the passes of a task in each. Otherwise it is like [Solve].
func SolveTasks(ctx context.Context, p *Tasks, settings *Settings) (*Result, error) {
	if settings == nil {
		settings = &Settings{}
	}
	set, err := settings.check()
	if err != nil {
		return nil, err
	}
	set.Begin()
	t, err := newTasks(p, set)
	if err != nil {
		return nil, err
	}
	ctx, end := t.settings.Watch(ctx)
	defer end()
	return t.run(ctx)
}

// tasks are Tasks at work. Weights and dual point are two: where Newton's method has solved a task,
// its weights are better than those of the dual point.
type tasks struct {
	*Tasks
	settings Settings
	binary   *Binary
	offset   []float64       // of the task that is solved, from the parts of the others
	weights  []float64       // that make them
	parts    [][]float64     // by task, v; replaced, not changed; nil for zeros
	shared   [][]float64     // by column, u_n of the parts; nil where a single task has the column
	alpha    []*Coefficients // by task; replaced, not changed
	empty    int             // examples without features
	rng      *rand.Rand

	aim     float64   // the share of the gap of the whole that is asked of a task
	primal  []float64 // of each task at the last certificate
	gap     []float64 // its part of the gap there, infinite before
	reached structured.Certificate
	longest time.Duration // that a certificate took

	result *Result
	best   [][]float64 // parts with the lowest primal value
}

// The share of the gap that is asked of the tasks at first, and at least, and how much of a gap has
// to go in a sweep lest it is halved; in the first sweep firstGap is asked for.
const firstGap, firstAim, leastAim, enoughLess = 0.1, 0.1, 1e-3, 0.5

func newTasks(p *Tasks, set Settings) (*tasks, error) {
	if p == nil || p.Inputs == nil || p.Attributes == nil {
		return nil, fmt.Errorf("solver: tasks need Inputs and Attributes")
	}
	candidates := len(p.Attributes.Candidates())
	if len(p.Positive) != candidates {
		return nil, fmt.Errorf("solver: the examples of %d classes, and attributes of %d", len(p.Positive), candidates)
	}
	if err := structured.CheckC(p.C); err != nil {
		return nil, err
	}
	if err := p.Loss.Check(); err != nil {
		return nil, err
	}
	t := &tasks{
		Tasks: p, settings: set, binary: NewBinary(p.Inputs),
		offset: make([]float64, p.Inputs.Len()), weights: make([]float64, p.Inputs.Matrix().Cols),
		parts: make([][]float64, candidates), shared: make([][]float64, len(p.Attributes.Columns())), alpha: make([]*Coefficients, candidates),
		rng: rand.New(rand.NewPCG(set.Seed, 0)), aim: firstAim,
		primal: make([]float64, candidates), gap: make([]float64, candidates), result: &Result{},
	}
	for i := range p.Inputs.Len() {
		if p.Inputs.SquaredNorm(i) == 0 {
			t.empty++
		}
	}
	t.best = t.parts
	t.result.Primal = p.C * p.Loss.Value(0) * float64(p.Inputs.Len()) * float64(candidates)
	t.result.Origin = t.result.Primal
	if err := structured.CheckOrigin(t.result.Primal); err != nil {
		return nil, err
	}
	t.result.Gap = structured.Certificate{Primal: t.result.Primal}.Gap()
	users := make([]int, len(t.shared))
	for y := range candidates {
		t.alpha[y], t.gap[y] = &Coefficients{C: p.C}, math.Inf(1)
		t.columns(y, func(c int, _ float64) {
			if users[c]++; users[c] == 2 {
				t.shared[c] = make([]float64, p.Inputs.Matrix().Cols)
			}
		})
	}
	if set.Start != nil {
		return t, t.start(set.Start.Parts)
	}
	return t, nil
}

// start takes over the coefficients of the tasks with another C.
func (t *tasks) start(from []*Result) error {
	if len(from) != len(t.alpha) {
		return errForeign
	}
	for y, part := range from {
		if part == nil || part.Coefficients == nil {
			return errForeign
		}
		old := part.Coefficients
		to := &Coefficients{C: t.C, Examples: old.Examples, Values: make([]float64, len(old.Values))}
		for k, i := range old.Examples {
			if int(i) >= t.Inputs.Len() {
				return errForeign
			}
			to.Values[k] = old.at(k, t.C, t.Loss)
		}
		t.alpha[y] = to
		part := make([]float64, len(t.weights))
		t.point(part, y)
		t.replace(y, part)
	}
	return nil
}

// run sweeps until one of the reasons to stop. The result is never nil.
func (t *tasks) run(ctx context.Context) (*Result, error) {
	r, set := t.result, &t.settings
	var err error
	if set.Start != nil {
		err = t.certify(ctx)
	}
	for err == nil {
		if r.Epochs > 0 {
			p := Progress{Epoch: r.Epochs, Primal: r.Primal, Dual: r.Dual, Gap: r.Gap, Seconds: time.Since(set.began).Seconds()}
			r.History = append(r.History, p)
			if set.Progress != nil {
				if err = set.Progress(p); err != nil {
					r.Status, err = Stopped, fmt.Errorf("solver: stopped after %d epochs: %w", p.Epoch, err)
					break
				}
			}
		}
		if set.reached(structured.Certificate{Primal: r.Primal, Dual: r.Dual}, r.Origin, r.Epochs) {
			r.Status = Converged
			break
		}
		if r.Epochs == set.MaxEpochs {
			r.Status = MaxEpochs
			break
		}
		before := t.reached.Gap()
		over := false
		if err = t.sweep(ctx); errors.Is(err, errOver) {
			over, err = true, nil
		}
		if err == nil {
			err = t.certify(ctx)
		}
		if err == nil {
			r.Epochs++
			if over || set.Time > 0 && t.settings.Left() <= 0 {
				err = errOver
			}
		}
		if r.Epochs > 1 && t.reached.Gap() > enoughLess*before {
			t.aim = max(t.aim/2, leastAim)
		}
	}
	if err != nil && r.Status != Stopped {
		r.Status = Cancelled
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errOver) {
			r.Status = TimeLimit
		}
		if !errors.Is(err, errOver) { // which comes after a certificate
			final, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
			_ = t.certify(final) // or the one before stays
			cancel()
		}
		if errors.Is(err, errOver) {
			err = nil
		} else {
			err = fmt.Errorf("solver: stopped in epoch %d: %w", r.Epochs+1, err)
		}
	}
	if set.reached(structured.Certificate{Primal: r.Primal, Dual: r.Dual}, r.Origin, r.Epochs) {
		r.Status = Converged
	}
	t.finish()
	r.Seconds = time.Since(set.began).Seconds()
	return r, err
}

// sweep solves the tasks that are not good enough yet. It returns errOver at the end of the time
// that is not kept for the certificate; the first sweep goes on, at a glance for each task, lest one
// is left without weights.
func (t *tasks) sweep(ctx context.Context) error {
	goal := firstGap
	if t.longest > 0 { // the values of the tasks add up to another than that of the whole
		goal = t.aim * t.reached.Gap() * t.reached.Primal / floats.Sum(t.primal)
	}
	goal = max(goal, t.settings.Gap*firstAim)
	var order []int
	for _, y := range t.rng.Perm(len(t.alpha)) {
		if t.gap[y] > goal/2*t.primal[y] {
			order = append(order, y)
		}
	}
	kept := t.settings.kept(t.longest)
	for k, y := range order {
		settings := Settings{Gap: goal, MaxEpochs: t.settings.MaxEpochs, Seed: t.settings.Seed, until: math.MaxInt}
		if t.settings.Time > 0 {
			left := t.settings.Left() - kept
			if left <= 0 && t.longest > 0 {
				return errOver
			}
			settings = settings.Share(max(1, left/time.Duration(len(order)-k)))
		}
		if err := t.solve(ctx, y, settings); err != nil {
			return err
		}
	}
	return nil
}

// solve solves a task while the others are as they are.
func (t *tasks) solve(ctx context.Context, y int, settings Settings) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var scale, own float64
	clear(t.weights)
	t.columns(y, func(c int, value float64) {
		scale += value * value
		if t.shared[c] != nil {
			own += value * value
			floats.AddScaled(t.weights, value, t.shared[c])
		}
	})
	if t.parts[y] != nil {
		floats.AddScaled(t.weights, -own, t.parts[y])
	}
	x := t.Inputs.Matrix()
	guarded.Each((x.Rows+visits-1)/visits, t.settings.Workers, func(part int) {
		for i := part * visits; i < min((part+1)*visits, x.Rows); i++ {
			features, values := x.Row(i)
			t.offset[i] = dot(t.weights, features, values)
		}
	})
	settings.Start = &Result{Coefficients: t.alpha[y]}
	r, err := t.binary.Solve(ctx, BinaryProblem{
		Positive: t.Positive[y], C: t.C, Loss: t.Loss, Scale: scale, Offset: t.offset, Name: uint64(y),
	}, settings)
	if err != nil {
		return err
	}
	t.alpha[y] = t.binary.Coefficients(t.C)
	t.replace(y, slices.Clone(r.Weights))
	return nil
}

// replace makes the part of a task another.
func (t *tasks) replace(y int, part []float64) {
	t.columns(y, func(c int, value float64) {
		if u := t.shared[c]; u != nil {
			floats.AddScaled(u, value, part)
			if old := t.parts[y]; old != nil {
				floats.AddScaled(u, -value, old)
			}
		}
	})
	t.parts[y] = part
}

// columns calls do for the columns of a task.
func (t *tasks) columns(y int, do func(c int, value float64)) {
	nodes, values := t.Attributes.Leaf(y)
	for k, n := range nodes {
		do(t.Attributes.Column(n), values[k])
	}
}

// point makes v that of the coefficients of a task, and returns their terms in the dual.
func (t *tasks) point(v []float64, y int) float64 {
	clear(v)
	var terms float64
	x, positive, alpha := t.Inputs.Matrix(), t.Positive[y], t.alpha[y]
	for k, i := range alpha.Examples {
		for len(positive) > 0 && positive[0] < i {
			positive = positive[1:]
		}
		a := alpha.Values[k]
		terms += t.Loss.term(a, t.C)
		if len(positive) == 0 || positive[0] != i {
			a = -a
		}
		features, values := x.Row(int(i))
		add(v, a, features, values)
	}
	return terms
}

// certify evaluates both objectives, in a pass over the examples for each task.
func (t *tasks) certify(ctx context.Context) error {
	began := time.Now()
	t.shared = t.sums(t.parts) // without what rounding has added
	constant := t.C * t.Loss.Value(0) * float64(t.empty)
	primal, dual := 0.0, 0.0
	for _, u := range t.shared {
		for _, v := range u {
			v = t.kept(v)
			primal += v * v / 2
		}
	}
	points := make([][]float64, len(t.alpha))
	primals, duals := make([]float64, len(t.alpha)), make([]float64, len(t.alpha))
	values, gaps := make([]float64, len(t.alpha)), make([]float64, len(t.alpha))
	guarded.Each(len(t.alpha), t.settings.Workers, func(y int) {
		if ctx.Err() != nil {
			return
		}
		point, weights := make([]float64, len(t.weights)), make([]float64, len(t.weights))
		terms := t.point(point, y)
		points[y] = point
		primals[y], duals[y] = constant, terms+constant
		var scale float64
		t.columns(y, func(c int, value float64) {
			scale += value * value
			if u := t.shared[c]; u != nil {
				for f, v := range u {
					weights[f] += value * t.kept(v)
				}
				return
			}
			duals[y] -= value * value * floats.Dot(point, point) / 2
			for f, v := range t.parts[y] {
				v = t.kept(value * v)
				primals[y] += v * v / 2
				weights[f] += value * v
			}
		})
		var losses float64
		losses, gaps[y] = t.losses(y, weights)
		primals[y] += losses
		gaps[y] -= terms
		if t.parts[y] != nil {
			values[y] = losses + scale*floats.Dot(t.parts[y], t.parts[y])/2
			d := floats.Distance(point, t.parts[y], 2)
			gaps[y] += scale * d * d / 2
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, u := range t.sums(points) {
		dual -= floats.Dot(u, u) / 2
	}
	primal, dual = primal+floats.Sum(primals), dual+floats.Sum(duals)
	if v := primal - dual; math.IsNaN(v) || math.IsInf(v, 0) { // of numbers that overflow
		return fmt.Errorf("solver: the weights of tasks overflow; take a smaller C, or features of a smaller scale")
	}
	t.primal, t.gap, t.longest = values, gaps, max(t.longest, time.Since(began))
	t.reached = structured.Certificate{Primal: primal, Dual: dual}
	t.result.Dual = max(t.result.Dual, dual)
	if primal <= t.result.Primal {
		t.result.Primal, t.best = primal, slices.Clone(t.parts)
	}
	t.result.Gap = structured.Certificate{Primal: t.result.Primal, Dual: t.result.Dual}.Gap()
	return nil
}

// losses returns the losses of a task with weights, but for examples without features, and the sum of
// the losses and the products of margins and coefficients.
func (t *tasks) losses(y int, weights []float64) (losses, products float64) {
	x, positive, alpha := t.Inputs.Matrix(), t.Positive[y], t.alpha[y]
	k := 0
	for i := range x.Rows {
		for len(positive) > 0 && int(positive[0]) < i {
			positive = positive[1:]
		}
		features, values := x.Row(i)
		m := dot(weights, features, values)
		if len(positive) == 0 || int(positive[0]) != i {
			m = -m
		}
		if k < len(alpha.Examples) && int(alpha.Examples[k]) == i {
			products += alpha.Values[k] * m
			k++
		}
		if t.Inputs.SquaredNorm(i) > 0 {
			losses += t.C * t.Loss.Value(m)
		}
	}
	return losses, products + losses
}

// kept is a weight as it is stored.
func (t *tasks) kept(v float64) float64 {
	if t.settings.Wide() {
		return v
	}
	return float64(float32(v))
}

// sums returns the weights of the columns that tasks share, from what is of each task.
func (t *tasks) sums(of [][]float64) [][]float64 {
	users := make([][]int, len(t.shared))
	values := make([][]float64, len(t.shared))
	for y := range of {
		if of[y] != nil {
			t.columns(y, func(c int, value float64) { users[c], values[c] = append(users[c], y), append(values[c], value) })
		}
	}
	sums := make([][]float64, len(t.shared))
	guarded.Each(len(sums), t.settings.Workers, func(c int) {
		if t.shared[c] == nil {
			return
		}
		sums[c] = make([]float64, len(t.weights))
		for k, y := range users[c] {
			floats.AddScaled(sums[c], values[c][k], of[y])
		}
	})
	return sums
}

// finish puts the best weights, and what a problem with another C may start from, into the result.
func (t *tasks) finish() {
	columns, features := t.Attributes.Columns(), len(t.weights)
	w := structured.NewWeights(columns, features)
	if t.settings.Wide() {
		w = structured.NewWideWeights(columns, features)
	}
	t.result.Weights = w
	for _, alpha := range t.alpha {
		t.result.Parts = append(t.result.Parts, &Result{Coefficients: alpha})
	}
	shared := t.sums(t.best)
	for c, u := range shared {
		for f, v := range u {
			w.Set(f, c, v)
		}
	}
	for y, part := range t.best {
		t.columns(y, func(c int, value float64) {
			if shared[c] == nil {
				for f, v := range part {
					w.Set(f, c, value*v)
				}
			}
		})
	}
}
