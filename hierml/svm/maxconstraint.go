package svm

import (
	"context"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/memory"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// MaxConstraint trains a weight vector for every node, for instances with any number of labels at
// any nodes. It uses the max constraint of C-HMCNN [GL20, MCM]: the score of a node is the highest
// at or below it, so no child scores higher than its parent. With linear scores and the hinge,
//
//	min 1/2 sum_n ||w_n||^2 + C sum_i { sum_{n in Y_i} max(0, 1 - <w_n, x_i>)
//	                                  + sum_{n not in Y_i} max(0, 1 + max_{m at or below n} <w_m, x_i>) }
//
// where Y_i has the labels of instance i and all nodes above them. This differs from the paper in
// the loss of the nodes in Y_i. The paper's MCLoss uses the highest score among the nodes of Y_i at
// or below n: a minimum of hinges, which is not convex. Here the score of n itself is used. This
// loss is never smaller, and it is equal where no node of Y_i below n scores higher. The problem is
// convex, and the certificate is that of its optimum.
//
// Without a hierarchy the problem is that of [OneVsRest] with the hinge.
//
// [classifier.Model.CoherentScores] returns the scores of the nodes, and ClosedSets the nodes with
// positive scores, in their most specific form; LeafScores and Predict consider leaves, and Decide
// returns the leaves among the predicted nodes. NodeSets{Method: MaxConstraint{}} learns which
// nodes to predict.
//
// There is at least one dual variable for every pair of an instance and a node, of about 150 bytes
// each.
//
// The zero value is ready to use.
type MaxConstraint struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	// Settings.Checkpoint is not supported.
	Settings solver.Settings
	Method   solver.Method
}

// Fit trains the SVM; see [classifier.Estimator].
func (s MaxConstraint) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return withoutIntercept(ctx, d, s.Intercept, func() (*classifier.Model, error) {
		return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
	})
}

func (s MaxConstraint) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	if s.Settings.Checkpoint != "" {
		return nil, fmt.Errorf("svm: MaxConstraint does not support checkpoints; leave Settings.Checkpoint empty")
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	if err := maxConstraintFits(ctx, int64(d.Len()), int64(d.Taxonomy.Len())); err != nil {
		return nil, err
	}
	a, err := structured.Flat(d.Taxonomy).Widen(d.Taxonomy.Topological())
	if err != nil {
		return nil, err
	}
	competitors, err := structured.NewMaxConstraint(a, d.Labels, c)
	if err != nil {
		return nil, err
	}
	m, err := train(ctx, a, competitors, d, s.Settings, s.Method)
	if m != nil {
		m.Name, m.C, m.Rule = "max-constraint SVM", c, classifier.BottomUp
		m.Problem = nil // of label comparisons alone
	}
	return m, err
}

// maxConstraintFits returns an error if the dual variables take more than the memory of the
// machine.
func maxConstraintFits(ctx context.Context, rows, nodes int64) error {
	const least, about = 80, 150 // bytes for each hinge
	blocks := int64(math.MaxInt64 / about)
	if rows < blocks/nodes {
		blocks = rows * nodes
	}
	return withPackage(memory.Check(ctx, memory.Need{
		What: fmt.Sprintf("the dual variables of %d instances and %d nodes", rows, nodes), Least: least * blocks, About: about * blocks,
		Advice: "take fewer instances, or svm.OneVsRest",
	}))
}

// WithC returns the estimator with another C.
func (s MaxConstraint) WithC(c float64) Regularized { s.C = c; return s }
