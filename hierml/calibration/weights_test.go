package calibration_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/calibration"
)

// A score of weight 2 is two scores, and one of weight 0 is none.
func TestWeightsAreRepeatedScores(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(30)
		scores, highest, weights, positive := make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n)
		var s, h []float64
		var p []bool
		for i := range scores {
			scores[i] = float64(rng.IntN(8)) + rng.Float64()*float64(seed%2)
			highest[i] = scores[i] + rng.Float64()
			positive[i] = rng.Float64() < 1/(1+math.Exp(3-scores[i]))
			times := rng.IntN(4)
			if i == 0 {
				times = 1
			}
			weights[i] = float64(times)
			s, h = append(s, slices.Repeat(scores[i:i+1], times)...), append(h, slices.Repeat(highest[i:i+1], times)...)
			p = append(p, slices.Repeat(positive[i:i+1], times)...)
		}
		for name, learn := range map[string]func(s, h []float64, p []bool, w ...float64) (func(s, h float64) float64, error){
			"Platt": func(s, _ []float64, p []bool, w ...float64) (func(s, h float64) float64, error) {
				f, err := calibration.Platt(s, p, w...)
				return func(s, _ float64) float64 { return f.Probability(s) }, err
			},
			"isotonic": func(s, _ []float64, p []bool, w ...float64) (func(s, h float64) float64, error) {
				f, err := calibration.Isotonic(s, p, w...)
				return func(s, _ float64) float64 { return f.Probability(s) }, err
			},
			"relative": func(s, h []float64, p []bool, w ...float64) (func(s, h float64) float64, error) {
				f, err := calibration.RelativePlatt(s, h, p, w...)
				return f.Probability, err
			},
		} {
			got, err := learn(scores, highest, positive, weights...)
			if err != nil {
				t.Fatal(err)
			}
			want, err := learn(s, h, p)
			if err != nil {
				t.Fatal(err)
			}
			for i := range scores {
				if a, b := got(scores[i], highest[i]), want(scores[i], highest[i]); math.Abs(a-b) > 1e-5 {
					t.Errorf("%s, seed %d: %v at %v; repeated scores give %v", name, seed, a, scores[i], b)
				}
			}
		}
	}
	for _, weights := range [][]float64{{1}, {1, -1}, {1, math.NaN()}, {0, 0}} {
		if _, err := calibration.Platt([]float64{1, 2}, []bool{true, false}, weights...); err == nil {
			t.Errorf("weights %v are taken", weights)
		}
	}
}
