package svm

import (
	"context"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// train solves the problem of the competitors over the columns of the attributes, which predict, and
// returns its model without a name.
func train(ctx context.Context, a *structured.Attributes, competitors structured.Competitors, d *dataset.Dataset, settings solver.Settings, method solver.Method) (*Model, error) {
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		return nil, err
	}
	problem := &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: competitors}
	result, err := solver.Solve(ctx, problem, &settings, method)
	if result == nil {
		return nil, err
	}
	return &Model{
		Taxonomy: a.Taxonomy(), Instances: d.X.Rows, Result: result, Vocabulary: d.Vocabulary,
		attributes: a, workers: settings.Workers, problem: problem,
	}, err
}
