// Package perceptron provides the mistake-driven methods of [Cai08, chapter 5 and section 7.5.2] as
// estimators: plain structs of settings whose zero value is a sensible default. They do not solve
// an optimization problem, so their models have no certificate: Training.Certificate is nil.
//
//   - [Flat] is the multilabel perceptron over the leaves [Cai08, Algorithm 3].
//   - [Hierarchical] is the hierarchical perceptron [Cai08, Algorithms 4 to 7].
//   - [Hieron] is the algorithm of [DKS04] in the form used for comparison by [Cai08].
//   - [HRLS] is H-RLS of [CGZ06], least squares at every node. It is not a perceptron; the
//     following describes the others.
//
// All of them visit one instance at a time, in the order of the data, and change the weights only
// if another leaf scores at least as high as a label. (A Hieron changes them if it predicts another
// leaf; of equal scores, it predicts the smallest node.)
//
//	w <- w + tau (Phi(x_i, y) - Phi(x_i, z))
//
// where y is the label with the lowest score, z the other leaf with the highest (ties are broken by
// the smallest node id), F(x, y) = <w, Phi(x, y)> and Phi(x, y) = Lambda(y) (x) x. They differ in
// the attributes Lambda and in the step size tau: the loss Delta(y, z) in a perceptron, and the
// size needed for a margin of sqrt(Delta) in a Hieron. Instances that have all leaves as labels, or
// none, are skipped but count as steps.
//
// Each method has three forms:
//
//   - The last weights (Algorithm 4), or the mean of the weights after every step (Averaged,
//     Algorithm 6), which usually predicts better.
//   - With a Kernel, any of them in the dual (Algorithm 5).
//   - Minover (Algorithm 7) updates on the worst of all instances in every step.
//
// Fit trains on instances whose labels are nodes of their taxonomy: leaves, or the candidates of
// the Attributes. For labels at inner nodes, call dataset.Dataset.Leafed first: it adds a leaf
// below each. If ctx is cancelled or Settings.Progress returns an error, Fit returns that error
// together with the model so far; with other errors the model is nil. Weights are stored in
// float64, more than two million in float32, and of more than a hundred million only the non-zero
// ones. With a kernel, and in Minover, the scores of all leaves are stored for every instance.
//
// A [Learner] takes the instances one by one, for example from a stream. [Bound] is the maximum
// number of mistakes on separable data.
package perceptron

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Flat is the flat multilabel perceptron [Cai08, Algorithm 3]: every leaf has its own weight
// vector. The zero value is ready to use.
type Flat struct {
	// Loss is Delta, the size of a step. The default value is the 0/1 loss.
	Loss loss.Loss
	// Kernel, if not nil, replaces the inner product of instances.
	Kernel gram.Kernel
	// Intercept is the value of a constant feature that Fit appends to every instance, whose
	// weights are the intercepts. The default is 0: no intercept. With a Kernel it is an error.
	Intercept float64
	// Averaged uses the mean of the weights after every step instead of the last weights.
	Averaged bool
	// Minover updates on the worst of all instances in every step.
	Minover  bool
	Settings Settings
}

// Fit trains the perceptron; the package comment describes all Fit methods.
func (p Flat) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return fitModel(ctx, p, d)
}

// Learner returns an untrained learner for instances with the given number of features.
func (p Flat) Learner(t *taxonomy.Taxonomy, features int) (*Learner, error) {
	return newLearner(p, t, features)
}

func (p Flat) method(t *taxonomy.Taxonomy) (*method, error) {
	return Hierarchical{
		Attributes: structured.Flat(t), Loss: p.Loss, Kernel: p.Kernel, Intercept: p.Intercept, Averaged: p.Averaged, Minover: p.Minover, Settings: p.Settings,
	}.called("flat perceptron", t, loss.ZeroOne())
}

