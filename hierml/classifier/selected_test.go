package classifier_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
)

// TestScoresOfSomeLabels compares with the columns of all scores, for weights in all forms.
func TestScoresOfSomeLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for name, m := range models(t) {
		x := &dataset.Matrix{Rows: 5, Cols: m.Features(), Indptr: []int{0}}
		for range x.Rows {
			for f := rng.IntN(3); f < x.Cols; f += 1 + rng.IntN(1+x.Cols/8) {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(rng.NormFloat64()))
			}
			x.Indptr = append(x.Indptr, len(x.Indices))
		}
		all, want := m.Attributes().Candidates(), m.LeafScores(x)
		var labels []int
		for range 4 {
			labels = append(labels, all[rng.IntN(len(all))]) // perhaps twice
		}
		got, err := m.ScoresOf(x, labels...)
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range x.Rows {
			for k, n := range labels {
				g, w := got.At(i, k), want.At(i, m.Attributes().Candidate(n))
				if g != w && !(math.Abs(g-w) <= 1e-9*max(1, math.Abs(w))) {
					t.Errorf("%s: row %d, label %d: %v, want %v", name, i, n, g, w)
				}
			}
		}
		if _, err := m.ScoresOf(x, -1); err == nil {
			t.Errorf("%s: no error for node -1", name)
		}
		if got, err := m.ScoresOf(x); err != nil || !got.IsEmpty() {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
