package chart

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Predictor is a model that predicts a node for each row of a matrix, such as a *classifier.Model.
// If it has a method Check(*dataset.Matrix) error, that is called first to check the rows.
type Predictor interface {
	Predict(x *dataset.Matrix) []int
}

// PredictFunc turns a function into a Predictor.
type PredictFunc func(x *dataset.Matrix) []int

// Predict calls f.
func (f PredictFunc) Predict(x *dataset.Matrix) []int { return f(x) }

// Contender is a model to compare, with its name.
type Contender struct {
	Name  string
	Model Predictor
}

const (
	maxContenders = 12
	regionCells   = 100 // of the plane, along each side
	halvings      = 6   // of a cell, to find where on its side two regions meet
	maxCrossings  = 3000
	maxPoints     = 1000 // drawn of a data set
)

// DecisionRegions draws which node a model predicts at each point of the plane, and above that the
// instances of d in the colours of their labels, as [Cai08, figures 4.3 and 4.4] do for a flat and
// a hierarchical SVM. The first two columns of d.X are the plane; further columns must be constant,
// such as that of WithConstant. All nodes below one child of the root (or below one of several
// roots) have shades of one colour; thin lines separate these, dark lines separate the colours. Of
// more than 1000 instances, 1000 are drawn, evenly spaced in d. An instance with several labels has
// the colour of the first.
//
// The model is evaluated at 100 by 100 points, and between neighbours with different predictions
// where they meet.
func DecisionRegions(ctx context.Context, m Predictor, d *dataset.Dataset) (*Figure, error) {
	return CompareRegions(ctx, d, Contender{Name: "Decision regions", Model: m})
}

// CompareRegions draws the decision regions of up to twelve models, three in a row, each as
// DecisionRegions does. The title of a panel is the name of the model and its accuracy on d.
func CompareRegions(ctx context.Context, d *dataset.Dataset, models ...Contender) (*Figure, error) {
	if len(models) == 0 || len(models) > maxContenders {
		return nil, fmt.Errorf("chart: %d models to draw the regions of; give 1 to %d", len(models), maxContenders)
	}
	plane, err := newPlane(d)
	if err != nil {
		return nil, err
	}
	colors := newNodeColors(d.Taxonomy)
	var panels []*plot.Plot
	var all []*regions
	for i, m := range models {
		if m.Model == nil {
			return nil, fmt.Errorf("chart: model %d, %q, is nil; train it first", i, m.Name)
		}
		r, err := plane.regions(ctx, m.Model, colors)
		if err != nil {
			return nil, fmt.Errorf("chart: the regions of %q: %w", m.Name, err)
		}
		all, panels = append(all, r), append(panels, r.plot(r.title(m.Name, len(models) > 1)))
	}
	return regionsFigure(all, panels), nil
}

// plane is the part of the plane that is drawn, and the instances in it.
type plane struct {
	data       *dataset.Dataset
	low, high  [2]float64
	names      [2]string
	constants  []float32 // of the columns after the second
	instances  []point   // drawn
	comparable bool      // every instance has one label
}

// point is an instance of the data.
type point struct {
	x, y  float64
	row   int
	label int // the first, or -1
}

// newPlane checks the data and finds its range.
func newPlane(d *dataset.Dataset) (*plane, error) {
	if d == nil || d.X == nil || d.Taxonomy == nil || d.Len() == 0 {
		return nil, errors.New("chart: no instances to draw; give a data set with at least one")
	}
	if d.X.Cols < 2 {
		return nil, fmt.Errorf("chart: the data have %d columns; regions need two", d.X.Cols)
	}
	p := &plane{data: d, names: [2]string{"x", "y"}, constants: make([]float32, d.X.Cols-2), comparable: true}
	if len(d.Vocabulary) >= 2 {
		p.names = [2]string{d.Vocabulary[0], d.Vocabulary[1]}
	}
	p.low, p.high = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	step := (d.Len() + maxPoints - 1) / maxPoints
	row := make([]float32, d.X.Cols)
	for i := range d.Len() {
		clear(row)
		indices, values := d.X.Row(i)
		for k, column := range indices {
			row[column] = values[k]
		}
		if i == 0 {
			copy(p.constants, row[2:])
		}
		if k := differs(p.constants, row[2:]); k >= 0 {
			return nil, fmt.Errorf("chart: column %d is %v for instance 0 and %v for instance %d; regions are drawn over two columns, and all others must be constant: choose two with Columns",
				k+2, p.constants[k], row[k+2], i)
		}
		at := point{x: float64(row[0]), y: float64(row[1]), row: i, label: -1}
		for k, v := range [2]float64{at.x, at.y} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("chart: column %d of instance %d is %v; it has to be finite", k, i, v)
			}
			p.low[k], p.high[k] = min(p.low[k], v), max(p.high[k], v)
		}
		if len(d.Labels[i]) > 0 {
			at.label = d.Labels[i][0]
		}
		p.comparable = p.comparable && len(d.Labels[i]) == 1
		if i%step == 0 {
			p.instances = append(p.instances, at)
		}
	}
	for k := range 2 {
		pad := 0.07 * (p.high[k] - p.low[k])
		if pad == 0 {
			pad = max(1, 0.1*math.Abs(p.low[k]))
		}
		p.low[k], p.high[k] = p.low[k]-pad, p.high[k]+pad
	}
	return p, nil
}

