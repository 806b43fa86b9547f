package chart

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// webCells bounds the cells of the interactive form.
const webCells = 6000

// binned returns the counts of cells of as few leaves as it takes to have at most webCells of them,
// and the leaves to a cell.
func (m *confusion) binned() (count map[[2]int]int, bin int) {
	count, bin = m.count, m.bin
	for len(count) > webCells {
		bin++
		count = make(map[[2]int]int)
		for at, n := range m.pairs {
			count[[2]int{at[0] / bin, at[1] / bin}] += n
		}
	}
	return count, bin
}

// spec returns the interactive form: a cell tells both leaves, their paths, how many instances it
// counts and which share of those of the true leaf they are.
func (m *confusion) spec(f *Figure) object {
	count, bin := m.binned()
	side, longest := pixels(confusionSide), math.Round(wideness*pixels(m.longest))
	leaves := list{}
	for from := 0; from < m.q; from += bin {
		to := min(from+bin, m.q)
		first, last := m.order[from], m.order[to-1]
		leaf := object{"name": short(m.t.Name(first), longestName), "path": path(m.t, first)}
		if first != last {
			leaf["name"] = fmt.Sprintf("%d leaves, %s to %s", to-from, short(m.t.Name(first), 40), short(m.t.Name(last), 40))
		}
		leaves = append(leaves, leaf)
	}
	rowSum := make(map[int]int)
	most := 1
	for at, n := range count {
		rowSum[at[0]] += n
		most = max(most, n)
	}
	cells := list{}
	for _, at := range sortedCells(count) {
		n := count[at]
		cells = append(cells, object{"r": at[0], "c": at[1], "n": n, "s": math.Round(1000*float64(n)/float64(rowSum[at[0]])) / 10})
	}
	names := list{}
	for _, n := range m.placed {
		names = append(names, object{"name": n.name, "at": n.center})
	}
	groups, boxes := list{}, list{}
	for i, g := range m.groups {
		if i > 0 {
			groups = append(groups, object{"at": g.from})
		}
		if g.to-g.from > 1 {
			boxes = append(boxes, object{"from": g.from, "to": g.to})
		}
	}
	size := vg.Length(labelSize * 96. / 72)
	color, legends := m.webScale(most)
	leaf := func(k, what string) string { return fmt.Sprintf("data('leaves')[datum.%s].%s", k, what) }
	about := []string{"true", leaf("r", "name"), "path of the true", leaf("r", "path"), "predicted", leaf("c", "name"), "path of the predicted", leaf("c", "path"),
		"instances", "datum.n", "share of the true", "datum.s + ' %'"}
	if bin > 1 { // the paths of which leaf?
		about = []string{"true", leaf("r", "name"), "predicted", leaf("c", "name"), "instances", "datum.n", "share of the true", "datum.s + ' %'"}
	}
	at := func(expression string) object { return scaled("at", expression) }
	return vega(object{
		"width": side, "height": side, "padding": 6,
		"title": object{"text": f.Title.Text, "offset": 10},
		"data": list{
			object{"name": "leaves", "values": leaves}, object{"name": "cells", "values": cells}, object{"name": "names", "values": names},
			object{"name": "groups", "values": groups}, object{"name": "boxes", "values": boxes},
		},
		"scales": list{
			object{"name": "at", "type": "linear", "domain": list{0, m.q}, "range": list{0, side}, "zero": false, "nice": false},
			color,
		},
		"legends": legends,
		"marks": list{
			write("names", "datum.name", object{"x": value(-6), "y": at("datum.at"), "align": value("right"), "fontSize": value(size)}),
			write("names", "datum.name", object{"x": at("datum.at"), "y": value(side + 6), "align": value("right"), "angle": value(-90), "fontSize": value(size)}),
			write("", quoted(f.Y.Label.Text), object{"x": value(-longest - 20), "y": value(side / 2), "angle": value(-90), "align": value("center"), "fontSize": value(16)}),
			write("", quoted(f.X.Label.Text), object{"x": value(side / 2), "y": value(side + longest + 20), "align": value("center"), "fontSize": value(16)}),
			mark("rule", "groups", object{"x": at("datum.at"), "y": value(0), "y2": value(side), "stroke": value(hex(gridInk))}),
			mark("rule", "groups", object{"y": at("datum.at"), "x": value(0), "x2": value(side), "stroke": value(hex(gridInk))}),
			object{
				"type": "rect", "from": object{"data": "cells"},
				"encode": object{
					"update": object{
						"x": at(fmt.Sprintf("datum.c * %d", bin)), "x2": at(fmt.Sprintf("min((datum.c + 1) * %d, %d)", bin, m.q)),
						"y": at(fmt.Sprintf("datum.r * %d", bin)), "y2": at(fmt.Sprintf("min((datum.r + 1) * %d, %d)", bin, m.q)),
						"fill": scaled("color", "datum.n"), "stroke": value(nil), "zindex": value(0), "tooltip": told(about...),
					},
					"hover": object{"stroke": value(hex(lineColors[1])), "strokeWidth": value(2), "zindex": value(1)},
				},
			},
			mark("rect", "boxes", object{
				"x": at("datum.from"), "x2": at("datum.to"), "y": at("datum.from"), "y2": at("datum.to"),
				"stroke": value(hex(frameInk)), "fill": value(nil),
			}),
			mark("rect", "", object{"x": value(0), "x2": value(side), "y": value(0), "y2": value(side), "stroke": value(hex(frameInk)), "fill": value(nil)}),
		},
	})
}

// webScale returns the scale of colours up to most, and what explains it.
func (m *confusion) webScale(most int) (scale object, legends list) {
	if most <= 1 {
		return object{"name": "color", "type": "ordinal", "domain": list{1}, "range": list{hex(shade(0.5))}},
			list{object{"fill": "color", "title": "instances", "symbolType": "square", "orient": "right"}}
	}
	domain, colors := list{}, list{}
	for i, s := range shades {
		domain = append(domain, math.Pow(float64(most), float64(i)/float64(len(shades)-1)))
		colors = append(colors, hex(color.RGBA{R: uint8(s[0]), G: uint8(s[1]), B: uint8(s[2]), A: 0xff}))
	}
	domain[len(domain)-1] = most
	return object{"name": "color", "type": "log", "domain": domain, "range": colors, "clamp": true},
		list{object{"fill": "color", "title": "instances", "type": "gradient", "orient": "right", "gradientLength": 200, "gradientThickness": 14, "values": scaleTicks(most), "format": "d"}}
}
