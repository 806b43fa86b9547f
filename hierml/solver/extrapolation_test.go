package solver

import (
	"context"
	"math"
	"testing"

	"github.com/hierml/notebook/hierml/structured"
)

// After every step ahead the dual has grown, its point is feasible, and the weights belong to it.
func TestStepsAhead(t *testing.T) {
	for name, p := range problems(t) {
		for _, gap := range []float64{1e-4, 1e-7} {
			o, err := p.Compile()
			if err != nil {
				t.Fatal(err)
			}
			s := newState(context.Background(), o, Settings{Gap: gap, Seed: 2})
			b := newBlocks(s)
			b.negligible = -1
			moved := 0
			for range 12 {
				for i := range o.Inputs().Len() {
					b.visit(context.Background(), []int{i})
				}
				before := dualValue(t, o, b.dual)
				if err := b.ahead.advance(context.Background(), o, b.dual, 2); err != nil {
					t.Fatal(err)
				}
				after := dualValue(t, o, b.dual)
				if after < before-1e-9*math.Abs(before) {
					t.Fatalf("%s: the dual falls from %v to %v", name, before, after)
				}
				if after > before {
					moved++
				}
				for k := range o.Blocks() {
					var sum float64
					_, values := b.dual.Row(k)
					for _, v := range values {
						if v < 0 {
							t.Fatalf("%s: coefficient %v", name, v)
						}
						sum += v
					}
					if sum > o.C(k)*(1+1e-12) {
						t.Fatalf("%s: coefficients of block %d add up to %v of %v", name, k, sum, o.C(k))
					}
				}
				w := o.NewState(s.settings.precision(false))
				if _, _, err := o.Build(context.Background(), b.dual, w, 1); err != nil {
					t.Fatal(err)
				}
				got, want := make([]float64, w.Width()), make([]float64, w.Width())
				for i := range o.Inputs().Len() {
					s.weights.Scores(i, got)
					w.Scores(i, want)
					for c := range want {
						if math.Abs(got[c]-want[c]) > 1e-4*(1+math.Abs(want[c])) {
							t.Fatalf("%s: example %d scores %v in column %d, want %v", name, i, got[c], c, want[c])
						}
					}
				}
			}
			if moved == 0 && name != "empty instances" && name != "one leaf" {
				t.Errorf("%s: no step ahead was made", name)
			}
		}
	}
}

func dualValue(t *testing.T, o *structured.Oracle, d *structured.Dual) float64 {
	t.Helper()
	c, err := o.Certify(context.Background(), d, o.NewState(structured.Double), make([]float64, o.Blocks()), 1)
	if err != nil {
		t.Fatal(err)
	}
	return c.Dual
}
