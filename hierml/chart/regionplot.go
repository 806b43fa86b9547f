package chart

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	regionsSide   = 300 // points, of a panel alone
	besideSide    = 230 // of one of several
	regionsAbove  = 58  // and below: title, axis
	besideAbove   = 72
	regionsNames  = 24 // in the legend
	regionsSwatch = 10
	regionsRow    = 14
)

// title returns the name of the model with its accuracy: of one of several panels, which are
// narrow, on a line of its own.
func (r *regions) title(name string, several bool) string {
	longest, between := longestRow, ": "
	if several {
		longest, between = 28, "\n"
	}
	name = short(name, longest)
	if math.IsNaN(r.accuracy) {
		return name
	}
	return fmt.Sprintf("%s%saccuracy %.3g", name, between, r.accuracy)
}

// plot returns the panel with a title.
func (r *regions) plot(title string) *plot.Plot {
	p := newPlot(title, short(r.names[0], 28), short(r.names[1], 28))
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	p.Add(r)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = r.low[0], r.high[0], r.low[1], r.high[1]
	return p
}

// regionsFigure puts the panels into a figure, with the names of the colours at the right of the
// first row.
func regionsFigure(list []*regions, panels []*plot.Plot) *Figure {
	f := &Figure{Plot: panels[0], Beside: panels[1:]}
	l := newRegionsLegend(list)
	rows := f.rows()
	last := rows[0][len(rows[0])-1]
	last.Add(l)
	side, above := vg.Length(besideSide), vg.Length(besideAbove)
	if len(panels) == 1 {
		side, above = regionsSide, regionsAbove
	}
	f.Width = vg.Length(len(rows[0]))*(side+52) + l.width + 2*margin
	f.Height = vg.Length(len(rows))*(side+above) + 2*margin
	return f.interactive(vegaType, true, (&webRegions{list: list, legend: l}).spec)
}

// Plot draws the regions, the lines between them and the instances.
func (r *regions) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(place [2]float64) vg.Point { return vg.Point{X: x(place[0]), Y: y(place[1])} }
	for _, part := range r.parts {
		var path vg.Path
		for _, loop := range part.loops {
			for k, place := range loop {
				if k == 0 {
					path.Move(at(place))
				} else {
					path.Line(at(place))
				}
			}
			path.Close()
		}
		c.SetColor(r.colors.part(part))
		c.Fill(path)
	}
	for k, style := range regionBorders {
		var path vg.Path
		for _, line := range r.borders[k] {
			path.Move(at(line[0]))
			path.Line(at(line[1]))
		}
		c.SetLineStyle(style)
		if len(path) > 0 {
			c.Stroke(path)
		}
	}
	for _, i := range r.instances {
		where := at([2]float64{i.x, i.y})
		c.DrawGlyph(draw.GlyphStyle{Color: inkOnColor, Radius: r.radius() + pointRim, Shape: draw.CircleGlyph{}}, where)
		c.DrawGlyph(draw.GlyphStyle{Color: r.colors.strong(i.label), Radius: r.radius(), Shape: draw.CircleGlyph{}}, where)
		if r.support != nil && r.support[i.row] {
			c.DrawGlyph(draw.GlyphStyle{Color: inkOnColor, Radius: r.radius() + supportRing, Shape: draw.RingGlyph{}}, where)
		}
	}
	strokeBox(c, draw.LineStyle{Color: frameInk, Width: 0.7}, c.Min, c.Max)
}

// Kinds of lines between regions.
const (
	withinColor = iota
	betweenColors
	ofMargin
)

// regionBorders are how lines of each kind are drawn.
var regionBorders = [3]draw.LineStyle{{Color: color.White, Width: 0.8}, {Color: inkOnColor, Width: 1}, {Color: paleOnColor, Width: 0.5}}

// pointRim is the width of the dark rim of a point, without which it vanishes on the region of its
// own colour: points.
const pointRim = 0.6

// radius of an instance's point: the smaller the more there are.
func (r *regions) radius() vg.Length {
	return vg.Length(min(2.6, max(1.2, 2.6*math.Sqrt(150/float64(len(r.instances))))))
}

// regionsLegend names the colours right of the data.
type regionsLegend struct {
	colors *nodeColors
	nodes  []int
	more   int
	width  vg.Length
}

func newRegionsLegend(list []*regions) *regionsLegend {
	seen := make(map[int]bool)
	for _, r := range list {
		for _, n := range r.seen {
			seen[n] = true
		}
	}
	l := &regionsLegend{colors: list[0].colors}
	for _, o := range l.colors.order {
		if seen[o.node] {
			l.nodes = append(l.nodes, o.node)
		}
	}
	if len(l.nodes) > regionsNames {
		l.more = len(l.nodes) - regionsNames + 1
		l.nodes = l.nodes[:regionsNames-1]
	}
	for _, n := range l.nodes {
		l.width = max(l.width, sans(nameSize, ink).Width(l.name(n)))
	}
	l.width += legendMargin + 2*regionsSwatch + 10
	return l
}

func (r *regionsLegend) name(n int) string { return short(r.colors.t.LabelName(n), 28) }

// GlyphBoxes reserves the room right of the data.
func (r *regionsLegend) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: r.width}}}}
}

// Plot draws the colour of each node, and how many more there are.
func (r *regionsLegend) Plot(c draw.Canvas, _ *plot.Plot) {
	left, row := c.Max.X+legendMargin+4, vg.Length(0)
	height := min(regionsRow, c.Size().Y/regionsNames)
	style := sans(min(nameSize, height), ink)
	middle := func() vg.Length { return c.Max.Y - (row+0.5)*height }
	for _, n := range r.nodes {
		half := 0.38 * height
		fillBox(c, r.colors.region(n), vg.Point{X: left, Y: middle() - half}, vg.Point{X: left + 1.6*regionsSwatch, Y: middle() + half})
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: inkOnColor, Radius: 0.5*half + pointRim, Shape: draw.CircleGlyph{}}, vg.Point{X: left + 0.8*regionsSwatch, Y: middle()})
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: r.colors.strong(n), Radius: 0.5 * half, Shape: draw.CircleGlyph{}}, vg.Point{X: left + 0.8*regionsSwatch, Y: middle()})
		label(c, style, vg.Point{X: left + 2*regionsSwatch, Y: middle()}, r.name(n))
		row++
	}
	if r.more > 0 {
		label(c, sans(min(nameSize, height), paleInk), vg.Point{X: left, Y: middle()}, fmt.Sprintf("and %d more", r.more))
	}
}
