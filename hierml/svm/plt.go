package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// PLT is a probabilistic label tree [JDBPKH16]: one binary classifier per node, which estimates the
// probability of the node given its parent. For node v it minimizes
//
//	min 1/2 ||w_v||^2 + C sum_i loss(s_iv <w_v, x_i>)
//
// over the instances i that have a label at or below the parent of v, at a root over all, with s_iv
// 1 where one is at or below v, otherwise -1. A leaf's probability is the product of those along
// its path, and Predict returns the most probable leaf. Other policies give other problems of the
// same kind, the local classifiers per node of [SF11]. An instance may have several labels, or
// none, and labels may be inner nodes.
//
// If all instances of a problem are on one side, there is nothing to solve, and the probability is
// always 1 or 0. LeafScores are logarithms, so they are minus infinity for leaves without
// instances. In a flat taxonomy PLT is OneVsRest with the logistic loss. With Link
// classifier.CubedHinge it is the XR-Linear of [YZHD22] with negatives by teacher forcing; with a
// tree of clustering.Balanced and classifier.SquaredHinge, near to Parabel [PKHAV18]. Where the
// data have no tree, clustering.Huffman builds the one with the fewest problems per label.
// Model.NewBeam predicts top-down by beam search; Model.LeafProbabilities, ConditionalProbabilities
// and LeastProbabilities give the scores to threshold for label sets, by the rules of [DC00].
//
// The problems are independent and are solved as those of OneVsRest are. The taxonomy must be a
// tree or forest: the product along several paths of a graph has no agreed meaning.
//
// The zero value is ready to use.
type PLT struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Link maps a node's score to its probability and determines the loss. classifier.Sigmoid, the
	// default, has the logistic loss, and CubedHinge and SquaredHinge have the squared hinge.
	// Margin has the hinge and no probabilities: the score of a leaf is the sum of the margins
	// along its path.
	Link classifier.Link
	// Policy chooses the negatives. The exclusive policies train an inner node on instances that
	// have the node itself as a label; with them, the score of a leaf is that of its own
	// classifier.
	Policy Policy
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
}

// losses has the loss of each link.
var losses = map[classifier.Link]solver.MarginLoss{
	classifier.Sigmoid: solver.Logistic, classifier.CubedHinge: solver.SquaredHinge,
	classifier.SquaredHinge: solver.SquaredHinge, classifier.Margin: solver.Hinge,
}

// Fit trains the classifiers; see [classifier.Estimator].
func (s PLT) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return withoutIntercept(ctx, d, s.Intercept, func() (*classifier.Model, error) {
		return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
	})
}

func (s PLT) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	if s.Link == classifier.NoLink {
		s.Link = classifier.Sigmoid
	}
	loss, ok := losses[s.Link]
	if !ok {
		return nil, fmt.Errorf("svm: PLT has no loss for the Link %v; use classifier.Sigmoid, CubedHinge, SquaredHinge or Margin", s.Link)
	}
	t := d.Taxonomy
	if err := checkTree(d); err != nil {
		return nil, err
	}
	whole, err := structured.NewLinear(d.X)
	if err != nil {
		return nil, err
	}
	a := structured.Flat(t)
	if !s.Policy.exclusive() {
		if a, err = paths(t); err != nil {
			return nil, err
		}
	}
	members, err := s.Policy.members(t, d.Labels)
	if err != nil {
		return nil, err
	}
	of := &classes{whole, d.Weights, c, loss}
	var all []part
	var always, never []int
	for n := range t.Len() {
		if a.Column(n) < 0 {
			continue
		}
		switch e := members.examples(n); {
		case len(e.Positive) == 0:
			never = append(never, n)
		case len(e.Negative) == 0:
			always = append(always, n)
		default:
			all = append(all, nodePart(of, d.X, members, n, &e))
		}
	}
	m, err := solveParts(ctx, s, all, a, d, s.Settings, nil)
	if m == nil {
		return nil, err
	}
	m.Name, m.C = "label tree of "+kind(loss)+"s", c
	if wrong := m.SetLink(s.Link, always, never); wrong != nil {
		return nil, wrong
	}
	return m, err
}

// paths returns the attributes whose score of a leaf is the sum along its path, with a column for
// every node, a single root too.
func paths(t *taxonomy.Taxonomy) (*structured.Attributes, error) {
	return structured.Ancestors(t).Widen(t.Topological())
}

// checkTree returns an error if nodes have several parents.
func checkTree(d *dataset.Dataset) error {
	if t := d.Taxonomy; !t.IsTree() {
		return fmt.Errorf("svm: some nodes of the taxonomy of dataset %q have several parents, and the product of probabilities needs a single path to each leaf; use a tree, such as that of clustering.Balanced, with Dataset.Under", d.Name)
	}
	return nil
}

// nodePart returns the problem of a node with the given examples, which it does not store. Nodes
// whose examples are those of their parent form a family.
func nodePart(of *classes, x *dataset.Matrix, m *members, n int, e *Examples) part {
	all := e.all()
	entries := 0
	var origin float64
	for _, i := range all {
		entries += x.Indptr[i+1] - x.Indptr[i]
		origin += weigh.Of(of.weights, int(i)) * of.c * of.loss.Value(0)
	}
	c := &class{of: of, positive: e.Positive, name: uint64(n)}
	switch parents := m.t.Parents(n); {
	case len(all) == x.Rows:
	case m.policy == ParentPositive:
		c.family, c.rows = 1+parents[0], func() []int32 { return m.of[parents[0]] }
	default:
		c.family, c.rows = -1-n, func() []int32 {
			e := m.examples(n)
			return e.all()
		}
	}
	return part{nodes: []int{n}, size: 1 + entries, most: min(entries, x.Cols), origin: origin, class: c}
}

// WithC returns the estimator with another C.
func (s PLT) WithC(c float64) Regularized { s.C = c; return s }
