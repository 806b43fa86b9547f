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

// PLT is a probabilistic label tree [JDBPKH16], one binary classifier a node that says how likely
// it is given its parent: for node v
//
//	min 1/2 ||w_v||^2 + C sum_i loss(s_iv <w_v, x_i>)
//
// over the instances i that have a label at or below the parent of v, at a root over all, with s_iv
// 1 where one is at or below v, otherwise -1. A leaf's probability is the product of those along
// its path, and Predict gives the leaf with the highest. Other policies make other problems of the
// same kind, the local classifiers per node of [SF11]. An instance may have several labels, or
// none, and labels may be inner nodes.
//
// Where all instances of a problem are on one side there is none to solve, and the probability is 1
// or 0 whatever the instance: LeafScores, logarithms, are minus infinity for leaves that no
// instance has. In a flat taxonomy it is OneVsRest with the logistic loss. With Link
// classifier.CubedHinge it is the XR-Linear of [YZHD22] with negatives by teacher forcing; with a
// tree of clustering.Balanced and classifier.SquaredHinge, near to Parabel [PKHAV18]. Where the
// data have no tree, clustering.Huffman makes that of the fewest problems a label. Model.NewBeam
// predicts by going down the tree; Model.LeafProbabilities, ConditionalProbabilities and
// LeastProbabilities are what label sets are cut from, the rules of [DC00].
//
// The problems do not depend on each other and are solved as those of OneVsRest are. The taxonomy
// is a tree or forest: the product along several paths of a graph has no agreed meaning.
//
// The zero value is ready to use.
type PLT struct {
	// C weighs the training error. The default value is 1.
	C float64
	// Link says what a node's score makes of its probability, and with that the loss: of
	// classifier.Sigmoid, the default, the logistic one, of CubedHinge and SquaredHinge the squared
	// hinge. Margin is the hinge, which has no probabilities: the score of a leaf is the sum of the
	// margins along its path.
	Link classifier.Link
	// Policy chooses the negatives. By the exclusive policies, which train an inner node on
	// instances that have it as a label itself, the score of a leaf is that of its own classifier.
	Policy Policy
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is none.
	Intercept float64
	Settings  solver.Settings
}

// losses are those that the probabilities of the links are of.
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
		return nil, fmt.Errorf("svm: PLT has no loss for the link %v; expected classifier.Sigmoid, CubedHinge, SquaredHinge or Margin", s.Link)
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
		return fmt.Errorf("svm: in the taxonomy of dataset %q some nodes have several parents, and a product of probabilities along the path to a leaf needs a single path; put the instances under a tree with Dataset.Under, for instance one of clustering.Balanced", d.Name)
	}
	return nil
}

// nodePart returns the problem of a node with the examples given, which it does not keep. Nodes
// whose examples are those of their parent are a family.
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
