package chart

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/hierml/notebook/hierml/solver"
)

// Convergence draws a training. The upper plot has the primal and the dual value over the epochs,
// with the optimum between them. The lower plot has the relative gap between them on a logarithmic
// axis. Epochs without a certificate and values that are not finite are left out. Of more than a
// thousand epochs, a thousand are drawn, evenly spaced, with the first and the last.
func Convergence(history []solver.Progress) (*Figure, error) {
	var primal, dual, gap plotter.XYs
	certified := slices.DeleteFunc(slices.Clone(history), func(h solver.Progress) bool { return h.Estimate > 0 })
	for _, k := range thinned(len(certified), maxEpochs) {
		h := certified[k]
		x := float64(h.Epoch)
		primal = appendFinite(primal, x, h.Primal)
		dual = appendFinite(dual, x, h.Dual)
		gap = appendFinite(gap, x, h.Gap)
	}
	if len(primal) == 0 {
		return nil, fmt.Errorf("chart: a history of %d epochs has no finite primal value; give the History of a solver.Result", len(history))
	}
	upper := newPlot("Convergence", "", "objective")
	addGrid(upper)
	top := &legend{width: curveWidth - 80}
	marked := len(primal) <= 20
	if err := addLine(upper, top, 0, "primal", primal, marked); err != nil {
		return nil, err
	}
	if len(dual) > 0 {
		if err := addLine(upper, top, 1, "dual", dual, marked); err != nil {
			return nil, err
		}
	}
	upper.Add(top)
	upper.Y.Tick.Marker = roundTicks{}
	upper.X.Tick.Marker = roundTicks{whole: true}
	f := &Figure{Plot: upper, Width: curveWidth, Height: curveHeight}
	if gap = positive(gap); len(gap) == 0 {
		upper.X.Label.Text = "epoch"
		return f.interactive(vegaLiteType, true, newTraining(primal, dual, nil, marked).spec), nil
	}
	lower := newPlot("", "epoch", "relative gap")
	addGrid(lower)
	if err := addLine(lower, &legend{}, 2, "gap", gap, marked); err != nil {
		return nil, err
	}
	lower.X.Min, lower.X.Max = upper.X.Min, upper.X.Max
	lower.X.Tick.Marker = roundTicks{whole: true}
	lower.Y.Scale = plot.LogScale{}
	lower.Y.Tick.Marker = decadeTicks{}
	lower.Y.Min = math.Pow(10, math.Floor(math.Log10(lower.Y.Min)))
	lower.Y.Max = math.Pow(10, math.Ceil(math.Log10(lower.Y.Max)))
	if lower.Y.Min == lower.Y.Max {
		lower.Y.Max *= 10
	}
	f.Below, f.Height = lower, 1.6*curveHeight
	return f.interactive(vegaLiteType, true, newTraining(primal, dual, gap, marked).spec), nil
}

// training is the interactive form of a convergence: the same lines in both plots, of which each
// draws its own and tells of all.
type training struct {
	upper, lower series
}

func newTraining(primal, dual, gap plotter.XYs, marked bool) *training {
	row := make(map[float64]int) // by epoch
	for _, points := range []plotter.XYs{primal, dual, gap} {
		for _, p := range points {
			row[p.X] = 0
		}
	}
	epochs := slices.Sorted(maps.Keys(row))
	for k, e := range epochs {
		row[e] = k
	}
	t := &training{}
	for _, s := range []*series{&t.upper, &t.lower} {
		*s = series{at: epochs, marked: marked, over: "epoch"}
	}
	for style, points := range []plotter.XYs{primal, dual, gap} {
		if len(points) == 0 {
			continue
		}
		l := webLine{style: style, name: [3]string{"primal", "dual", "gap"}[style], x: epochs, y: make([]float64, len(epochs))}
		for k := range l.y {
			l.y[k] = math.NaN()
		}
		for _, p := range points {
			l.y[row[p.X]] = p.Y
		}
		l.told = style == 2
		t.upper.lines = append(t.upper.lines, l)
		l.told = style != 2
		t.lower.lines = append(t.lower.lines, l)
	}
	return t
}

// spec returns one view or two below each other.
func (t *training) spec(f *Figure) object {
	if f.Below == nil {
		return t.upper.spec(f)
	}
	w, h := f.Size()
	width, height := pixels(w)-90, pixels(h)-150
	return narrowing(vegaLite(object{
		"data":    t.upper.data(),
		"title":   object{"text": narrowed(f.title(f.Plot), longestTitle, "expr"), "anchor": "middle"},
		"vconcat": list{t.upper.view(f.Plot, width, math.Round(0.62*height)), t.lower.view(f.Below, width, math.Round(0.38*height))},
		"spacing": 14,
		"resolve": object{"scale": object{"color": "independent", "strokeDash": "independent", "shape": "independent"}},
	}), width, 60)
}

func appendFinite(points plotter.XYs, x, y float64) plotter.XYs {
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return points
	}
	return append(points, plotter.XY{X: x, Y: y})
}

// positive moves what is not above zero to the smallest value that is, because a logarithmic axis
// has no zero.
func positive(points plotter.XYs) plotter.XYs {
	least := math.Inf(1)
	for _, p := range points {
		if p.Y > 0 {
			least = min(least, p.Y)
		}
	}
	if math.IsInf(least, 1) {
		return nil
	}
	for i := range points {
		points[i].Y = max(points[i].Y, least)
	}
	return points
}
