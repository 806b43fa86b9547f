package svm

import (
	"context"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// TreeLoss is the hierarchical SVM of Cai and Hofmann [CH04] as [ZXW11] compares with it (TREELOSS
// in its section 5): slack rescaling by half the distance between two nodes,
//
//	min 1/2 sum_n ||u_n||^2 + C sum_i xi_i
//	F(x_i, y_i) - F(x_i, y) >= 1 - xi_i / Delta(y_i, y)    for every other candidate y
//
// where F(x, y) is the sum of <u_n, x> over the ancestors n of y, itself included, and trees of a
// forest are joined by a root above them. The paper has C/N in place of C: the paper's C is C times
// the number of instances. With several labels they are ranked as in [Hierarchical] with slack
// rescaling. The model predicts the candidate with the highest score [ZXW11, (2)]. The zero value
// is ready to use.
type TreeLoss struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// AllNodes compares labels with all nodes, as printed in the paper, so labels and predictions
	// may be inner nodes. By default the candidates are the leaves.
	AllNodes bool
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	Method    solver.Method
}

// Fit trains the SVM; see [classifier.Estimator].
func (s TreeLoss) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s TreeLoss) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	t := d.Taxonomy
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	a := structured.Ancestors(t)
	if s.AllNodes {
		a = structured.OfNodes(t)
	}
	competitors, err := compare(a, d.Labels, loss.HalfGraph(t), structured.Slack, c)
	if err != nil {
		return nil, err
	}
	m, err := train(ctx, a, competitors, d, s.Settings, s.Method)
	if m != nil {
		m.Name, m.C = "tree-loss SVM", c
	}
	return m, err
}

// WithC returns the estimator with another C.
func (s TreeLoss) WithC(c float64) Regularized { s.C = c; return s }
