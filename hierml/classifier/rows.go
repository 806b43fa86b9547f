package classifier

import "github.com/hierml/notebook/hierml/structured"

// rows are weights by feature, as the model file and the sparse models need them. Columns are those
// of structured.Weights.
type rows interface {
	size() (features, columns int)
	// append appends the columns, ascending, and the values of the weights of feature f that are
	// not zero.
	append(f int, columns []int32, values []float64) ([]int32, []float64)
}

// dense is all weights.
type dense struct{ *structured.Weights }

func (w dense) size() (features, columns int) { return w.Features, len(w.Columns) }

func (w dense) append(f int, columns []int32, values []float64) ([]int32, []float64) {
	return w.Row(f, columns, values)
}

// sparse is the weights that are not zero.
type sparse struct{ *structured.SparseWeights }

func (w sparse) size() (features, columns int) { return w.Features(), len(w.Columns) }

func (w sparse) append(f int, columns []int32, values []float64) ([]int32, []float64) {
	lo, hi := w.Begin[f], w.Begin[f+1]
	columns = append(columns, w.Column[lo:hi]...)
	if w.Wide != nil {
		return columns, append(values, w.Wide[lo:hi]...)
	}
	for _, v := range w.Values[lo:hi] {
		values = append(values, float64(v))
	}
	return columns, values
}

// weights returns the weights of the model in its form, or nil if it has none.
func (m *Model) weights() rows {
	if m.sparse != nil {
		return sparse{m.sparse}
	}
	if m.dense == nil {
		return nil
	}
	return dense{m.dense}
}
