package solver

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/structured"
)

// This file evaluates both objectives of tasks.

// certifyInTime certifies the current weights, and returns errOver if the time is up first. It
// reserves the time of the first visits, and a twentieth more, for the equally many weights of the
// result.
func (t *tasks) certifyInTime(ctx context.Context) error {
	timed, cancel := t.settings.limit(ctx, t.after())
	defer cancel()
	err := t.certify(timed)
	if overTime(timed, err) {
		return errOver
	}
	return err
}

// after is the time reserved for the work after the last certificate.
func (t *tasks) after() time.Duration { return min(t.first, t.settings.Time/2) + t.settings.Time/20 }

// certify evaluates both objectives, in one pass over the examples for each task, and stores the
// weights if they are the best so far.
func (t *tasks) certify(ctx context.Context) error {
	began := time.Now()
	if t.cut && t.result.Primal >= t.result.Origin && len(t.Free) == 0 {
		t.rescale()
	}
	t.shared = t.sums(t.parts) // without accumulated rounding
	constant := t.C * t.Loss.Value(0) * t.empty
	all := make([]taskValues, len(t.alpha))
	t.place()
	point := t.dualPoint(ctx, t.alpha)
	var evaluated atomic.Int64
	group := max(1, min((len(all)+groups-1)/groups, maxInGroup))
	guarded.Each((len(all)+group-1)/group, t.settings.Workers, func(k int) {
		first, end := k*group, min((k+1)*group, len(all))
		t.evaluate(ctx, first, all[first:end])
		done := evaluated.Add(int64(end - first))
		t.settings.watched.tell(func() string {
			return stateOfPoint(fmt.Sprintf("epoch %d", t.result.Epochs+1), true, float64(done)/float64(len(all)))
		})
	})
	for y, v := range point.v {
		if part := t.parts[y]; v != nil && part != nil {
			d := floats.Distance(v, part, 2)
			all[y].gap += all[y].losses - point.terms[y] + all[y].scale*d*d/2
			all[y].own = all[y].losses + all[y].scale*floats.Dot(part, part)/2
		}
	}
	norms := make([]float64, len(t.shared))
	for c, u := range t.shared {
		if t.centers[c] != nil {
			u = t.placed[c]
		}
		norms[c] = t.norm(u, 1)
	}
	if slices.ContainsFunc(all, func(v taskValues) bool { return !v.scored }) {
		return ctx.Err()
	}
	var primal, penalty float64
	for c, norm := range norms {
		if t.centers[c] == nil {
			penalty += norm * norm / 2
		}
	}
	for y, v := range all {
		penalty += v.ridge
		primal += v.losses + constant
		t.primal[y], t.gap[y] = v.own, v.gap
	}
	primal += penalty
	dual, near := t.dual(ctx, point, primal)
	if v := primal - dual; math.IsNaN(v) || math.IsInf(v, 0) { // overflow
		return fmt.Errorf("solver: the weights of tasks overflow; set a smaller C, or scale the features")
	}
	t.reached = structured.Certificate{Primal: primal, Dual: dual}
	t.result.Dual = max(t.result.Dual, dual)
	if primal <= t.result.Primal {
		t.result.Primal, t.best, t.atBest = primal, slices.Clone(t.parts), true
		t.bestPlaced = t.placed
	}
	if factor, ok := t.stretch(all, norms); ok {
		if v := factor*factor*penalty + constant*float64(len(all)); v < t.result.Primal {
			t.result.Primal, t.best, t.atBest = v, scaled(t.parts, factor), false
			t.bestPlaced = scaled(t.placed, factor)
		}
	}
	t.longest = max(t.longest, time.Since(began))
	t.result.Gap = structured.Certificate{Primal: t.result.Primal, Dual: t.result.Dual}.Gap()
	if near {
		t.move()
	}
	return nil
}

// scaled returns vectors times a factor; nil stays nil.
func scaled(of [][]float64, factor float64) [][]float64 {
	vectors := make([][]float64, len(of))
	for k, v := range of {
		if v != nil {
			vectors[k] = floats.ScaleTo(make([]float64, len(v)), factor, v)
		}
	}
	return vectors
}

// dualPoint is a point of the dual, by task: v and the terms of its coefficients.
type dualPoint struct {
	v     [][]float64 // nil for zeros
	terms []float64
}

// dualPoint returns the point of the coefficients, of as many tasks as ctx has time for; zeros are
// also feasible.
func (t *tasks) dualPoint(ctx context.Context, alpha []*Coefficients) dualPoint {
	p := dualPoint{make([][]float64, len(alpha)), make([]float64, len(alpha))}
	guarded.Each(len(alpha), t.settings.Workers, func(y int) {
		if ctx.Err() == nil {
			v := make([]float64, len(t.weights))
			p.terms[y] = t.point(v, y, alpha[y])
			p.v[y] = v
		}
	})
	return p
}

// penalized returns the value of the dual at a point, and the sums of the columns that tasks share.
func (t *tasks) penalized(p dualPoint) (value float64, sums [][]float64) {
	constant := t.C * t.Loss.Value(0) * t.empty
	for y, v := range p.v {
		value += p.terms[y] + constant
		if v != nil {
			t.columns(y, func(c int, scale float64) {
				if t.shared[c] == nil {
					value -= scale * scale * floats.Dot(v, v) / 2
				}
			})
		}
	}
	sums = t.sums(p.v)
	for c, u := range sums {
		if t.centers[c] == nil {
			value -= floats.Dot(u, u) / 2
		}
	}
	return value, sums
}

