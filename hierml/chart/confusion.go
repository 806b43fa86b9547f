package chart

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

const (
	confusionSide = 460 // points, of the square of cells
	confusionBins = 400 // rows and columns of cells, at most
	scaleWidth    = 70  // points right of the square, for the colour scale
	labelSize     = 9
	labelRoom     = 10 // points that a label needs along its axis
)

// Confusion draws how often each leaf (row) was predicted as each leaf (column). truth and
// predicted contain leaves of t, one pair per instance. The leaves are in the order of the
// taxonomy, so confusions of related leaves are near the diagonal. Lines separate the trees below
// different roots, or the parts below the children of a single root. Colours count on a logarithmic
// scale. The names of leaves are drawn where they fit; if there are too many, the names of parents.
// With more than 400 leaves, neighbours share a row. ConfusionOf draws those of a report.
func Confusion(t *taxonomy.Taxonomy, truth, predicted []int) (*Figure, error) {
	if t == nil {
		return nil, errors.New("chart: no taxonomy to draw confusions along")
	}
	if len(truth) != len(predicted) || len(truth) == 0 {
		return nil, fmt.Errorf("chart: %d true and %d predicted leaves; give one of each per instance", len(truth), len(predicted))
	}
	order, groups := leafOrder(t)
	return drawConfusion(t, truth, predicted, order, groups, "Confusions")
}

// maxConfused is how many leaves ConfusionOf draws, so that their names can be read.
const maxConfused = 40

// ConfusionOf draws the confusions of a report, as Confusion does. With more than 40 leaves, it
// draws the 40 leaves that have the most mistakes, as the true or the predicted leaf, and the
// instances for which both are among them; chart.Confusion(c.Taxonomy, c.Truth, c.Predicted) draws
// all leaves of the report's confusion c. Instances with an inner node as the prediction are left
// out, and the title says how many. It is an error if the report does not come from Evaluate, or if
// all instances are left out.
func ConfusionOf(r *metric.Report) (*Figure, error) {
	c, err := r.Confusion()
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	t := c.Taxonomy
	truths, predictions, leftOut := c.Truth, c.Predicted, ""
	if r.InnerPredictions > 0 {
		truths, predictions = nil, nil
		for i, p := range c.Predicted {
			if t.IsLeaf(p) {
				truths, predictions = append(truths, c.Truth[i]), append(predictions, p)
			}
		}
		if len(truths) == 0 {
			return nil, errors.New("chart: an inner node is predicted for every instance, and this chart shows only leaves; the report's Confusion prints inner nodes, too")
		}
		leftOut = fmt.Sprintf(" (%d inner nodes left out)", r.InnerPredictions)
	}
	if len(t.Leaves()) <= maxConfused {
		order, groups := leafOrder(t)
		return drawConfusion(t, truths, predictions, order, groups, "Confusions"+leftOut)
	}
	wrong := make([]int, t.Len())
	for i, y := range truths {
		if p := predictions[i]; p != y {
			wrong[y]++
			wrong[p]++
		}
	}
	worst := slices.Clone(t.Leaves())
	slices.SortStableFunc(worst, func(a, b int) int { return wrong[b] - wrong[a] })
	chosen := make([]bool, t.Len())
	for _, n := range worst[:maxConfused] {
		chosen[n] = true
	}
	var truth, predicted []int
	for i, y := range truths {
		if p := predictions[i]; chosen[y] && chosen[p] {
			truth, predicted = append(truth, y), append(predicted, p)
		}
	}
	order, groups := chosenLeaves(t, chosen)
	title := fmt.Sprintf("Confusions among %d of %d classes%s", maxConfused, len(t.Leaves()), leftOut)
	return drawConfusion(t, truth, predicted, order, groups, title)
}

// chosenLeaves returns the leaves that are chosen in the order of leafOrder, and the parts that
// have some.
func chosenLeaves(t *taxonomy.Taxonomy, chosen []bool) (order []int, groups []group) {
	all, parts := leafOrder(t)
	for _, g := range parts {
		from := len(order)
		for _, n := range all[g.from:g.to] {
			if chosen[n] {
				order = append(order, n)
			}
		}
		if len(order) > from {
			groups = append(groups, group{g.node, from, len(order)})
		}
	}
	return order, groups
}

