package chart

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// A level has at most levelRows rows and columns, of levelSide points together.
const (
	levelRows = 40
	levelSide = 330

	narrowNames = 90 // pixels, in a narrow window
)

// ConfusionByLevel draws the confusions of a report level by level. It begins with the roots, or
// the children of a single root; each of them stands for everything below it. In the interactive
// figure, a click on the name of a node, or on its cell on the diagonal, opens it: the matrix then
// shows its children, for the instances whose label and prediction are both below the node. If a
// node has more than 40 children, those with the most instances are drawn. A prediction that ends
// at the node itself is in the column of its name. It is an error if the report does not come from
// Evaluate, or if no label and prediction meet above a leaf.
func ConfusionByLevel(r *metric.Report) (*Figure, error) {
	c, turns, err := turnsOf(r)
	if err != nil {
		return nil, err
	}
	l := &levels{t: c.Taxonomy, turns: make(map[int]*level)}
	for _, turn := range turns {
		l.turns[turn.Node] = newLevel(c.Taxonomy, turn)
	}
	top := metric.AboveRoots
	for l.turns[top] == nil || len(l.turns[top].rows) < 2 && len(l.turns[top].columns) < 2 {
		below := c.Taxonomy.Roots()
		if top != metric.AboveRoots {
			below = c.Taxonomy.Children(top)
		}
		if len(below) != 1 {
			break
		}
		top = below[0]
	}
	l.top = top
	if l.turns[top] == nil {
		return nil, errors.New("chart: no label has a common ancestor with its prediction: there are no levels to draw")
	}
	first := l.turns[top]
	p := newPlot(first.title, "predicted", "true")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(len(first.columns)), 0, float64(len(first.rows))
	var columns, rows plot.ConstantTicks
	longest := vg.Length(0)
	for i, n := range first.columns {
		columns = append(columns, plot.Tick{Value: float64(i) + 0.5, Label: first.name(n) + " "})
		longest = max(longest, sans(labelSize, ink).Width(first.name(n)))
	}
	for i, n := range first.rows {
		rows = append(rows, plot.Tick{Value: float64(len(first.rows)-i) - 0.5, Label: first.name(n)})
		longest = max(longest, sans(labelSize, ink).Width(first.name(n)))
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = columns, rows
	matrixAxes(p)
	p.Add(first)
	f := &Figure{Plot: p, Width: levelSide + longest + 60, Height: levelSide + longest + 60}
	return f.interactive(vegaType, false, l.spec), nil
}

// levels are the matrices of the inner nodes.
type levels struct {
	t     *taxonomy.Taxonomy
	turns map[int]*level
	top   int
}

// level is the matrix at a node, and its plotter.
type level struct {
	t             *taxonomy.Taxonomy
	node          int
	title         string
	rows, columns []int // nodes
	cells         []metric.Cell
	of            map[int]int // instances of a row
	more          int         // instances in rows or columns that are not drawn
}

func newLevel(t *taxonomy.Taxonomy, turn metric.Turn) *level {
	l := &level{t: t, node: turn.Node, of: make(map[int]int)}
	sizes := make(map[int]int)
	for _, c := range turn.Cells {
		sizes[c.Truth] += c.Count
		if c.Predicted != c.Truth {
			sizes[c.Predicted] += c.Count
		}
	}
	// The children in the order of the taxonomy, those with the most instances if there are many.
	var nodes []int
	for n := range sizes {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b int) int { return cmp.Or(sizes[b]-sizes[a], a-b) })
	drawn := slices.Sorted(slices.Values(nodes[:min(levelRows, len(nodes))]))
	for _, n := range drawn {
		if n != turn.Node {
			l.rows, l.columns = append(l.rows, n), append(l.columns, n)
		}
	}
	if slices.Contains(drawn, turn.Node) {
		l.columns = append(l.columns, turn.Node)
	}
	for _, c := range turn.Cells {
		if !slices.Contains(l.rows, c.Truth) || !slices.Contains(l.columns, c.Predicted) {
			l.more += c.Count
			continue
		}
		l.cells = append(l.cells, c)
		l.of[c.Truth] += c.Count
	}
	where := ""
	if turn.Node != metric.AboveRoots {
		where = " below " + short(t.Name(turn.Node), 28)
	}
	l.title = fmt.Sprintf("Confusions%s: %d of %d right", where, turn.Right, turn.Instances)
	if l.more > 0 {
		l.title += fmt.Sprintf(" (%d not drawn)", l.more)
	}
	return l
}

