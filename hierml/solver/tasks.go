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
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/structured"
)

// Tasks are binary problems, one per candidate y of the attributes, whose weights have common parts
// [EP04]:
//
//	min 1/2 sum_n ||u_n||^2 + C sum_y sum_i loss(s_iy <w_y, x_i>)  with w_y = sum_n Lambda_n(y) u_n
//
// and s_iy 1 if example i belongs to y, otherwise -1. With a dual point, alpha_iy for each loss,
//
//	u_n = sum_y Lambda_n(y) v_y  and  v_y = sum_i alpha_iy s_iy x_i
//
// so one task, with the others fixed, is a problem of [Binary] with a scale, the squared norm of
// Lambda(y), and offsets, the scores from the parts of the others.
type Tasks struct {
	Inputs     *structured.Linear
	Attributes *structured.Attributes
	Positive   [][]int32 // by candidate, ascending
	C          float64
	Loss       MarginLoss
	// Weights multiply the C of each example. They must be positive; nil means ones.
	Weights []float64
	// Free are nodes, ascending, whose u is not penalized. No task may have two of them, and the
	// attribute must be 1, as structured.Laplacian returns them. See free.go.
	Free []int
}

// SolveTasks solves tasks by sweeps: one task at a time, with the others fixed, to a share of the
// total gap after the previous sweep. After each sweep the weights are certified. An epoch is a
// sweep, with one pass or more over the examples for each task. Settings.MaxEpochs bounds the
// sweeps, and the passes of a task in each. Otherwise it is like [Solve].
//
// Before the first sweep, a quick pass visits the positive examples of each task and as many
// others. If the time is up during the first sweep, all tasks have had the same share of it,
// perhaps only visits of some examples, and the weights are multiplied by the best power of two. If
// it is up before there is a certificate, they are zero.
func SolveTasks(ctx context.Context, p *Tasks, settings *Settings) (*Result, error) {
	if settings == nil {
		settings = &Settings{}
	}
	set, err := settings.check()
	if err != nil {
		return nil, err
	}
	set.Begin()
	t, err := newTasks(ctx, p, set)
	if err != nil {
		return nil, err
	}
	ctx, end := t.settings.Watch(ctx)
	defer end()
	return t.run(ctx)
}

// tasks is the state of solving Tasks. Weights and dual point are separate: if Newton's method
// solved a task, its weights are better than those of the dual point.
//
// With the hinge they belong together. A sweep raises the dual as long as the parts are those of
// the coefficients. With the weights of Newton's method, the sweeps stop where each task is optimal
// given the weights of the others. For a loss with kinks that need not be the joint optimum.
type tasks struct {
	*Tasks
	settings     Settings
	binary       *Binary
	offset       []float64   // of the current task, from the parts of the others
	coefficients []float64   // of the task that is glanced at, by example
	longestRow   float64     // norm
	weights      []float64   // that make them
	parts        [][]float64 // by task, v; replaced, not changed; nil for zeros
	// by column, u_n of the parts; nil if a single task has the column
	shared [][]float64
	alpha  []*Coefficients // by task; replaced, not changed
	empty  float64         // the weights of examples without features, added up
	total  float64         // the weights of all examples, added up
	rng    *rand.Rand

	aim     float64   // the share of the total gap requested of a task
	primal  []float64 // of each task at the last certificate
	gap     []float64 // its part of the gap there, infinite before
	reached structured.Certificate
	longest time.Duration // that a certificate took

	first time.Duration // that the first glances took
	pass  usual         // time for the offsets of a task: a pass over the examples
	over  usual         // time that a task takes beyond its share

	free // columns

	cut    bool // a task, by the end of its time
	result *Result
	best   [][]float64 // parts with the lowest primal value certified; zeros before
	atBest bool        // they are the parts
}

// The initial and the minimum share of the gap requested of the tasks, and the minimum decrease of
// the gap in a sweep below which the share is halved; the first sweep uses firstGap.
const firstGap, firstAim, leastAim, enoughLess = 0.1, 0.1, 1e-3, 0.5

