//go:build goexperiment.simd && amd64 && !noasm

package structured

import (
	"math"
	"math/rand/v2"
	"simd/archsimd"
	"testing"
)

// narrowSIMD is narrow for 16 columns by Go's experimental vectors.
func narrowSIMD(dst []float64, indices []int32, values []float32, base []float32, stride int) {
	var a, b, c, d archsimd.Float64x4
	for k, f := range indices {
		x := archsimd.BroadcastFloat32x4(values[k]).ConvertToFloat64()
		row := base[int(f)*stride:][:16]
		a = a.Add(archsimd.LoadFloat32x4Slice(row).ConvertToFloat64().Mul(x))
		b = b.Add(archsimd.LoadFloat32x4Slice(row[4:]).ConvertToFloat64().Mul(x))
		c = c.Add(archsimd.LoadFloat32x4Slice(row[8:]).ConvertToFloat64().Mul(x))
		d = d.Add(archsimd.LoadFloat32x4Slice(row[12:]).ConvertToFloat64().Mul(x))
	}
	a.StoreSlice(dst)
	b.StoreSlice(dst[4:])
	c.StoreSlice(dst[8:])
	d.StoreSlice(dst[12:])
}

// BenchmarkNarrow compares, for rows of 100 words and 16 columns of 2 MB, the assembly of narrow
// with Go's experimental vectors and with the portable form, which have the same bits:
//
//	GOEXPERIMENT=simd go test ./hierml/structured -run XXX -bench Narrow -cpu 1
func BenchmarkNarrow(b *testing.B) {
	const columns, features, rows, entries = 16, 32 << 10, 1000, 100
	rng := rand.New(rand.NewPCG(1, 2))
	weights := make([]float32, columns*features)
	for k := range weights {
		weights[k] = float32(rng.NormFloat64())
	}
	indices, values := make([]int32, rows*entries), make([]float32, rows*entries)
	for k := range indices {
		indices[k], values[k] = rng.Int32N(features), float32(rng.Float64())
	}
	want := make([]float64, columns)
	narrowGo(want, indices[:entries], values[:entries], weights, columns)
	for _, form := range []struct {
		name string
		run  func(dst []float64, indices []int32, values []float32, base []float32, stride int)
	}{{"assembly", narrow}, {"simd", narrowSIMD}, {"portable", narrowGo}} {
		b.Run(form.name, func(b *testing.B) {
			dst := make([]float64, columns)
			form.run(dst, indices[:entries], values[:entries], weights, columns)
			for c, v := range dst {
				if math.Float64bits(v) != math.Float64bits(want[c]) {
					b.Fatalf("column %d: %v; the portable form has %v", c, v, want[c])
				}
			}
			for b.Loop() {
				for i := range rows {
					form.run(dst, indices[i*entries:(i+1)*entries], values[i*entries:(i+1)*entries], weights, columns)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*entries), "ns/word")
		})
	}
}
