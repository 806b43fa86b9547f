package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// Normalized is the normalized hierarchical SVM. A leaf's score is the sum over its ancestors n,
// itself included, of sqrt(alpha_n) <W_n, x>, where the weights alpha sum to 1 on the path to every
// leaf ([CSS16, (10) and (12)] with lambda = 1/(2C); (11) is the same problem in U_n =
// sqrt(alpha_n) W_n):
//
//	min 1/2 sum_n ||W_n||^2 + C sum_i max_y { F(x_i, y) - F(x_i, y_i) + Delta(y_i, y) }
//
// If instances have several labels, y is any non-empty set of leaves. Its score is the sum over the
// leaves and all their ancestors, each counted once. The most violating set is found exactly,
// except on graphs where many nodes have several parents (package labelset). Model.LabelSets
// predicts. If fewer than a tenth of the instances have several labels, by their weights, y is any
// leaf for those with one label, with Loss, and any non-empty set for the others, with SetLoss.
// This is a different problem, and the certificate is that of this problem. On graphs it takes a
// fraction of the time, and it ranks leaves better. Set Sets to use sets for all instances.
//
// The zero value is ready to use.
type Normalized struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Weighting chooses alpha. weighting.Path is [CSS16, (6) and (8)], with or without the
	// directional constraint; weighting.MaxMin is (7). The default value is weighting.MaxMin{}. On
	// nine data sets, with C chosen for each, it and weighting.Path{Directional: true} are about
	// equal. Both are better than weighting.Path{}, which is (6) with an exponent of 2: it gives
	// nearly all weight to the top nodes if they have many leaves below ("go run ./bench
	// weightings"; for your data, Search.ChooseAmong).
	Weighting Weighting
	// Alpha, if not nil, has the node weights instead, one per node of the taxonomy, none negative.
	Alpha []float64
	// Loss is Delta between leaves. The default value is the normalized loss [CSS16, (9)]: the
	// square root of the sum of alpha over the nodes above exactly one of the two leaves.
	Loss loss.Loss
	// Sets treats the labels of all instances as sets of leaves, even if every instance has one
	// label. Settings.Start is ignored if any instance has a set.
	Sets bool
	// SetLoss is Delta between sets. The default value is the number of leaves in which the two
	// sets differ, the loss of [CSS16, section 7.1]; (9) is not a sum over nodes, so the most
	// violating set can't be found.
	SetLoss loss.Decomposing
	// DivideByNorm divides everything inside the maximum by the norm of the difference of the two
	// attribute vectors: [CSS16, (13)] with the default loss. With label sets it is an error,
	// because this norm is not a sum over nodes either, as the paper says below (13).
	DivideByNorm bool
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	Method    solver.Method
}

// Weighting chooses the weight alpha of every node of a taxonomy; see package weighting.
type Weighting interface {
	Weights(t *taxonomy.Taxonomy) ([]float64, error)
}

// Fit trains the SVM; see [classifier.Estimator].
func (s Normalized) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Normalized) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkData(d); err != nil {
		return nil, err
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	alpha, err := s.alpha(d.Taxonomy)
	if err != nil {
		return nil, fmt.Errorf("svm: node weights: %w", err)
	}
	a, err := structured.SqrtAlpha(d.Taxonomy, alpha)
	if err != nil {
		return nil, err
	}
	name, rule := "normalized hierarchical SVM", classifier.Highest
	var competitors structured.Competitors
	if s.Sets || severalLabels(d) {
		name, rule = "normalized hierarchical SVM of label sets", classifier.BestSet
		competitors, err = s.compareSets(a, d, alpha, c)
	} else {
		competitors, err = s.compareSingle(a, d, alpha, c)
	}
	if err != nil {
		return nil, err
	}
	m, err := train(ctx, a, competitors, d, s.Settings, s.Method)
	if m != nil {
		m.Name, m.C, m.Rule = name, c, rule
	}
	return m, err
}

func (s *Normalized) compareSets(a *structured.Attributes, d *dataset.Dataset, alpha []float64, c float64) (structured.Competitors, error) {
	if s.DivideByNorm {
		return nil, fmt.Errorf("svm: DivideByNorm needs single labels: the norm of the difference of two label sets is not a sum over nodes, so the most violating set can't be found [CSS16, below (13)]; do not set it, or train on instances with one label")
	}
	if s.SetLoss == nil {
		s.SetLoss = loss.LeafSymdiff(d.Taxonomy)
	}
	single, err := s.single(d.Taxonomy, alpha)
	if err != nil {
		return nil, err
	}
	if s.Sets {
		single = nil
	}
	return compareSets(a, d, single, s.SetLoss, c, &s.Settings)
}

// single returns the loss between single labels.
func (s *Normalized) single(t *taxonomy.Taxonomy, alpha []float64) (loss.Loss, error) {
	if s.Loss != nil {
		return s.Loss, nil
	}
	l, err := loss.SqrtAlpha(t, alpha)
	if err != nil {
		return nil, fmt.Errorf("svm: default loss: %w", err)
	}
	return l, nil
}

func (s *Normalized) compareSingle(a *structured.Attributes, d *dataset.Dataset, alpha []float64, c float64) (structured.Competitors, error) {
	single, err := s.single(d.Taxonomy, alpha)
	if err != nil {
		return nil, err
	}
	rescaling := structured.Margin
	if s.DivideByNorm {
		rescaling = structured.Norm
	}
	return compareSingle(a, d, single, rescaling, c)
}

// alpha returns the node weights.
func (s Normalized) alpha(t *taxonomy.Taxonomy) ([]float64, error) {
	switch {
	case s.Alpha != nil:
		return s.Alpha, nil
	case s.Weighting != nil:
		return s.Weighting.Weights(t)
	}
	return weighting.MaxMin{}.Weights(t)
}

// WithC returns the estimator with another C.
func (s Normalized) WithC(c float64) Regularized { s.C = c; return s }
