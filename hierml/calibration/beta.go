package calibration

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// BetaCurve is the probability 1 / (1 + exp(-(A ln p - B ln(1-p) + C))) of a score whose
// probability by a sigmoid is p [KSF17]. A and B are not negative, so it never falls where the
// sigmoid rises. With A = B = 1 and C = 0 it is p itself.
type BetaCurve struct {
	Sigmoid Sigmoid
	A, B, C float64
}

// Probability returns the probability of a score.
func (p BetaCurve) Probability(score float64) float64 {
	u, v := p.Sigmoid.logs(score)
	return Sigmoid{A: -1}.Probability(p.A*u - p.B*v + p.C)
}

// String says what the curve is.
func (p BetaCurve) String() string {
	return fmt.Sprintf("1 / (1 + exp(-(%.4g ln p - %.4g ln(1-p) + %.4g))), p = 1 / (1 + exp(%.4g s + %.4g))", p.A, p.B, p.C, p.Sigmoid.A, p.Sigmoid.B)
}

// logs returns the logarithms of the probability p of a score, and of 1-p.
func (p Sigmoid) logs(score float64) (u, v float64) {
	z := p.A*score + p.B
	soft := math.Log1p(math.Exp(-math.Abs(z)))
	return -soft - max(z, 0), -soft - max(-z, 0)
}

// Beta returns the beta calibration with maximum likelihood [KSF17]. It starts from [Platt]'s
// sigmoid and corrects each end separately, for example if many scores of negatives are far from
// the rest. If A or B would be negative, it is set to 0, and the others maximize the likelihood
// under this constraint. Targets and weights are those of Platt.
func Beta(scores []float64, positive []bool, weights ...float64) (BetaCurve, error) {
	sigmoid, err := Platt(scores, positive, weights...)
	if err != nil {
		return BetaCurve{}, err
	}
	us, vs := make([]float64, len(scores)), make([]float64, len(scores))
	for i, s := range scores {
		us[i], vs[i] = sigmoid.logs(s)
	}
	both, err := RelativePlatt(us, vs, positive, weights...)
	if err != nil {
		return BetaCurve{}, err
	}
	p := BetaCurve{Sigmoid: sigmoid, A: -both.A, B: both.B, C: -both.C}
	if p.A >= 0 && p.B >= 0 {
		return p, nil
	}
	// The constrained optimum has one of them at 0, or both: the likeliest of these.
	c, err := check(scores, positive, weights)
	if err != nil {
		return BetaCurve{}, err
	}
	ends := []BetaCurve{{Sigmoid: sigmoid, C: c.prior()}}
	for _, of := range [][]float64{us, vs} {
		one, err := Platt(of, positive, weights...)
		if err != nil {
			return BetaCurve{}, err
		}
		end := BetaCurve{Sigmoid: sigmoid, C: -one.B}
		if end.A = -one.A; &of[0] == &vs[0] {
			end.A, end.B = 0, one.A
		}
		if end.A >= 0 && end.B >= 0 {
			ends = append(ends, end)
		}
	}
	f := c.likelihood(make([]float64, len(scores)), positive)
	miss := func(p BetaCurve) float64 {
		for i := range f.z {
			f.z[i] = p.A*us[i] - p.B*vs[i] + p.C
		}
		return f.value(Sigmoid{A: -1})
	}
	return slices.MinFunc(ends, func(a, b BetaCurve) int { return cmp.Compare(miss(a), miss(b)) }), nil
}
