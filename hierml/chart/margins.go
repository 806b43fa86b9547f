package chart

import (
	"context"
	"fmt"

	"gonum.org/v1/plot"

	"github.com/hierml/notebook/hierml/dataset"
)

// Separator is a model that was trained to keep margins between labels, such as a *classifier.Model
// of a support vector machine that compares the label of each instance with all others.
type Separator interface {
	Predictor
	// MarginExcess returns for every row by how much the score of the predicted label is further
	// ahead of the others than training demands: below zero within a margin.
	MarginExcess(x *dataset.Matrix) ([]float64, error)
	// DualSums returns the sum of the dual coefficients of every instance that was trained on.
	// Those where it is not zero are the support vectors.
	DualSums() ([]float64, error)
}

// supportRing is by how many points the ring of a support vector is wider than its instance.
const supportRing = 1.9

// Margins draws the decision regions of a model, as DecisionRegions does, with its margins and its
// support vectors. d is the training data. A region is paler where the score of its node leads by
// less than training demands; an instance of that node beyond this margin has no error. Rings mark
// the support vectors, and the title counts them. If you leave out the other instances, the
// training gives the same model.
func Margins(ctx context.Context, m Separator, d *dataset.Dataset) (*Figure, error) {
	plane, err := newPlane(d)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("chart: the model is nil; train it first")
	}
	sums, err := m.DualSums()
	if err != nil {
		return nil, fmt.Errorf("chart: the support vectors: %w", err)
	}
	if len(sums) != d.Len() {
		return nil, fmt.Errorf("chart: the model was trained on %d instances, and the data have %d; pass the data that the model was trained on", len(sums), d.Len())
	}
	r, err := plane.regions(ctx, m, newNodeColors(d.Taxonomy))
	if err == nil {
		err = r.addMargins(ctx, m)
	}
	if err != nil {
		return nil, fmt.Errorf("chart: the margins: %w", err)
	}
	r.support = make([]bool, len(sums))
	count := 0
	for i, s := range sums {
		if r.support[i] = s != 0; r.support[i] {
			count++
		}
	}
	p := r.plot(fmt.Sprintf("Margins: %d of %d are support vectors", count, len(sums)))
	return regionsFigure([]*regions{r}, []*plot.Plot{p}), nil
}

// addMargins makes the regions those within margins, and adds what of them is beyond.
func (r *regions) addMargins(ctx context.Context, m Separator) error {
	t := r.data.Taxonomy
	// beyond says of places which node is predicted there beyond all margins, or -1.
	beyond := func(x *dataset.Matrix) ([]int, error) {
		nodes, err := ask(m, x, t)
		if err != nil {
			return nil, err
		}
		excess, err := m.MarginExcess(x)
		if err != nil {
			return nil, err
		}
		if len(excess) != x.Rows {
			return nil, fmt.Errorf("the model returned the margins of %d rows, but was asked for %d", len(excess), x.Rows)
		}
		for i, e := range excess {
			if e < 0 {
				nodes[i] = -1
			}
		}
		return nodes, nil
	}
	all := &grid{plane: r.plane, cells: regionCells, ask: func(ctx context.Context, places [][2]float64) ([]int, error) { return r.each(ctx, places, beyond) }}
	if err := all.fill(ctx); err != nil {
		return err
	}
	for k := range r.parts {
		r.parts[k].within = true
	}
	// Each node for itself, so that margins that are narrower than a cell have straight edges, too.
	for _, n := range r.seen {
		one := &grid{plane: r.plane, cells: regionCells}
		is := func(nodes []int) []int {
			list := make([]int, len(nodes))
			for i, o := range nodes {
				if o == n {
					list[i] = 1
				}
			}
			return list
		}
		one.ask = func(ctx context.Context, places [][2]float64) ([]int, error) {
			nodes, err := all.ask(ctx, places)
			return is(nodes), err
		}
		one.node = is(all.node)
		if err := one.meet(ctx); err != nil {
			return err
		}
		parts, borders := one.trace(func(int, int) int { return ofMargin })
		for _, part := range parts {
			if part.node == 1 {
				r.parts = append(r.parts, region{node: n, loops: part.loops})
			}
		}
		r.borders[ofMargin] = append(r.borders[ofMargin], borders[ofMargin]...)
	}
	return nil
}
