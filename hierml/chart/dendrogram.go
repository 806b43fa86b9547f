package chart

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mergers is a tree of mergers, such as a *clustering.Dendrogram. It merges things, which are
// numbered from 0, and results of earlier links, which are numbered from Len.
type Mergers interface {
	// Len returns the number of things, one more than there are links.
	Len() int
	// Name returns the name of a thing.
	Name(i int) string
	// Link returns the two that link t merges, and their distance.
	Link(t int) (a, b int, height float64)
	// IsCut reports whether link t is cut. Links that build on a cut one are cut.
	IsCut(t int) bool
}

// A dendrogram has at most maxMerged rows.
const (
	maxMerged   = 300
	linksWidth  = 400 // points
	crossRadius = 2.6
	swatch      = 6 // right of a name, in the colour of its cluster
)

// Dendrogram draws a tree of mergers as [Cai08, figure 6.1] does: the names at the left, and each
// link as a bar at the distance of the merger. The clusters that the cut leaves have colours,
// beside the names and in their links, and gaps between them. Links that are cut are grey and
// crossed; the cross is larger if no link below is cut. If one distance separates the cut links
// from the others, a line marks it. In the interactive figure you can drag that line. If the
// mergers have a method Check() error, it is called first. With more than 300 things, the first
// mergers are folded: a row names one of several things, and their number.
func Dendrogram(m Mergers) (*Figure, error) {
	if m == nil || m.Len() < 1 {
		return nil, errors.New("chart: no mergers to draw")
	}
	if c, ok := m.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("chart: %w", err)
		}
	}
	d, err := newDendrogram(m)
	if err != nil {
		return nil, err
	}
	p := newPlot(fmt.Sprintf("Dendrogram of %s, %s", count(m.Len(), "class", "classes"), count(d.clusters, "cluster", "clusters")), "merging distance", "")
	p.HideY()
	p.X.Padding, p.Y.Padding = 0, 0
	addGrid(p)
	p.Add(d)
	p.X.Min, p.X.Max = 0, d.highest*1.04
	p.Y.Min, p.Y.Max = -d.height, 0
	f := &Figure{Plot: p, Width: d.names + linksWidth + 2*margin, Height: vg.Length(d.height)*d.row + 60 + 2*margin}
	return f.interactive(vegaType, true, d.spec), nil
}

// dendrogram is the plotter of a tree of mergers.
type dendrogram struct {
	rows     []mergedRow
	bars     []bar
	walk     []*walked
	clusters int
	highest  float64
	height   float64   // of all rows with the gaps between them, in rows
	row      vg.Length // height of a row
	names    vg.Length // width of the names
	size     vg.Length // of the type
}

// mergedRow is a thing, or several whose mergers are not drawn.
type mergedRow struct {
	y      float64
	text   string
	folded float64 // the height of the highest merger not drawn
	cluster
}

// bar is a link as it is drawn: from the ends of what it merges to its distance.
type bar struct {
	from, y [2]float64
	height  float64
	cut     bool
	first   bool // does not build on a link that is cut
	cluster
}

// walked is a row or a bar in the order of a walk from the last link down, each before what is
// below it.
type walked struct {
	place int
	// the largest height up to this one, and up to the link above; NaN above the last
	top      float64
	above    float64
	cut      bool
	aboveCut bool
	things   int
	*bar     // or nil
	mergedRow
}

// line returns the distance that divides the links that are cut from the others, or NaN if there is
// none, or none is cut.
func (d *dendrogram) line() float64 {
	low, high := 0.0, math.Inf(1)
	for _, r := range d.rows {
		low = max(low, r.folded)
	}
	for _, b := range d.bars {
		if b.cut {
			high = min(high, b.height)
		} else {
			low = max(low, b.height)
		}
	}
	if math.IsInf(high, 1) || low >= high {
		return math.NaN()
	}
	return (low + high) / 2
}

// cluster is the colour of a cluster; things alone in theirs are 0.
type cluster int

func (c cluster) color() color.Color {
	if c == 0 {
		return ink
	}
	return lineColors[(int(c)-1)%(len(lineColors)-1)]
}

// merged is a thing or a link with what is below it.
type merged struct {
	height  float64
	top     float64 // the largest height up to this one
	things  int
	first   int // the smallest of the things
	cut     bool
	a, b    int // -1 for a thing
	y       float64
	cluster cluster
}

// newDendrogram checks the tree and places its rows and bars.
func newDendrogram(m Mergers) (*dendrogram, error) {
	n := m.Len()
	all := make([]merged, n, 2*n-1)
	below := make([]bool, 2*n-1)
	for i := range all {
		all[i] = merged{things: 1, first: i, a: -1, b: -1}
	}
	d := &dendrogram{clusters: 1}
	for t := range n - 1 {
		a, b, height := m.Link(t)
		for _, k := range [2]int{a, b} {
			if k < 0 || k >= n+t || below[k] {
				return nil, fmt.Errorf("chart: link %d merges cluster %d, which does not exist yet or is already merged", t, k)
			}
			below[k] = true
		}
		if math.IsNaN(height) || math.IsInf(height, 0) || height < 0 {
			return nil, fmt.Errorf("chart: the distance at which link %d merges is %v; it must be finite and not negative", t, height)
		}
		if all[a].first > all[b].first {
			a, b = b, a
		}
		all = append(all, merged{height: height, top: max(height, all[a].top, all[b].top), things: all[a].things + all[b].things, first: all[a].first, cut: m.IsCut(t), a: a, b: b})
		d.highest = max(d.highest, height)
		if m.IsCut(t) {
			d.clusters++
		}
	}
	if d.highest == 0 {
		d.highest = 1
	}
	d.place(m, all)
	return d, nil
}

