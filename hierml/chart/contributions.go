package chart

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Explained is the explanation of a prediction, such as a *classifier.Explanation.
type Explained interface {
	// Contributions returns the names of features and of the nodes on the way to the label, and
	// what each feature (row) contributes to the score of each node (column).
	Contributions() (features, nodes []string, values [][]float64)
}

// A picture of contributions has the features that contribute most.
const (
	maxFeatures       = 25
	contributionCell  = 52 // points
	contributionRow   = 15
	contributionNames = 24 // characters
)

// Contributions draws how much features, such as words, contribute to the score of the predicted
// label. Each row is a feature, each column a node on the path to the label, and the last column is
// the sum over the nodes. Red speaks for the label, blue against it. With more than 25 features,
// those with the largest contributions are drawn, and the last row sums the others.
func Contributions(e Explained) (*Figure, error) {
	if e == nil {
		return nil, errors.New("chart: no explanation to draw")
	}
	features, nodes, values := e.Contributions()
	if len(nodes) == 0 || len(features) == 0 || len(values) != len(features) {
		return nil, fmt.Errorf("chart: an explanation of %d features at %d nodes, with %d rows; there is nothing to draw", len(features), len(nodes), len(values))
	}
	m := &contributions{columns: append(slices.Clone(nodes), "sum")}
	for i, row := range values {
		if len(row) != len(nodes) {
			return nil, fmt.Errorf("chart: feature %q has %d contributions to %d nodes", features[i], len(row), len(nodes))
		}
		sum := 0.0
		for _, v := range row {
			if math.IsNaN(v) || math.Abs(v) > 1e300 {
				return nil, fmt.Errorf("chart: feature %q contributes %v; contributions have to be finite", features[i], v)
			}
			sum += v
		}
		m.rows = append(m.rows, contributed{features[i], append(slices.Clone(row), sum)})
	}
	m.bound()
	m.most = math.SmallestNonzeroFloat64
	for _, r := range m.rows {
		for _, v := range r.values {
			m.most = max(m.most, math.Abs(v))
		}
	}
	p := newPlot("What speaks for "+short(nodes[len(nodes)-1], longestRow), "", "")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(len(m.columns)), 0, float64(len(m.rows))
	var columns, rows plot.ConstantTicks
	var wide, high vg.Length
	style := sans(labelSize, ink)
	for i, name := range m.columns {
		name = short(name, contributionNames)
		columns = append(columns, plot.Tick{Value: float64(i) + 0.5, Label: name + " "})
		high = max(high, style.Width(name))
	}
	for i, r := range m.rows {
		name := short(r.name, contributionNames)
		rows = append(rows, plot.Tick{Value: float64(len(m.rows)-i) - 0.5, Label: name})
		wide = max(wide, style.Width(name))
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = columns, rows
	matrixAxes(p)
	p.Add(m)
	width := max(contributionCell*vg.Length(len(m.columns))+wide, 220)
	return &Figure{Plot: p, Width: width + 30, Height: contributionRow*vg.Length(len(m.rows)) + high + 60}, nil
}

// contributions is the plotter of a matrix of contributions.
type contributions struct {
	columns []string
	rows    []contributed
	most    float64
}

// contributed is what a feature contributes to the nodes and, last, to their sum.
type contributed struct {
	name   string
	values []float64
}

// bound keeps the rows with the largest contributions, those that speak for the label first, and
// adds up the others.
func (m *contributions) bound() {
	size := func(c contributed) float64 {
		largest := 0.0
		for _, v := range c.values {
			largest = max(largest, math.Abs(v))
		}
		return largest
	}
	slices.SortStableFunc(m.rows, func(a, b contributed) int { return cmp.Compare(size(b), size(a)) })
	var rest []contributed
	if len(m.rows) > maxFeatures {
		m.rows, rest = m.rows[:maxFeatures-1], m.rows[maxFeatures-1:]
	}
	last := func(c contributed) float64 { return c.values[len(c.values)-1] }
	slices.SortStableFunc(m.rows, func(a, b contributed) int { return cmp.Compare(last(b), last(a)) })
	if len(rest) == 0 {
		return
	}
	others := contributed{fmt.Sprintf("%d others", len(rest)), make([]float64, len(m.columns))}
	for _, r := range rest {
		for k, v := range r.values {
			others.values[k] += v
		}
	}
	m.rows = append(m.rows, others)
}

// Plot draws the cells with their numbers; the sums stand apart.
func (m *contributions) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, r := range m.rows {
		bottom, top := y(float64(len(m.rows)-i-1)), y(float64(len(m.rows)-i))
		for k, v := range r.values {
			share := v / m.most
			from, to := vg.Point{X: x(float64(k)), Y: bottom}, vg.Point{X: x(float64(k + 1)), Y: top}
			fillBox(c, diverging(share), from, to)
			style := sans(labelSize, inkOnColor)
			if share < -0.55 || share > 0.75 {
				style.Color = color.White
			}
			if text := fmt.Sprintf("%.3g", v); v != 0 {
				label(c, style, vg.Point{X: (from.X+to.X)/2 - style.Width(text)/2, Y: (bottom + top) / 2}, text)
			}
		}
	}
	sum := x(float64(len(m.columns) - 1))
	c.StrokeLine2(draw.LineStyle{Color: inkOnColor, Width: 1}, sum, c.Min.Y, sum, c.Max.Y)
	strokeBox(c, draw.LineStyle{Color: frameOnColor, Width: 0.7}, c.Min, c.Max)
}
