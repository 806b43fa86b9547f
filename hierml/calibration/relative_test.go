package calibration

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draw returns scores, highest scores and truths that the function gave.
func draw(p Relative, n int) (scores, highest []float64, positive []bool) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range n {
		s, h := rng.NormFloat64(), rng.NormFloat64()+2
		scores, highest = append(scores, s), append(highest, h)
		positive = append(positive, rng.Float64() < p.Probability(s, h))
	}
	return scores, highest, positive
}

func TestRelativePlatt(t *testing.T) {
	want := Relative{A: -2, B: 1, C: -1}
	got, err := RelativePlatt(draw(want, 40_000))
	if err != nil {
		t.Fatal(err)
	}
	for k, d := range []float64{got.A - want.A, got.B - want.B, got.C - want.C} {
		if math.Abs(d) > 0.08 {
			t.Errorf("%+v was found for %+v: coefficient %d", got, want, k)
		}
	}
	// Other units of the scores are no difference to the probabilities.
	scores, highest, positive := draw(want, 400)
	one, err := RelativePlatt(scores, highest, positive)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scores {
		scores[i] = 1e5*scores[i] + 7
		highest[i] = 1e-5*highest[i] - 3
	}
	other, err := RelativePlatt(scores, highest, positive)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scores {
		p, q := one.Probability((scores[i]-7)/1e5, (highest[i]+3)*1e5), other.Probability(scores[i], highest[i])
		if math.Abs(p-q) > 1e-4 {
			t.Fatalf("probability %v, in other units %v", p, q)
		}
	}
}

// Where the second feature has nothing to tell, the function is Platt's.
func TestRelativePlattAsPlatt(t *testing.T) {
	scores, highest, positive := draw(Relative{A: -2, C: 1}, 500)
	for i := range highest {
		highest[i] = 5
	}
	platt, err := Platt(scores, positive)
	if err != nil {
		t.Fatal(err)
	}
	got, err := RelativePlatt(scores, highest, positive)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		if p, q := platt.Probability(s), got.Probability(s, 5); math.Abs(p-q) > 1e-5 {
			t.Fatalf("score %v: %v, Platt's %v", s, q, p)
		}
	}
	// A score that is always the highest, truths that a score tells, and no truth at all leave
	// finite functions.
	for _, test := range []struct {
		name            string
		scores, highest []float64
		positive        []bool
	}{
		{"always highest", []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, []bool{false, true, false, true}},
		{"separable", []float64{1, 2, 3, 4}, []float64{4, 4, 5, 5}, []bool{false, false, true, true}},
		{"none", []float64{1, 2}, []float64{2, 2}, []bool{false, false}},
		{"one instance", []float64{1}, []float64{1}, []bool{true}},
	} {
		p, err := RelativePlatt(test.scores, test.highest, test.positive)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for i, s := range test.scores {
			if q := p.Probability(s, test.highest[i]); !(q > 0 && q < 1) {
				t.Errorf("%s: probability %v", test.name, q)
			}
		}
	}
	for _, bad := range [][]float64{nil, {1, math.NaN()}, {1}} {
		if _, err := RelativePlatt([]float64{1, 2}, bad, []bool{true, false}); err == nil {
			t.Errorf("no error for the highest scores %v", bad)
		}
	}
}
