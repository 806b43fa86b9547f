package chart

import (
	"fmt"
	"math"
)

// spec returns the interactive form: a line across the links, to be dragged or placed by a click,
// cuts those that are above it; a double click brings back the cut that the mergers came with. Rows
// and links are in the order of a walk from the last link down, each before what is below it, so
// that the clusters are what is between one top of a cluster and the next.
func (d *dendrogram) spec(f *Figure) object {
	width, height := pixels(linksWidth), math.Round(float64(d.height)*pixels(d.row))
	size := float64(d.size) * 96 / 72
	names := math.Round(wideness * pixels(d.names))
	colors := list{}
	for _, c := range lineColors[:hues] {
		colors = append(colors, hex(c))
	}
	rows, least := list{}, 0.0
	for _, w := range d.walk {
		row := object{"i": w.place, "top": finite(w.top), "above": finite(w.above), "cut": w.cut, "beyond": w.aboveCut}
		if w.bar != nil {
			row["h"], row["a"], row["b"], row["y0"], row["y1"] = w.bar.height, w.from[0], w.from[1], w.bar.y[0], w.bar.y[1]
			row["things"] = w.things
		} else {
			row["name"], row["folded"], row["y"] = w.text, w.folded, w.mergedRow.y
			least = max(least, w.folded)
		}
		rows = append(rows, row)
	}
	x := func(expression string) string { return fmt.Sprintf("scale('x', %s)", expression) }
	y := func(expression string) string { return fmt.Sprintf("(scale('y', %s))", expression) }
	color := signal(fmt.Sprintf("datum.alone ? '%s' : colors[(datum.cluster - 1) %% length(colors)]", hex(ink)))
	elbow := "'M' + " + x("datum.a") + " + ',' + " + y("datum.y0") + " + 'H' + " + x("datum.h") + " + 'V' + " + y("datum.y1") + " + 'H' + " + x("datum.b")
	drag := fmt.Sprintf("clamp(invert('x', x()), %v, domain('x')[1])", least) // what is folded stays together
	return vega(object{
		"height": height, "padding": 6,
		"title": heading(titleLines(f.title(f.Plot)), "drag the line or click to cut at another distance; a double click brings this cut back"),
		"signals": list{
			resized("width", fmt.Sprintf("%s - %v", fitting(width+names), names)),
			object{"name": "colors", "value": colors},
			object{"name": "cut", "value": nil, "on": list{
				object{"events": "@area:click, @link:click, @line:click", "update": drag},
				object{"events": "[@area:mousedown, window:mouseup] > window:mousemove!, [@line:mousedown, window:mouseup] > window:mousemove!", "update": drag},
				object{"events": "@area:dblclick, @link:dblclick, @line:dblclick", "update": "null"},
			}},
			object{"name": "line", "update": fmt.Sprintf("cut === null ? %s : cut", jsonNumber(d.line()))},
			object{"name": "clusters", "update": fmt.Sprintf("cut === null ? %d : length(data('tops'))", d.clusters)},
		},
		"data": list{
			object{"name": "walk", "values": rows, "transform": list{
				// What is cut: by the line, all that is above it; without one, what was given.
				object{"type": "formula", "as": "off", "expr": "cut === null ? datum.cut : datum.top > cut"},
				object{"type": "formula", "as": "free", "expr": "datum.above === null || (cut === null ? datum.beyond : datum.above > cut)"},
				object{"type": "formula", "as": "starts", "expr": "!datum.off && datum.free ? 1 : 0"},
				object{"type": "formula", "as": "counts", "expr": "datum.starts && (!isValid(datum.name) || datum.folded > 0) ? 1 : 0"},
				object{"type": "window", "sort": object{"field": "i"}, "ops": list{"sum"}, "fields": list{"counts"}, "as": list{"cluster"}},
				object{"type": "formula", "as": "alone", "expr": "isValid(datum.name) && datum.free && (datum.off || !(datum.folded > 0))"},
			}},
			object{"name": "tops", "source": "walk", "transform": list{object{"type": "filter", "expr": "datum.starts"}}},
			object{"name": "links", "source": "walk", "transform": list{object{"type": "filter", "expr": "isValid(datum.h)"}}},
			object{"name": "crossed", "source": "links", "transform": list{object{"type": "filter", "expr": "datum.off"}}},
			object{"name": "things", "source": "walk", "transform": list{object{"type": "filter", "expr": "isValid(datum.name)"}}},
		},
		"scales": list{
			object{"name": "x", "type": "linear", "domain": axisRange(&f.X), "range": "width", "zero": false, "nice": false},
			object{"name": "y", "type": "linear", "domain": list{0, -float64(d.height)}, "range": list{0, signal("height")}, "zero": false, "nice": false},
		},
		"axes": list{object{"orient": "bottom", "scale": "x", "title": f.X.Label.Text, "grid": true, "tickCount": 6, "labelOverlap": "greedy"}},
		"marks": list{
			namedMark("area", mark("rect", "", object{"x": value(0), "x2": signal("width"), "y": value(0), "y2": signal("height"), "fill": value("white"), "fillOpacity": value(0), "cursor": value("col-resize")})),
			write("things", "datum.name", object{"x": value(-7 - pixels(swatch)), "y": signal(y("datum.y")), "align": value("right"), "fontSize": value(size), "limit": value(names)}),
			mark("rect", "things", object{"x": value(-2 - pixels(swatch)), "x2": value(-3), "y": signal(y("datum.y + 0.5")), "y2": signal(y("datum.y - 0.5")), "fill": color, "opacity": signal("datum.alone ? 0 : 1")}),
			mark("rect", "things", object{"x": signal(x("0")), "x2": signal(x("datum.folded")), "y": signal(y("datum.y + 0.25")), "y2": signal(y("datum.y - 0.25")), "fill": color}),
			namedMark("link", mark("path", "links", object{
				"path": signal(elbow), "strokeWidth": signal("datum.off ? 1.2 : 1.8"),
				"stroke":  signal(fmt.Sprintf("datum.off ? '%s' : %s", hex(frameInk), color["signal"])),
				"tooltip": tooltip("distance", "format(datum.h, '.4~g')", "classes below", "datum.things", "cut", "datum.off ? 'yes' : 'no'"),
			})),
			uninterested(mark("symbol", "crossed", object{"x": signal(x("datum.h")), "y": signal(y("(datum.y0 + datum.y1) / 2")), "shape": value("M-1,-1L1,1M-1,1L1,-1"), "size": value(24), "stroke": value(hex(lineColors[1])), "strokeWidth": value(1.4)})),
			mark("rule", "", object{"x": signal("isValid(line) ? " + x("line") + " : 0"), "y": value(0), "y2": signal("height"), "stroke": value(hex(lineColors[1])), "strokeDash": value(list{6, 4}), "strokeWidth": value(1.5),
				"opacity": signal("isValid(line) ? 1 : 0")}),
			namedMark("line", mark("rect", "", object{"x": signal("isValid(line) ? " + x("line") + " - 6 : 0"), "width": signal("isValid(line) ? 12 : 0"), "y": value(0), "y2": signal("height"), "fill": value("white"), "fillOpacity": value(0), "cursor": value("col-resize")})),
			write("", "(cut === null ? '' : 'cut at ' + format(cut, '.4~g') + ': ') + clusters + (clusters == 1 ? ' cluster' : ' clusters')",
				object{"x": signal("width"), "y": value(-8), "align": value("right"), "fill": value(hex(lineColors[1]))}),
		},
	})
}

// jsonNumber writes a number as an expression of Vega.
func jsonNumber(v float64) string {
	if finite(v) == nil {
		return "null"
	}
	return fmt.Sprintf("%v", v)
}
