package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// webPage is the width that JupyterLab leaves to an output in a window of 1050 pixels, in pixels.
const webPage = 860

// A panel has an axis and a space beside it, and panels stand beside each other where each is about
// as wide as the least one: pixels.
const (
	panelBeside = 76
	leastPanel  = 240
)

// webRegions is the interactive form of decision regions: a region tells its node, a point its
// labels and what is predicted there, and what is of the same node stands out in all panels.
type webRegions struct {
	list   []*regions
	legend *regionsLegend
}

// spec returns a panel a model, three in a row.
func (w *webRegions) spec(f *Figure) object {
	rows := f.rows()
	across := (float64(f.Width) - float64(w.legend.width)) / float64(len(rows[0]))
	above := float64(besideAbove)
	if len(w.list) == 1 {
		above = regionsAbove
	}
	side := math.Round(min(across-52, float64(f.Height)/float64(len(rows))-above) * 96 / 72)
	// A page does not make it smaller where it is too wide, as it does with a picture.
	columns := float64(len(rows[0]))
	side = max(40, min(side, math.Round((webPage-wideness*pixels(w.legend.width))/columns-panelBeside)))
	plots := slices.DeleteFunc(slices.Concat(rows...), func(p *plot.Plot) bool { return p == nil })
	panels := list{}
	for i, r := range w.list {
		panels = append(panels, r.panel(plots[i], broken(plots[i], vg.Length(side*72/96)), side))
	}
	names, colors := list{}, list{}
	for _, n := range w.legend.nodes {
		names, colors = append(names, w.legend.colors.t.LabelName(n)), append(colors, hex(w.legend.colors.region(n)))
	}
	legend := object{"fill": "nodes", "symbolType": "square", "symbolSize": 180, "symbolStrokeWidth": 0, "labelLimit": 190}
	if w.legend.more > 0 {
		legend["title"] = fmt.Sprintf("and %d more", w.legend.more)
		legend["titleFontSize"], legend["titleColor"] = webName, hex(paleInk)
	}
	beside := math.Round(wideness * pixels(w.legend.width))
	narrow := fmt.Sprintf("windowSize()[0] <= %d", narrowWindow)
	legend["orient"], legend["columns"] = signal(narrow+" ? 'bottom' : 'right'"), signal(narrow+" ? 2 : 1")
	return vega(object{
		"padding": 6, "layout": object{"columns": signal("across"), "padding": 26, "bounds": "full", "align": "all"},
		"signals": list{
			// Beside a panel are its axis and the space to the next.
			resized("room", fmt.Sprintf("%s - (%s ? 0 : %v)", fitting(columns*(side+panelBeside)+beside), narrow, beside)),
			object{"name": "across", "update": fmt.Sprintf("clamp(floor(room / %d), 1, %v)", leastPanel, columns)},
			object{"name": "side", "update": fmt.Sprintf("clamp(room / across - %d, %d, %v)", panelBeside, leastPanel/2, side)},
			object{"name": "pointed", "value": nil, "on": list{
				object{"events": "@region:mouseover, @point:mouseover", "update": "datum.k"},
				object{"events": "@region:mouseout, @point:mouseout", "update": "null"},
			}},
		},
		"scales":  list{object{"name": "nodes", "type": "ordinal", "domain": names, "range": colors}},
		"legends": list{legend},
		"marks":   panels,
	})
}

