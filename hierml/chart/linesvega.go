package chart

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// maxEpochs bounds the points of a line that are drawn.
const maxEpochs = 1000

// series are lines over the same values, as the interactive chart has them.
type series struct {
	at     []float64 // the values that people see
	lines  []webLine
	ticks  []float64 // marked, or nil for round numbers
	marked bool      // every point
	over   string    // what the values are, if the axis does not say so
}

// webLine is a line with its place among the styles. Its points are at x, which may be a little
// beside the values.
type webLine struct {
	style   int
	name    string
	x, y    []float64 // NaN where there is none
	spreads []float64 // or nil
	told    bool      // with the others, but not drawn
}

// data returns one row for each value.
func (s *series) data() object {
	rows := list{}
	for _, k := range thinned(len(s.at), maxEpochs) {
		row := object{"x": s.at[k]}
		for i, l := range s.lines {
			if math.IsNaN(l.y[k]) {
				continue
			}
			row[fmt.Sprint("y", i)] = l.y[k]
			row[fmt.Sprint("x", i)] = l.x[k]
			if l.spreads != nil && l.spreads[k] > 0 {
				row[fmt.Sprint("l", i)] = l.y[k] - l.spreads[k]
				row[fmt.Sprint("h", i)] = l.y[k] + l.spreads[k]
				row[fmt.Sprint("d", i)] = l.spreads[k]
			}
		}
		rows = append(rows, row)
	}
	return object{"values": rows}
}

// web shapes of the glyphs.
var webShapes = []string{"circle", "square", "triangle-up", "circle", "square", "triangle-up"}

// view returns a view of the lines in the ranges of p, of which a rule follows the pointer and
// tells the values.
func (s *series) view(p *plot.Plot, width, height float64) object {
	names, colors, dashes, shapes := list{}, list{}, list{}, list{}
	for _, l := range s.lines {
		if l.told {
			continue
		}
		names = append(names, l.name)
		colors = append(colors, hex(lineColors[l.style%len(lineColors)]))
		dash := list{}
		for _, d := range lineDashes[l.style%len(lineDashes)] {
			dash = append(dash, float64(d))
		}
		if len(dash) == 0 {
			dash = list{1, 0}
		}
		dashes = append(dashes, dash)
		shapes = append(shapes, webShapes[l.style%len(webShapes)])
	}
	legend := object{"orient": "top", "title": nil, "labelLimit": 320, "symbolSize": 90, "columns": object{"expr": "max(1, floor(width / 150))"}}
	axis := func(a *plot.Axis, marked []float64) object {
		axis := object{"title": a.Label.Text, "labelOverlap": "greedy", "tickCount": 6, "labelExpr": numberExpression}
		if marked != nil {
			axis["values"] = marked
		}
		return axis
	}
	scale := func(a *plot.Axis) object {
		scale := object{"domain": axisRange(a), "nice": false, "zero": false}
		if _, logarithmic := a.Scale.(plot.LogScale); logarithmic {
			scale["type"] = "log"
			delete(scale, "zero")
		}
		return scale
	}
	position := func(field string, a *plot.Axis, marked []float64) object {
		return object{"field": field, "type": "quantitative", "scale": scale(a), "axis": axis(a, marked)}
	}
	clip := s.beyond(p)
	layers := list{}
	// The layer that follows the pointer has areas around its rules, whose datum is that of a rule.
	const row = "(datum.datum || datum)"
	about := []string{cmp.Or(s.over, p.X.Label.Text, "x"), row + ".x"}
	for i, l := range s.lines {
		value := fmt.Sprintf("format(%s.y%d, '.6~g')", row, i)
		if l.spreads != nil {
			value += fmt.Sprintf(" + (isValid(%[1]s.d%[2]d) ? ' ± ' + format(%[1]s.d%[2]d, '.3~g') : '')", row, i)
		}
		about = append(about, l.name, fmt.Sprintf("isValid(%s.y%d) ? %s : 'none'", row, i, value))
		if l.told {
			continue
		}
		x, y := position(fmt.Sprint("x", i), &p.X, s.ticks), position(fmt.Sprint("y", i), &p.Y, decades(p))
		where := func(field string) list {
			return list{object{"filter": fmt.Sprintf("isValid(datum.%s%d)", field, i)}, object{"calculate": quoted(l.name), "as": "line"}}
		}
		styled := func(styles list) object {
			return object{"field": "line", "type": "nominal", "scale": object{"domain": names, "range": styles}, "legend": legend}
		}
		layers = append(layers, object{
			"transform": where("y"),
			"mark":      object{"type": "line", "strokeWidth": 2, "clip": clip},
			"encoding":  object{"x": x, "y": y, "color": styled(colors), "strokeDash": styled(dashes)},
		})
		if l.spreads != nil {
			layers = append(layers, object{
				"transform": where("l"),
				"mark":      object{"type": "errorbar", "ticks": true, "clip": clip},
				"encoding": object{"x": x, "color": styled(colors),
					"y":  object{"field": fmt.Sprint("l", i), "type": "quantitative", "scale": scale(&p.Y), "title": p.Y.Label.Text},
					"y2": object{"field": fmt.Sprint("h", i)}},
			})
		}
		if s.marked {
			layers = append(layers, object{
				"transform": where("y"),
				"mark":      object{"type": "point", "filled": true, "opacity": 1, "size": 50, "clip": clip},
				"encoding":  object{"x": x, "y": y, "color": styled(colors), "shape": styled(shapes)},
			})
		}
	}
	layers = append(layers, object{
		"params": list{object{"name": "pointed", "select": object{"type": "point", "fields": list{"x"}, "nearest": true, "on": "mouseover", "clear": "mouseout"}}},
		"mark":   object{"type": "rule", "color": hex(frameInk), "tooltip": object{"expr": tooltip(about...)["signal"]}},
		"encoding": object{
			"x":       position("x", &p.X, s.ticks),
			"opacity": object{"value": 0, "condition": object{"param": "pointed", "empty": false, "value": 1}},
		},
	})
	return object{"width": width, "height": height, "layer": layers}
}

