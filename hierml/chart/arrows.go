package chart

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/taxonomy"
)

const (
	arrowsSide  = 340 // points
	arrowHead   = 7
	arrowSpread = 0.38 // radians, of half a head
)

// Arrows draws the weights of a model in the plane, as [Cai08, figure 4.4] does for a flat and a
// hierarchical SVM. Each node has an arrow, the node's weights times its attribute, that begins
// where the arrow of its parent ends. So the tip of a leaf's arrow is the sum that scores the leaf.
// Nodes with zero weights have no arrow. Arrows of leaves have the colours of decision regions and
// their names at the tips; those of inner nodes are grey, with the names beside them. The title is
// the model's name.
//
// It is an error if the model has a kernel or a number of features other than two, if a node has
// several parents, or if a node's attribute differs between leaves.
func Arrows(m *classifier.Model) (*Figure, error) {
	weights, err := arrowWeights(m)
	if err != nil {
		return nil, err
	}
	return arrowsFigure(m.Taxonomy, weights, m.Name, false)
}

// arrowWeights returns the weights of each node, times its attribute.
func arrowWeights(m *classifier.Model) ([][]float64, error) {
	weights, err := planeWeights(m)
	if err != nil {
		return nil, err
	}
	attribute := make(map[int]float64)
	for k := range m.Taxonomy.Leaves() {
		nodes, values := m.Attributes().Leaf(k)
		for j, n := range nodes {
			if v, ok := attribute[n]; ok && v != values[j] {
				return nil, fmt.Errorf("chart: node %q has the attributes %v and %v for different leaves; use ArrowsFromOrigin, which draws the weights alone", m.Taxonomy.Name(n), v, values[j])
			}
			attribute[n] = values[j]
		}
	}
	for n, w := range weights {
		floats.Scale(attribute[n], w)
	}
	return weights, nil
}

// ArrowsFromOrigin draws the weights of a model in the plane as Arrows does, but each arrow begins
// at the origin, has its name at its tip, and is not multiplied by the attribute. Use it to compare
// the angles between nodes, and for graphs.
func ArrowsFromOrigin(m *classifier.Model) (*Figure, error) {
	weights, err := planeWeights(m)
	if err != nil {
		return nil, err
	}
	return arrowsFigure(m.Taxonomy, weights, m.Name, true)
}

// planeWeights returns the two weights of each node.
func planeWeights(m *classifier.Model) ([][]float64, error) {
	if m == nil || m.Taxonomy == nil {
		return nil, errors.New("chart: there is no model to draw")
	}
	if m.Features() != 2 {
		return nil, fmt.Errorf("chart: the model has %d features; arrows need exactly two", m.Features())
	}
	weights := make([][]float64, m.Taxonomy.Len())
	for n := range weights {
		if weights[n] = m.Weights(n); weights[n] == nil {
			return nil, errors.New("chart: the model has a kernel, and so no weights to draw; use DecisionRegions")
		}
	}
	return weights, nil
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
		tips[n] = from
		if w[0] == 0 && w[1] == 0 {
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
