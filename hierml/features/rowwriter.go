package features

import (
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
)

// rowWriter makes rows of weights.
type rowWriter struct{ x dataset.Matrix }

// weighedRow is a row that is written.
type weighedRow struct {
	x     *dataset.Matrix
	first int     // its first entry
	sum   float64 // for its length
}

func (r *rowWriter) begin() weighedRow { return weighedRow{x: &r.x, first: len(r.x.Values)} }

// add appends an entry, given the part of its weight that depends on the document. It does not
// store zeros.
func (r *weighedRow) add(w *Weigher, column int32, weight float64) {
	if w.settings.Weight.counted() {
		idf := w.none
		if k := w.columns.find(column); k >= 0 {
			idf = w.idf[k]
		}
		weight *= idf
	}
	if weight == 0 {
		return
	}
	r.sum = w.settings.Norm.add(r.sum, weight)
	r.x.Indices = append(r.x.Indices, column)
	r.x.Values = append(r.x.Values, float32(weight))
}

func (r *rowWriter) end(w *Weigher, row weighedRow) {
	w.settings.Norm.scale(r.x.Values[row.first:], row.sum)
	r.x.Indptr = append(r.x.Indptr, len(r.x.Values))
}

// joined returns one matrix of the rows of several writers, whose Indptr have only the ends of
// rows. It empties the writers.
func joined(parts []rowWriter, rows, cols int) *dataset.Matrix {
	if len(parts) == 1 {
		x := parts[0].x
		x.Rows, x.Cols, x.Indptr = rows, cols, append([]int{0}, x.Indptr...)
		return &x
	}
	total := 0
	for i := range parts {
		total += len(parts[i].x.Values)
	}
	x := &dataset.Matrix{
		Rows: rows, Cols: cols,
		Indptr:  make([]int, 1, rows+1),
		Indices: make([]int32, 0, total),
		Values:  make([]float32, 0, total),
	}
	for i := range parts {
		before := len(x.Values)
		for _, end := range parts[i].x.Indptr {
			x.Indptr = append(x.Indptr, before+end)
		}
		x.Indices = append(x.Indices, parts[i].x.Indices...)
		x.Values = append(x.Values, parts[i].x.Values...)
		parts[i].x = dataset.Matrix{}
	}
	x.Indptr = slices.Clip(x.Indptr)
	return x
}
