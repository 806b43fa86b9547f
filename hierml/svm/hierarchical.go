package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// Hierarchical is the hierarchical SVM of Cai and Hofmann [CH04]. A leaf's score F is the sum over
// its ancestors n, itself included, of lambda_n <W_n, x>, with all lambda 1 unless Attributes says
// otherwise. With margin rescaling and one label per instance ([CSS16, (1) to (3)] with lambda =
// 1/(2C)):
//
//	min 1/2 sum_n ||W_n||^2 + C sum_i max_y { F(x_i, y) - F(x_i, y_i) + Delta(y_i, y) }
//
// If instances have several labels, y is any non-empty set of leaves. Its score is the sum over the
// leaves and all their ancestors, each counted once. The most violating set is found exactly,
// except on graphs where many nodes have several parents (package labelset). Model.LabelSets
// predicts. If fewer than a tenth of the instances have several labels, by their weights, y is any
// leaf for those with one label, and any non-empty set for the others. This is a different problem,
// and the certificate is that of this problem. On graphs it takes a fraction of the time, and it
// ranks leaves better. Set Sets to use sets for all instances.
//
// With slack rescaling, for one or several labels per instance [Cai08, (4.10), dual (4.15)], a
// margin of 1 is required between every label and every other leaf, and violations are weighted by
// Delta:
//
//	min 1/2 sum_n ||W_n||^2 + C sum_i max(0, max_{y in Y_i, z not in Y_i} Delta(y, z) { 1 - F(x_i, y) + F(x_i, z) })
//
// Instances whose labels are all leaves, or none, have no comparisons. The zero value is ready to
// use.
type Hierarchical struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Loss is Delta between leaves. The default value is the size of the symmetric difference of
	// the ancestor sets, the Hamming loss of [CSS16, section 4].
	Loss loss.Loss
	// Sets treats the labels of all instances as sets of leaves, even if every instance has one
	// label. Settings.Start is ignored if any instance has a set.
	Sets bool
	// SetLoss is Delta between sets. The default value is the size of the symmetric
	// difference of the sets' ancestors.
	SetLoss loss.Decomposing
	// Rescaling is structured.Margin, the default, or structured.Slack.
	Rescaling structured.Rescaling
	// Attributes, if not nil, are the vectors lambda of the leaves, made for the taxonomy of the
	// training data: structured.InvSqrtDepth and others. The default value is structured.Ancestors.
	Attributes *structured.Attributes
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
func (s Hierarchical) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learnKernel(ctx, d, s.Kernel, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Hierarchical) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkData(d); err != nil {
		return nil, err
	}
	t := d.Taxonomy
	a := s.Attributes
	if a == nil {
		a = structured.Ancestors(t)
	}
	if a.Taxonomy() != t {
		return nil, fmt.Errorf("svm: Attributes belong to another taxonomy; create them for the taxonomy of the dataset")
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	if s.Loss == nil {
		s.Loss = loss.Symdiff(t)
	}
	name, rule := "hierarchical SVM", classifier.Highest
	var competitors structured.Competitors
	switch {
	case s.Rescaling == structured.Slack:
		competitors, err = compare(a, d.Labels, s.Loss, structured.Slack, c)
	case s.Rescaling == structured.Margin && (s.Sets || severalLabels(d)):
		name, rule = "hierarchical SVM of label sets", classifier.BestSet
		if s.SetLoss == nil {
			s.SetLoss = loss.Symdiff(t).(loss.Decomposing)
		}
		if s.Sets {
			s.Loss = nil
		}
		competitors, err = compareSets(a, d, s.Loss, s.SetLoss, c, &s.Settings)
	default:
		competitors, err = compareSingle(a, d, s.Loss, s.Rescaling, c)
	}
	if err != nil {
		return nil, err
	}
	m, err := trainKernel(ctx, a, competitors, d, s.Kernel, s.Settings, s.Method)
	if m != nil {
		m.Name, m.C, m.Rule = name, c, rule
	}
	return m, err
}

// WithC returns the estimator with another C.
func (s Hierarchical) WithC(c float64) Regularized { s.C = c; return s }
