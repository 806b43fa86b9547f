//go:build !noasm

package structured

import (
	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/floats"
)

var useAVX2 = cpu.X86.HasAVX2

// axpy4 adds the four rows, one after the other, to dst, element by element, in float64. The rows
// are as long as dst, a multiple of 8. Both ways give the same bits: no sum is reordered and no
// multiplication fused.
func axpy4(dst []float64, r *fourRows) {
	if !useAVX2 || len(dst) == 0 {
		axpy4Go(dst, r)
		return
	}
	axpy4AVX2(&dst[0], r, len(dst))
}

//go:noescape
func axpy4AVX2(dst *float64, r *fourRows, n int)

// narrow sets dst to the sum of values[k] times the row indices[k], whose first column is base,
// over the columns of dst: up to 32 of them, a multiple of 8. stride is the number of columns. Both
// ways give the same bits.
func narrow(dst []float64, indices []int32, values []float32, base []float32, stride int) {
	if !useAVX2 || len(indices) == 0 {
		narrowGo(dst, indices, values, base, stride)
		return
	}
	narrowAVX2(&dst[0], len(dst), &indices[0], &values[0], len(indices), &base[0], 4*stride)
}

//go:noescape
func narrowAVX2(dst *float64, width int, indices *int32, values *float32, n int, base *float32, stride int)

// axpyWide adds x*row to dst, element by element, with the bits of the portable form: gonum
// multiplies and adds pairs here, and fuses nothing.
func axpyWide(dst []float64, x float64, row []float64) { floats.AddScaled(dst[:len(row)], x, row) }

// addOuter adds values[k] times u to the row features[k] of data, whose rows have stride entries, a
// multiple of 8, as u has. Both ways give the same bits.
func addOuter(data []float32, stride int, features []int32, values []float32, u []float32) {
	if !useAVX2 {
		addOuterGo(data, stride, features, values, u)
		return
	}
	addOuterAVX2(&data[0], 4*stride, &features[0], &values[0], len(features), &u[0])
}

//go:noescape
func addOuterAVX2(data *float32, stride int, features *int32, values *float32, n int, u *float32)
