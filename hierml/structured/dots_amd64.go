//go:build !noasm

package structured

import "golang.org/x/sys/cpu"

var useFMA = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// dotColumn returns <x, w>, where the length of x is a multiple of lanes. Both ways give the same
// bits: lanes are summed apart, every product is fused.
func dotColumn(x []float32, w []float64) float64 {
	if !useFMA || len(x) == 0 {
		return dotColumnGo(x, w)
	}
	w = w[:len(x)]
	return dotColumnFMA(&x[0], &w[0], len(x))
}

//go:noescape
func dotColumnFMA(x *float32, w *float64, n int) float64

// dotColumns sets every entry of dst, of which there is a multiple of 4, to <x, w_c>, where the
// columns w_c follow one another in w and are as long as x. Both ways give the same bits.
func dotColumns(dst []float64, x []float32, w []float64) {
	if !useFMA || len(x) == 0 || len(dst) == 0 {
		dotColumnsGo(dst, x, w)
		return
	}
	w = w[:len(dst)*len(x)]
	dotColumnsFMA(&dst[0], len(dst), &x[0], &w[0], len(x))
}

//go:noescape
func dotColumnsFMA(dst *float64, columns int, x *float32, w *float64, n int)

// addColumn adds u x to w. Both ways give the same bits.
func addColumn(w []float64, u float64, x []float32) {
	if !useFMA || len(x) == 0 {
		addColumnGo(w, u, x)
		return
	}
	w = w[:len(x)]
	addColumnFMA(&w[0], u, &x[0], len(x))
}

//go:noescape
func addColumnFMA(w *float64, u float64, x *float32, n int)
