package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hierml/notebook/hierml/taxonomy"
)

const (
	arrowsSide  = 340 // points
	arrowHead   = 7
	arrowSpread = 0.38 // radians, of half a head
)

// Arrows draws weights in the plane, as [Cai08, figure 4.4] shows those of a flat and of a
// hierarchical SVM: an arrow a node, which begins where that of its parent ends, so that the way
// from the origin to the tip of a leaf's arrow is the sum that scores the leaf. weights has two
// numbers a node, in the order of their ids, times the node's attribute where that is not 1; none,
// or zeros, where a node has no part. Arrows of leaves have the colours of decision regions and
// their names at the tips, those of inner nodes are grey and have them at the side. what is the
// title. It is an error of graphs in which a node has several parents, for there are several ways
// to it.
func Arrows(t *taxonomy.Taxonomy, weights [][]float64, what string) (*Figure, error) {
	return arrowsFigure(t, weights, what, false)
}

// ArrowsFromOrigin draws weights in the plane as Arrows does, but each from the origin, with its
// name at its tip: for the angles between nodes and for graphs.
func ArrowsFromOrigin(t *taxonomy.Taxonomy, weights [][]float64, what string) (*Figure, error) {
	return arrowsFigure(t, weights, what, true)
}

func arrowsFigure(t *taxonomy.Taxonomy, weights [][]float64, what string, fromOrigin bool) (*Figure, error) {
	a, far, err := newArrows(t, weights, fromOrigin)
	if err != nil {
		return nil, err
	}
	p := newPlot(what, "", "")
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	addGrid(p)
	p.Add(a)
	far *= 1.16
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -far, far, -far, far
	return &Figure{Plot: p, Width: arrowsSide, Height: arrowsSide + 8}, nil
}

// newArrows returns the arrows, and the largest coordinate of their tips.
func newArrows(t *taxonomy.Taxonomy, weights [][]float64, fromOrigin bool) (a *arrows, far float64, err error) {
	if t == nil {
		return nil, 0, fmt.Errorf("chart: no taxonomy to draw")
	}
	if len(weights) != t.Len() {
		return nil, 0, fmt.Errorf("chart: weights of %d nodes for a taxonomy of %d; give two numbers a node, or none, in the order of their ids", len(weights), t.Len())
	}
	a = &arrows{colors: newNodeColors(t), fromOrigin: fromOrigin}
	tips := make([][2]float64, t.Len())
	for _, n := range t.Topological() {
		var from [2]float64
		if parents := len(t.Parents(n)); !fromOrigin && parents > 1 {
			return nil, 0, fmt.Errorf("chart: node %q has %d parents; use ArrowsFromOrigin, which draws graphs, too", t.Name(n), parents)
		} else if !fromOrigin && parents > 0 {
			from = tips[t.Parents(n)[0]]
		}
		w := weights[n]
		if len(w) != 0 && len(w) != 2 {
			return nil, 0, fmt.Errorf("chart: node %q has %d weights; arrows are drawn over two features", t.Name(n), len(w))
		}
		tips[n] = from
		if len(w) == 0 || w[0] == 0 && w[1] == 0 {
			continue
		}
		for k, v := range w {
			tips[n][k] += v
			if !(math.Abs(tips[n][k]) < 1e300) {
				return nil, 0, fmt.Errorf("chart: weight %d of node %q is %v; the sums of weights have to be finite", k, t.Name(n), v)
			}
			far = max(far, math.Abs(tips[n][k]))
		}
		a.list = append(a.list, arrow{node: n, from: from, to: tips[n]})
	}
	if len(a.list) == 0 {
		return nil, 0, fmt.Errorf("chart: all weights are zero: there is nothing to draw")
	}
	return a, far, nil
}

// arrows are the weights of nodes.
type arrows struct {
	colors     *nodeColors
	list       []arrow // from the roots on
	fromOrigin bool    // each of them
}

type arrow struct {
	node     int
	from, to [2]float64
}

// Plot draws the arrows, inner nodes first, and their names over all of them.
func (a *arrows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(place [2]float64) vg.Point { return vg.Point{X: x(place[0]), Y: y(place[1])} }
	origin := at([2]float64{})
	c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: 2, Shape: draw.CircleGlyph{}}, origin)
	for _, w := range a.list {
		style := draw.LineStyle{Color: a.colors.strong(w.node), Width: 1.5}
		if !a.colors.t.IsLeaf(w.node) {
			style = draw.LineStyle{Color: paleInk, Width: 2}
		}
		drawArrow(c, style, at(w.from), at(w.to))
	}
	for _, w := range a.list {
		from, tip := at(w.from), at(w.to)
		name := short(a.colors.t.Name(w.node), 20)
		style := sans(nameSize, ink)
		half := style.Width(name) / 2
		// Beyond the tip, away from the origin or, where the tip is there, in the arrow's
		// direction.
		direction := unit(tip.Sub(origin))
		if direction == (vg.Point{}) {
			direction = unit(tip.Sub(from))
		}
		if !a.colors.t.IsLeaf(w.node) {
			style = sans(nameSize, paleInk)
			if !a.fromOrigin { // others begin at this tip: beside the middle of the arrow
				along := unit(tip.Sub(from))
				direction, tip = vg.Point{X: along.Y, Y: -along.X}, from.Add(tip).Scale(0.5)
			}
		}
		middle := tip.Add(vg.Point{X: direction.X * (half + 5), Y: direction.Y * 9})
		label(c, style, vg.Point{X: middle.X - half, Y: middle.Y}, name)
	}
	strokeBox(c, draw.LineStyle{Color: frameInk, Width: 0.7}, c.Min, c.Max)
}

// unit returns a vector of length 1 in the direction of v, or zero if v is.
func unit(v vg.Point) vg.Point {
	length := vg.Length(math.Hypot(float64(v.X), float64(v.Y)))
	if length == 0 {
		return v
	}
	return v.Scale(1 / length)
}

// drawArrow draws a line with a head at its end, which is no longer than the line.
func drawArrow(c draw.Canvas, style draw.LineStyle, from, to vg.Point) {
	back := from.Sub(to)
	length := vg.Length(math.Hypot(float64(back.X), float64(back.Y)))
	head := min(arrowHead, length)
	direction := math.Atan2(float64(back.Y), float64(back.X))
	wing := func(turn float64) vg.Point {
		sin, cos := math.Sincos(direction + turn)
		side := head / vg.Length(math.Cos(arrowSpread))
		return to.Add(vg.Point{X: side * vg.Length(cos), Y: side * vg.Length(sin)})
	}
	c.StrokeLines(style, []vg.Point{from, to.Add(unit(back).Scale(0.8 * head))})
	c.FillPolygon(style.Color, []vg.Point{to, wing(arrowSpread), wing(-arrowSpread)})
}
