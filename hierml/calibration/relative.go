package calibration

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Relative is the probability 1 / (1 + exp(A s + B h + C)) of a score s of an instance whose
// highest score is h. If a model was trained to rank labels, a score means little without the
// scores of the others; B says how much the highest counts.
type Relative struct{ A, B, C float64 }

// Probability returns the probability of a score.
func (p Relative) Probability(score, highest float64) float64 {
	return Sigmoid{A: 1}.Probability(p.A*score + p.B*highest + p.C)
}

// RelativePlatt returns the function with maximum likelihood, with the targets of Platt; see
// [Platt]. The slices have one entry per instance; weights may be left out. If several functions
// fit equally well, for example because a score is always the highest, it is approximately the one
// with the smallest coefficients.
func RelativePlatt(scores, highest []float64, positive []bool, weights ...float64) (Relative, error) {
	c, err := check(scores, positive, weights)
	if err != nil {
		return Relative{}, err
	}
	if _, err := check(highest, positive, weights); err != nil {
		return Relative{}, fmt.Errorf("%w (of the highest scores)", err)
	}
	s, sShift, sScale := standard(scores)
	h, hShift, hScale := standard(highest)
	f := relative{platt: c.likelihood(s, positive), h: h}
	p := f.minimize(Relative{C: c.logOdds()})
	p = Relative{A: p.A / sScale, B: p.B / hScale, C: p.C - p.A*sShift/sScale - p.B*hShift/hScale}
	if sum := p.A + p.B + p.C; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return Relative{}, fmt.Errorf("calibration: no finite function fits these scores, which lie within %v of %v", sScale, sShift)
	}
	return p, nil
}

// standard moves and scales values to the range from -1 to 1.
func standard(values []float64) (moved []float64, shift, scale float64) {
	for i, v := range values {
		shift += (v - shift) / float64(i+1)
	}
	for _, v := range values {
		scale = max(scale, math.Abs(v-shift))
	}
	if scale == 0 {
		scale = 1
	}
	moved = make([]float64, len(values))
	for i, v := range values {
		moved[i] = (v - shift) / scale
	}
	return moved, shift, scale
}

// relative is the negative logarithm of the likelihood, and a small multiple of the squared
// coefficients.
type relative struct {
	platt
	h []float64
}

const relativeRidge = 1e-9 // an instance

// minimize is Newton's method with a line search.
func (f relative) minimize(p Relative) Relative {
	const (
		most      = 100
		minimal   = 1e-10 // step
		precision = 1e-9  // of a gradient, an instance
	)
	value := f.value(p)
	var factor mat.Cholesky
	for range most {
		g, hessian := f.derivatives(p)
		if mat.Norm(g, math.Inf(1)) < precision*f.all || !factor.Factorize(hessian) {
			break
		}
		var d mat.VecDense
		if factor.SolveVecTo(&d, g) != nil {
			break // nearly singular: as low as rounding allows
		}
		slope := -mat.Dot(g, &d)
		step := 1.0
		for ; step >= minimal; step /= 2 {
			next := Relative{p.A - step*d.AtVec(0), p.B - step*d.AtVec(1), p.C - step*d.AtVec(2)}
			if v := f.value(next); v < value+1e-4*step*slope {
				p, value = next, v
				break
			}
		}
		if step < minimal {
			break // as low as rounding allows
		}
	}
	return p
}

func (f relative) value(p Relative) float64 {
	sum := relativeRidge * f.all * (p.A*p.A + p.B*p.B)
	for i, s := range f.z {
		z := p.A*s + p.B*f.h[i] + p.C
		if z >= 0 {
			sum += f.weight(i) * (f.target[i]*z + math.Log1p(math.Exp(-z)))
		} else {
			sum += f.weight(i) * ((f.target[i]-1)*z + math.Log1p(math.Exp(z)))
		}
	}
	return sum
}

func (f relative) derivatives(p Relative) (*mat.VecDense, *mat.SymDense) {
	ridge := 2 * relativeRidge * f.all
	g := [3]float64{ridge * p.A, ridge * p.B, 0}
	h := [9]float64{ridge, 0, 0, 0, ridge, 0, 0, 0, relativeRidge}
	for i, s := range f.z {
		x := [3]float64{s, f.h[i], 1}
		probability := Sigmoid{A: 1}.Probability(p.A*s + p.B*f.h[i] + p.C)
		d1, d2 := f.weight(i)*(f.target[i]-probability), f.weight(i)*probability*(1-probability)
		for j, v := range x {
			g[j] += v * d1
			for k := j; k < len(x); k++ {
				h[3*j+k] += v * x[k] * d2
			}
		}
	}
	return mat.NewVecDense(3, g[:]), mat.NewSymDense(3, h[:])
}
