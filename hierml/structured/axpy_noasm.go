//go:build !amd64 || noasm

package structured

// axpy4 adds the four rows, one after the other, to dst, element by element, in
// float64. The rows are as long as dst.
func axpy4(dst []float64, r *fourRows) { axpy4Go(dst, r) }
