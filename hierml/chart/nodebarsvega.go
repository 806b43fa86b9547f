package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// spec returns the interactive form of the bars: a row tells its node, the node's path and the
// value.
func (b *nodeBars) spec(f *Figure) object {
	names := math.Round(wideness * pixels(b.names))
	rows := list{}
	for i, bar := range b.bars {
		rows = append(rows, object{
			"i": i, "name": bar.name, "x": pixels(vg.Length(bar.depth)*barIndent) - names, "value": finite(bar.value), "text": number(bar.value),
			"color": hex(bar.color), "node": short(b.t.Name(bar.node), longestName), "path": path(b.t, bar.node),
		})
	}
	middle := scaled("y", "datum.i + 0.5")
	end := "clamp(scale('x', datum.value), 0, width)"
	about := told("node", "datum.node", "path", "datum.path", b.what, "datum.text")
	return vega(object{
		"width": max(pixels(f.Width-2*margin-b.names), 50), "height": webRow * len(b.bars), "padding": 6,
		"title": object{"text": f.Title.Text, "offset": 8},
		"data":  list{object{"name": "bars", "values": rows}},
		"scales": list{
			object{"name": "x", "type": "linear", "domain": axisRange(&f.X), "range": "width", "zero": false, "nice": false},
			object{"name": "y", "type": "linear", "domain": list{0, len(b.bars)}, "range": list{0, signal("height")}},
		},
		"axes": list{object{"orient": "bottom", "scale": "x", "title": f.X.Label.Text, "grid": true, "tickCount": 6, "labelOverlap": "greedy"}},
		"marks": list{
			write("bars", "datum.name", object{"x": field("x"), "y": middle}),
			mark("rect", "bars", object{
				"x": signal("isValid(datum.value) ? " + end + " : 0"), "x2": signal("isValid(datum.value) ? clamp(scale('x', 0), 0, width) : 0"),
				"y": scaled("y", "datum.i + 0.14"), "y2": scaled("y", "datum.i + 0.86"), "fill": field("color"),
			}),
			write("bars", "datum.text", object{
				"x":     signal("isValid(datum.value) ? " + end + " + (datum.value < 0 ? -5 : 5) : clamp(scale('x', 0), 0, width) + 5"),
				"align": signal("datum.value < 0 ? 'right' : 'left'"), "y": middle, "fill": value(hex(paleInk)),
			}),
			mark("rule", "", object{"x": signal("clamp(scale('x', 0), 0, width)"), "y": value(0), "y2": signal("height"), "stroke": value(hex(frameInk))}),
			// What tells, all along the row.
			hovered(mark("rect", "bars", object{
				"x": value(-names), "x2": signal("width"), "y": scaled("y", "datum.i"), "y2": scaled("y", "datum.i + 1"),
				"fill": value("black"), "fillOpacity": value(0), "tooltip": about,
			})),
		},
	})
}

// hovered darkens a mark a little below the pointer.
func hovered(m object) object {
	m["encode"].(object)["hover"] = object{"fillOpacity": value(0.06)}
	return m
}
