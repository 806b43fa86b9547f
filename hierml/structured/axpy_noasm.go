//go:build !amd64 || noasm

package structured

// axpy adds x*row to dst, element by element, in float64. The lengths are equal.
func axpy(dst []float64, x float64, row, _ []float32) { axpyGo(dst, x, row) }
