package perceptron

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
)

// Bound returns the number of updates that a perceptron with the attributes and the loss given
// never exceeds, in whatever order it sees the instances, where some weights of norm 1 rank all
// labels of every instance above the other leaves by a margin of at least gamma [Cai08, proposition
// 5]:
//
//	(2 Delta_max R P / (Delta_min gamma))^2
//
// where R, the radius, is the largest norm of an instance, P that of an attribute vector, and
// Delta_min and Delta_max are the least and the largest loss between two leaves. Minover obeys it
// as well. It is infinite for a loss that is zero between two leaves.
func Bound(a *structured.Attributes, l loss.Loss, radius, gamma float64) (float64, error) {
	if a == nil || l == nil {
		return 0, fmt.Errorf("perceptron: a bound needs Attributes and a Loss")
	}
	if err := loss.Check(l, a.Taxonomy()); err != nil {
		return 0, err
	}
	if !(gamma > 0) || math.IsInf(gamma, 1) {
		return 0, fmt.Errorf("perceptron: no bound for a margin of %v; it is positive and finite where the data are separable", gamma)
	}
	if !(radius >= 0) || math.IsInf(radius, 1) {
		return 0, fmt.Errorf("perceptron: no bound for a radius of %v; it is finite and not negative", radius)
	}
	candidates := a.Candidates()
	if len(candidates) == 1 {
		return 0, nil
	}
	var longest float64
	least, largest := math.Inf(1), 0.0
	for k, y := range candidates {
		var square float64
		_, values := a.Leaf(k)
		for _, v := range values {
			square += v * v
		}
		longest = max(longest, math.Sqrt(square))
		for _, z := range candidates {
			if z != y {
				cost := l.Cost(y, z)
				least, largest = min(least, cost), max(largest, cost)
			}
		}
	}
	root := 2 * largest * radius * longest / (least * gamma)
	return root * root, nil
}

// Bound is the function Bound for the flat perceptron on the instances of d.
func (p Flat) Bound(d *dataset.Dataset, gamma float64) (float64, error) {
	return boundOf(p, d, gamma)
}

// Bound is the function Bound for the perceptron with these settings on the instances of d.
func (p Hierarchical) Bound(d *dataset.Dataset, gamma float64) (float64, error) {
	return boundOf(p, d, gamma)
}

func boundOf(e estimator, d *dataset.Dataset, gamma float64) (float64, error) {
	m, err := prepare(e, d)
	if err != nil {
		return 0, err
	}
	if m.intercept != 0 {
		d = d.WithConstant(float32(m.intercept))
	}
	if _, err := m.positions(d); err != nil {
		return 0, err
	}
	kernel := m.kernel
	if kernel == nil {
		kernel = gram.Linear{}
	}
	var square float64
	for i := range d.X.Rows {
		row := gram.Row(d.X, i)
		square = max(square, kernel.Value(row, row))
	}
	return Bound(m.attributes, m.loss, math.Sqrt(square), gamma)
}

// Margin returns the least difference, over the instances of d, between the score of a label and
// that of another leaf, in units of the norm of the weights: what Bound takes for gamma, if it is
// positive, and the largest there is, if the model is an SVM with a large C. It is infinite if no
// instance compares anything. A kernel model is an error.
func Margin(m *classifier.Model, d *dataset.Dataset) (float64, error) {
	if m == nil || m.Attributes() == nil {
		return 0, fmt.Errorf("perceptron: a margin needs a trained model")
	}
	if d == nil || d.X == nil || len(d.Labels) != d.X.Rows {
		return 0, fmt.Errorf("perceptron: a margin needs instances with their labels")
	}
	a := m.Attributes()
	var square float64
	for _, n := range a.Columns() {
		_, w, err := m.FeatureWeights(n)
		if err != nil {
			return 0, fmt.Errorf("perceptron: no margin is known: %w", err)
		}
		for _, v := range w {
			square += v * v
		}
	}
	one := &method{attributes: a}
	if err := one.complete(m.Taxonomy, loss.ZeroOne()); err != nil {
		return 0, err
	}
	r := newRule(one)
	least := math.Inf(1)
	scores := allScores(m, d.X)
	var labels []int32
	for i, set := range d.Labels {
		var err error
		if labels, err = r.appendPositions(labels[:0], set); err != nil {
			return 0, fmt.Errorf("perceptron: row %d of dataset %q has %w", i, d.Name, err)
		}
		if p, ok := r.choose(labels, scores.RawRowView(i)); ok {
			least = min(least, p.margin)
		}
	}
	if square == 0 {
		return least, nil
	}
	return least / math.Sqrt(square), nil
}

// allScores returns the scores of all leaves, also of those that the model does not predict, as no
// instance has them.
func allScores(m *classifier.Model, x *dataset.Matrix) *mat.Dense {
	a, nodes := m.Attributes(), m.NodeScores(x)
	scores := mat.NewDense(x.Rows, len(a.Candidates()), nil)
	columns, sums := make([]float64, len(a.Columns())), make([]float64, len(a.Columns())+1)
	for i := range x.Rows {
		for c, n := range a.Columns() {
			columns[c] = nodes.At(i, n)
		}
		a.Scores(columns, sums, scores.RawRowView(i))
	}
	return scores
}
