package svm

import (
	"context"
	"slices"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// HierarchicalSoftmax is one multinomial logistic regression among the children of every inner node
// [Goo01, MB05]: at a node with children c
//
//	min 1/2 sum_c ||w_c||^2 + C sum_i sum_{y in Y_i} 1/|Y_i| log(sum_b exp <w_b, x_i> / exp <w_c(y), x_i>)
//
// over the labels y of the instances i that are below the node, with c(y) the child at or above y.
// The probability of a leaf is the product of the probabilities along its path, so those of all
// leaves sum to 1. Predict returns the most probable leaf. The roots of a forest are treated as the
// children of one added node; an only child has probability 1. An instance may have several labels,
// which are learned as if it had each of them with equal probability. Labels may be inner nodes:
// such a label trains only the nodes above it.
//
// With two children a node's problem is half of OneVsRest's for one of them with the logistic loss
// and 2 C. The problems are independent; [solver.SolveSoftmax] solves them on all cores and shares
// out Settings.Time as OneVsRest does. The taxonomy must be a tree or forest.
//
// The zero value is ready to use.
type HierarchicalSoftmax struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
}

// Fit trains the regressions; see [classifier.Estimator].
func (s HierarchicalSoftmax) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return withoutIntercept(ctx, d, s.Intercept, func() (*classifier.Model, error) {
		return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
	})
}

func (s HierarchicalSoftmax) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	if err := checkTree(d); err != nil {
		return nil, err
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return nil, err
	}
	a, err := paths(d.Taxonomy)
	if err != nil {
		return nil, err
	}
	var all []part
	seen := newFeatures(d.X)
	for _, l := range split(d.Taxonomy, d.Labels) {
		if len(l.children) > 1 && len(l.rows) > 0 {
			l.c = c
			all = append(all, l.softmax(d, seen))
		}
	}
	s.Settings.Start = nil
	m, err := solveParts(ctx, s, all, a, d, s.Settings, nil)
	if m == nil {
		return nil, err
	}
	m.Name, m.C = "hierarchical softmax", c
	if wrong := m.SetLink(classifier.Softmax, nil, nil); wrong != nil {
		return nil, wrong
	}
	return m, err
}

// softmax returns the multinomial logistic regression among the children.
func (l *local) softmax(d *dataset.Dataset, seen *features) part {
	p := part{nodes: l.children, most: len(l.children) * seen.count(l.rows)}
	problem := solver.SoftmaxProblem{Classes: len(l.children), C: l.c, Shares: l.shares(d)}
	p.origin = problem.Origin()
	for _, i := range l.rows {
		p.size += (1 + d.X.Indptr[i+1] - d.X.Indptr[i]) * len(l.children)
	}
	p.solve = func(ctx context.Context, whole *parts, k, _ int, settings solver.Settings) (*outcome, error) {
		own, features := compress(d.X, l.rows)
		inputs, err := structured.NewLinear(own)
		if err != nil {
			return nil, err
		}
		r, err := solver.SolveSoftmax(ctx, inputs, problem, settings)
		if r == nil {
			return nil, err
		}
		if problem.Start = nil; r.Status == solver.TimeLimit { // and so is solved again
			problem.Start = r
		}
		if whole.takes(k, r.Primal) {
			whole.weights.set(k, l.children, r.Weights, features)
		}
		return &outcome{r.Primal, r.Dual, r.Epochs, r.Status, nil}, nil
	}
	return p
}

// shares returns, for each row, the children at or above its labels. Each has the share of the
// labels at or below it, times the weight of the row.
func (l *local) shares(d *dataset.Dataset) [][]solver.Share {
	t, labels := d.Taxonomy, d.Labels
	shares := make([][]solver.Share, len(l.rows))
	for k, i := range l.rows {
		for _, c := range l.relevant[k] {
			below := 0
			for _, y := range labels[i] {
				if _, is := slices.BinarySearch(t.Ancestors(y), l.children[c]); is {
					below++
				}
			}
			shares[k] = append(shares[k], solver.Share{Class: c, Weight: weigh.Of(d.Weights, i) * float64(below) / float64(len(labels[i]))})
		}
	}
	return shares
}

// WithC returns the estimator with another C.
func (s HierarchicalSoftmax) WithC(c float64) Regularized { s.C = c; return s }
