package structured

import "math"

// lanes is the number of sums that an inner product is divided into, and of which the number of features of
// dense examples is a multiple.
const lanes = 8

// dotColumnGo is the portable form of dotColumn.
func dotColumnGo(x []float32, w []float64) float64 {
	var sum [lanes]float64
	w = w[:len(x)]
	for j, v := range x {
		sum[j%lanes] = math.FMA(float64(v), w[j], sum[j%lanes])
	}
	a, b, c, d := sum[0]+sum[4], sum[1]+sum[5], sum[2]+sum[6], sum[3]+sum[7]
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
		w[j] = math.FMA(u, float64(v), w[j])
	}
}
