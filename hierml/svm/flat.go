package svm

import (
	"context"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Flat is the multiclass SVM of Crammer and Singer over the leaves, the
// hierarchy unused (thesis of Cai, equations 2.9 and 4.3 for one label an
// instance):
//
//	min 1/2 sum_y ||w_y||^2 + C sum_i max_y { <w_y, x_i> - <w_{y_i}, x_i> + Delta(y_i, y) }
//
// The zero value is ready to use.
type Flat struct {
	// C weighs the training error. The default value is 1.
	C float64
	// Loss is Delta. The default value is the 0/1 loss.
	Loss     loss.Loss
	Settings solver.Settings
	Method   solver.Method
}

// Fit trains the SVM; see [Estimator].
func (s Flat) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*Model, error) {
	if err := checkData(t, d); err != nil {
		return nil, err
	}
	if s.Loss == nil {
		s.Loss = loss.ZeroOne()
	}
	a := structured.Flat(t)
	return (&single{
		name: "flat SVM", attributes: a, c: s.C, settings: s.Settings, method: s.Method,
		competitor: func(y []int, c float64) (structured.Competitors, error) {
			return structured.NewLabels(a, y, s.Loss, structured.Margin, c)
		},
	}).fit(ctx, d)
}

// WithC returns the estimator with another C.
func (s Flat) WithC(c float64) Estimator { s.C = c; return s }