// Hierarchical is the hierarchical multilabel perceptron [Cai08, Algorithms 4 to 7]. The zero value
// is ready to use.
type Hierarchical struct {
	// Attributes, if not nil, are the vectors Lambda of the leaves, made for the taxonomy of the
	// training data. The default value is structured.Ancestors.
	Attributes *structured.Attributes
	// Loss is Delta, the size of a step; only its proportions matter to the predictions. The
	// default value is half the size of the symmetric difference of the ancestor sets.
	Loss loss.Loss
	// Kernel, if not nil, replaces the inner product of instances.
	Kernel gram.Kernel
	// Intercept is the value of a constant feature that Fit appends to every instance, whose
	// weights are the intercepts. The default is 0: no intercept. With a Kernel it is an error.
	Intercept float64
	// Averaged uses the mean of the weights after every step instead of the last weights.
	Averaged bool
	// Minover updates on the worst of all instances in every step.
	Minover  bool
	Settings Settings
}

// Fit trains the perceptron; the package comment describes all Fit methods.
func (p Hierarchical) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return fitModel(ctx, p, d)
}

// Learner returns an untrained learner for instances with the given number of features.
func (p Hierarchical) Learner(t *taxonomy.Taxonomy, features int) (*Learner, error) {
	return newLearner(p, t, features)
}

func (p Hierarchical) method(t *taxonomy.Taxonomy) (*method, error) {
	return p.called("hierarchical perceptron", t, loss.Half(t))
}

// called returns the method with a name and its default loss.
func (p Hierarchical) called(name string, t *taxonomy.Taxonomy, standard loss.Loss) (*method, error) {
	if p.Minover && p.Averaged {
		return nil, fmt.Errorf("perceptron: Minover and Averaged are both set; Minover uses the last weights [Cai08, Algorithm 7]: set only one of them")
	}
	m := &method{
		name: name, attributes: p.Attributes, loss: p.Loss, kernel: p.Kernel, intercept: p.Intercept,
		averaged: p.Averaged, minover: p.Minover, settings: p.Settings,
	}
	return m, m.complete(t, standard)
}

// Hieron is the online algorithm of [DKS04] for one label per instance, predicting only leaves
// [Cai08, section 7.5.2]. It compares the label y with the leaf z with the highest score. If they
// differ, it takes a step of size
//
//	tau = max(0, sqrt(Delta(y, z)) - <w, Phi(x, y) - Phi(x, z)>) / (||Lambda(y)-Lambda(z)||^2 ||x||^2)
//
// after which the margin is sqrt(Delta(y, z)). This is [Cai08, (7.8)] with the sign corrected, so
// that it is a projection, and with a denominator that holds for all attributes. The zero value is
// ready to use.
type Hieron struct {
	// Flat ignores the hierarchy: it makes flat attributes and the 0/1 loss the defaults.
	Flat bool
	// Attributes, if not nil, are the vectors Lambda of the leaves, made for the taxonomy of the
	// training data. The default value is structured.Ancestors.
	Attributes *structured.Attributes
	// Loss is Delta; only its proportions matter to the predictions. The default value is half the
	// size of the symmetric difference of the ancestor sets.
	Loss loss.Loss
	// Kernel, if not nil, replaces the inner product of instances.
	Kernel gram.Kernel
	// Intercept is the value of a constant feature that Fit appends to every instance, whose
	// weights are the intercepts. The default is 0: no intercept. With a Kernel it is an error.
	Intercept float64
	// Averaged uses the mean of the weights after every step, and as z the leaf with the largest
	// F(x, z) + sqrt(Delta(y, z)).
	Averaged bool
	Settings Settings
}

// Fit trains the Hieron; the package comment describes all Fit methods.
func (p Hieron) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return fitModel(ctx, p, d)
}

// Learner returns an untrained learner for instances with the given number of features.
func (p Hieron) Learner(t *taxonomy.Taxonomy, features int) (*Learner, error) {
	return newLearner(p, t, features)
}

