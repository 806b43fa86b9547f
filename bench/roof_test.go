package main

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// BenchmarkRoof measures what bounds a training on this machine, on one core: bytes that are read
// in order, multiplications in the cache, and lines of 64 bytes, 16 weights of a feature, that are
// read in the order of the features of texts, from matrices of three sizes.
func BenchmarkRoof(b *testing.B) {
	b.Run("bandwidth", func(b *testing.B) {
		values := make([]float64, 64<<20)
		b.SetBytes(int64(8 * len(values)))
		for b.Loop() {
			floats.Sum(values)
		}
	})
	b.Run("multiplications", func(b *testing.B) {
		x, y := make([]float64, 1024), make([]float64, 1024)
		for b.Loop() {
			floats.Dot(x, y)
		}
		b.ReportMetric(float64(len(x))*float64(b.N)/b.Elapsed().Seconds()/1e9, "G/s")
	})
	for _, size := range []struct {
		name  string
		bytes int
	}{{"lines of 1 MB", 1 << 20}, {"lines of 16 MB", 16 << 20}, {"lines of 512 MB", 512 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			const columns, rows, entries = 16, 1000, 100
			weights := make([]float32, size.bytes/4)
			rng := rand.New(rand.NewPCG(1, 2))
			features := make([]int32, rows*entries)
			for k := range features {
				features[k] = rng.Int32N(int32(len(weights) / columns))
			}
			var sum float32
			for b.Loop() {
				for _, f := range features {
					sum += weights[int(f)*columns]
				}
			}
			if sum != 0 {
				b.Fatal("weights of zero add up to", sum)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(features)), "ns/line")
		})
	}
}
