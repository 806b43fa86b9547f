package chart

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hierml/notebook/hierml/calibration"
)

// Reliability draws the reliability diagram of probabilities: one line per method, with one point
// per bin at its mean probability and the share of true predictions, and a bar of one standard
// error. Points below the diagonal mean that the probabilities are too high. The legend has the
// expected calibration errors. The package comment names the colours of methods.
func Reliability(methods map[string]*calibration.Reliability) (*Figure, error) {
	if len(methods) == 0 {
		return nil, fmt.Errorf("chart: a reliability diagram of no methods; give at least one")
	}
	names := slices.Sorted(maps.Keys(methods))
	var at []float64
	for _, name := range names {
		if methods[name] == nil || len(methods[name].Bins) == 0 {
			return nil, fmt.Errorf("chart: the reliability of %q has no bins; calibration.NewReliability computes them", name)
		}
		for _, b := range methods[name].Bins {
			at = append(at, b.Predicted)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)

	p := newPlot("Reliability", "probability", "part that is true")
	addGrid(p)
	diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	diagonal.LineStyle = draw.LineStyle{Color: paleInk, Width: 1}
	p.Add(diagonal)
	web := &series{at: at, marked: true}
	top := &legend{width: reliabilitySide - 80}
	styles := methodStyles(names)
	for i, name := range names {
		r := methods[name]
		name = fmt.Sprintf("%s, error %.3f", name, r.Error)
		line := webLine{style: styles[i], name: name, x: at, y: missing(len(at)), spreads: missing(len(at))}
		points := make(plotter.XYs, len(r.Bins))
		var bars deviationBars
		for k, b := range r.Bins {
			points[k] = plotter.XY{X: b.Predicted, Y: b.Observed}
			j, _ := slices.BinarySearch(at, b.Predicted)
			line.y[j], line.spreads[j] = b.Observed, b.Deviation
			if b.Deviation > 0 {
				bars.XYs = append(bars.XYs, points[k])
				bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{min(b.Deviation, b.Observed), min(b.Deviation, 1-b.Observed)})
			}
		}
		web.lines = append(web.lines, line)
		if err := addBars(p, styles[i], name, bars); err != nil {
			return nil, err
		}
		if err := addLine(p, top, styles[i], name, points, true); err != nil {
			return nil, err
		}
	}
	p.Add(top)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -reliabilityPad, 1+reliabilityPad, -reliabilityPad, 1+reliabilityPad
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	f := &Figure{Plot: p, Width: reliabilitySide, Height: reliabilitySide}
	return f.interactive(vegaLiteType, true, func(f *Figure) object {
		spec := web.spec(f)
		spec["layer"] = append(list{diagonalLayer(spec["layer"].(list)[0].(object))}, spec["layer"].(list)...)
		return spec
	}), nil
}

const (
	reliabilitySide = 400 // points
	reliabilityPad  = 0.03
)

// missing returns n values that there are not.
func missing(n int) []float64 {
	values := make([]float64, n)
	for k := range values {
		values[k] = math.NaN()
	}
	return values
}

// diagonalLayer returns the diagonal, on the axes of another layer.
func diagonalLayer(other object) object {
	encoding := other["encoding"].(object)
	position := func(axis string) object {
		p := maps.Clone(encoding[axis].(object))
		p["field"] = axis
		return p
	}
	return object{
		"data": object{"values": list{object{"x": 0, "y": 0, "x2": 1, "y2": 1}}},
		"mark": object{"type": "rule", "color": hex(paleInk)},
		"encoding": object{
			"x": position("x"), "y": position("y"), "x2": object{"field": "x2"}, "y2": object{"field": "y2"},
		},
	}
}
