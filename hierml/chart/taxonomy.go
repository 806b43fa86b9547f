package chart

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Taxonomy draws a taxonomy from left to right, with the roots at the left and the names at the
// right of their nodes. The height of the figure follows the number of rows; many rows are drawn in
// panels side by side. With more than about two hundred leaves, subtrees without room, and levels
// that would make the figure too wide, are drawn as a triangle with the number of leaves below. A
// node with several parents is drawn below the first of them, and the others are named.
//
// In the interactive figure, a click folds and unfolds a node. It contains the two thousand nodes
// nearest to the roots, and at most two hundred children of a node.
func Taxonomy(t *taxonomy.Taxonomy) (*Figure, error) {
	if t == nil {
		return nil, fmt.Errorf("chart: no taxonomy to draw")
	}
	title := fmt.Sprintf("Taxonomy of %s, %s", count(t.Len(), "node", "nodes"), count(len(t.Leaves()), "leaf", "leaves"))
	return drawTaxonomy(t, nil, title)
}

// drawTaxonomy draws a taxonomy, in colours if they are not nil.
func drawTaxonomy(t *taxonomy.Taxonomy, colors *coloring, title string) (*Figure, error) {
	deepest := 0
	for _, leaf := range t.Leaves() {
		deepest = max(deepest, t.Depth(leaf))
	}
	d := layOut(t, deepest)
	for depth := min(deepest, maxRows) - 1; depth >= 1 && d.size.X > maxWidth; depth-- {
		d = layOut(t, depth)
	}
	if colors != nil {
		d.coloring = colors
		d.size.Y += stripRoom
		d.size.X = max(d.size.X, stripWidth, sans(nameSize, ink).Width(colors.what))
	}
	p := newPlot(title, "", "")
	p.HideAxes()
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Add(d)
	titleRoom := p.Title.TextStyle.Rectangle(title).Size().Y + p.Title.Padding
	width := max(d.size.X, p.Title.TextStyle.Width(title))
	f := &Figure{Plot: p, Width: width + 2*margin, Height: d.size.Y + titleRoom + 2*margin}
	return f.interactive(vegaType, false, (&webTaxonomy{t: t, colors: colors}).spec), nil
}

// layOut places the nodes of depth 0 to deepest, as long as there is room.
func layOut(t *taxonomy.Taxonomy, deepest int) *drawing {
	d := &drawing{panels: divide(grow(t, deepest))}
	for i, p := range d.panels {
		if i > 0 {
			d.size.X += panelGap
		}
		d.size.X += p.width
		d.size.Y = max(d.size.Y, vg.Length(p.rows)*rowHeight)
	}
	return d
}

// drawing is the plotter of a taxonomy.
type drawing struct {
	panels []*panel
	size   vg.Point // at scale one

	*coloring // nil where the nodes have the colours of their kind
}

// Plot draws the panels, smaller where the canvas is.
func (d *drawing) Plot(c draw.Canvas, _ *plot.Plot) {
	scale := min(c.Size().X/d.size.X, c.Size().Y/d.size.Y)
	b := brush{Canvas: c, scale: scale, left: c.Min.X, top: c.Max.Y, coloring: d.coloring}
	if d.coloring != nil {
		d.colors.plot(c, vg.Point{X: c.Min.X + 2, Y: c.Max.Y - d.size.Y*scale}, scale, d.what)
	}
	for _, p := range d.panels {
		for _, top := range p.tops {
			b.lines(top)
		}
		for _, top := range p.tops {
			b.nodes(top)
		}
		b.left += (p.width + panelGap) * scale
	}
}

// brush draws branches with their panel's upper left corner at left, top.
type brush struct {
	draw.Canvas
	scale     vg.Length
	left, top vg.Length
	*coloring
}

func (b *brush) at(x, y vg.Length) vg.Point {
	return vg.Point{X: b.left + x*b.scale, Y: b.top - y*b.scale}
}

// lines draws what connects the branch to its children: from the end of its name to a bar, and from
// there to each child.
func (b *brush) lines(parent *branch) {
	if len(parent.children) == 0 {
		return
	}
	style := draw.LineStyle{Color: frameInk, Width: 0.7 * b.scale}
	first, last := parent.children[0], parent.children[len(parent.children)-1]
	bar := first.x - stepWidth/2
	end := parent.x + nameOffset + parent.textWidth() + 2
	b.StrokeLines(style, []vg.Point{b.at(end, parent.y), b.at(bar, parent.y)})
	b.StrokeLines(style, []vg.Point{b.at(bar, first.y), b.at(bar, last.y)})
	for _, c := range parent.children {
		b.StrokeLines(style, []vg.Point{b.at(bar, c.y), b.at(c.x, c.y)})
		b.lines(c)
	}
}

// nodes draws the points and the names.
func (b *brush) nodes(n *branch) {
	inner := len(n.children) > 0
	glyph := draw.GlyphStyle{Color: lineColors[0], Radius: 2.2 * b.scale, Shape: draw.CircleGlyph{}}
	switch {
	case n.hidden:
		glyph.Shape, glyph.Color, glyph.Radius = draw.PyramidGlyph{}, lineColors[1], 3*b.scale
	case !inner:
		glyph.Color, glyph.Radius = lineColors[2], 1.8*b.scale
	}
	if n.node >= 0 && b.coloring != nil {
		b.valued(n)
	} else if n.node >= 0 {
		b.DrawGlyph(glyph, b.at(n.x, n.y))
	}
	style := sans(nameSize*b.scale, ink)
	if inner {
		style.Color = lineColors[0]
	}
	label(b.Canvas, style, b.at(n.x+nameOffset, n.y), n.name)
	if n.note != "" {
		pale := sans(nameSize*b.scale, paleInk)
		label(b.Canvas, pale, b.at(n.x+nameOffset+sans(nameSize, ink).Width(n.name+" "), n.y), n.note)
	}
	for _, c := range n.children {
		b.nodes(c)
	}
}

// valued draws the point of a node in the colour of its value, with a dark edge so that pale ones
// show.
func (b *brush) valued(n *branch) {
	fill, edge := draw.GlyphDrawer(draw.CircleGlyph{}), draw.GlyphDrawer(draw.RingGlyph{})
	radius := 3.6 * b.scale
	if n.hidden {
		fill, edge = draw.PyramidGlyph{}, draw.TriangleGlyph{}
	}
	if b.marked != nil && b.marked[n.node] {
		b.DrawGlyph(draw.GlyphStyle{Color: lineColors[1], Radius: radius + 1.8*b.scale, Shape: fill}, b.at(n.x, n.y))
	}
	b.DrawGlyph(draw.GlyphStyle{Color: b.colors.color(b.values[n.node]), Radius: radius, Shape: fill}, b.at(n.x, n.y))
	b.DrawGlyph(draw.GlyphStyle{Color: paleInk, Radius: radius, Shape: edge}, b.at(n.x, n.y))
}
