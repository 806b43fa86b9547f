//go:build !noasm

package structured

import "golang.org/x/sys/cpu"

var useAVX2 = cpu.X86.HasAVX2

// axpy4 adds the four rows, one after the other, to dst, element by element, in
// float64. The rows are as long as dst, a multiple of 8. Both ways give the
// same bits: no sum is reordered and no multiplication fused.
func axpy4(dst []float64, r *fourRows) {
	if !useAVX2 || len(dst) == 0 {
		axpy4Go(dst, r)
		return
	}
	axpy4AVX2(&dst[0], r, len(dst))
}

//go:noescape
func axpy4AVX2(dst *float64, r *fourRows, n int)
