package structured

import "unsafe"

// fourRows are four rows of the weights and what multiplies each, and the rows of the next call, or
// any others, which are loaded into the cache meanwhile.
type fourRows struct {
	x    [4]float64
	row  [4]*float32
	next [4]*float32
}

// axpy4Go is the portable form of axpy4.
func axpy4Go(dst []float64, r *fourRows) {
	n := len(dst)
	a, b, c, d := unsafe.Slice(r.row[0], n), unsafe.Slice(r.row[1], n), unsafe.Slice(r.row[2], n), unsafe.Slice(r.row[3], n)
	for j, v := range dst {
		v += float64(r.x[0] * float64(a[j]))
		v += float64(r.x[1] * float64(b[j]))
		v += float64(r.x[2] * float64(c[j]))
		dst[j] = v + float64(r.x[3]*float64(d[j]))
	}
}

// narrowGo is the portable form of narrow.
func narrowGo(dst []float64, indices []int32, values []float32, base []float32, stride int) {
	clear(dst)
	for k, f := range indices {
		x := float64(values[k])
		for j, v := range base[int(f)*stride:][:len(dst)] {
			dst[j] += float64(x * float64(v))
		}
	}
}

// axpyWideGo is the portable form of axpyWide.
func axpyWideGo(dst []float64, x float64, row []float64) {
	dst = dst[:len(row)]
	for j, v := range row {
		dst[j] += float64(x * v)
	}
}
