package svm

import (
	"context"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// train solves the problem of the competitors over the columns of the attributes, which predict, and
// returns its model without a name.
func train(ctx context.Context, a *structured.Attributes, competitors structured.Competitors, d *dataset.Dataset, settings solver.Settings, method solver.Method) (*Model, error) {
	return trainKernel(ctx, a, competitors, d, nil, settings, method)
}

// trainKernel is train for instances known by a kernel, or, if it is nil, by themselves.
func trainKernel(ctx context.Context, a *structured.Attributes, competitors structured.Competitors, d *dataset.Dataset, kernel gram.Kernel, settings solver.Settings, method solver.Method) (*Model, error) {
	inputs, err := newInputs(ctx, kernel, d.X, settings.Workers)
	if err != nil {
		return nil, err
	}
	problem := &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: competitors}
	result, err := solver.Solve(ctx, problem, &settings, method)
	if result == nil {
		return nil, err
	}
	m := &Model{
		Taxonomy: a.Taxonomy(), Instances: d.X.Rows, Result: result, Vocabulary: d.Vocabulary,
		attributes: a, workers: settings.Workers, problem: problem,
	}
	if kernel != nil {
		expansion, failed := newExpansion(kernel, d.X, result.Expansion)
		if failed != nil {
			return nil, failed
		}
		m.expansion, m.problem = expansion, nil
	}
	return m, err
}

// newInputs returns the instances as a kernel knows them, or themselves if it is nil.
func newInputs(ctx context.Context, kernel gram.Kernel, x *dataset.Matrix, workers int) (structured.Inputs, error) {
	if kernel == nil {
		return structured.NewLinear(x)
	}
	return kernelInputs(ctx, kernel, x, workers)
}

// compare returns the comparisons of the labels of every instance with the other leaves: one label with all others
// where every instance has one, which is the faster form, pairs of labels and leaves that are none otherwise.
func compare(a *structured.Attributes, sets [][]int, l loss.Loss, r structured.Rescaling, c float64) (structured.Competitors, error) {
	if slices.ContainsFunc(sets, func(set []int) bool { return len(set) != 1 }) {
		return structured.NewRanking(a, sets, l, r, c)
	}
	y := make([]int, len(sets))
	for i, set := range sets {
		y[i] = set[0]
	}
	return structured.NewLabels(a, y, l, r, c)
}
