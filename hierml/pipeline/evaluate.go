package pipeline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/metric"
)

// Fit fits column settings to the rows of a table, turns the columns into features, and trains an
// estimator on them. The pipeline has no probabilities; learn them with svm.Calibrate from the rows
// transformed by Columns.
func Fit(ctx context.Context, columns features.Columns, e classifier.Estimator, train *dataset.Table) (*Pipeline, error) {
	if e == nil || train == nil {
		return nil, fmt.Errorf("pipeline: Fit needs an estimator and a table")
	}
	encoder, err := columns.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	d, err := encoder.Transform(ctx, train)
	if err != nil {
		return nil, err
	}
	model, err := e.Fit(ctx, d)
	if err != nil {
		return nil, err
	}
	return &Pipeline{Columns: encoder, Model: model}, nil
}

// Evaluate predicts the rows of a table and compares them with its labels, as metric.Evaluate does.
// If probabilities were learned from rows with several labels, the sets of Sets are compared, and
// the report has metric's measures of probabilities. With a Decision, its decisions are compared.
// If the table has weights, the measures are weighted. The labels of the table must be those of the
// model's taxonomy.
func (p *Pipeline) Evaluate(ctx context.Context, test *dataset.Table) (*metric.Report, error) {
	x, err := p.Rows(ctx, test)
	if err != nil {
		return nil, err
	}
	s, err := p.scorer()
	if err != nil {
		return nil, err
	}
	if test.Taxonomy == nil || test.Labels == nil {
		return nil, fmt.Errorf("pipeline: table %q has no labels to compare with; set their column with WithLabels", test.Name)
	}
	d := &dataset.Dataset{Name: test.Name, Taxonomy: test.Taxonomy, X: x, Labels: test.Labels, Vocabulary: x.Vocabulary}
	weights, err := test.Weights()
	if err != nil {
		return nil, err
	}
	return metric.Settings{Weights: weights}.Evaluate(ctx, p.measured(s), d)
}

// measured returns the model as package metric evaluates it.
func (p *Pipeline) measured(s *scorer) metric.Scorer {
	own := p.undecided(s)
	if p.Decision == nil {
		return own
	}
	if p.Translated != nil {
		own = translated{p.Translated, p, s}
	}
	return &decision.Model{Scorer: own, Rule: p.Decision, Taxonomy: s.taxonomy}
}

// translated is a translated model with the probabilities of the pipeline.
type translated struct {
	*clustering.Translated
	p *Pipeline
	s *scorer
}

func (t translated) Probabilities(x *dataset.Matrix, _ *mat.Dense) *mat.Dense {
	probabilities, err := t.p.probabilities(t.s, x)
	if err != nil {
		return nil // as of a model without any
	}
	return probabilities
}

func (p *Pipeline) undecided(s *scorer) metric.Scorer {
	switch {
	case p.NodeSets != nil:
		return p.NodeSets
	case p.Forest != nil:
		return p.Forest
	case p.Translated != nil:
		return p.Translated
	case p.Calibrated != nil:
		return p.Calibrated
	}
	return s.model
}
