//go:build !noasm

package structured

import "golang.org/x/sys/cpu"

var useAVX2 = cpu.X86.HasAVX2

// axpy adds x*row to dst, element by element, in float64. The lengths are equal
// and a multiple of 8. next is the row of the next call, or any other, and is
// loaded into the cache meanwhile. Both ways give the same bits: no sum is reordered and
// no multiplication fused.
func axpy(dst []float64, x float64, row, next []float32) {
	if !useAVX2 || len(row) == 0 || len(next) == 0 {
		axpyGo(dst, x, row)
		return
	}
	_ = dst[len(row)-1]
	axpyAVX2(&dst[0], x, &row[0], &next[0], len(row))
}

//go:noescape
func axpyAVX2(dst *float64, x float64, row, next *float32, n int)