// name returns the name of a row or column.
func (l *level) name(n int) string {
	if n == l.node {
		return "(" + short(l.t.Name(n), 24) + " itself)"
	}
	if l.node == metric.AboveRoots {
		return short(l.t.LabelName(n), 26)
	}
	return short(ownName(l.t, n, l.node), 26)
}

// share returns the share of a cell in the instances of its row.
func (l *level) share(c metric.Cell) float64 { return float64(c.Count) / float64(l.of[c.Truth]) }

// shade returns the colour of a cell, by its share of the row, and that of a number on it.
func (l *level) shade(c metric.Cell) (cell, number color.Color) {
	share := l.share(c)
	if share > 0.45 {
		return shade(share), color.White
	}
	return shade(share), inkOnColor
}

// Plot draws the cells and their counts.
func (l *level) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	fillBox(c, color.White, c.Min, c.Max)
	side := x(1) - x(0)
	for _, cell := range l.cells {
		row, column := slices.Index(l.rows, cell.Truth), slices.Index(l.columns, cell.Predicted)
		from := vg.Point{X: x(float64(column)), Y: y(float64(len(l.rows) - row - 1))}
		to := vg.Point{X: x(float64(column + 1)), Y: y(float64(len(l.rows) - row))}
		fill, ink := l.shade(cell)
		fillBox(c, fill, from, to)
		style := sans(labelSize, ink)
		if text := fmt.Sprint(cell.Count); style.Width(text) < side-2 && to.Y-from.Y > labelSize {
			label(c, style, vg.Point{X: (from.X+to.X)/2 - style.Width(text)/2, Y: (from.Y + to.Y) / 2}, text)
		}
	}
	strokeBox(c, draw.LineStyle{Color: frameOnColor, Width: 0.7}, c.Min, c.Max)
}

