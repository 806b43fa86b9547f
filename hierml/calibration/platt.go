package calibration

import (
	"fmt"
	"math"
)

// Sigmoid is the probability 1 / (1 + exp(A s + B)) of a score s. A is negative if larger scores
// mean larger probabilities.
type Sigmoid struct{ A, B float64 }

// Probability returns the probability of a score.
func (p Sigmoid) Probability(score float64) float64 {
	z := p.A*score + p.B
	if z >= 0 {
		return math.Exp(-z) / (1 + math.Exp(-z))
	}
	return 1 / (1 + math.Exp(z))
}

// Platt returns the sigmoid with maximum likelihood for scores, given whether each belongs to a
// positive. It uses the targets of [Pla99], (n+1)/(n+2) for the n positives and 1/(m+2) for the m
// negatives, which keep probabilities away from 0 and 1 and are also defined without positives or
// without negatives. It is found by Newton's method with the safe evaluations and the line search
// of [LLW07]. Weights, if there are any, are one per score: n and m are sums of them.
func Platt(scores []float64, positive []bool, weights ...float64) (Sigmoid, error) {
	c, err := check(scores, positive, weights)
	if err != nil {
		return Sigmoid{}, err
	}
	// No unit of the scores is too large or too small for the steps' tolerances.
	z, shift, scale := standard(scores)
	f := c.likelihood(z, positive)
	p := Sigmoid{B: c.logOdds()}
	const (
		most      = 100
		minimal   = 1e-10 // step
		ridge     = 1e-12 // makes the Hessian definite
		precision = 1e-9  // of a gradient, an instance
	)
	value := f.value(p)
	for range most {
		g1, g2, h11, h21, h22 := f.derivatives(p)
		if math.Max(math.Abs(g1), math.Abs(g2)) < precision*c.all {
			break
		}
		h11, h22 = h11+ridge, h22+ridge
		det := h11*h22 - h21*h21
		dA, dB := -(h22*g1-h21*g2)/det, -(h11*g2-h21*g1)/det
		slope := g1*dA + g2*dB
		step := 1.0
		for ; step >= minimal; step /= 2 {
			next := Sigmoid{p.A + step*dA, p.B + step*dB}
			if v := f.value(next); v < value+1e-4*step*slope {
				p, value = next, v
				break
			}
		}
		if step < minimal {
			break // as low as rounding allows
		}
	}
	p = Sigmoid{A: p.A / scale, B: p.B - p.A*shift/scale}
	if math.IsNaN(p.A+p.B) || math.IsInf(p.A+p.B, 0) {
		return Sigmoid{}, fmt.Errorf("calibration: no finite sigmoid fits these scores, which lie within %v of %v", scale, shift)
	}
	return p, nil
}

// likelihood is that of sigmoids of scores, with the targets of [Pla99].
func (c counted) likelihood(scores []float64, positive []bool) platt {
	hi, lo := c.targets()
	f := platt{counted: c, z: scores, target: make([]float64, len(scores))}
	for i := range scores {
		f.target[i] = lo
		if positive[i] {
			f.target[i] = hi
		}
	}
	return f
}

// platt is the negative logarithm of the likelihood.
type platt struct {
	counted
	z, target []float64
}

func (f platt) value(p Sigmoid) float64 {
	var sum float64
	for i, s := range f.z {
		// -(t log P + (1-t) log(1-P)) without overflow or cancellation.
		z := p.A*s + p.B
		if z >= 0 {
			sum += f.weight(i) * (f.target[i]*z + math.Log1p(math.Exp(-z)))
		} else {
			sum += f.weight(i) * ((f.target[i]-1)*z + math.Log1p(math.Exp(z)))
		}
	}
	return sum
}

func (f platt) derivatives(p Sigmoid) (g1, g2, h11, h21, h22 float64) {
	for i, s := range f.z {
		z := p.A*s + p.B
		e := math.Exp(-math.Abs(z))
		q := 1 / (1 + e) // the probability of the likelier side
		d2 := f.weight(i) * e * q * q
		probability := q
		if z >= 0 {
			probability = e * q
		}
		d1 := f.weight(i) * (f.target[i] - probability)
		g1 += s * d1
		g2 += d1
		h11 += s * s * d2
		h21 += s * d2
		h22 += d2
	}
	return
}
