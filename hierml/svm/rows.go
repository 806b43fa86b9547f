package svm

import (
	"slices"

	"github.com/hierml/notebook/hierml/structured"
)

// rows are weights by feature: what the model file and the sparse models need
// of them. Columns are those of structured.Weights.
type rows interface {
	size() (features, columns int)
	// append appends the columns, ascending, and the values of the weights of
	// feature f that are not zero.
	append(f int, columns []int32, values []float64) ([]int32, []float64)
}

// dense is all weights.
type dense struct{ *structured.Weights }

func (w dense) size() (features, columns int) { return w.Features, len(w.Columns) }

func (w dense) append(f int, columns []int32, values []float64) ([]int32, []float64) {
	if w.Wide != nil {
		return appendRow(w.Wide[f*w.Stride:f*w.Stride+len(w.Columns)], columns, values)
	}
	return appendRow(w.Data[f*w.Stride:f*w.Stride+len(w.Columns)], columns, values)
}

func appendRow[T float32 | float64](row []T, columns []int32, values []float64) ([]int32, []float64) {
	for c, v := range row {
		if v != 0 {
			columns, values = append(columns, int32(c)), append(values, float64(v))
		}
	}
	return columns, values
}

// sparse holds weights of which most are zero, in compressed rows, one a
// feature.
type sparse struct {
	count   int     // columns
	begin   []int   // features+1
	columns []int32 // ascending within a row
	values  []float32
	wide    []float64 // instead of values, where float32 is not enough
}

func (w *sparse) size() (features, columns int) { return len(w.begin) - 1, w.count }

func (w *sparse) append(f int, columns []int32, values []float64) ([]int32, []float64) {
	lo, hi := w.begin[f], w.begin[f+1]
	columns = append(columns, w.columns[lo:hi]...)
	if w.wide != nil {
		return columns, append(values, w.wide[lo:hi]...)
	}
	for _, v := range w.values[lo:hi] {
		values = append(values, float64(v))
	}
	return columns, values
}

// scores writes <W_c, x> for every column c into dst. Features beyond those of w
// are ignored.
func (w *sparse) scores(indices []int32, x []float32, dst []float64) {
	clear(dst)
	for k, f := range indices {
		if int(f) >= len(w.begin)-1 {
			break
		}
		v := float64(x[k])
		lo, hi := w.begin[f], w.begin[f+1]
		if w.wide != nil {
			values := w.wide[lo:hi]
			for j, c := range w.columns[lo:hi] {
				dst[c] += v * values[j]
			}
			continue
		}
		values := w.values[lo:hi]
		for j, c := range w.columns[lo:hi] {
			dst[c] += v * float64(values[j])
		}
	}
}

// at returns the weight of a feature in a column.
func (w *sparse) at(f int, column int32) float64 {
	lo, hi := w.begin[f], w.begin[f+1]
	if k, ok := slices.BinarySearch(w.columns[lo:hi], column); ok {
		if w.wide != nil {
			return w.wide[lo+k]
		}
		return float64(w.values[lo+k])
	}
	return 0
}

// weights returns the weights of the model in the form in which it has them, nil
// if it has none.
func (m *Model) weights() rows {
	if m.sparse != nil {
		return m.sparse
	}
	if m.Result.Weights == nil {
		return nil
	}
	return dense{m.Result.Weights}
}