// differs returns the first position at which a and b differ, or -1.
func differs(a, b []float32) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// predict returns what the model predicts at places of the plane.
func (p *plane) predict(ctx context.Context, m Predictor, places [][2]float64) ([]int, error) {
	return p.each(ctx, places, func(x *dataset.Matrix) ([]int, error) { return ask(m, x, p.data.Taxonomy) })
}

// each returns what a function says of places of the plane, and asks the context every few thousand
// of them.
func (p *plane) each(ctx context.Context, places [][2]float64, say func(x *dataset.Matrix) ([]int, error)) ([]int, error) {
	const most = 2000
	said := make([]int, 0, len(places))
	for part := range slices.Chunk(places, most) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := &dataset.Matrix{Rows: len(part), Cols: p.data.X.Cols, Indptr: []int{0}, Vocabulary: p.data.X.Vocabulary}
		for _, at := range part {
			row := append([]float32{float32(at[0]), float32(at[1])}, p.constants...)
			for column, v := range row {
				if v != 0 {
					x.Indices = append(x.Indices, int32(column))
					x.Values = append(x.Values, v)
				}
			}
			x.Indptr = append(x.Indptr, len(x.Indices))
		}
		of, err := say(x)
		if err != nil {
			return nil, err
		}
		said = append(said, of...)
	}
	return said, nil
}

// ask lets the model predict, and checks what it says.
func ask(m Predictor, x *dataset.Matrix, t *taxonomy.Taxonomy) ([]int, error) {
	if c, ok := m.(interface{ Check(*dataset.Matrix) error }); ok {
		if err := c.Check(x); err != nil {
			return nil, err
		}
	}
	nodes := m.Predict(x)
	if len(nodes) != x.Rows {
		return nil, fmt.Errorf("the model predicts %d nodes for %d rows", len(nodes), x.Rows)
	}
	for i, n := range nodes {
		if n < 0 || n >= t.Len() {
			return nil, fmt.Errorf("the model predicts node %d at row %d; the data's taxonomy has nodes 0..%d", n, i, t.Len()-1)
		}
	}
	return nodes, nil
}

// regions are the parts of the plane in which a model predicts the same node.
type regions struct {
	*plane
	colors   *nodeColors
	accuracy float64  // on all instances of the data; NaN where they have not one label each
	parts    []region // by node; with margins, those beyond them come after and lie over the others
	borders  [3]lines // within a colour, between colours, and of margins
	support  []bool   // the instances to mark, by row of the data; nil for none
	seen     []int    // nodes that are predicted or have instances, in the order of the taxonomy
}

// region is where one node is predicted: what lies within its loops, or within an odd number of
// them.
type region struct {
	node   int
	within bool // a margin
	loops  [][][2]float64
}

// lines are pieces of lines, each from one place to another.
type lines [][2][2]float64

// regions asks the model.
func (p *plane) regions(ctx context.Context, m Predictor, colors *nodeColors) (*regions, error) {
	predict := func(ctx context.Context, places [][2]float64) ([]int, error) { return p.predict(ctx, m, places) }
	g := &grid{plane: p, cells: regionCells, ask: predict}
	if err := g.fill(ctx); err != nil {
		return nil, err
	}
	if g.crossings() > maxCrossings {
		// A model that changes its mind at every step: a coarser picture says as much.
		g = &grid{plane: p, cells: regionCells / 2, ask: predict}
		if err := g.fill(ctx); err != nil {
			return nil, err
		}
	}
	if err := g.meet(ctx); err != nil {
		return nil, err
	}
	r := &regions{plane: p, colors: colors, accuracy: math.NaN()}
	r.parts, r.borders = g.trace(func(a, b int) int {
		if colors.group[a] != colors.group[b] {
			return betweenColors
		}
		return withinColor
	})
	if p.comparable {
		predicted, err := ask(m, p.data.X, p.data.Taxonomy)
		if err != nil {
			return nil, err
		}
		right := 0
		for i, n := range predicted {
			if n == p.data.Labels[i][0] {
				right++
			}
		}
		r.accuracy = float64(right) / float64(len(predicted))
	}
	there := make(map[int]bool)
	for _, part := range r.parts {
		there[part.node] = true
	}
	for _, at := range p.instances {
		there[at.label] = true
	}
	for _, o := range colors.order {
		if there[o.node] {
			r.seen = append(r.seen, o.node)
		}
	}
	return r, nil
}
