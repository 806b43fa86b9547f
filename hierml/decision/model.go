package decision

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Model is a model with probabilities whose predictions are the decisions of a rule. Package metric
// evaluates it:
//
//	report, err := metric.Evaluate(&decision.Model{Scorer: calibrated, Rule: decision.LargestF{}, Taxonomy: test.Taxonomy}, test)
//
// It ranks leaves as Scorer does. Its reports have the areas under precision-recall curves of nodes
// only if Scorer has them.
type Model struct {
	// Scorer is a metric.Prober whose Probabilities are not nil, such as svm.Calibrated, or a
	// classifier.Model of svm.HierarchicalSoftmax or svm.PLT; or a metric.NodeScorer, such as
	// forest.Model, whose probabilities of leaves are used. Probabilities learned from several
	// labels per instance need SetF: the other rules return an error for an svm.Calibrated and an
	// svm.NodeSetModel with such probabilities, and for a metric.NodeScorer whose leaves sum to
	// more than 1. A classifier.Model does not say how many labels its instances had.
	Scorer metric.Scorer
	// Rule is the rule. The default is LeastLoss{}. For SetF, Scorer must be a metric.NodeScorer,
	// or a classifier.Model of svm.PLT.
	Rule Rule
	// Taxonomy is the taxonomy of the leaves of Scorer.
	Taxonomy *taxonomy.Taxonomy
}

func (m *Model) rule() Rule {
	if m.Rule == nil {
		return LeastLoss{}
	}
	return m.Rule
}

// Sets returns the decision of Rule for each row of x, and its expected value. It returns an error
// if the features of x are not those of the training data, if Scorer has no probabilities, or if
// ctx is cancelled.
func (m *Model) Sets(ctx context.Context, x *dataset.Matrix) (sets [][]int, values []float64, err error) {
	if err := m.Check(x); err != nil {
		return nil, nil, err
	}
	if x.Len() == 0 {
		return [][]int{}, nil, nil
	}
	return m.decide(ctx, x, nil)
}

func (m *Model) decide(ctx context.Context, x *dataset.Matrix, scores *mat.Dense) ([][]int, []float64, error) {
	if scores == nil {
		scores = m.ChoiceScores(x)
	}
	of := func() (*mat.Dense, error) { return m.probabilities(x, scores) }
	if _, ok := m.Rule.(SetF); ok {
		of = func() (*mat.Dense, error) { return m.conditional(x) }
	}
	p, err := of()
	if err != nil {
		return nil, nil, err
	}
	return m.rule().Decide(ctx, m.Taxonomy, p)
}

// conditional returns the probabilities of nodes given their parents.
func (m *Model) conditional(x *dataset.Matrix) (*mat.Dense, error) {
	if c, ok := m.Scorer.(interface {
		ConditionalProbabilities(x *dataset.Matrix) (*mat.Dense, error)
	}); ok {
		p, err := c.ConditionalProbabilities(x)
		if err != nil {
			return nil, fmt.Errorf("decision: %w", err)
		}
		return p, nil
	}
	s, ok := m.Scorer.(metric.NodeScorer)
	if !ok {
		return nil, errors.New("decision: SetF needs probabilities of nodes, such as those of svm.PLT, svm.NodeSets, package forest, and of svm.Calibrate from instances with several labels")
	}
	nodes, err := m.nodeProbabilities(s, x)
	if err != nil {
		return nil, err
	}
	t := m.Taxonomy
	rows, _ := nodes.Dims()
	given := mat.NewDense(rows, t.Len(), nil)
	for i := range rows {
		from, to := nodes.RawRowView(i), given.RawRowView(i)
		for n := range to {
			to[n] = from[n]
			for _, a := range t.Parents(n) {
				if to[n] = 0; from[a] > 0 {
					to[n] = min(1, from[n]/from[a])
				}
			}
		}
	}
	return given, nil
}

// nodeProbabilities returns those of s, if it has one a node of the taxonomy. x has rows.
func (m *Model) nodeProbabilities(s metric.NodeScorer, x *dataset.Matrix) (*mat.Dense, error) {
	nodes := s.NodeProbabilities(x)
	if _, columns := nodes.Dims(); columns < m.Taxonomy.Len() {
		return nil, fmt.Errorf("decision: the model has probabilities of %d nodes, and its taxonomy %d nodes; pass the taxonomy that it was trained with", columns, m.Taxonomy.Len())
	}
	return nodes, nil
}