// drawConfusion draws the leaves in an order, among which all of truth and predicted have to be.
func drawConfusion(t *taxonomy.Taxonomy, truth, predicted, order []int, groups []group, title string) (*Figure, error) {
	q := len(order)
	position := make(map[int]int, q)
	for i, leaf := range order {
		position[leaf] = i
	}
	m := &confusion{q: q, bin: (q + confusionBins - 1) / confusionBins, count: make(map[[2]int]int), groups: groups}
	correct := 0
	for i := range truth {
		row, ok1 := position[truth[i]]
		column, ok2 := position[predicted[i]]
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("chart: instance %d is of node %d, predicted as node %d; both have to be leaves of the taxonomy", i, truth[i], predicted[i])
		}
		if row == column {
			correct++
		}
		m.count[[2]int{row / m.bin, column / m.bin}]++
	}
	for _, n := range m.count {
		m.most = max(m.most, n)
	}

	p := newPlot(fmt.Sprintf("%s: %d of %d right", title, correct, len(truth)), "predicted", "true")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(q), 0, float64(q)
	names := m.names(t, order)
	var columns, rows plot.ConstantTicks
	longest := vg.Length(0)
	for _, n := range names {
		columns = append(columns, plot.Tick{Value: n.center, Label: n.name + " "}) // which is off the axis by a space
		rows = append(rows, plot.Tick{Value: float64(q) - n.center, Label: n.name})
		longest = max(longest, sans(labelSize, ink).Width(n.name))
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = columns, rows
	matrixAxes(p)
	p.Add(m)
	return &Figure{Plot: p, Width: confusionSide + longest + 30 + scaleWidth, Height: confusionSide + longest + 50}, nil
}

// matrixAxes gives a plot the axes of a matrix, with upright names below it.
func matrixAxes(p *plot.Plot) {
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label.Font = sans(labelSize, ink).Font
		axis.Tick.Length = 3
		axis.Padding = 0
		axis.LineStyle.Width = 0
	}
	p.X.Tick.Label.Rotation = math.Pi / 2
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
}

// group is a part of the taxonomy and the leaves it has in their order: from, until before to.
type group struct {
	node, from, to int
}

// leafOrder returns the leaves depth first, and the topmost parts with their leaves. A leaf with
// several parents stands below the one that is met first.
func leafOrder(t *taxonomy.Taxonomy) (order []int, groups []group) {
	seen := make([]bool, t.Len())
	var visit func(n int)
	visit = func(n int) {
		if seen[n] {
			return
		}
		seen[n] = true
		if t.IsLeaf(n) {
			order = append(order, n)
		}
		for _, c := range t.Children(n) {
			visit(c)
		}
	}
	tops := t.Roots()
	for len(tops) == 1 && !t.IsLeaf(tops[0]) {
		tops = t.Children(tops[0])
	}
	for _, n := range tops {
		from := len(order)
		visit(n)
		if len(order) > from {
			groups = append(groups, group{n, from, len(order)})
		}
	}
	return order, groups
}

// confusion is the plotter of a matrix of counts.
type confusion struct {
	q      int            // leaves
	bin    int            // leaves that share a row
	count  map[[2]int]int // by rows and columns
	most   int
	groups []group
}

// placedName is a name along an axis, in units of leaves from the first.
type placedName struct {
	name   string
	center float64
}

// names returns the names that fit: those of the leaves, or of the larger groups.
func (m *confusion) names(t *taxonomy.Taxonomy, order []int) []placedName {
	perLeaf := confusionSide / float64(m.q)
	var names []placedName
	if perLeaf >= labelRoom {
		for i, leaf := range order {
			names = append(names, placedName{short(t.LabelName(leaf), 28), float64(i) + 0.5})
		}
		return names
	}
	// The larger groups first, so that a small one never takes the room of a large one.
	bySize := slices.Clone(m.groups)
	slices.SortStableFunc(bySize, func(a, b group) int { return (b.to - b.from) - (a.to - a.from) })
	for _, g := range bySize {
		if g.to-g.from == 1 {
			break
		}
		center := float64(g.from+g.to) / 2
		free := !slices.ContainsFunc(names, func(n placedName) bool { return math.Abs(n.center-center)*perLeaf < labelRoom })
		if free {
			names = append(names, placedName{short(t.Name(g.node), 28), center})
		}
	}
	slices.SortFunc(names, func(a, b placedName) int {
		if a.center < b.center {
			return -1
		}
		return 1
	})
	return names
}

// GlyphBoxes reserves the room of the colour scale.
func (m *confusion) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: scaleWidth}}}}
}

