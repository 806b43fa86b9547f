package svm

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// learnKernel is learn with a kernel, which may use all features, or without one if it is nil.
func learnKernel(ctx context.Context, d *dataset.Dataset, kernel gram.Kernel, intercept, gap float64, fit func(d *dataset.Dataset) (*classifier.Model, error)) (*classifier.Model, error) {
	if kernel == nil {
		return learn(ctx, d, intercept, gap, fit)
	}
	if intercept != 0 {
		return nil, fmt.Errorf("svm: Intercept is %v with a Kernel, and a kernel can have its own constant, such as that of gram.Polynomial; set only one of them", intercept)
	}
	m, err := classifier.FitAll(ctx, d, fit)
	if err == nil {
		note(ctx, m, d.X, cmp.Or(gap, solver.DefaultGap))
	}
	return m, err
}

// trainKernel is train with a kernel, or without one if it is nil.
func trainKernel(ctx context.Context, a *structured.Attributes, competitors structured.Competitors, d *dataset.Dataset, kernel gram.Kernel, settings solver.Settings, method solver.Method) (*classifier.Model, error) {
	if kernel == nil {
		return train(ctx, a, competitors, d, settings, method)
	}
	inputs, err := newInputs(ctx, kernel, d.X, settings)
	if err != nil {
		return nil, err
	}
	result, err := solver.Solve(ctx, &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: competitors, Weights: d.Weights}, &settings, method)
	if result == nil {
		return nil, err
	}
	m, failed := newKernelModel(a, kernel, result, d, settings)
	if failed != nil {
		return nil, failed
	}
	return m, err
}

// newKernelModel is newModel with a kernel, or without one if it is nil.
func newKernelModel(a *structured.Attributes, kernel gram.Kernel, result *solver.Result, d *dataset.Dataset, settings solver.Settings) (*classifier.Model, error) {
	if kernel == nil {
		return newModel(a, result, d, settings), nil
	}
	m, err := classifier.NewKernel(a, kernel, result.Expansion, classifier.Solved(result), d)
	if err != nil {
		return nil, err
	}
	m.Workers = settings.Workers
	return m, nil
}

// newInputs returns the instances as inputs of a kernel, or the instances themselves if it is nil.
func newInputs(ctx context.Context, kernel gram.Kernel, x *dataset.Matrix, settings solver.Settings) (structured.Inputs, error) {
	if kernel == nil {
		return structured.NewLinear(x)
	}
	return prepare(ctx, settings, "the kernel of the instances was computed; give more time, or fewer instances", func(ctx context.Context) (structured.Inputs, error) {
		return kernelInputs(ctx, kernel, x, settings.Workers)
	})
}

// kernelInputs returns the instances as inputs of a kernel.
func kernelInputs(ctx context.Context, k gram.Kernel, x *dataset.Matrix, workers int) (structured.Inputs, error) {
	if err := structured.CheckMatrix(x); err != nil {
		return nil, err
	}
	values, err := gram.Matrix(ctx, k, x, &gram.Settings{Workers: workers})
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("svm: stopped before the training, while the kernel was computed: %w", err)
		}
		return nil, err
	}
	for i := range x.Rows {
		if v := values.At(i, i); v < 0 {
			return nil, fmt.Errorf("svm: the kernel of row %d and itself is %v; the function is not a kernel", i, v)
		}
	}
	return structured.NewKernel(values)
}
