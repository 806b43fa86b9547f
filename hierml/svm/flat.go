package svm

import (
	"context"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// Flat is the multiclass SVM of Crammer and Singer [CS01] over the leaves; it ignores the
// hierarchy. For instances with several labels, or none, it is the multilabel SVM that ranks labels
// above the other leaves [Cai08, (2.9) and (4.3)]:
//
//	min 1/2 sum_y ||w_y||^2 + C sum_i max(0, max_{y in Y_i, z not in Y_i} { <w_z, x_i> - <w_y, x_i> + Delta(y, z) })
//
// FLATMULT of [ZXW11, (12)] is this SVM with C/N in place of C: the paper's C is C times the number
// of instances.
//
// The zero value is ready to use.
type Flat struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Loss is Delta. The default value is the 0/1 loss.
	Loss loss.Loss
	// Kernel, if not nil, replaces the inner product of instances. It needs memory for the kernel
	// value of every pair of instances.
	Kernel gram.Kernel
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	Method    solver.Method
}

// Fit trains the SVM; see [classifier.Estimator].
func (s Flat) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learnKernel(ctx, d, s.Kernel, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Flat) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkData(d); err != nil {
		return nil, err
	}
	if s.Loss == nil {
		s.Loss = loss.ZeroOne()
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	a := structured.Flat(d.Taxonomy)
	competitors, err := compare(a, d.Labels, s.Loss, structured.Margin, c)
	if err != nil {
		return nil, err
	}
	m, err := trainKernel(ctx, a, competitors, d, s.Kernel, s.Settings, s.Method)
	if m != nil {
		m.Name, m.C = "flat SVM", c
	}
	return m, err
}

// WithC returns the estimator with another C.
func (s Flat) WithC(c float64) Regularized { s.C = c; return s }
