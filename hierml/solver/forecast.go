package solver

import (
	"math"
	"time"

	"gonum.org/v1/gonum/stat"
)

// forecast estimates when a training will reach its goal from the decrease of its gap so far. The
// gap can fall linearly, when parts are solved one after the other; by a constant factor per epoch,
// as in dual ascent; or by a power of the number of epochs, as with subgradients. The last three
// quarters of the epochs decide between these.
type forecast struct {
	points []Progress // evenly spaced epochs
	every  int        // one point per this number of epochs
	last   Progress
}

const (
	maxPoints   = 64 // to store
	leastPoints = 5  // for a trend; the first epochs differ
	farthest    = 10 // times the elapsed time; longer forecasts are mere guesses
)

// add adds an epoch.
func (f *forecast) add(p Progress) {
	f.last = p
	f.every = max(1, f.every)
	if p.Epoch%f.every != 0 {
		return
	}
	f.points = append(f.points, p)
	if len(f.points) < maxPoints {
		return
	}
	f.every *= 2
	kept := f.points[:0]
	for _, p := range f.points {
		if p.Epoch%f.every == 0 {
			kept = append(kept, p)
		}
	}
	f.points = kept
}

// trends are the lines that the gap may fall on: of functions of the epoch and of the gap.
var trends = []struct{ ofEpoch, ofGap, toEpoch, toGap func(float64) float64 }{
	{identity, identity, identity, identity},
	{identity, math.Log, identity, math.Exp},
	{math.Log, math.Log, math.Exp, math.Exp},
}

func identity(v float64) float64 { return v }

// left returns the remaining time of the training. It is negative if unknown: with too few epochs,
// or if the end is too far beyond them. If the gap does not fall, the maximum number of epochs and
// the time bound it; a time of 0 is no bound.
func (f *forecast) left(goal float64, most int, bound time.Duration) time.Duration {
	const unknown = -1
	points := f.points
	for len(points) > 0 && 4*points[0].Epoch < f.last.Epoch {
		points = points[1:]
	}
	if len(points) < leastPoints || f.last.reached() <= goal {
		return unknown
	}
	epochs := float64(most - f.last.Epoch)
	if end, ok := crossing(points, f.last, goal); ok {
		epochs = min(epochs, end-float64(f.last.Epoch))
	}
	half := points[len(points)/2]
	if half.Epoch == f.last.Epoch {
		half = points[len(points)/2-1]
	}
	seconds := epochs * (f.last.Seconds - half.Seconds) / float64(f.last.Epoch-half.Epoch)
	if bound > 0 {
		seconds = min(seconds, max(0, bound.Seconds()-f.last.Seconds))
	}
	if !(seconds >= 0 && seconds <= farthest*f.last.Seconds) {
		return unknown
	}
	return time.Duration(seconds * float64(time.Second))
}

// crossing returns the epoch in which the gap reaches the goal, on the best-fitting trend, starting
// at the last epoch.
func crossing(points []Progress, last Progress, goal float64) (epoch float64, ok bool) {
	nearest := math.Inf(1)
	x, y := make([]float64, len(points)), make([]float64, len(points))
	for _, t := range trends {
		for k, p := range points {
			x[k], y[k] = t.ofEpoch(float64(p.Epoch)), t.ofGap(p.reached())
		}
		intercept, slope := stat.LinearRegression(x, y, nil, false)
		off := 0.0
		for k, p := range points {
			d := math.Log(max(t.toGap(intercept+slope*x[k]), goal)) - math.Log(p.reached())
			off += d * d
		}
		if !(off < nearest) {
			continue
		}
		nearest, ok = off, slope < 0
		epoch = t.toEpoch(t.ofEpoch(float64(last.Epoch)) + (t.ofGap(goal)-t.ofGap(last.reached()))/slope)
	}
	return epoch, ok
}