// spec returns the interactive form. It contains the rows, columns and cells of all nodes, and
// draws those of the node that is open.
func (l *levels) spec(f *Figure) object {
	var nodes []int
	for n := range l.turns {
		nodes = append(nodes, n)
	}
	slices.Sort(nodes)
	parent := firstParents(l.t)
	cells, names, about := list{}, list{}, list{}
	longest := 0.0
	for _, n := range nodes {
		v := l.turns[n]
		up := metric.AboveRoots
		for at := n; n != l.top && at >= 0 && up == metric.AboveRoots; {
			if at = parent[at]; l.turns[at] != nil {
				up = at
			}
		}
		title := v.title
		if n == l.top {
			title = f.Title.Text
		}
		_, above := l.turns[up]
		about = append(about, object{"at": n, "title": title, "narrow": strings.SplitN(title, ": ", 2), "rows": len(v.rows), "columns": len(v.columns), "up": up, "inner": n != l.top && above})
		for side, all := range [][]int{v.columns, v.rows} {
			for i, m := range all {
				_, opens := l.turns[m]
				name := v.name(m)
				longest = max(longest, pixels(sans(labelSize, ink).Width(name)))
				names = append(names, object{"at": n, "row": side == 1, "i": i, "node": m, "opens": opens && m != n, "name": name})
			}
		}
		for _, c := range v.cells {
			fill, ink := v.shade(c)
			_, opens := l.turns[c.Truth]
			cells = append(cells, object{
				"at": n, "r": slices.Index(v.rows, c.Truth), "c": slices.Index(v.columns, c.Predicted), "count": c.Count, "share": v.share(c),
				"color": hex(fill), "ink": hex(ink), "true": v.name(c.Truth), "predicted": v.name(c.Predicted), "node": c.Truth, "opens": opens && c.Truth == c.Predicted,
			})
		}
	}
	room := math.Round(wideness*longest) + 40
	side := pixels(levelSide)
	shown := func(name, from, more string) object {
		return object{"name": name, "source": from, "transform": list{object{"type": "filter", "expr": "datum.at == at" + more}}}
	}
	named := func(data string, set object) object {
		m := write(data, "datum.name", set)
		update := m["encode"].(object)["update"].(object)
		update["limit"] = signal("room - 12")
		update["cursor"] = signal("datum.opens ? 'pointer' : 'default'")
		update["fill"] = signal(fmt.Sprintf("datum.opens ? '%s' : '%s'", hex(lineColors[0]), hex(ink)))
		return namedMark(strings.TrimSuffix(data, "s"), m)
	}
	box := object{
		"x": signal("datum.c * wide"), "width": signal("wide"), "y": signal("datum.r * high"), "height": signal("high"),
		"fill": field("color"), "stroke": value("white"), "strokeWidth": value(0.5), "cursor": signal("datum.opens ? 'pointer' : 'default'"),
		"tooltip": tooltip("true", "datum['true']", "predicted", "datum.predicted", "instances", "datum.count", "of the row", "format(datum.share, '.1%')"),
	}
	top := heading(signal(fmt.Sprintf("windowSize()[0] <= %d ? here.narrow : here.title", narrowWindow)), "click a blue name, or a cell on the diagonal, to open it")
	top["offset"] = 26
	return vega(object{
		"padding": 6, "autosize": object{"type": "pad", "resize": true}, "title": top,
		"signals": list{
			object{"name": "at", "value": l.top, "on": list{
				object{"events": "@cell:click, @column:click, @row:click", "update": "datum.opens ? datum.node : at"},
				object{"events": "@up:click", "update": "here.inner ? here.up : at"},
			}},
			object{"name": "here", "update": "data('here')[0]"},
			// Long names are cut in a narrow window, so that there is room for the cells.
			resized("room", fmt.Sprintf("windowSize()[0] <= %d ? %v : %v", narrowWindow, min(room, narrowNames), room)),
			resized("side", fmt.Sprintf("%s - (windowSize()[0] <= %d ? %v : %v)", fitting(side+room), narrowWindow, min(room, narrowNames), room)),
			object{"name": "width", "update": "side"},
			object{"name": "height", "update": "side"},
			object{"name": "wide", "update": "side / here.columns"},
			object{"name": "high", "update": "side / here.rows"},
		},
		"data": list{
			object{"name": "levels", "values": about}, shown("here", "levels", ""),
			object{"name": "cells", "values": cells}, shown("shown", "cells", ""),
			object{"name": "names", "values": names}, shown("columns", "names", " && !datum.row"), shown("rows", "names", " && datum.row"),
		},
		"marks": list{
			uninterested(mark("rect", "", object{"width": signal("side"), "height": signal("side"), "fill": value("white"), "stroke": value(hex(frameOnColor))})),
			namedMark("cell", mark("rect", "shown", box)),
			uninterested(write("shown", "wide > 24 && high > 12 ? datum.count : ''", object{"x": signal("(datum.c + 0.5) * wide"), "y": signal("(datum.r + 0.5) * high"), "align": value("center"), "fill": field("ink"), "fontSize": value(pixels(labelSize))})),
			named("rows", object{"x": value(-6), "y": signal("(datum.i + 0.5) * high"), "align": value("right"), "fontSize": value(pixels(labelSize))}),
			named("columns", object{"x": signal("(datum.i + 0.5) * wide"), "y": signal("side + 6"), "angle": value(-90), "align": value("right"), "fontSize": value(pixels(labelSize))}),
			namedMark("up", write("", "here.inner ? '▲ back' : ''", object{"x": value(0), "y": value(-12), "fill": value(hex(lineColors[0])), "cursor": value("pointer")})),
		},
	})
}
