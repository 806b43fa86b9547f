package svm

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// GlobalMargin is the hierarchical SVM with global margin maximization [QGH09, (9)]. In addition to
// the margins between labels, it requires margins between every inner node above a label and its
// siblings, with separate slack variables:
//
//	min 1/2 ||W||^2 + C1 sum_i xi_i + C2 sum_i zeta_i
//	<W, Phi(x_i, y) - Phi(x_i, y')> >= 1 - xi_i / l(y, y')    y in Y_i, y' a leaf that is not
//	<W, Phi(x_i, z) - Phi(x_i, z')> >= 1 - zeta_i / l(z, z')  z an inner node above Y_i, z' a sibling of z that is not above Y_i
//
// with Phi(x, y) the sum over the ancestors n of y, itself included, of x at node n. As printed in
// the paper, the second line would also compare two siblings that are both above labels of an
// instance, in both orders, which no weights satisfy. Siblings share a parent; roots have none.
// Comparisons whose loss is zero are left out.
//
// An instance may have several labels; Predict returns the leaf with the highest score. The zero
// value is ready to use.
type GlobalMargin struct {
	// C1 is the weight of the errors between labels. The default value is 1.
	C1 float64
	// C2 is the weight of the errors between siblings. The default value is C1.
	C2 float64
	// Loss is l, also between inner nodes. The default value is loss.Symdiff. [QGH09] compares
	// ZeroOne, Tree (or half of it, which its figures are), Symdiff, Uni, Sib and Sub.
	Loss loss.Loss
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	Method    solver.Method
}

// Fit trains the SVM; see [classifier.Estimator].
func (s GlobalMargin) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s GlobalMargin) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkData(d); err != nil {
		return nil, err
	}
	t := d.Taxonomy
	c1, err := defaultC(s.C1)
	if err != nil {
		return nil, err
	}
	c2 := s.C2
	if c2 == 0 {
		c2 = c1
	}
	if !(c2 > 0) || math.IsInf(c2, 1) {
		return nil, fmt.Errorf("svm: C2 is %v; the weight of the errors between siblings must be positive and finite", c2)
	}
	if s.Loss == nil {
		s.Loss = loss.Symdiff(t)
	}
	all := structured.OfNodes(t)
	leaves, err := all.Restrict(t.Leaves())
	if err != nil {
		return nil, err
	}
	labels, err := structured.NewRanking(leaves, d.Labels, s.Loss, structured.Slack, c1)
	if err != nil {
		return nil, err
	}
	siblings, err := structured.NewSiblings(all, d.Labels, structured.SiblingOptions{InnerOnly: true, Loss: s.Loss, Rescaling: structured.Slack}, c2)
	if err != nil {
		return nil, err
	}
	m, err := train(ctx, leaves, structured.Both(labels, siblings), d, s.Settings, s.Method)
	if m != nil {
		m.Name, m.C = "hierarchical SVM with global margins", c1
	}
	return m, err
}

// WithC returns the estimator with another C1; the ratio of C2 to C1 stays the same.
func (s GlobalMargin) WithC(c float64) Regularized {
	if s.C2 != 0 {
		s.C2 *= cmp.Or(c, 1) / cmp.Or(s.C1, 1)
	}
	s.C1 = c
	return s
}
