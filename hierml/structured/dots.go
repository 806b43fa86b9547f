package structured

import (
	"math"
	"runtime"
)

// lanes is the number of sums that an inner product is divided into, and of which the number of
// features of dense examples is a multiple.
const lanes = 8

// dotColumnGo is the portable form of dotColumn.
func dotColumnGo(x []float32, w []float64) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	w = w[:len(x)]
	for ; len(x) >= lanes && len(w) >= lanes; x, w = x[lanes:], w[lanes:] {
		s0, s1 = fused(float64(x[0]), w[0], s0), fused(float64(x[1]), w[1], s1)
		s2, s3 = fused(float64(x[2]), w[2], s2), fused(float64(x[3]), w[3], s3)
		s4, s5 = fused(float64(x[4]), w[4], s4), fused(float64(x[5]), w[5], s5)
		s6, s7 = fused(float64(x[6]), w[6], s6), fused(float64(x[7]), w[7], s7)
	}
	a, b, c, d := s0+s4, s1+s5, s2+s6, s3+s7
	return (a + b) + (c + d)
}

// dotColumnsGo is the portable form of dotColumns.
func dotColumnsGo(dst []float64, x []float32, w []float64) {
	for c := range dst {
		dst[c] = dotColumnGo(x, w[c*len(x):(c+1)*len(x)])
	}
}

// addColumnGo is the portable form of addColumn.
func addColumnGo(w []float64, u float64, x []float32) {
	w = w[:len(x)]
	for j, v := range x {
		w[j] = fused(u, float64(v), w[j])
	}
}

// fused returns x*y + z, which is rounded once: the vectors' instructions do so. WebAssembly has no
// such instruction, and there it is rounded twice, in a fortieth of the time.
func fused(x, y, z float64) float64 {
	if runtime.GOARCH == "wasm" {
		return x*y + z
	}
	return math.FMA(x, y, z)
}
