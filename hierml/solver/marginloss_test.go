package solver

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMarginLossDuals holds for each loss that C times it and the term of the dual are conjugates:
// C loss(m) - term(alpha) + alpha m is never negative, and zero at the coefficient that the dual
// chooses.
func TestMarginLossDuals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, loss := range []MarginLoss{Hinge, SquaredHinge, Logistic} {
		for range 20000 {
			c := math.Exp(8 * rng.NormFloat64())
			m := 3 * rng.NormFloat64()
			alpha := rng.Float64() * c
			gap := c*loss.Value(m) - loss.term(alpha, c) + alpha*m
			if gap < -1e-12*c {
				t.Fatalf("%v: gap %v at C %v, margin %v, alpha %v", loss, gap, c, m, alpha)
			}
			curvature := math.Exp(4 * rng.NormFloat64())
			best := loss.best(alpha, m, curvature, c)
			if best < 0 || best > loss.bound(c) {
				t.Fatalf("%v: alpha %v at C %v", loss, best, c)
			}
			then := m + curvature*(best-alpha)
			// A margin is as exact as what is taken from it is large.
			rounding := 1e-15 * (1 + math.Abs(m) + curvature*max(alpha, best))
			scale := (c + best) * (1 + math.Abs(then))
			if loss == SquaredHinge {
				scale += c * loss.Value(then)
			}
			if gap := c*loss.Value(then) - loss.term(best, c) + best*then; math.Abs(gap) > (1e-9+10*rounding)*scale {
				t.Fatalf("%v: gap %v of %v after the step, C %v, margin %v, alpha %v, curvature %v", loss, gap, scale, c, m, alpha, curvature)
			}
			if d := loss.derivative(best, then, c); best > 1e-6*c && best < (1-1e-6)*loss.bound(c) && math.Abs(d) > 1e-6*(1+math.Abs(then))+1e3*rounding {
				t.Fatalf("%v: derivative %v after the step to %v, C %v, margin %v, alpha %v, curvature %v", loss, d, best, c, m, alpha, curvature)
			}
		}
	}
}

func TestMarginLossNames(t *testing.T) {
	for _, loss := range []MarginLoss{Hinge, SquaredHinge, Logistic} {
		text, err := loss.MarshalText()
		var back MarginLoss
		if err != nil || back.UnmarshalText(text) != nil || back != loss || loss.String() != string(text) || loss.Check() != nil {
			t.Errorf("%v is written as %q and read as %v, error %v", loss, text, back, err)
		}
	}
	if MarginLoss(3).Check() == nil || MarginLoss(-1).String() == "" {
		t.Error("a loss of 3 is none")
	}
}
