package solver

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRows holds that both forms of dot and add give the same bits, of rows of all lengths with
// some features and with all, and that they are what the sums are.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		for _, features := range [][]int32{some(rng, n), all(n)} {
			values := make([]float32, len(features))
			w := make([]float64, n)
			for k := range values {
				values[k] = float32(rng.NormFloat64())
			}
			for f := range w {
				w[f] = rng.NormFloat64()
			}
			got, want := dot(w, features, values), dotGo(w, features, values)
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%d of %d features: inner product %v; the portable form has %v", len(features), n, got, want)
			}
			exact, size := 0.0, 0.0
			for k, f := range features {
				exact += w[f] * float64(values[k])
				size += math.Abs(w[f] * float64(values[k]))
			}
			if math.Abs(got-exact) > 1e-14*size {
				t.Errorf("%d of %d features: inner product %v, not %v", len(features), n, got, exact)
			}
			scale := rng.NormFloat64()
			own, portable := append([]float64(nil), w...), append([]float64(nil), w...)
			add(own, scale, features, values)
			addGo(portable, scale, features, values)
			for k, f := range features {
				w[f] += scale * float64(values[k])
			}
			for f, v := range own {
				if math.Float64bits(v) != math.Float64bits(portable[f]) || math.Abs(v-w[f]) > 1e-15*(1+math.Abs(w[f])) {
					t.Errorf("%d of %d features: weight %d is %v after the sum; the portable form has %v, and it is %v", len(features), n, f, v, portable[f], w[f])
				}
			}
		}
	}
}

// some returns about three of four features, ascending.
func some(rng *rand.Rand, n int) []int32 {
	return slices.DeleteFunc(all(n), func(int32) bool { return rng.IntN(4) == 0 })
}

// all returns all features.
func all(n int) []int32 {
	features := make([]int32, n)
	for f := range features {
		features[f] = int32(f)
	}
	return features
}

func benchmarkRows(b *testing.B, run func(w []float64, features []int32, values []float32)) {
	rng := rand.New(rand.NewPCG(1, 2))
	const features, rows, entries = 30000, 2000, 128
	w := make([]float64, features)
	at, values := make([]int32, rows*entries), make([]float32, rows*entries)
	for k := range at {
		at[k], values[k] = int32(k%entries*(features/entries)+rng.IntN(features/entries)), 1
	}
	b.SetBytes(8 * rows * entries)
	for b.Loop() {
		for i := range rows {
			run(w, at[i*entries:(i+1)*entries], values[i*entries:(i+1)*entries])
		}
	}
}

func BenchmarkRows(b *testing.B) {
	var sum float64
	b.Run("dot", func(b *testing.B) {
		benchmarkRows(b, func(w []float64, f []int32, v []float32) { sum += dot(w, f, v) })
	})
	b.Run("dot, portable", func(b *testing.B) {
		benchmarkRows(b, func(w []float64, f []int32, v []float32) { sum += dotGo(w, f, v) })
	})
	b.Run("add", func(b *testing.B) {
		benchmarkRows(b, func(w []float64, f []int32, v []float32) { add(w, 1e-3, f, v) })
	})
}
