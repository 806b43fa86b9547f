package chart

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

const (
	curveWidth  = 460
	curveHeight = 320
)

// LearningCurve draws one line per method: its accuracy, or another measure, over the training
// size. curves has the values of each method at the sizes. Sizes are positive and ascending, such
// as the instances per class or in total. If the sizes grow by factors, to ten times the first or
// more, the axis is logarithmic. The package comment names the colours of methods.
func LearningCurve(sizes []int, curves map[string][]float64) (*Figure, error) {
	if len(sizes) == 0 || len(curves) == 0 {
		return nil, fmt.Errorf("chart: a learning curve of %d sizes and %d methods; give at least one of each", len(sizes), len(curves))
	}
	for i, s := range sizes {
		if s <= 0 || i > 0 && s <= sizes[i-1] {
			return nil, fmt.Errorf("chart: training size %d at position %d; sizes have to be positive and ascending", s, i)
		}
	}
	names := slices.Sorted(maps.Keys(curves))
	for _, name := range names {
		if len(curves[name]) != len(sizes) {
			return nil, fmt.Errorf("chart: curve %q has %d values for %d sizes; give one per size", name, len(curves[name]), len(sizes))
		}
		for i, v := range curves[name] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("chart: curve %q has the value %v at size %d; it has to be finite", name, v, sizes[i])
			}
		}
	}

	p := newPlot("Accuracy over training size", "training size", "accuracy")
	addGrid(p)
	values := make([]float64, len(sizes))
	for i, s := range sizes {
		values[i] = float64(s)
	}
	web := &series{at: values, ticks: values, marked: true}
	top := &legend{width: curveWidth - 80}
	styles := methodStyles(names)
	for i, name := range names {
		web.lines = append(web.lines, webLine{style: styles[i], name: name, x: values, y: slices.Clone(curves[name])})
		points := make(plotter.XYs, len(sizes))
		for k, s := range sizes {
			points[k] = plotter.XY{X: float64(s), Y: curves[name][k]}
		}
		if err := addLine(p, top, styles[i], name, points, true); err != nil {
			return nil, err
		}
	}
	p.Add(top)
	logarithmic := byFactors(values)
	p.X.Tick.Marker = valueTicks(values, logarithmic)
	p.Y.Tick.Marker = roundTicks{}
	if logarithmic {
		p.X.Scale = plot.LogScale{}
	}
	padRange(&p.Y)
	f := &Figure{Plot: p, Width: curveWidth, Height: curveHeight}
	return f.interactive(vegaLiteType, true, web.spec), nil
}

// addLine adds a line and names it in the legend.
func addLine(p *plot.Plot, l *legend, style int, name string, points plotter.XYs, marked bool) error {
	line, glyphs, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("chart: line %q: %w", name, err)
	}
	line.LineStyle = lineStyle(style)
	glyphs.GlyphStyle = glyphStyle(style)
	p.Add(line)
	entry := legendEntry{name: name, line: line.LineStyle}
	if marked {
		p.Add(glyphs)
		entry.glyph = &glyphs.GlyphStyle
	}
	l.entries = append(l.entries, entry)
	return nil
}

// padRange leaves a little room around the values, within 0 to 1 where they are.
func padRange(axis *plot.Axis) {
	low, high := axis.Min, axis.Max
	pad := (high - low) * 0.06
	if pad == 0 {
		pad = max(math.Abs(high)*0.05, 0.01)
	}
	axis.Min, axis.Max = low-pad, high+pad
	if low >= 0 {
		axis.Min = max(axis.Min, 0)
	}
	if high <= 1 {
		axis.Max = min(axis.Max, 1)
	}
}

// byFactors tells whether ascending values suit a logarithmic axis: they are positive, the last is
// at least ten times the first, and the one in the middle is nearer to the geometric mean of these
// two than to the arithmetic mean, which it would be among values in equal steps.
func byFactors(values []float64) bool {
	first, last := values[0], values[len(values)-1]
	if first <= 0 || last < 10*first*(1-1e-9) {
		return false
	}
	n := len(values)
	middle := math.Sqrt(values[(n-1)/2]) * math.Sqrt(values[n/2])
	return middle < (math.Sqrt(first)*math.Sqrt(last)+first/2+last/2)/2
}

// valueTicks marks the values themselves, as long as their labels do not touch.
func valueTicks(values []float64, logarithmic bool) plot.Ticker {
	ticks := make(plot.ConstantTicks, len(values))
	place := func(v float64) float64 {
		low, high := values[0], values[len(values)-1]
		if logarithmic {
			v, low, high = math.Log(v), math.Log(low), math.Log(high)
		}
		return (v - low) / max(high-low, 1e-9) * (curveWidth - 80)
	}
	free := math.Inf(-1)
	style := sans(10, ink)
	for i, v := range values {
		ticks[i].Value = v
		label := strconv.FormatFloat(v, 'g', -1, 64)
		if v == math.Trunc(v) && math.Abs(v) < 1e7 {
			label = strconv.Itoa(int(v))
		}
		half := style.Width(label).Points()/2 + 3
		if at := place(v); at-half >= free {
			ticks[i].Label = label
			free = at + half
		}
	}
	return ticks
}