func (p Hieron) method(t *taxonomy.Taxonomy) (*method, error) {
	m := &method{
		name: "Hieron", attributes: p.Attributes, loss: p.Loss, kernel: p.Kernel, intercept: p.Intercept,
		hieron: true, averaged: p.Averaged, settings: p.Settings,
	}
	standard := loss.Half(t)
	if p.Flat {
		m.name, standard = "flat Hieron", loss.ZeroOne()
		if m.attributes == nil {
			m.attributes = structured.Flat(t)
		}
	}
	return m, m.complete(t, standard)
}

// method has the settings of an estimator with the defaults filled in.
type method struct {
	name       string
	attributes *structured.Attributes
	loss       loss.Loss
	kernel     gram.Kernel
	intercept  float64
	hieron     bool
	averaged   bool
	minover    bool
	settings   Settings
	checked    []bool // candidates whose losses are known to be valid
}

// complete fills in the defaults and checks the settings.
func (m *method) complete(t *taxonomy.Taxonomy, standard loss.Loss) error {
	if m.attributes == nil {
		m.attributes = structured.Ancestors(t)
	}
	if m.attributes.Taxonomy() != t {
		return fmt.Errorf("perceptron: Attributes belong to another taxonomy; create them for the taxonomy of the dataset")
	}
	if m.intercept != 0 && m.kernel != nil {
		return fmt.Errorf("perceptron: Intercept is %v with a Kernel, and a kernel can have its own constant, such as that of gram.Polynomial; set only one of them", m.intercept)
	}
	if m.loss == nil {
		m.loss = standard
	}
	if err := loss.Check(m.loss, t); err != nil {
		return err
	}
	m.checked = make([]bool, len(m.attributes.Candidates()))
	switch {
	case m.minover:
		m.name = "Minover " + m.name
	case m.averaged:
		m.name = "averaged " + m.name
	}
	return m.settings.check()
}

// estimator is one of the structs of this package.
type estimator interface {
	method(*taxonomy.Taxonomy) (*method, error)
}

// prepare returns the method for the taxonomy of the data.
func prepare(e estimator, d *dataset.Dataset) (*method, error) {
	if d == nil || d.X == nil {
		return nil, fmt.Errorf("perceptron: there is no dataset with instances to learn from")
	}
	return prepareFor(e, d.Taxonomy)
}

func prepareFor(e estimator, t *taxonomy.Taxonomy) (*method, error) {
	if t == nil {
		return nil, fmt.Errorf("perceptron: the taxonomy of the labels is nil")
	}
	if len(t.Leaves()) == 0 {
		return nil, fmt.Errorf("perceptron: the taxonomy has no leaves; there is nothing to predict")
	}
	return e.method(t)
}

func fit(ctx context.Context, e estimator, d *dataset.Dataset) (*outcome, error) {
	m, err := prepare(e, d)
	if err != nil {
		return nil, err
	}
	return m.fit(ctx, d)
}

// checkUnweighted returns an error if the instances have weights.
func checkUnweighted(d *dataset.Dataset) error {
	if err := classifier.CheckUnweighted(d, "an online learner", "it takes one instance after the other and has no objective to weight"); err != nil {
		return fmt.Errorf("perceptron: %w", err)
	}
	return nil
}

func fitModel(ctx context.Context, e estimator, d *dataset.Dataset) (*classifier.Model, error) {
	m, err := prepare(e, d)
	if err != nil {
		return nil, err
	}
	train := func(d *dataset.Dataset) (*classifier.Model, error) {
		if err := checkUnweighted(d); err != nil {
			return nil, err
		}
		o, err := m.fit(ctx, d)
		if o == nil {
			return nil, err
		}
		return o.model, err
	}
	if m.kernel != nil { // which may use all features
		return classifier.FitAll(ctx, d, train)
	}
	return classifier.FitLinear(ctx, d, m.intercept, train)
}
