package svm

import (
	"cmp"
	"context"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// learn calls fit with the features that occur, and the intercept. It adds a note to ctx if the
// training ended far from the gap.
func learn(ctx context.Context, d *dataset.Dataset, intercept, gap float64, fit func(d *dataset.Dataset) (*classifier.Model, error)) (*classifier.Model, error) {
	m, err := classifier.FitLinear(ctx, d, intercept, fit)
	if err == nil {
		note(ctx, m, d.X, cmp.Or(gap, solver.DefaultGap))
	}
	return m, err
}

// train solves the problem of the competitors over the columns of the attributes and returns its
// model without a name. The model predicts with the attributes.
func train(ctx context.Context, a *structured.Attributes, competitors structured.Competitors, d *dataset.Dataset, settings solver.Settings, method solver.Method) (*classifier.Model, error) {
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		return nil, err
	}
	problem := &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: competitors, Weights: d.Weights}
	result, err := solver.Solve(ctx, problem, &settings, method)
	if result == nil {
		return nil, err
	}
	m := newModel(a, result, d, settings)
	m.Problem = problem
	return m, err
}

// newModel returns the model of a result.
func newModel(a *structured.Attributes, result *solver.Result, d *dataset.Dataset, settings solver.Settings) *classifier.Model {
	m := classifier.New(a, result.Weights, classifier.Solved(result), d)
	m.Workers = settings.Workers
	return m
}