func newTasks(ctx context.Context, p *Tasks, set Settings) (*tasks, error) {
	if p == nil || p.Inputs == nil || p.Attributes == nil {
		return nil, fmt.Errorf("solver: tasks need Inputs and Attributes")
	}
	candidates := len(p.Attributes.Candidates())
	if len(p.Positive) != candidates {
		return nil, fmt.Errorf("solver: the examples of %d classes, and attributes of %d", len(p.Positive), candidates)
	}
	for y := range candidates {
		nodes, _ := p.Attributes.Leaf(y)
		for _, n := range nodes {
			if p.Attributes.Column(n) < 0 {
				return nil, fmt.Errorf("solver: the attributes of task %d have node %d, which has no column; call Widen on them", y, n)
			}
		}
	}
	if err := structured.CheckC(p.C); err != nil {
		return nil, fmt.Errorf("solver: %w", err)
	}
	if p.Weights != nil && len(p.Weights) != p.Inputs.Len() {
		return nil, fmt.Errorf("solver: %d weights for %d examples; pass one per example", len(p.Weights), p.Inputs.Len())
	}
	if err := p.Loss.Check(); err != nil {
		return nil, err
	}
	least, about := p.memory(set.Wide())
	if err := set.Fits(ctx, fmt.Sprintf("%d tasks", candidates), least, about, 0); err != nil {
		return nil, err
	}
	t := &tasks{
		Tasks: p, settings: set, binary: NewBinary(p.Inputs),
		offset: make([]float64, p.Inputs.Len()), coefficients: make([]float64, p.Inputs.Len()), weights: make([]float64, p.Inputs.Matrix().Cols),
		parts: make([][]float64, candidates), shared: make([][]float64, len(p.Attributes.Columns())), alpha: make([]*Coefficients, candidates),
		rng: rand.New(rand.NewPCG(set.Seed, 0)), aim: firstAim,
		primal: make([]float64, candidates), gap: make([]float64, candidates), result: &Result{},
	}
	for i := range p.Inputs.Len() {
		norm := p.Inputs.SquaredNorm(i)
		weight := weigh.Of(p.Weights, int32(i))
		if err := structured.CheckC(weight * p.C); err != nil {
			return nil, fmt.Errorf("solver: %w", err)
		}
		t.total += weight
		if t.longestRow = max(t.longestRow, math.Sqrt(norm)); norm == 0 {
			t.empty += weight
		}
	}
	t.best = make([][]float64, candidates)
	t.result.Primal = p.C * p.Loss.Value(0) * t.total * float64(candidates)
	t.result.Origin = t.result.Primal
	if err := structured.CheckOrigin(t.result.Primal); err != nil {
		return nil, err
	}
	t.result.Gap = structured.Certificate{Primal: t.result.Primal}.Gap()
	if err := t.newFree(); err != nil {
		return nil, err
	}
	users := make([]int, len(t.shared))
	for y := range candidates {
		t.alpha[y], t.gap[y] = &Coefficients{C: p.C}, math.Inf(1)
		t.columns(y, func(c int, _ float64) {
			if users[c]++; users[c] == 2 || t.centers[c] != nil && users[c] == 1 {
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
			to.Values[k] = old.at(k, t.C, weigh.Of(t.Weights, i), t.Loss)
		}
		t.alpha[y] = to
		part := make([]float64, len(t.weights))
		t.point(part, y, to)
		t.replace(y, part)
	}
	return nil
}

// run sweeps until a stopping criterion holds. The result is never nil.
func (t *tasks) run(ctx context.Context) (*Result, error) {
	r, set := t.result, &t.settings
	var err error
	if set.Start != nil {
		err = t.certifyInTime(ctx)
	} else {
		err = t.glances(ctx)
		if err == nil && set.Time > 0 {
			err = t.certifyGlances(ctx)
		}
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
			err = t.certifyInTime(ctx)
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
		t.cut, r.Status = true, Cancelled
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errOver) {
			r.Status = TimeLimit
		}
		if errors.Is(err, errOver) {
			err = nil
		} else {
			if !slices.ContainsFunc(t.parts, missing) { // else there are the zero weights
				final, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
				_ = t.certify(final) // or the one before stays
				cancel()
			}
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

// certifyGlances certifies the result of the quick passes if a quarter of the remaining time is
// enough, so that there is a result if the first sweep and its certificate take too long.
func (t *tasks) certifyGlances(ctx context.Context) error {
	timed, cancel := t.settings.limit(ctx, t.settings.Left()*3/4)
	defer cancel()
	t.cut = true
	err := t.certify(timed)
	if overTime(timed, err) {
		return nil
	}
	return err
}

// sweep solves the tasks that are not good enough yet. It returns errOver when the time is up,
// except for the part reserved for the certificate. In the first sweep, tasks are only visited if
// their share of the time is too short to solve one, so that all get their share.
func (t *tasks) sweep(ctx context.Context) error {
	first := t.result.Epochs == 0 && t.settings.Start == nil
	goal := firstGap
	if !first { // the values of the tasks add up to another than that of the whole
		goal = max(t.aim*t.reached.Gap(), firstAim*t.settings.Gap) * t.reached.Primal / floats.Sum(t.primal)
	}
	var order []int
	for _, y := range t.rng.Perm(len(t.alpha)) {
		if t.gap[y] > goal/2*t.primal[y] {
			order = append(order, y)
		}
	}
	half := max(0, t.settings.Left()-t.after()) / 2
	for k, y := range order {
		settings := Settings{Gap: goal, MaxEpochs: t.settings.MaxEpochs, Seed: t.settings.Seed, until: math.MaxInt, ascent: t.Loss == Hinge, rough: true}
		if t.settings.Time > 0 {
			kept := half
			if t.longest > 0 {
				kept = t.settings.kept(t.longest)
			} else if k > 0 {
				kept = min(half, t.firstCertificate())
			}
			left := t.settings.Left() - kept - t.after()
			if left <= 0 {
				t.cut = true
				return errOver
			}
			share := left / time.Duration(len(order)-k)
			fixed := t.pass.mean() + t.over.mean()
			if first && k > 0 && share < fixed {
				if err := t.glance(ctx, y, share); err != nil {
					return err
				}
				continue
			}
			settings = settings.Share(max(1, share-fixed))
		}
		if err := t.solve(ctx, y, settings); err != nil {
			return err
		}
	}
	return nil
}

// firstCertificate is what is kept of the time for the first certificate: twice what a pass for
// each task takes, by the last task.
func (t *tasks) firstCertificate() time.Duration {
	task := t.binary.pace * float64(t.Inputs.Len()) / float64(guarded.Workers(t.settings.Workers))
	return time.Duration(2 * task * float64(len(t.alpha)))
}

// cost is the C of an example.
func (t *tasks) cost(i int32) float64 { return weigh.Of(t.Weights, i) * t.C }

// missing reports whether a task has not been visited.
func missing(part []float64) bool { return part == nil }

// glances visits the examples of every task, and as many others.
func (t *tasks) glances(ctx context.Context) error {
	began := time.Now()
	defer func() { t.first = time.Since(began) }()
	for _, y := range t.rng.Perm(len(t.alpha)) {
		if t.settings.Time > 0 && t.settings.Left() <= 0 {
			return errOver
		}
		if err := t.glance(ctx, y, 0); err != nil {
			return err
		}
	}
	return nil
}

// glance visits examples of a task with the other tasks fixed: those of the class in the first
// call, as many others or a few, and then others until its share of the time is up.
func (t *tasks) glance(ctx context.Context, y int, share time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	scale := t.others(y)
	if t.parts[y] != nil {
		floats.AddScaled(t.weights, scale, t.parts[y])
	}
	alpha, positive := t.coefficients, t.Positive[y]
	clear(alpha)
	for k, i := range t.alpha[y].Examples {
		alpha[i] = t.alpha[y].Values[k]
	}
	x := t.Inputs.Matrix()
	part := make([]float64, len(t.weights))
	if t.parts[y] != nil {
		copy(part, t.parts[y])
	}
	visit := func(i int32) {
		square := t.Inputs.SquaredNorm(int(i))
		if square == 0 {
			return
		}
		sign := -1.0
		if _, of := slices.BinarySearch(positive, i); of {
			sign = 1
		}
		features, values := x.Row(int(i))
		a := t.Loss.best(alpha[i], sign*dot(t.weights, features, values), scale*square, t.cost(i))
		if d := a - alpha[i]; d != 0 {
			alpha[i] = a
			add(t.weights, d*sign*scale, features, values)
			add(part, d*sign, features, values)
		}
	}
	if t.parts[y] == nil {
		for k := range max(len(positive), leastOthers) {
			if k < len(positive) {
				visit(positive[k])
			}
			visit(int32(t.rng.IntN(x.Rows)))
		}
	}
	t.cut = t.cut || share > 0
	for n := 0; share > 0 && (n == 0 || time.Since(began) < share); n++ {
		for range glanced {
			visit(int32(t.rng.IntN(x.Rows)))
		}
	}
	t.alpha[y] = newCoefficients(t.C, alpha)
	t.replace(y, part)
	return nil
}

// usual is an average time.
type usual struct {
	sum   time.Duration
	count int
}

func (u *usual) add(took time.Duration) { u.sum, u.count = u.sum+took, u.count+1 }

func (u *usual) mean() time.Duration { return u.sum / time.Duration(max(1, u.count)) }

// glanced is the number of examples visited between two checks of the clock, and leastOthers the
// minimum number of examples of other classes in the first call.
const glanced, leastOthers = 16, 8

// solve solves a task with the others fixed.
func (t *tasks) solve(ctx context.Context, y int, settings Settings) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	scale := t.others(y)
	x := t.Inputs.Matrix()
	guarded.Each((x.Rows+visits-1)/visits, t.settings.Workers, func(part int) {
		for i := part * visits; i < min((part+1)*visits, x.Rows); i++ {
			features, values := x.Row(i)
			t.offset[i] = dot(t.weights, features, values)
		}
	})
	t.pass.add(time.Since(began))
	if settings.Time > 0 {
		settings = settings.Share(settings.Time)
	}
	settings.Start = &Result{Coefficients: t.alpha[y]}
	r, err := t.binary.Solve(ctx, BinaryProblem{
		Positive: t.Positive[y], C: t.C, Loss: t.Loss, Scale: scale, Offset: t.offset, Weights: t.Weights, Name: uint64(y),
	}, settings)
	if err != nil {
		return err
	}
	t.alpha[y] = t.binary.Coefficients(t.C)
	part := r.Weights
	if settings.ascent && r.Status != TimeLimit { // weights of the coefficients, which need not be optimal
		part = t.binary.weights
	}
	t.replace(y, slices.Clone(part))
	if r.Status == TimeLimit {
		t.cut = true
		t.over.add(time.Since(settings.began) - settings.Time)
	}
	return nil
}

// others sets the weights to the contribution of the other tasks to a task, and returns its scale.
func (t *tasks) others(y int) (scale float64) {
	var own float64
	clear(t.weights)
	t.columns(y, func(c int, value float64) {
		scale += value * value
		if t.shared[c] != nil {
			own += value * value
			floats.AddScaled(t.weights, value, t.shared[c])
		}
		if center := t.centers[c]; center != nil {
			floats.AddScaled(t.weights, 1, center)
		}
	})
	if t.parts[y] != nil {
		floats.AddScaled(t.weights, -own, t.parts[y])
	}
	return scale
}

// replace replaces the part of a task.
func (t *tasks) replace(y int, part []float64) {
	t.atBest = false
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
		c, value := t.Attributes.Column(n), values[k]
		switch {
		case t.centers[c] != nil:
			value = t.reach[c]
		case t.alone[y]:
			continue
		}
		do(c, value)
	}
}

// point sets v from the coefficients of a task, and returns their terms in the dual.
func (t *tasks) point(v []float64, y int, alpha *Coefficients) float64 {
	clear(v)
	var terms float64
	x, positive := t.Inputs.Matrix(), t.Positive[y]
	for k, i := range alpha.Examples {
		for len(positive) > 0 && positive[0] < i {
			positive = positive[1:]
		}
		a := alpha.Values[k]
		terms += t.Loss.term(a, t.cost(i))
		if len(positive) == 0 || positive[0] != i {
			a = -a
		}
		features, values := x.Row(int(i))
		add(v, a, features, values)
	}
	return terms
}

// finish puts the best weights, and the starting point for a problem with another C, into the
// result.
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
	const block = 8 // features, which are together in memory in the weights of a task
	shared := t.shared
	if !t.atBest {
		shared = t.sums(t.best)
	}
	shared = slices.Clone(shared)
	for c, center := range t.centers {
		if center != nil {
			shared[c] = t.bestPlaced[c]
		}
	}
	guarded.Each((features+block-1)/block, t.settings.Workers, func(k int) {
		first, end := k*block, min((k+1)*block, features)
		for c, u := range shared {
			if u != nil {
				for f := first; f < end; f++ {
					w.Set(f, c, u[f])
				}
			}
		}
		for y, part := range t.best {
			if part == nil {
				continue
			}
			t.columns(y, func(c int, value float64) {
				if shared[c] == nil {
					for f := first; f < end; f++ {
						w.Set(f, c, value*part[f])
					}
				}
			})
		}
	})
}
