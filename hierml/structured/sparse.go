package structured

import "slices"

// SparseWeights are weight vectors with mostly zero entries, in compressed rows, one per feature.
type SparseWeights struct {
	Columns []int     // node of each column, as in Weights
	Begin   []int     // row f is from Begin[f] to Begin[f+1]: one more than there are features
	Column  []int32   // of each entry, ascending within a row
	Values  []float32 // of each entry
	Wide    []float64 // instead of Values, where float32 is not enough
}

// Features returns the number of features.
func (w *SparseWeights) Features() int { return len(w.Begin) - 1 }

// SplitLast returns the weights of all features except the last, in the same memory, and those of
// the last by column.
func (w *SparseWeights) SplitLast() (rest *SparseWeights, last []float64) {
	n := w.Features() - 1
	last = make([]float64, len(w.Columns))
	for c := range last {
		last[c] = w.At(n, c)
	}
	rest = &SparseWeights{Columns: w.Columns, Begin: w.Begin[:n+1], Column: w.Column[:w.Begin[n]]}
	if w.Wide != nil {
		rest.Wide = w.Wide[:w.Begin[n]]
	} else {
		rest.Values = w.Values[:w.Begin[n]]
	}
	return rest, last
}

// Scores writes <W_c, x> for every column c into dst. Features beyond those of w are ignored.
func (w *SparseWeights) Scores(indices []int32, x []float32, dst []float64) {
	clear(dst)
	for k, f := range indices {
		if int(f) >= w.Features() {
			break
		}
		v := float64(x[k])
		lo, hi := w.Begin[f], w.Begin[f+1]
		if w.Wide != nil {
			values := w.Wide[lo:hi]
			for j, c := range w.Column[lo:hi] {
				dst[c] += v * values[j]
			}
			continue
		}
		values := w.Values[lo:hi]
		for j, c := range w.Column[lo:hi] {
			dst[c] += v * float64(values[j])
		}
	}
}

// At returns the weight of a feature in a column.
func (w *SparseWeights) At(feature, column int) float64 {
	lo, hi := w.Begin[feature], w.Begin[feature+1]
	k, ok := slices.BinarySearch(w.Column[lo:hi], int32(column))
	switch {
	case !ok:
		return 0
	case w.Wide != nil:
		return w.Wide[lo+k]
	}
	return float64(w.Values[lo+k])
}

// Sort puts the entries of every row in the order of their columns.
func (w *SparseWeights) Sort() {
	for f := range w.Features() {
		lo, hi := w.Begin[f], w.Begin[f+1]
		columns := w.Column[lo:hi]
		switch {
		case slices.IsSorted(columns):
		case w.Wide != nil:
			sortRow(columns, w.Wide[lo:hi])
		default:
			sortRow(columns, w.Values[lo:hi])
		}
	}
}

// sortRow sorts the columns of a row, and the values with them.
func sortRow[T float32 | float64](columns []int32, values []T) {
	type entry struct {
		column int32
		value  T
	}
	row := make([]entry, len(columns))
	for k, c := range columns {
		row[k] = entry{c, values[k]}
	}
	slices.SortFunc(row, func(a, b entry) int { return int(a.column) - int(b.column) })
	for k, e := range row {
		columns[k], values[k] = e.column, e.value
	}
}