// panel returns the group of marks of a model, in the ranges of its plot.
func (r *regions) panel(p *plot.Plot, title string, side float64) object {
	t := r.data.Taxonomy
	xs, ys := axisRange(&p.X), axisRange(&p.Y)
	at := func(place [2]float64) string {
		x := (place[0] - xs[0].(float64)) / (xs[1].(float64) - xs[0].(float64)) * side
		y := (ys[1].(float64) - place[1]) / (ys[1].(float64) - ys[0].(float64)) * side
		return tenths(x) + "," + tenths(y)
	}
	scaled := signal(fmt.Sprintf("side / %v", side))
	parts := list{}
	for _, part := range r.parts {
		var d []byte
		for _, loop := range part.loops {
			for k, place := range loop {
				d = append(d, " ML"[min(k+1, 2)])
				d = append(d, at(place)...)
			}
			d = append(d, 'Z')
		}
		o := object{"k": part.node, "d": string(d), "color": hex(r.colors.part(part)), "node": short(t.LabelName(part.node), longestName), "path": path(t, t.Label(part.node))}
		if part.within {
			o["path"] = path(t, part.node) + ", within a margin"
		}
		parts = append(parts, o)
	}
	borders := list{}
	for k, style := range regionBorders {
		var d []byte
		if k == ofMargin && len(r.borders[k]) == 0 {
			continue
		}
		for _, line := range r.borders[k] {
			d = append(append(append(append(d, 'M'), at(line[0])...), 'L'), at(line[1])...)
		}
		borders = append(borders, object{"d": string(d), "color": hex(style.Color), "width": float64(style.Width) * 96 / 72})
	}
	points, support := list{}, list{}
	for _, i := range r.instances {
		labels := ""
		for k, n := range r.data.Labels[i.row] {
			if k > 0 {
				labels += ", "
			}
			labels += t.LabelName(n)
		}
		points = append(points, object{"k": i.label, "x": i.x, "y": i.y, "i": i.row, "label": short(labels, longestName), "color": hex(r.colors.strong(i.label))})
		if r.support != nil && r.support[i.row] {
			support = append(support, object{"x": i.x, "y": i.y})
		}
	}
	faded := signal("pointed === null || pointed === datum.k ? 1 : 0.45")
	dot := math.Pow(2*float64(r.radius())*96/72, 2)
	data := list{object{"name": "parts", "values": parts}, object{"name": "borders", "values": borders}, object{"name": "points", "values": points}}
	marks := list{
		namedMark("region", mark("path", "parts", object{"path": field("d"), "scaleX": scaled, "scaleY": scaled, "fill": field("color"), "fillOpacity": faded, "tooltip": tooltip("predicted", "datum.node", "path", "datum.path")})),
		uninterested(mark("path", "borders", object{"path": field("d"), "scaleX": scaled, "scaleY": scaled, "stroke": field("color"), "strokeWidth": field("width"), "strokeCap": value("round")})),
		namedMark("point", mark("symbol", "points", object{
			"x": object{"scale": "x", "field": "x"}, "y": object{"scale": "y", "field": "y"}, "size": value(dot), "fill": field("color"), "stroke": value(hex(inkOnColor)), "strokeWidth": value(pointRim * 96 / 72),
			"opacity": faded, "tooltip": tooltip("instance", "datum.i", "label", "datum.label", r.names[0], "format(datum.x, '.4~g')", r.names[1], "format(datum.y, '.4~g')"),
		})),
	}
	if len(support) > 0 {
		data = append(data, object{"name": "support", "values": support})
		marks = append(marks, uninterested(mark("symbol", "support", object{
			"x": object{"scale": "x", "field": "x"}, "y": object{"scale": "y", "field": "y"}, "size": value(math.Pow(2*float64(r.radius()+supportRing)*96/72, 2)), "fill": value("transparent"), "stroke": value(hex(inkOnColor)), "strokeWidth": value(1),
		})))
	}
	return object{
		"type": "group", "title": object{"text": titleLines(title), "frame": "group", "offset": 6},
		"encode": object{"update": object{"width": signal("side"), "height": signal("side"), "clip": value(false)}},
		"data":   data,
		"scales": list{
			object{"name": "x", "type": "linear", "domain": xs, "range": list{0, signal("side")}, "zero": false, "nice": false},
			object{"name": "y", "type": "linear", "domain": ys, "range": list{signal("side"), 0}, "zero": false, "nice": false},
		},
		"axes": list{
			object{"orient": "bottom", "scale": "x", "title": p.X.Label.Text, "tickCount": 5, "domain": false},
			object{"orient": "left", "scale": "y", "title": p.Y.Label.Text, "tickCount": 5, "domain": false},
		},
		"marks": list{object{
			"type":   "group",
			"encode": object{"update": object{"width": signal("side"), "height": signal("side"), "clip": value(true), "stroke": value(hex(frameInk))}},
			"marks":  marks,
		}},
	}
}

// uninterested lets the pointer reach what is below a mark.
func uninterested(mark object) object {
	mark["interactive"] = false
	return mark
}

// tenths writes a number of pixels.
func tenths(v float64) string {
	return strconv.FormatFloat(round(v), 'f', -1, 64)
}
