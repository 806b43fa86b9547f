package chart

import (
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

// An icicle has at most icicleLevels levels side by side, and the webNodes nodes nearest to the
// roots.
const (
	icicleLevels = 4
	icicleColumn = 125 // points
	icicleHeight = 380
	icicleRow    = 11 // of a name
)

// Icicle draws a taxonomy as boxes. The boxes of a node's children are at its right; their heights
// are their shares of its size, and their colours show their values. sizes and values have one
// number per node, in the order of their ids. Sizes are not negative, such as numbers of documents;
// nil means the numbers of leaves. Values are as for NodeValues, and what names them. If the
// children are smaller than their node together, a gap remains; if they are larger, they share its
// height. A node with several parents is drawn below the first of them, and a node of size 0 is not
// drawn.
//
// In the interactive figure, a click opens a node: it fills the height, and deeper levels appear. A
// click on the leftmost box goes back to its parent.
func Icicle(t *taxonomy.Taxonomy, sizes, values []float64, what string) (*Figure, error) {
	scale, err := newValueScale(t, values, what)
	if err != nil {
		return nil, err
	}
	if sizes == nil {
		sizes = make([]float64, t.Len())
		for n, leaves := range (&grower{t: t, parent: firstParents(t)}).countLeaves() {
			sizes[n] = float64(leaves)
		}
	}
	if len(sizes) != t.Len() {
		return nil, fmt.Errorf("chart: %d sizes for a taxonomy of %d nodes; give one per node, in the order of the node ids, or nil", len(sizes), t.Len())
	}
	for n, v := range sizes {
		if !(v >= 0 && v < 1e300) {
			return nil, fmt.Errorf("chart: node %q has the size %v; sizes have to be finite and not negative", t.Name(n), v)
		}
	}
	what = short(what, 40)
	c := &icicle{t: t, coloring: &coloring{values: values, what: what, colors: scale}}
	c.place(sizes)
	if len(c.boxes) == 0 {
		return nil, fmt.Errorf("chart: all sizes are zero: there is nothing to draw")
	}
	p := newPlot(fmt.Sprintf("%s of %s", what, count(t.Len(), "node", "nodes")), "", "")
	p.HideAxes()
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Add(c)
	width := max(icicleColumn*vg.Length(c.levels()), stripWidth+2*margin)
	f := &Figure{Plot: p, Width: width + 2*margin, Height: icicleHeight + stripRoom + 30}
	return f.interactive(vegaType, false, c.spec), nil
}

// IcicleOf draws where a model goes wrong, as Icicle does. The size of a node is the number of
// instances whose label is at or below it. The value of an inner node is the share of instances
// that continue to the right child, among those whose label and prediction are both below the node.
// The value of a leaf is the share of its instances that are predicted as it. It is an error if the
// report does not come from Evaluate.
func IcicleOf(r *metric.Report) (*Figure, error) {
	c, turns, err := turnsOf(r)
	if err != nil {
		return nil, err
	}
	t := c.Taxonomy
	sizes, values := make([]float64, t.Len()), make([]float64, t.Len())
	for n := range values {
		values[n] = math.NaN()
	}
	parent := firstParents(t)
	right := make([]float64, t.Len())
	for i, y := range c.Truth {
		for n := y; n >= 0; n = parent[n] {
			sizes[n]++
		}
		if c.Predicted[i] == y {
			right[y]++
		}
	}
	for _, n := range t.Leaves() {
		if sizes[n] > 0 {
			values[n] = right[n] / sizes[n]
		}
	}
	for _, turn := range turns {
		if turn.Node != metric.AboveRoots && turn.Instances > 0 {
			values[turn.Node] = float64(turn.Right) / float64(turn.Instances)
		}
	}
	f, err := Icicle(t, sizes, values, "accuracy")
	if err == nil {
		f.Title.Text = fmt.Sprintf("Accuracy at each node, of %s", count(len(c.Truth), "instance", "instances"))
	}
	return f, err
}

// turnsOf returns the confusion of a report, and its turns at each inner node.
func turnsOf(r *metric.Report) (*metric.Confusion, []metric.Turn, error) {
	c, err := r.Confusion()
	if err != nil {
		return nil, nil, fmt.Errorf("chart: %w", err)
	}
	turns, err := c.Turns()
	if err != nil {
		return nil, nil, fmt.Errorf("chart: %w", err)
	}
	return c, turns, nil
}

// icicle is the plotter of boxes.
type icicle struct {
	t *taxonomy.Taxonomy
	*coloring
	boxes []icicleBox // parents before their children
}

// icicleBox is a node: from the share low of the height to high, counted from the top.
type icicleBox struct {
	node, depth int
	parent      int // its box, or -1
	low, high   float64
	size        float64
	inner       bool
}

// place sets the boxes of all nodes with a size, the nodes nearest to the roots if there are too
// many.
func (c *icicle) place(sizes []float64) {
	g := &grower{t: c.t, parent: firstParents(c.t)}
	add := func(parent int, nodes []int, low, high, of float64) {
		sum, depth := 0.0, 0
		for _, n := range nodes {
			sum += sizes[n]
		}
		if parent >= 0 {
			depth = c.boxes[parent].depth + 1
		}
		of = max(of, sum)
		for _, n := range nodes {
			if sizes[n] == 0 || len(c.boxes) == webNodes {
				continue
			}
			end := low + (high-low)*sizes[n]/of
			of -= sizes[n]
			c.boxes = append(c.boxes, icicleBox{node: n, depth: depth, parent: parent, low: low, high: end, size: sizes[n]})
			if parent >= 0 {
				c.boxes[parent].inner = true
			}
			low = end
		}
	}
	add(-1, c.t.Roots(), 0, 1, 0)
	for i := 0; i < len(c.boxes); i++ {
		b := c.boxes[i]
		add(i, g.below(b.node), b.low, b.high, b.size)
	}
}

// name returns the name of a box.
func (c *icicle) name(b icicleBox) string {
	if b.parent < 0 {
		return c.t.LabelName(b.node)
	}
	return ownName(c.t, b.node, c.boxes[b.parent].node)
}

// ownName returns the name of a node without that of its parent, where it begins with it, as names
// that are paths do.
func ownName(t *taxonomy.Taxonomy, n, parent int) string {
	name := t.LabelName(n)
	rest, found := strings.CutPrefix(name, t.LabelName(parent))
	if own := strings.TrimLeft(rest, "/.:_- "); found && own != "" && own != rest {
		return own
	}
	return name
}

// deepest returns the largest depth of a box.
func (c *icicle) deepest() int {
	return slices.MaxFunc(c.boxes, func(a, b icicleBox) int { return a.depth - b.depth }).depth
}

// levels returns how many levels are drawn side by side at first.
func (c *icicle) levels() int { return min(icicleLevels, c.deepest()+1) }

// color returns the colour of a box, and that of a name on it.
func (c *icicle) color(b icicleBox) (box, name color.Color) {
	fill := c.colors.color(c.values[b.node])
	if 0.299*float64(fill.R)+0.587*float64(fill.G)+0.114*float64(fill.B) < 140 {
		return fill, color.White
	}
	return fill, inkOnColor
}

// Plot draws the boxes of the first levels, with names where they fit, and the colours below.
func (c *icicle) Plot(canvas draw.Canvas, _ *plot.Plot) {
	c.colors.plot(canvas, vg.Point{X: canvas.Min.X + 2, Y: canvas.Min.Y}, 1, c.what)
	top, bottom := canvas.Max.Y, canvas.Min.Y+stripRoom+6
	levels := c.levels()
	column := canvas.Size().X / vg.Length(levels)
	for _, b := range c.boxes {
		if b.depth >= levels {
			continue
		}
		left := canvas.Min.X + vg.Length(b.depth)*column
		from, to := top-vg.Length(b.low)*(top-bottom), top-vg.Length(b.high)*(top-bottom)
		fill, ink := c.color(b)
		fillBox(canvas, fill, vg.Point{X: left, Y: to}, vg.Point{X: left + column, Y: from})
		strokeBox(canvas, draw.LineStyle{Color: color.White, Width: min(0.8, (from-to)/6)}, vg.Point{X: left, Y: to}, vg.Point{X: left + column, Y: from})
		if from-to < icicleRow {
			continue
		}
		style := sans(nameSize, ink)
		name := c.name(b)
		for n := len([]rune(name)); n > 1 && style.Width(name) > column-8; n-- {
			name = short(name, n-1)
		}
		label(canvas, style, vg.Point{X: left + 4, Y: (from + to) / 2}, name)
	}
}

// spec returns the interactive form. The box that is open is focus; up is its parent's.
func (c *icicle) spec(f *Figure) object {
	rows := list{}
	for i, b := range c.boxes {
		fill, ink := c.color(b)
		rows = append(rows, object{
			"i": i, "up": b.parent, "d": b.depth, "a": b.low, "b": b.high, "size": b.size, "inner": b.inner,
			"name": short(c.name(b), longestName), "path": path(c.t, b.node), "color": hex(fill), "ink": hex(ink), "value": number(c.values[b.node]),
		})
	}
	width, _ := f.Size()
	scales, legends := c.webScale()
	scales = append(scales,
		object{"name": "x", "type": "linear", "domain": list{signal("focus.d"), signal("focus.d + levels")}, "range": "width", "zero": false, "nice": false},
		object{"name": "y", "type": "linear", "domain": list{signal("focus.a"), signal("focus.b")}, "range": list{0, signal("height")}, "zero": false, "nice": false})
	all := "{i: -1, up: -1, d: 0, a: 0, b: 1}"
	x, y := "scale('x', datum.d)", "(scale('y', datum.a) + scale('y', datum.b)) / 2"
	boxes := namedMark("box", mark("rect", "shown", object{
		"x": object{"scale": "x", "field": "d"}, "x2": object{"scale": "x", "signal": "datum.d + 1"}, "y": object{"scale": "y", "field": "a"}, "y2": object{"scale": "y", "field": "b"},
		"fill": field("color"), "stroke": value("white"), "strokeWidth": value(0.8), "cursor": signal("datum.inner || datum.i == focus.i ? 'pointer' : 'default'"),
		"tooltip": tooltip("node", "datum.name", "path", "datum.path", "size", "format(datum.size, '.6~g')", c.what, "datum.value"),
	}))
	return vega(object{
		"height": pixels(icicleHeight), "padding": 6, "title": heading(titleLines(f.title(f.Plot)), "click a box to open it, and the leftmost one to go back"),
		"signals": list{
			resized("width", fitting(pixels(width))),
			object{"name": "focus", "update": all, "on": list{object{
				"events": "@box:click",
				"update": fmt.Sprintf("datum.i == focus.i ? (datum.up < 0 ? %s : data('boxes')[datum.up]) : datum.inner ? datum : focus", all),
			}}},
			object{"name": "levels", "update": fmt.Sprintf("min(%d, %d - focus.d)", icicleLevels, c.deepest()+1)},
		},
		"data": list{
			object{"name": "boxes", "values": rows},
			object{"name": "shown", "source": "boxes", "transform": list{object{"type": "filter", "expr": "datum.d >= focus.d && datum.d < focus.d + levels && datum.a < focus.b && datum.b > focus.a"}}},
		},
		"scales": scales, "legends": legends,
		"marks": list{object{
			"type": "group", "encode": object{"update": object{"width": signal("width"), "height": signal("height"), "clip": value(true)}},
			"marks": list{
				boxes,
				uninterested(write("shown", fmt.Sprintf("abs(scale('y', datum.b) - scale('y', datum.a)) < %d ? '' : datum.name", webRow-3), object{
					"x": signal(x + " + 5"), "y": signal(y), "limit": signal("width / levels - 9"), "fill": field("ink"),
				})),
			},
		}},
	})
}