// place walks the tree from its root, without recursion because a tree may be as deep as it has
// links.
func (d *dendrogram) place(m Mergers, all []merged) {
	n := m.Len()
	fold := n // links before this one are not drawn
	if n > maxMerged {
		fold = len(all) - (maxMerged - 1)
	}
	gap := 0.7 // rows between two clusters
	d.row, d.size = rowHeight, nameSize
	if n > panelRows {
		d.row, d.size, gap = 10, 8, 0.4
	}
	type visit struct {
		node    int
		done    bool    // what is below it
		joined  bool    // to the cluster of the link above
		cluster cluster // of the link above
		above   int     // the link above, or -1
	}
	walk := make(map[int]*walked)
	stack := []visit{{node: len(all) - 1, above: -1}}
	var before, colors cluster
	y := 0.0
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x := &all[v.node]
		if v.done {
			a, b := all[x.a], all[x.b]
			x.y = (a.y + b.y) / 2
			drawn := bar{
				from: [2]float64{a.height, b.height}, y: [2]float64{a.y, b.y}, height: x.height,
				cut: x.cut, first: x.cut && !a.cut && !b.cut, cluster: x.cluster,
			}
			d.bars = append(d.bars, drawn)
			walk[v.node].bar = &drawn
			continue
		}
		w := &walked{place: len(d.walk), top: x.top, above: math.NaN(), aboveCut: true, cut: x.cut, things: x.things}
		if v.above >= 0 {
			w.above, w.aboveCut = all[v.above].top, all[v.above].cut
		}
		walk[v.node] = w
		d.walk = append(d.walk, w)
		switch {
		case v.joined:
			x.cluster = v.cluster
		case !x.cut && x.things > 1:
			colors++
			x.cluster = colors
		}
		if x.things > 1 && v.node >= fold {
			below := visit{joined: !x.cut, cluster: x.cluster, above: v.node}
			first, second := below, below
			first.node, second.node = x.a, x.b
			stack = append(stack, visit{node: v.node, done: true}, second, first)
			continue
		}
		if len(d.rows) > 0 && x.cluster != before {
			y += gap
		}
		before = x.cluster
		row := mergedRow{y: -y - 0.5, text: short(m.Name(x.first), longestRow), folded: x.height, cluster: x.cluster}
		if x.things > 1 {
			row.text = fmt.Sprintf("%s and %d more", row.text, x.things-1)
		}
		x.y, w.mergedRow = row.y, row
		d.rows = append(d.rows, row)
		d.names = max(d.names, sans(d.size, ink).Width(row.text)+2*nameOffset+swatch)
		y++
	}
	d.height = y
}

// GlyphBoxes reserves the room of the names, left of the axis.
func (d *dendrogram) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{Rectangle: vg.Rectangle{Min: vg.Point{X: -d.names}}}}
}

// Plot draws the bars, the names, and the crosses above both.
func (d *dendrogram) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, r := range d.rows {
		style := sans(d.size, ink)
		style.XAlign = draw.XRight
		label(c, style, vg.Point{X: x(0) - nameOffset - swatch, Y: y(r.y)}, r.text)
		if r.cluster > 0 {
			half := d.row/2 + 0.2 // over those of other rows, so that no seams show
			fillBox(c, r.color(), vg.Point{X: x(0) - nameOffset + 1 - swatch/2, Y: y(r.y) - half}, vg.Point{X: x(0) - 2, Y: y(r.y) + half})
		}
		if r.folded > 0 {
			c.FillPolygon(r.color(), c.ClipPolygonXY([]vg.Point{{X: x(0), Y: y(r.y)}, {X: x(r.folded), Y: y(r.y - 0.3)}, {X: x(r.folded), Y: y(r.y + 0.3)}}))
		}
	}
	for _, b := range d.bars {
		style := draw.LineStyle{Color: b.color(), Width: 1.3}
		if b.cut {
			style = draw.LineStyle{Color: frameInk, Width: 0.9}
		}
		c.StrokeLines(style, c.ClipLinesXY([]vg.Point{
			{X: x(b.from[0]), Y: y(b.y[0])}, {X: x(b.height), Y: y(b.y[0])}, {X: x(b.height), Y: y(b.y[1])}, {X: x(b.from[1]), Y: y(b.y[1])},
		})...)
	}
	if at := d.line(); !math.IsNaN(at) {
		c.StrokeLine2(draw.LineStyle{Color: lineColors[1], Width: 1, Dashes: []vg.Length{5, 3}}, x(at), c.Min.Y, x(at), c.Max.Y)
	}
	for _, b := range d.bars {
		if !b.cut {
			continue
		}
		glyph := draw.GlyphStyle{Color: lineColors[1], Radius: crossRadius, Shape: draw.CrossGlyph{}}
		if b.first {
			glyph.Radius = 2 * crossRadius
		}
		c.DrawGlyph(glyph, vg.Point{X: x(b.height), Y: y((b.y[0] + b.y[1]) / 2)})
	}
}