// taskValues are the terms of a task in both objectives.
type taskValues struct {
	ridge  float64 // of the columns that it has alone
	losses float64 // without examples that have no features
	scored bool    // exactly
	scale  float64
	own    float64 // the value of its problem with the others fixed
	least  float64 // the least margin of an example with features
	gap    float64 // there
}

// The tasks are scored in groups: scoring an example for a group costs little more than for one
// task. The number of groups lets goroutines share the work.
const maxInGroup, groups = 16, 16

// newGroup returns weights for a group: in float64, or as two float32 each, the second being the
// remainder of the first, whose sums are faster and as exact.
func (t *tasks) newGroup(size int) *structured.Weights {
	if t.settings.Wide() {
		return structured.NewWideWeights(make([]int, size), len(t.weights))
	}
	return structured.NewWeights(make([]int, 2*size), len(t.weights))
}

// evaluate evaluates some tasks, starting with first, at their weights, unless ctx is cancelled. As
// the gap it sets the products of coefficients and margins.
func (t *tasks) evaluate(ctx context.Context, first int, values []taskValues) {
	if ctx.Err() != nil {
		return
	}
	w := t.newGroup(len(values))
	weights := make([]float64, len(t.weights))
	for k := range values {
		v := &values[k]
		v.least = math.Inf(1)
		clear(weights)
		t.columns(first+k, func(c int, value float64) {
			v.scale += value * value
			if t.centers[c] != nil {
				for f, v := range t.placed[c] {
					weights[f] += t.kept(v)
				}
				return
			}
			if u := t.shared[c]; u != nil {
				for f, v := range u {
					weights[f] += value * t.kept(v)
				}
				return
			}
			for f, u := range t.parts[first+k] {
				u = t.kept(value * u)
				v.ridge += u * u / 2
				weights[f] += value * u
			}
		})
		for f, u := range weights {
			rest := u - w.Set(f, k, u)
			if w.Wide == nil {
				w.Set(f, len(values)+k, rest)
			}
		}
	}
	// The next of the examples of the class, and with a coefficient.
	type position struct{ positive, coefficient int }
	at := make([]position, len(values))
	scores := make([]float64, w.Stride)
	x := t.Inputs.Matrix()
	for i := range x.Rows {
		if i%visits == 0 && ctx.Err() != nil {
			return
		}
		features, row := x.Row(i)
		w.Scores(features, row, scores)
		for k := range values {
			v, p := &values[k], &at[k]
			m, positive, alpha := -scores[k], t.Positive[first+k], t.alpha[first+k]
			if w.Wide == nil {
				m -= scores[len(values)+k]
			}
			if p.positive < len(positive) && int(positive[p.positive]) == i {
				m = -m
				p.positive++
			}
			if p.coefficient < len(alpha.Examples) && int(alpha.Examples[p.coefficient]) == i {
				v.gap += alpha.Values[p.coefficient] * m
				p.coefficient++
			}
			if t.Inputs.SquaredNorm(i) > 0 {
				v.least = min(v.least, m)
				v.losses += t.cost(int32(i)) * t.Loss.Value(m)
			}
		}
	}
	for k := range values {
		values[k].scored = true
	}
}

// rescale multiplies all weights by the power of two with the lowest objective over some examples:
// for unfinished tasks the scale of the weights is arbitrary.
func (t *tasks) rescale() {
	x := t.Inputs.Matrix()
	step := (x.Rows + sampled - 1) / sampled
	var ridge float64
	for _, u := range t.sums(t.parts) {
		ridge += floats.Dot(u, u) / 2
	}
	losses := make([]float64, multiples)
	for y, part := range t.parts {
		scale := t.others(y)
		floats.AddScaled(t.weights, scale, part)
		t.columns(y, func(c int, value float64) {
			if t.shared[c] == nil {
				ridge += value * value * floats.Dot(part, part) / 2
			}
		})
		for i := 0; i < x.Rows; i += step {
			features, values := x.Row(i)
			m := -dot(t.weights, features, values)
			if _, of := slices.BinarySearch(t.Positive[y], int32(i)); of {
				m = -m
			}
			for k := range losses {
				losses[k] += float64(step) * t.cost(int32(i)) * t.Loss.Value(math.Ldexp(m, -k))
			}
		}
	}
	best := 0
	for k := range losses {
		if losses[k] += math.Ldexp(ridge, -2*k); losses[k] < losses[best] {
			best = k
		}
	}
	if best > 0 {
		for y, part := range t.parts {
			scaled := make([]float64, len(part))
			t.parts[y] = floats.ScaleTo(scaled, math.Ldexp(1, -best), part)
		}
	}
}

// sampled is the number of examples by which weights are rescaled, and multiples the number of
// powers of two that they are multiplied by.
const sampled, multiples = 200, 20

// norm is the norm of a multiple of weights as stored.
func (t *tasks) norm(u []float64, scale float64) float64 {
	var square float64
	for _, v := range u {
		v = t.kept(scale * v)
		square += v * v
	}
	return math.Sqrt(square)
}

// kept returns a weight as stored.
func (t *tasks) kept(v float64) float64 {
	if t.settings.Wide() {
		return v
	}
	return float64(float32(v))
}

// sums returns the weights of the columns that tasks share, from the parts of the tasks.
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
