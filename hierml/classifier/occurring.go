package classifier

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
)

// features has the features that occur in the training data, if these are so few that weights are
// stored only for them.
type features struct {
	occurring []int32 // feature of each row of the weights, ascending
	all       int     // number of all
}

// FitOccurring trains with only the features that occur in the data, if there are so many others
// that their weights would fill the memory. The model has all features, with zero weights for the
// others. In Model.Problem the features have other indices.
func FitOccurring(ctx context.Context, d *dataset.Dataset, fit func(d *dataset.Dataset) (*Model, error)) (*Model, error) {
	return FitAll(ctx, d, func(d *dataset.Dataset) (*Model, error) { return fitOccurring(d, fit) })
}

// FitLinear is FitOccurring for methods with an intercept: fit gets the instances with an
// additional column, whose value is intercept, and the weights of this column become constants of
// the model. If intercept is 0, there is no such column. FitLinear returns an error if it is
// negative or not finite.
func FitLinear(ctx context.Context, d *dataset.Dataset, intercept float64, fit func(d *dataset.Dataset) (*Model, error)) (*Model, error) {
	value := float32(intercept)
	switch {
	case !(intercept >= 0) || math.IsInf(float64(value), 0) || intercept > 0 && value == 0:
		return nil, fmt.Errorf("classifier: Intercept is %v; it must be positive (the value of a constant feature), or 0 for none", intercept)
	case intercept == 0 || d == nil || d.X == nil:
		return FitOccurring(ctx, d, fit)
	}
	return FitOccurring(ctx, d, func(d *dataset.Dataset) (*Model, error) {
		m, err := fit(d.WithConstant(value))
		if m == nil {
			return nil, err
		}
		var last []float64
		if m.sparse != nil {
			m.sparse, last = m.sparse.SplitLast()
		} else {
			m.dense, last = m.dense.SplitLast()
		}
		floats.Scale(float64(value), last)
		m.constants, m.Vocabulary = last, d.Vocabulary
		if m.Vocabulary == nil {
			m.Vocabulary = d.X.Vocabulary
		}
		return m, errors.Join(err, m.checkConstants())
	})
}

// FitAll trains with all features. Every training calls it: fit gets the instances with non-zero
// weights, without weights if all are 1. A note (package progress) says how many labels have no
// instance.
func FitAll(ctx context.Context, d *dataset.Dataset, fit func(d *dataset.Dataset) (*Model, error)) (*Model, error) {
	d, err := d.Weighted()
	if err != nil {
		return nil, err
	}
	m, err := fit(d)
	if m != nil && err == nil {
		m.note(ctx)
	}
	return m, err
}

func fitOccurring(d *dataset.Dataset, fit func(d *dataset.Dataset) (*Model, error)) (*Model, error) {
	if d == nil || d.X == nil || d.Vocabulary != nil || d.X.Vocabulary != nil {
		return fit(d)
	}
	x, occurring := d.X.Occurring()
	if occurring == nil || structured.CheckMatrix(d.X) != nil {
		return fit(d)
	}
	narrow := *d
	narrow.X = x
	m, err := fit(&narrow)
	if m != nil {
		m.features = &features{occurring, d.X.Cols}
	}
	return m, err
}

// row returns the row of the weights of a feature, -1 if there is none.
func (m *Model) row(feature int) int {
	switch {
	case feature < 0 || feature >= m.Features():
		return -1
	case m.features == nil:
		return feature
	}
	if k, ok := slices.BinarySearch(m.features.occurring, int32(feature)); ok {
		return k
	}
	return -1
}

// rows returns the features that have weights, as indices of rows of the weights, and their values.
func (f *features) rows(features []int32, values []float32) ([]int32, []float32) {
	var rows []int32
	var known []float32
	from := 0
	for k, feature := range features {
		at, ok := slices.BinarySearch(f.occurring[from:], feature)
		if from += at; ok {
			rows, known = append(rows, int32(from)), append(known, values[k])
		}
	}
	return rows, known
}

// matrix applies rows to every row of x.
func (f *features) matrix(x *dataset.Matrix) *dataset.Matrix {
	out := &dataset.Matrix{Rows: x.Rows, Cols: len(f.occurring), Indptr: make([]int, 1, x.Rows+1)}
	for i := range x.Rows {
		indices, values := f.rows(x.Row(i))
		out.Indices, out.Values = append(out.Indices, indices...), append(out.Values, values...)
		out.Indptr = append(out.Indptr, len(out.Indices))
	}
	return out
}