// beyond tells whether there are points, or ends of bars, outside the ranges of p.
func (s *series) beyond(p *plot.Plot) bool {
	for _, l := range s.lines {
		for k, y := range l.y {
			low, high := y, y
			if l.spreads != nil && l.spreads[k] > 0 {
				low, high = y-l.spreads[k], y+l.spreads[k]
			}
			if !l.told && (low < p.Y.Min || high > p.Y.Max || l.x[k] < p.X.Min || l.x[k] > p.X.Max) {
				return true
			}
		}
	}
	return false
}

// numberExpression writes the numbers at an axis: small and large ones by their powers of ten.
const numberExpression = `datum.value != 0 && (abs(datum.value) < 0.001 || abs(datum.value) >= 1e6) ? format(datum.value, '~e') : format(datum.value, '~r')`

// decades returns the powers of ten that a logarithmic Y axis names, and nil for another.
func decades(p *plot.Plot) []float64 {
	if _, logarithmic := p.Y.Scale.(plot.LogScale); !logarithmic {
		return nil
	}
	var marked []float64
	for _, t := range (decadeTicks{}).Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" {
			marked = append(marked, t.Value)
		}
	}
	return marked
}

// spec returns the interactive form of a figure of one plot.
func (s *series) spec(f *Figure) object {
	width, height := f.Size()
	view := s.view(f.Plot, pixels(width), pixels(height))
	view["data"] = s.data()
	view["title"] = object{"text": narrowed(f.title(f.Plot), longestTitle, "expr")}
	view["autosize"] = object{"type": "fit", "contains": "padding"}
	return narrowing(vegaLite(view), pixels(width), 0)
}
