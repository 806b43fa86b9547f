package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/structured"
)

// kernelInputs returns the instances as they are known by a kernel.
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
			return nil, fmt.Errorf("svm: the kernel of row %d and itself is %v; the function is no kernel", i, v)
		}
	}
	return structured.NewKernel(values)
}
