package classifier_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/svm"
)

// TestAscent holds that each visit raises the dual value by what its slope and curvature say, that
// no other step raises it more, and that visits lead to the optimum of the training.
func TestAscent(t *testing.T) {
	models, d := compared(t)
	ctx := context.Background()
	for name, m := range models {
		a, err := m.Ascent()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		dual := 0.0
		for k := range 12 * d.Len() {
			v, err := a.Visit(ctx, k*7%d.Len())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			now, err := a.Model(ctx)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			reached := now.Training.Certificate.Dual
			if math.Abs(reached-dual-v.Gain()) > 1e-6*(1+reached) || v.Gain() < 0 || v.Step < 0 || v.Step > 1 {
				t.Fatalf("%s, visit %d: %v raises %v to %v, by %v and not %v", name, k, v, dual, reached, reached-dual, v.Gain())
			}
			for _, step := range []float64{v.Step - 0.01, v.Step + 0.01} {
				other := *v
				if other.Step = step; step >= 0 && step <= 1 && other.Gain() > v.Gain()+1e-12 {
					t.Errorf("%s: %v, but a step of %v gains more", name, v, step)
				}
			}
			dual = reached
		}
		end, err := a.Model(ctx)
		if err != nil {
			t.Fatal(err)
		}
		best := m.Training.Certificate
		if c := end.Training.Certificate; c.Dual > best.Primal+1e-6 || c.Primal < best.Dual-1e-6 || c.Gap > 0.5 {
			t.Errorf("%s: between %v and %v after 12 passes, the optimum is between %v and %v", name, c.Dual, c.Primal, best.Dual, best.Primal)
		}
	}
	a, err := models["flat"].Ascent()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Visit(ctx, d.Len()); err == nil || !strings.Contains(err.Error(), "instance 60 does not exist") {
		t.Errorf("an instance that is none: %v", err)
	}
	if _, err := fit(t, svm.OneVsRest{}, d).Ascent(); err == nil {
		t.Error("a model that compares nothing has an ascent")
	}
}