// errSeveral means that several leaves may be labels.
var errSeveral = errors.New("decision: the model learned probabilities from instances with several labels, and the rule chooses one; use SetF for sets of labels")

// probabilities returns those of the leaves.
func (m *Model) probabilities(x *dataset.Matrix, scores *mat.Dense) (*mat.Dense, error) {
	switch s := m.Scorer.(type) {
	case *svm.NodeSetModel:
		return nil, errSeveral
	case *svm.Calibrated:
		if !s.OneLabel() {
			return nil, errSeveral
		}
	}
	if p, ok := m.Scorer.(metric.Prober); ok {
		if own := p.Probabilities(x, scores); own != nil {
			return own, nil
		}
	} else if s, ok := m.Scorer.(metric.NodeScorer); ok {
		nodes, err := m.nodeProbabilities(s, x)
		if err != nil {
			return nil, err
		}
		p := classifier.LeafColumns(m.Taxonomy, nodes)
		for i := range x.Rows {
			if mat.Sum(p.RowView(i)) > 1+rounding {
				return nil, errSeveral
			}
		}
		return p, nil
	}
	return nil, errors.New("decision: the model has scores and no probabilities; learn them with svm.Calibrate or By{Calibration: &svm.Calibration{}}, or use svm.PLT or svm.HierarchicalSoftmax")
}

// LeafScores returns the LeafScores of Scorer.
func (m *Model) LeafScores(x *dataset.Matrix) *mat.Dense { return m.Scorer.LeafScores(x) }

// ChoiceScores returns the scores by which Scorer ranks leaves.
func (m *Model) ChoiceScores(x *dataset.Matrix) *mat.Dense { return metric.ScoresOf(m.Scorer, x) }

// Probabilities returns the probabilities of Scorer if it is a metric.Prober, otherwise nil. scores
// are ChoiceScores of x.
func (m *Model) Probabilities(x *dataset.Matrix, scores *mat.Dense) *mat.Dense {
	if p, ok := m.Scorer.(metric.Prober); ok {
		return p.Probabilities(x, scores)
	}
	return nil
}

// Decide returns the decisions of Sets. scores are ChoiceScores of x, or nil.
func (m *Model) Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error) {
	if err := m.Check(x); err != nil {
		return nil, err
	}
	if x.Len() == 0 {
		return [][]int{}, nil
	}
	sets, _, err := m.decide(context.Background(), x, scores)
	return sets, err
}

// Check returns an error if Scorer cannot score the rows of x, or if a field is missing.
func (m *Model) Check(x *dataset.Matrix) error {
	if m.Scorer == nil || m.Taxonomy == nil {
		return errors.New("decision: a Model needs a Scorer and its Taxonomy")
	}
	if c, ok := m.Scorer.(interface{ Check(*dataset.Matrix) error }); ok {
		return c.Check(x)
	}
	return nil
}

// CheckTaxonomy returns an error if the labels of t are not those of Scorer.
func (m *Model) CheckTaxonomy(t *taxonomy.Taxonomy) error {
	if c, ok := m.Scorer.(interface {
		CheckTaxonomy(*taxonomy.Taxonomy) error
	}); ok {
		return c.CheckTaxonomy(t)
	}
	return nil
}

// description describes the rule.
func (m *Model) description() []describe.Row {
	return []describe.Row{{Name: "decides by", Value: fmt.Sprint(m.rule())}}
}

const title = "decisions by probabilities"

// String describes the rule and Scorer in a few lines.
func (m *Model) String() string {
	own := describe.Text(title, m.description())
	if m.Scorer == nil {
		return own
	}
	return own + "\n" + fmt.Sprint(m.Scorer)
}

// HTML describes the rule and Scorer as tables.
func (m *Model) HTML() string {
	own := describe.HTML(title, m.description())
	if s, ok := m.Scorer.(interface{ HTML() string }); ok {
		return own + s.HTML()
	}
	return own
}

