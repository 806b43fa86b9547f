package svm

import (
	"context"
	"slices"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// Transfer keeps the weights of a node near those of its parent (TRANSFER in [ZXW11, section 5],
// whose ||w_ii|| is ||w_i||):
//
//	min 1/2 sum_n ( ||w_n||^2 + sum over the children m of n of ||w_n - w_m||^2 ) + C sum_i xi_i
//	<w_n, x_i> - <w_m, x_i> >= 1 - xi_i    n at or above y_i, m a sibling of n
//
// Roots are siblings of each other and have no parent. The paper has C/N in place of C: the paper's
// C is C times the number of instances. Labels are as for [Orthogonal], whose documentation says
// why it hardly learns from several labels per instance, and what to use instead. The model
// descends to a leaf [ZXW11, (1)]. The zero value is ready to use.
type Transfer struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	Method    solver.Method
}

// Fit trains the SVM; see [classifier.Estimator].
func (s Transfer) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Transfer) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	t := d.Taxonomy
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	a, err := structured.Differences(ctx, t)
	if err != nil {
		return nil, err
	}
	siblings, err := structured.NewSiblings(a, d.Labels, structured.SiblingOptions{Roots: true}, c)
	if err != nil {
		return nil, err
	}
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		return nil, err
	}
	problem := &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: siblings, Weights: d.Weights}
	result, err := solver.Solve(ctx, problem, &s.Settings, s.Method)
	nodes := structured.Nodes(t)
	if result != nil {
		result.Weights = nodeWeights(a, result.Weights, nodes)
	}
	return descending("transfer SVM", nodes, c, d, nil, s.Settings, result, err)
}

// WithC returns the estimator with another C.
func (s Transfer) WithC(c float64) Regularized { s.C = c; return s }

// nodeWeights returns the weights of the nodes, one column of the result each, from weights under
// attributes of all nodes.
func nodeWeights(a *structured.Attributes, v *structured.Weights, nodes *structured.Attributes) *structured.Weights {
	type entry struct {
		from, to int
		value    float64
	}
	var entries []entry
	for to, n := range nodes.Columns() {
		of, values := a.Leaf(a.Candidate(n))
		for k, m := range of {
			if from := a.Column(m); from >= 0 {
				entries = append(entries, entry{from, to, values[k]})
			}
		}
	}
	w := v.Like(nodes.Columns())
	sums, row := make([]float64, w.Stride), make([]float64, len(v.Columns))
	for f := range v.Features {
		for c := range row {
			row[c] = v.At(f, c)
		}
		if !slices.ContainsFunc(row, func(w float64) bool { return w != 0 }) {
			continue
		}
		clear(sums)
		for _, e := range entries {
			sums[e.to] += e.value * row[e.from]
		}
		for c := range w.Columns {
			w.Set(f, c, sums[c])
		}
	}
	return w
}
