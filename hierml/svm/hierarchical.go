package svm

import (
	"context"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Hierarchical is the hierarchical SVM of Cai and Hofmann with margin rescaling:
// a leaf's score is the sum over its ancestors n, itself included, of <W_n, x>
// (NHSVM equations 1 to 3 with lambda = 1/(2C)):
//
//	min 1/2 sum_n ||W_n||^2 + C sum_i max_y { F(x_i, y) - F(x_i, y_i) + Delta(y_i, y) }
//
// The zero value is ready to use.
type Hierarchical struct {
	// C weighs the training error. The default value is 1.
	C float64
	// Loss is Delta. The default value is the size of the symmetric difference of
	// the ancestor sets, the Hamming loss of NHSVM section 4.
	Loss     loss.Loss
	Settings solver.Settings
	Method   solver.Method
}

// Fit trains the SVM; see [Estimator].
func (s Hierarchical) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*Model, error) {
	if err := checkData(t, d); err != nil {
		return nil, err
	}
	if s.Loss == nil {
		s.Loss = loss.Symdiff(t)
	}
	a := structured.Ancestors(t)
	return (&single{
		name: "hierarchical SVM", attributes: a, c: s.C, settings: s.Settings, method: s.Method,
		competitor: func(y []int, c float64) (structured.Competitors, error) {
			return structured.NewLabels(a, y, s.Loss, structured.Margin, c)
		},
	}).fit(ctx, d)
}

// WithC returns the estimator with another C.
func (s Hierarchical) WithC(c float64) Estimator { s.C = c; return s }
