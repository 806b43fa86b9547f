package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hierml/notebook/hierml/taxonomy"
)

const (
	maxBars   = 100
	barsWidth = 300 // points
	barIndent = 8   // of a name, a level
	maxIndent = 10  // levels
)

// NodeBars draws one bar per node, in the order of the taxonomy, with the names indented by depth:
// the norms of a model's weights, or the alpha of a weighting. values has one value per node, in
// the order of their ids, NaN for a node without one; what names the values. Inner nodes are blue
// and leaves green, as the legend says. Of more than 100 nodes, the 100 with the largest absolute
// values are drawn. A node with several parents is below the first of them.
func NodeBars(t *taxonomy.Taxonomy, values []float64, what string) (*Figure, error) {
	scale, err := newValueScale(t, values, what)
	if err != nil {
		return nil, err
	}
	if math.IsNaN(scale.low) {
		return nil, fmt.Errorf("chart: no node has a value of %q: there is nothing to draw", what)
	}
	what = short(what, 40)
	b := &nodeBars{names: barsMargin}
	title := fmt.Sprintf("%s of %s", what, count(t.Len(), "node", "nodes"))
	chosen := outline(t)
	if len(chosen) > maxBars {
		title += fmt.Sprintf(", the %d largest", maxBars)
		chosen = largest(chosen, values, maxBars)
	}
	for _, o := range chosen {
		bar := nodeBar{name: short(t.Name(o.node), longestRow), depth: min(o.depth, maxIndent), value: values[o.node], color: lineColors[0]}
		if t.IsLeaf(o.node) {
			bar.color = lineColors[2]
		}
		b.bars = append(b.bars, bar)
		b.names = max(b.names, vg.Length(bar.depth)*barIndent+sans(nameSize, ink).Width(bar.name)+2*nameOffset)
	}
	p := newPlot(title, what, "")
	p.HideY()
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker = roundTicks{}
	addGrid(p)
	p.Add(b, b.legend(barsWidth))
	p.X.Min, p.X.Max = barRange(scale.low, scale.high)
	p.Y.Min, p.Y.Max = -float64(len(b.bars)), 0
	width := max(b.names+barsWidth, p.Title.TextStyle.Width(title))
	return &Figure{Plot: p, Width: width + 2*margin, Height: vg.Length(len(b.bars))*rowHeight + 62 + legendRow + legendMargin + 2*margin}, nil
}

// barsMargin is the least room left of the bars.
const barsMargin = 20

// barRange returns the axis of values from low to high, which begins at zero and leaves room for
// the values at the ends of the bars.
func barRange(low, high float64) (from, to float64) {
	low, high = min(low, 0), max(high, 0)
	if low == high {
		return 0, 1
	}
	room := 0.16 * (high - low)
	if math.IsInf(room, 0) {
		return low, high
	}
	if low < 0 {
		from = low - room
	}
	if high > 0 {
		to = high + room
	}
	return from, to
}

// outlined is a node in the order in which people list a taxonomy: each before those below it.
type outlined struct {
	node, depth int
}

// outline returns all nodes, each below the first of its parents.
func outline(t *taxonomy.Taxonomy) []outlined {
	parent := firstParents(t)
	list := make([]outlined, 0, t.Len())
	var stack []outlined
	push := func(nodes []int, above, depth int) {
		for _, n := range slices.Backward(nodes) {
			if parent[n] == above {
				stack = append(stack, outlined{n, depth})
			}
		}
	}
	push(t.Roots(), -1, 0)
	for len(stack) > 0 {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		list = append(list, o)
		push(t.Children(o.node), o.node, o.depth+1)
	}
	return list
}

// largest returns the n nodes with the largest absolute values, in the order they have in list.
func largest(list []outlined, values []float64, n int) []outlined {
	index := make([]int, len(list))
	for i := range index {
		index[i] = i
	}
	size := func(i int) float64 {
		if v := math.Abs(values[list[i].node]); !math.IsNaN(v) {
			return v
		}
		return -1
	}
	slices.SortStableFunc(index, func(i, j int) int { return cmp.Compare(size(j), size(i)) })
	index = index[:n]
	slices.Sort(index)
	chosen := make([]outlined, n)
	for k, i := range index {
		chosen[k] = list[i]
	}
	return chosen
}

// nodeBars is the plotter of one bar a node.
type nodeBars struct {
	bars  []nodeBar
	names vg.Length // width of the names
}

type nodeBar struct {
	depth int
	name  string
	value float64
	color color.Color
}

// legend says which colours the bars of inner nodes and of leaves have.
func (b *nodeBars) legend(width vg.Length) *legend {
	l := &legend{width: width}
	for i, name := range []string{"inner node", "leaf"} {
		style := draw.LineStyle{Color: lineColors[2*i], Width: 0.72 * rowHeight}
		if slices.ContainsFunc(b.bars, func(bar nodeBar) bool { return bar.color == style.Color }) {
			l.entries = append(l.entries, legendEntry{name: name, line: style})
		}
	}
	return l
}

// GlyphBoxes reserves the room of the names, left of the axis.
func (b *nodeBars) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{Rectangle: vg.Rectangle{Min: vg.Point{X: -b.names}}}}
}

// Plot draws the bars, the names left of them and the values at their ends.
func (b *nodeBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style, pale := sans(nameSize, ink), sans(nameSize, paleInk)
	zero := min(max(x(0), c.Min.X), c.Max.X)
	half := (y(0) - y(1)) * 0.36
	for i, bar := range b.bars {
		at := y(-float64(i) - 0.5)
		label(c, style, vg.Point{X: c.Min.X - b.names + vg.Length(bar.depth)*barIndent, Y: at}, bar.name)
		if math.IsNaN(bar.value) {
			label(c, pale, vg.Point{X: zero + 4, Y: at}, number(bar.value))
			continue
		}
		end := min(max(x(bar.value), c.Min.X), c.Max.X)
		fillBox(c, bar.color, vg.Point{X: zero, Y: at - half}, vg.Point{X: end, Y: at + half})
		text, from := number(bar.value), end+4
		if bar.value < 0 {
			from = end - 4 - pale.Width(text)
		}
		label(c, pale, vg.Point{X: from, Y: at}, text)
	}
	c.StrokeLine2(draw.LineStyle{Color: frameInk, Width: 0.8}, zero, c.Min.Y, zero, c.Max.Y)
}
