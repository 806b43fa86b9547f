package structured

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAddOuter compares both forms of addOuter, and the weights with the definition.
func TestAddOuter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, columns := range []int{1, 8, 9, 40, 200} {
		w, wide := NewWeights(make([]int, columns), 7), NewWideWeights(make([]int, columns), 7)
		portable := slices.Clone(w.Data)
		u, v := make([]float32, w.Stride), make([]float64, w.Stride)
		for range 20 {
			var features []int32
			var values []float32
			for f := range int32(7) {
				if rng.IntN(2) == 0 {
					features, values = append(features, f), append(values, rng.Float32()-0.5)
				}
			}
			for c := range columns {
				u[c] = rng.Float32()
				v[c] = float64(u[c])
			}
			w.AddOuter(features, values, u)
			wide.AddWideOuter(features, values, v)
			addOuterGo(portable, w.Stride, features, values, u)
		}
		if !slices.Equal(portable, w.Data) {
			t.Fatalf("%d columns: the forms differ", columns)
		}
		for k, x := range w.Data {
			if d := float64(x) - wide.Wide[k]; d > 1e-5 || d < -1e-5 {
				t.Fatalf("%d columns: weight %d is %v, in float64 %v", columns, k, x, wide.Wide[k])
			}
		}
	}
}
