package svm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// LogitAdjusted corrects the predictions of logistic models for the class frequencies of the
// training instances. From the logit of each node n it subtracts
//
//	Tau log pi(n | parent)
//
// where pi(n | parent) is the share of n in the instances at or below its parent, by their weights
// [MJRJVK21, (9)]. In a taxonomy of one level, and for OneVsRest, it is the share pi(y) of the
// class in all instances. With Tau = 1 and a softmax, predictions are those for data in which all
// children of a node are equally frequent. Rare classes are found more often, at the expense of
// frequent ones: the balanced error falls, and the overall accuracy may fall.
//
// Dataset.Balanced changes the training instead. Probabilities of the adjusted model are those for
// the changed shares, so calibrate after adjusting.
type LogitAdjusted struct {
	// Estimator is HierarchicalSoftmax, PLT with the link Sigmoid, or OneVsRest with the loss
	// Logistic.
	Estimator Regularized
	// Tau is the strength. The default value is 1; ChooseC does not choose it, but a study can.
	Tau float64
	// Prior, if not nil, has the share of each leaf, by its label, in the instances to be
	// predicted, in any unit. It replaces equal shares: Tau times its logarithm is added.
	Prior map[string]float64
}

// Fit trains the estimator and adjusts its model; see [classifier.Estimator].
func (s LogitAdjusted) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	m, err := s.Estimator.Fit(ctx, d)
	if m == nil {
		return nil, err
	}
	constants, wrong := s.constants(d)
	if wrong != nil {
		return nil, wrong
	}
	for n := range constants {
		if m.Attributes().Column(n) < 0 { // the only leaf
			constants[n] = 0
		}
	}
	adjusted, wrong := m.AddConstants(constants)
	if wrong != nil {
		return nil, withPackage(wrong)
	}
	adjusted.Name = "logit-adjusted " + m.Name
	return adjusted, err
}

// WithC returns the estimator with another C.
func (s LogitAdjusted) WithC(c float64) Regularized {
	if s.Estimator != nil {
		s.Estimator = s.Estimator.WithC(c)
	}
	return s
}

// tau returns Tau or its default.
func (s LogitAdjusted) tau() float64 { return cmp.Or(s.Tau, 1) }

// check returns an error unless the scores of the estimator are logits.
func (s LogitAdjusted) check() error {
	switch e := s.Estimator.(type) {
	case HierarchicalSoftmax:
	case PLT:
		if e.Link != classifier.NoLink && e.Link != classifier.Sigmoid {
			return fmt.Errorf("svm: LogitAdjusted needs log odds; set the Link of the PLT to classifier.Sigmoid, not %v", e.Link)
		}
		if e.Policy.exclusive() {
			return fmt.Errorf("svm: LogitAdjusted needs a PLT whose nodes are conditional on their parents; do not set the Policy %v", e.Policy)
		}
	case OneVsRest:
		if e.Loss != solver.Logistic {
			return fmt.Errorf("svm: LogitAdjusted needs log odds; set the Loss of OneVsRest to solver.Logistic, not %v", e.Loss)
		}
	case nil:
		return fmt.Errorf("svm: LogitAdjusted has no Estimator; set it to HierarchicalSoftmax, PLT or OneVsRest")
	default:
		return fmt.Errorf("svm: LogitAdjusted adjusts HierarchicalSoftmax, PLT and OneVsRest; the scores of %T are not logits (pass the estimator as a value, not a pointer)", e)
	}
	if t := s.tau(); !(t > 0) || math.IsInf(t, 1) {
		return fmt.Errorf("svm: Tau is %v; it must be positive and finite, or 0 for the default of 1", s.Tau)
	}
	return nil
}

// constants returns the term added to the logit of each node, 0 for nodes without instances.
func (s LogitAdjusted) constants(d *dataset.Dataset) ([]float64, error) {
	t := d.Taxonomy
	_, flat := s.Estimator.(OneVsRest)
	counts := make([]float64, t.Len())
	all := 0.0
	for i, set := range d.Labels {
		all += d.Weight(i)
		for _, n := range t.Closure(set) {
			counts[n] += d.Weight(i)
		}
	}
	priors := slices.Repeat([]float64{1}, t.Len())
	whole := 1.0
	if s.Prior != nil {
		var err error
		if priors, whole, err = s.priors(t); err != nil {
			return nil, err
		}
	}
	constants := make([]float64, t.Len())
	for n, count := range counts {
		above, wanted := all, whole
		if parents := t.Parents(n); len(parents) > 0 && !flat {
			above = counts[parents[0]]
			if s.Prior != nil {
				wanted = priors[parents[0]]
			}
		}
		switch {
		case count == 0 || flat && !t.IsLeaf(n):
		case priors[n] == 0:
			return nil, fmt.Errorf("svm: Prior is 0 for all labels at or below %q, which has instances; give it a small share or remove the instances", t.LabelName(n))
		default:
			constants[n] = s.tau() * (math.Log(priors[n]/wanted) - math.Log(count/above))
		}
	}
	return constants, nil
}

// priors returns the shares of Prior by node and their sum. The share of a node is the sum of those
// below.
func (s LogitAdjusted) priors(t *taxonomy.Taxonomy) (shares []float64, sum float64, err error) {
	shares = make([]float64, t.Len())
	for name, share := range s.Prior {
		n, ok := t.LabelNode(name)
		if !ok || !t.IsLeaf(n) {
			return nil, 0, fmt.Errorf("svm: Prior has a share for %q, which is not a leaf of the taxonomy; one leaf is %q", name, t.LabelName(t.Leaves()[0]))
		}
		if !(share >= 0) || math.IsInf(share, 1) {
			return nil, 0, fmt.Errorf("svm: the Prior of %q is %v; a share must be finite and not negative", name, share)
		}
		for _, above := range t.Ancestors(n) {
			shares[above] += share
		}
		sum += share
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil, 0, fmt.Errorf("svm: the shares of Prior add up to %v; give at least one above 0", sum)
	}
	return shares, sum, nil
}
