//go:build !amd64 || noasm

package structured

// axpy4 adds the four rows, one after the other, to dst, element by element, in float64. The rows
// are as long as dst.
func axpy4(dst []float64, r *fourRows) { axpy4Go(dst, r) }

// narrow sets dst to the sum of values[k] times the row indices[k], whose first column is base,
// over the columns of dst. stride is the number of columns.
func narrow(dst []float64, indices []int32, values []float32, base []float32, stride int) {
	narrowGo(dst, indices, values, base, stride)
}

// axpyWide adds x*row to dst, element by element.
func axpyWide(dst []float64, x float64, row []float64) { axpyWideGo(dst, x, row) }

// addOuter adds values[k] times u to the row features[k] of data, whose rows have stride entries,
// as u has.
func addOuter(data []float32, stride int, features []int32, values []float32, u []float32) {
	addOuterGo(data, stride, features, values, u)
}
