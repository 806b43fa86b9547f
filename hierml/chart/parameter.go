package chart

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Parameter draws one line per method: the mean of a measure over the values of a parameter, with a
// bar from one deviation below to one above each mean. The values ascend. means has one mean per
// value for each method, NaN for a missing point. deviations has as many; it may lack methods, and
// NaN means no bar. If the values grow by factors, to ten times the first or more, the axis is
// logarithmic. The package comment names the colours of methods. Bars of different methods are
// drawn side by side.
func Parameter(parameter, measure string, values []float64, means, deviations map[string][]float64) (*Figure, error) {
	if err := checkParameter(parameter, values, means, deviations); err != nil {
		return nil, err
	}
	p := newPlot(measure+" over "+parameter, parameter, measure)
	addGrid(p)
	top := &legend{width: curveWidth - 80}
	names := slices.Sorted(maps.Keys(means))
	web := &series{at: slices.Clone(values), ticks: slices.Clone(values), marked: true}
	logarithmic := byFactors(values)
	step := besideStep
	if !hasBars(deviations) {
		step = 0
	}
	styles := methodStyles(names)
	for i, name := range names {
		beside := (float64(i) - float64(len(names)-1)/2) * step
		var points plotter.XYs
		var bars deviationBars
		drawn := webLine{style: styles[i], name: name, x: slices.Clone(values), y: slices.Clone(means[name]), spreads: slices.Clone(deviations[name])}
		for k, x := range values {
			y := means[name][k]
			if math.IsNaN(y) {
				continue
			}
			if logarithmic {
				x *= math.Pow(values[len(values)-1]/values[0], beside)
			} else {
				x += beside * (values[len(values)-1] - values[0])
			}
			drawn.x[k] = x
			points = append(points, plotter.XY{X: x, Y: y})
			if d := deviations[name]; d != nil && d[k] > 0 {
				bars.XYs = append(bars.XYs, plotter.XY{X: x, Y: y})
				bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{d[k], d[k]})
			}
		}
		if len(points) == 0 {
			continue
		}
		web.lines = append(web.lines, drawn)
		if err := addBars(p, styles[i], name, bars); err != nil {
			return nil, err
		}
		if err := addLine(p, top, styles[i], name, points, true); err != nil {
			return nil, err
		}
	}
	p.Add(top)
	p.X.Tick.Marker = valueTicks(values, logarithmic)
	p.Y.Tick.Marker = roundTicks{}
	if logarithmic {
		p.X.Scale = plot.LogScale{}
	} else if len(values) == 1 {
		p.X.Min, p.X.Max = values[0]-1, values[0]+1
	}
	if step > 0 && len(values) > 1 {
		// The caps of the outermost bars are to be in the frame.
		room := barRoom
		if logarithmic {
			factor := math.Pow(values[len(values)-1]/values[0], room)
			p.X.Min, p.X.Max = p.X.Min/factor, p.X.Max*factor
		} else {
			room *= values[len(values)-1] - values[0]
			p.X.Min, p.X.Max = p.X.Min-room, p.X.Max+room
		}
	}
	padRange(&p.Y)
	f := &Figure{Plot: p, Width: curveWidth, Height: curveHeight}
	return f.interactive(vegaLiteType, true, web.spec), nil
}

// besideStep is how far two methods stand beside each other, as a share of the axis.
const besideStep = 0.006

// barRoom is the room left and right of the outermost bars, as a share of the axis.
const barRoom = 0.012

// hasBars tells whether some deviation is above zero.
func hasBars(deviations map[string][]float64) bool {
	for _, d := range deviations {
		if slices.ContainsFunc(d, func(v float64) bool { return v > 0 }) {
			return true
		}
	}
	return false
}

// deviationBars are the bars of one method.
type deviationBars struct {
	plotter.XYs
	plotter.YErrors
}

// addBars adds those of a line, if there are any.
func addBars(p *plot.Plot, style int, name string, bars deviationBars) error {
	if len(bars.XYs) == 0 {
		return nil
	}
	deviation, err := plotter.NewYErrorBars(bars)
	if err != nil {
		return fmt.Errorf("chart: deviations of %q: %w", name, err)
	}
	deviation.LineStyle = draw.LineStyle{Color: lineColors[style%len(lineColors)], Width: 0.8}
	deviation.CapWidth = vg.Points(5)
	p.Add(deviation)
	return nil
}

func checkParameter(parameter string, values []float64, means, deviations map[string][]float64) error {
	if len(values) == 0 || len(means) == 0 {
		return fmt.Errorf("chart: %d values of %s and %d methods; give at least one of each", len(values), parameter, len(means))
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || i > 0 && v <= values[i-1] {
			return fmt.Errorf("chart: value %v of %s at position %d; values have to be finite and ascending", v, parameter, i)
		}
	}
	some := false
	for _, name := range slices.Sorted(maps.Keys(means)) {
		if len(means[name]) != len(values) {
			return fmt.Errorf("chart: %q has %d means for %d values of %s; give one per value", name, len(means[name]), len(values), parameter)
		}
		if d := deviations[name]; d != nil && len(d) != len(values) {
			return fmt.Errorf("chart: %q has %d deviations for %d values of %s; give one per value", name, len(d), len(values), parameter)
		}
		for k, y := range means[name] {
			if math.IsInf(y, 0) || deviations[name] != nil && (math.IsInf(deviations[name][k], 0) || deviations[name][k] < 0) {
				return fmt.Errorf("chart: %q has at %s = %v a mean or deviation that is infinite, or a deviation that is negative", name, parameter, values[k])
			}
			some = some || !math.IsNaN(y)
		}
	}
	if !some {
		return fmt.Errorf("chart: all means over %s are NaN: there is nothing to draw", parameter)
	}
	return nil
}