// Plot draws the cells, the lines and the colour scale.
func (m *confusion) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(row, column float64) vg.Point { return vg.Point{X: x(column), Y: y(float64(m.q) - row)} }

	// On a dark page the darkest cells show only on white.
	fillBox(c, color.White, c.Min, c.Max)
	rule := draw.LineStyle{Color: gridOnColor, Width: 0.5}
	for _, g := range m.groups[1:] {
		c.StrokeLine2(rule, x(float64(g.from)), c.Min.Y, x(float64(g.from)), c.Max.Y)
		c.StrokeLine2(rule, c.Min.X, y(float64(m.q-g.from)), c.Max.X, y(float64(m.q-g.from)))
	}
	byPlace := func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }
	for _, cell := range slices.SortedFunc(maps.Keys(m.count), byPlace) {
		from := at(float64(cell[0]*m.bin), float64(cell[1]*m.bin))
		to := at(float64(min((cell[0]+1)*m.bin, m.q)), float64(min((cell[1]+1)*m.bin, m.q)))
		fillBox(c, m.color(m.count[cell]), from, to)
	}
	frame := draw.LineStyle{Color: frameOnColor, Width: 0.7}
	for _, g := range m.groups {
		if g.to-g.from > 1 {
			strokeBox(c, frame, at(float64(g.from), float64(g.from)), at(float64(g.to), float64(g.to)))
		}
	}
	strokeBox(c, frame, c.Min, c.Max)
	m.plotScale(c)
}

// plotScale draws which colour means which count, right of the cells.
func (m *confusion) plotScale(c draw.Canvas) {
	const width, steps = 12, 48
	left, bottom := c.Max.X+18, c.Min.Y
	height := min(c.Size().Y, 180)
	if m.most == 1 {
		height = width
	}
	top := bottom + height
	style := sans(10, ink)
	label(c, style, vg.Point{X: left, Y: top + 12}, "instances")
	if m.most == 1 {
		fillBox(c, m.color(1), vg.Point{X: left, Y: bottom}, vg.Point{X: left + width, Y: bottom + width})
		label(c, style, vg.Point{X: left + width + 6, Y: bottom + width/2}, "1")
		return
	}
	for s := range steps {
		from := bottom + vg.Length(s)*height/steps
		// Up to the top, and the next over it, so that no seams show.
		fillBox(c, shade((float64(s)+0.5)/steps), vg.Point{X: left, Y: from}, vg.Point{X: left + width, Y: top})
	}
	line := draw.LineStyle{Color: frameInk, Width: 0.6}
	strokeBox(c, line, vg.Point{X: left, Y: bottom}, vg.Point{X: left + width, Y: top})
	previous := vg.Length(math.Inf(-1))
	for _, n := range scaleTicks(m.most) {
		at := bottom + vg.Length(math.Log(float64(n))/math.Log(float64(m.most)))*height
		if at-previous < 12 {
			continue
		}
		previous = at
		c.StrokeLine2(line, left+width, at, left+width+3, at)
		label(c, style, vg.Point{X: left + width + 6, Y: at}, strconv.Itoa(n))
	}
}

// scaleTicks returns 1, 2, 5, 10, ... up to most.
func scaleTicks(most int) []int {
	var ticks []int
	for decade := 1; decade <= most; decade *= 10 {
		for _, k := range []int{1, 2, 5} {
			if k*decade <= most {
				ticks = append(ticks, k*decade)
			}
		}
		if decade > math.MaxInt/10 {
			break
		}
	}
	return ticks
}

// color returns the colour of a count of one or more.
func (m *confusion) color(n int) color.Color {
	if m.most <= 1 {
		return shade(0.5)
	}
	return shade(math.Log(float64(n)) / math.Log(float64(m.most)))
}

// shades go from pale yellow over green to dark blue, ever darker, so that grey print and all eyes
// keep the order.
var shades = [][3]float64{{0xf5, 0xd9, 0x6b}, {0x8f, 0xc9, 0x7c}, {0x3a, 0xa6, 0x9a}, {0x22, 0x75, 0xa8}, {0x14, 0x3d, 0x80}, {0x08, 0x14, 0x4a}}

// shade returns the colour at v, from 0 to 1, of the scale.
func shade(v float64) color.RGBA {
	at := min(max(v, 0), 1) * float64(len(shades)-1)
	i := min(int(at), len(shades)-2)
	mix := func(k int) uint8 {
		return uint8(math.Round(shades[i][k] + (at-float64(i))*(shades[i+1][k]-shades[i][k])))
	}
	return color.RGBA{R: mix(0), G: mix(1), B: mix(2), A: 0xff}
}

func fillBox(c draw.Canvas, col color.Color, a, b vg.Point) {
	c.SetColor(col)
	c.Fill(vg.Rectangle{Min: a, Max: b}.Path())
}

func strokeBox(c draw.Canvas, style draw.LineStyle, a, b vg.Point) {
	c.StrokeLines(style, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}, a})
}

// short returns the name with at most n characters.
func short(name string, n int) string {
	runes := []rune(name)
	if len(runes) <= n {
		return name
	}
	return string(runes[:n-1]) + "…"
}
