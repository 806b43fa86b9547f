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
// If instances have several labels, y is any non-empty set of leaves, its score the sum over the leaves and all
// their ancestors, each once, and the worst set is found exactly (package labelset); Model.LabelSets
// predicts.
//
// The zero value is ready to use.
type Hierarchical struct {
	// C weighs the training error. The default value is 1.
	C float64
	// Loss is Delta. The default value is the size of the symmetric difference of
	// the ancestor sets, the Hamming loss of NHSVM section 4.
	Loss loss.Loss
	// Sets makes the labels sets of leaves even if every instance has one label.
	Sets bool
	// SetLoss is Delta where labels are sets. The default value is the size of the symmetric difference of the
	// sets' ancestors.
	SetLoss  loss.Decomposing
	Settings solver.Settings
	Method   solver.Method
}

// Fit trains the SVM; see [Estimator].
func (s Hierarchical) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*Model, error) {
	if err := checkData(t, d); err != nil {
		return nil, err
	}
	a := structured.Ancestors(t)
	if s.Sets || severalLabels(d) {
		if s.SetLoss == nil {
			s.SetLoss = loss.Symdiff(t).(loss.Decomposing)
		}
		return (&sets{name: "hierarchical SVM of label sets", attributes: a, loss: s.SetLoss, c: s.C, settings: s.Settings, method: s.Method}).fit(ctx, d)
	}
	if s.Loss == nil {
		s.Loss = loss.Symdiff(t)
	}
	return (&single{
		name: "hierarchical SVM", attributes: a, c: s.C, settings: s.Settings, method: s.Method,
		competitor: func(y []int, c float64) (structured.Competitors, error) {
			return structured.NewLabels(a, y, s.Loss, structured.Margin, c)
		},
	}).fit(ctx, d)
}

// WithC returns the estimator with another C.
func (s Hierarchical) WithC(c float64) Estimator { s.C = c; return s }
