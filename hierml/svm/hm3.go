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

// HM3 is the maximum margin classifier for hierarchical multi-label data of Rousu, Saunders,
// Szedmak and Shawe-Taylor [RSSS06]. Every edge from a parent to a node v has a weight vector for
// each pair of states of its ends, with a parent above the roots that is always on:
//
//	min 1/2 ||w||^2 + C sum_i max_Y { Delta(Y_i, Y) + F(x_i, Y) - F(x_i, Y_i) }
//	F(x, Y) = sum_v <w_v,ab, x>   with a, b whether the parent of v, and v, are in Y
//
// Y is any set of nodes that contains the ancestors of all its nodes, including the empty set: the
// labelings that are consistent with the hierarchy. The paper's relaxation is over all labelings.
// Its optimum is larger and predicts sets in which ancestors can be missing. Over consistent sets
// the problem is that of Hierarchical with label sets, except that nodes with many children are
// penalised less, and each node is coupled with its parent: see structured.Edges. Without a
// hierarchy and with the Hamming loss it is half of OneVsRest with twice the C.
//
// An instance may have several labels, also at inner nodes, or none. Model.ClosedSets predicts sets
// of nodes in their most specific form. Predict, LeafScores and Decide consider leaves, whose
// scores are the sums over the nodes above. The paper has no HM3 for graphs; here every edge of a
// graph has its weights, and the most violating set is found exactly there as well.
//
// The certificate is that of the edge weights. The model keeps only the part of them that it
// predicts with: theta of structured.Edges. The zero value is ready to use.
type HM3 struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Loss is Delta: loss.Symdiff, the Hamming loss, or the H-loss, loss.HLoss, loss.Uni, loss.Sib
	// or loss.Sub. The default value is the Hamming loss.
	Loss loss.Decomposing
	// Kernel, if not nil, replaces the inner product of instances. It needs memory for the kernel
	// value of every pair of instances.
	Kernel gram.Kernel
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	// Settings.Start is ignored.
	Settings solver.Settings
	Method   solver.Method
}

// Fit trains the SVM; see [classifier.Estimator].
func (s HM3) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learnKernel(ctx, d, s.Kernel, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s HM3) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	t := d.Taxonomy
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	if s.Loss == nil {
		s.Loss = loss.Symdiff(t).(loss.Decomposing)
	}
	edges, err := factored(ctx, s.Settings, func(ctx context.Context) (*structured.Edges, error) { return structured.NewEdges(ctx, t) })
	if err != nil {
		return nil, err
	}
	competitors, err := structured.NewClosedSets(edges, d.Labels, s.Loss, c)
	if err != nil {
		return nil, err
	}
	attributes, err := structured.Ancestors(t).Widen(edges.Columns())
	if err != nil {
		return nil, err
	}
	inputs, err := newInputs(ctx, s.Kernel, d.X, s.Settings)
	if err != nil {
		return nil, err
	}
	// Another training's dual point numbers sets differently.
	s.Settings.Start = nil
	result, err := solver.Solve(ctx, &structured.Problem{Inputs: inputs, Columns: edges.Columns(), Competitors: competitors, Weights: d.Weights}, &s.Settings, s.Method)
	if result == nil {
		return nil, err
	}
	predicting := *result
	var failed error
	if s.Kernel != nil {
		predicting.Expansion, failed = edges.Expansion(result.Expansion, attributes)
	} else {
		predicting.Weights, failed = edges.Weights(result.Weights, attributes)
	}
	if failed != nil {
		return nil, failed
	}
	m, failed := newKernelModel(attributes, s.Kernel, &predicting, d, s.Settings)
	if failed != nil {
		return nil, failed
	}
	m.Name, m.C, m.Rule = "HM3", c, classifier.ClosedSet
	return m, err
}

// WithC returns the estimator with another C.
func (s HM3) WithC(c float64) Regularized { s.C = c; return s }