// By is an estimator of models with a rule:
//
//	model, err := decision.By{Estimator: svm.HierarchicalSoftmax{}, Rule: decision.LeastLoss{Inner: true}}.Fit(ctx, train)
//
// Training is that of Estimator. Instances must have one label each, except for SetF. Probabilities
// of strongly regularized models, such as svm.HierarchicalSoftmax with a small C, are too close to
// each other, so rules stop above the leaves too often: also set Calibration for them.
type By struct {
	// Estimator trains the model.
	Estimator classifier.Estimator
	// Calibration learns probabilities for an estimator whose models have none, such as svm.Flat.
	// The default, nil, uses those of the model.
	Calibration *svm.Calibration
	// Rule is the rule. The default is LeastLoss{}. Missing thresholds of a Learner are learned in
	// five folds, for which five more models are trained. TopDown{Threshold: 0.5} and
	// NodeThresholds with Thresholds use the given ones; TopDown{} and NodeThresholds{} have none.
	Rule Rule
	// Seed determines these folds.
	Seed uint64
}

// Fit trains the model. It returns an error if the instances have several labels, if the thresholds
// or the loss of Rule do not fit the taxonomy, or if the model has no probabilities.
func (b By) Fit(ctx context.Context, d *dataset.Dataset) (*Model, error) {
	if b.Estimator == nil || d == nil || d.Taxonomy == nil {
		return nil, errors.New("decision: By needs an Estimator and a dataset with its taxonomy")
	}
	_, sets := b.Rule.(SetF)
	for i, set := range d.Labels {
		if len(set) > 1 && !sets {
			return nil, fmt.Errorf("decision: row %d of dataset %q has %d labels, and the rule needs one label per instance; use SetF, HLoss or svm.NodeSets for sets of labels", i, d.Name, len(set))
		}
	}
	rule := b.Rule
	learner, learn := b.Rule.(Learner)
	if r, ok := b.Rule.(interface{ given() bool }); ok && r.given() {
		learn = false
	}
	if !learn {
		if err := validate(b.Rule, d.Taxonomy); err != nil {
			return nil, err
		}
	} else {
		var err error
		if rule, err = b.learned(ctx, learner, d); err != nil {
			return nil, err
		}
	}
	scorer, err := b.scorer(ctx, d)
	if err != nil {
		return nil, err
	}
	return &Model{Scorer: scorer, Rule: rule, Taxonomy: d.Taxonomy}, nil
}

// scorer trains a model with probabilities.
func (b By) scorer(ctx context.Context, d *dataset.Dataset) (metric.Scorer, error) {
	if b.Calibration != nil {
		calibrated, err := b.Calibration.Fit(ctx, b.Estimator, d)
		if err != nil {
			return nil, err
		}
		return calibrated, nil
	}
	model, err := b.Estimator.Fit(ctx, d)
	if err != nil {
		return nil, err
	}
	if l := model.Link(); l == classifier.NoLink || l == classifier.Margin {
		return nil, fmt.Errorf("decision: the models of %T, %s, have scores and no probabilities; set Calibration: &svm.Calibration{}, or use svm.HierarchicalSoftmax or svm.PLT", b.Estimator, model.Name)
	}
	return model, nil
}

// learned returns the rule with thresholds learned from instances by models that were not
// trained on them.
func (b By) learned(ctx context.Context, learner Learner, d *dataset.Dataset) (Rule, error) {
	d, err := d.Weighted()
	if err != nil {
		return nil, fmt.Errorf("decision: %w", err)
	}
	folds, err := d.Folds(min(learnedFolds, d.Len()), b.Seed)
	if err != nil {
		return nil, fmt.Errorf("decision: the thresholds of the rule: %w", err)
	}
	all := mat.NewDense(d.Len(), len(d.Taxonomy.Leaves()), nil)
	for k, fold := range folds {
		scorer, err := b.scorer(progress.WithoutNotes(ctx), d.Subset(fold.Train))
		if err != nil {
			return nil, fmt.Errorf("decision: the thresholds of the rule, fold %d: %w", k+1, err)
		}
		held := (&Model{Scorer: scorer, Taxonomy: d.Taxonomy})
		x := d.Subset(fold.Test).X
		p, err := held.probabilities(x, held.ChoiceScores(x))
		if err != nil {
			return nil, err
		}
		for j, i := range fold.Test {
			all.SetRow(i, p.RawRowView(j))
		}
	}
	return learner.Learn(ctx, d.Taxonomy, all, d.Labels, d.Weights...)
}

// learnedFolds are the folds for the thresholds of a rule.
const learnedFolds = 5
