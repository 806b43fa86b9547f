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

// Bound returns an upper bound on the number of updates of a perceptron with the given attributes
// and loss, for any order of the instances. It assumes that some weights of norm 1 rank all labels
// of every instance above the other leaves by a margin of at least gamma [Cai08, proposition 5]:
//
//	(2 Delta_max R P / (Delta_min gamma))^2
//
// where R, the radius, is the largest norm of an instance, P the largest norm of an attribute
// vector, and Delta_min and Delta_max are the smallest and the largest loss between two leaves. It
// also holds for Minover. It is infinite if the loss between two leaves is zero.
func Bound(a *structured.Attributes, l loss.Loss, radius, gamma float64) (float64, error) {
	if a == nil || l == nil {
		return 0, fmt.Errorf("perceptron: Bound needs attributes and a loss")
	}
	if err := loss.Check(l, a.Taxonomy()); err != nil {
		return 0, err
	}
	if !(gamma > 0) || math.IsInf(gamma, 1) {
		return 0, fmt.Errorf("perceptron: there is no bound for the margin %v; it must be positive and finite, as for separable data", gamma)
	}
	if !(radius >= 0) || math.IsInf(radius, 1) {
		return 0, fmt.Errorf("perceptron: there is no bound for the radius %v; it must be finite and not negative", radius)
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

// Margin returns the smallest difference, over the instances of d, between the score of a label and
// that of another leaf, divided by the norm of the weights. If it is positive, pass it to Bound as
// gamma. An SVM with a large C has the largest possible margin. It is infinite if no instance has a
// comparison. Margin returns an error for a kernel model.
func Margin(m *classifier.Model, d *dataset.Dataset) (float64, error) {
	if m == nil || m.Attributes() == nil {
		return 0, fmt.Errorf("perceptron: Margin needs a trained model")
	}
	if d == nil || d.X == nil || len(d.Labels) != d.X.Rows {
		return 0, fmt.Errorf("perceptron: Margin needs instances with labels")
	}
	a := m.Attributes()
	var square float64
	for _, n := range a.Columns() {
		_, w, err := m.FeatureWeights(n)
		if err != nil {
			return 0, fmt.Errorf("perceptron: the margin is unknown: %w", err)
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

// allScores returns the scores of all leaves, including those that the model never predicts because
// they have no instance.
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
