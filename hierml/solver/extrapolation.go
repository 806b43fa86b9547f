package solver

import (
	"context"
	"slices"

	"github.com/hierml/notebook/hierml/structured"
)

// extrapolation continues in the direction of an epoch. With many examples and few features, epochs
// move in nearly the same direction, and not far. The point several epochs ahead is projected to a
// feasible point, and the dual is maximised on the line to it.
type extrapolation struct {
	weights   structured.Combiner
	change    structured.State // of the weights; nil before the first epoch
	before    *structured.Dual // at the end of the previous epoch
	step      *structured.Dual // direction
	precision structured.Precision
	ahead     float64 // how many epochs

	ids    []int32
	values []float64
}

// Bounds of the number of epochs to look ahead.
const (
	leastAhead = 1
	maxAhead   = 1024
)

// newExtrapolation returns nil where the weights are too many.
func newExtrapolation(s *state) *extrapolation {
	w := structured.AsCombiner(s.weights)
	if w == nil {
		return nil
	}
	return &extrapolation{weights: w, precision: s.settings.precision(false), ahead: 4}
}

// advance moves the point, and the weights that belong to it, between two epochs. It returns ctx's
// error if it is cancelled.
func (e *extrapolation) advance(ctx context.Context, o *structured.Oracle, d *structured.Dual, workers int) error {
	if e.change == nil {
		e.change, e.before, e.step = o.NewState(e.precision), o.NewDual(), o.NewDual()
		e.before.CopyFrom(d)
		return nil
	}
	gain := e.aim(o, d)
	curvature, _, err := o.Build(ctx, e.step, e.change, workers)
	if err != nil {
		return err
	}
	slope := gain - e.weights.Dot(e.change)
	e.before.CopyFrom(d)
	if slope <= 0 || curvature <= 0 {
		e.ahead = leastAhead
		return nil
	}
	share := min(1, slope/curvature)
	for b := range o.Blocks() {
		e.move(d, b, share)
	}
	e.weights.AddScaled(share, e.change)
	switch {
	case share == 1:
		e.ahead = min(2*e.ahead, maxAhead)
	case share < 0.5:
		e.ahead = max(e.ahead/2, leastAhead)
	}
	return nil
}

// aim sets the direction from the point to the point ahead. Block by block, that point is projected
// to coefficients that are not negative and do not exceed their maximum sum. aim returns the sum of
// the costs times the direction.
func (e *extrapolation) aim(o *structured.Oracle, d *structured.Dual) float64 {
	var gain float64
	for b := range o.Blocks() {
		ids, now := d.Row(b)
		old, then := e.before.Row(b)
		e.ids, e.values = append(e.ids[:0], ids...), append(e.values[:0], now...)
		for k, id := range old {
			at := slices.Index(e.ids, id)
			if at < 0 {
				at = len(e.ids)
				e.ids, e.values = append(e.ids, id), append(e.values, 0)
			}
			e.values[at] -= then[k]
		}
		var sum float64
		for k := range e.values {
			from := 0.0
			if k < len(now) {
				from = now[k]
			}
			e.values[k] = max(0, from+e.ahead*e.values[k])
			sum += e.values[k]
		}
		scale := 1.0
		if c := o.C(b); sum > c {
			scale = c / sum
		}
		for k, id := range e.ids {
			e.values[k] *= scale
			if k < len(now) {
				e.values[k] -= now[k]
			}
			if e.values[k] != 0 {
				gain += e.values[k] * o.Cost(b, id)
			}
		}
		e.step.SetRow(b, e.ids, e.values)
	}
	return gain
}

// move adds a share of the direction to the coefficients of block b.
func (e *extrapolation) move(d *structured.Dual, b int, share float64) {
	ids, values := d.Row(b)
	towards, change := e.step.Row(b)
	if len(change) == 0 {
		return
	}
	e.ids, e.values = append(e.ids[:0], ids...), append(e.values[:0], values...)
	for k, id := range towards {
		at := slices.Index(e.ids, id)
		if at < 0 {
			at = len(e.ids)
			e.ids, e.values = append(e.ids, id), append(e.values, 0)
		}
		e.values[at] = max(0, e.values[at]+share*change[k])
	}
	d.SetRow(b, e.ids, e.values)
}
