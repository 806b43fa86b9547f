package convex

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	ahead = 0.1
	// After a step shorter than this, complementarity is too small for the dual residuals, or too
	// uneven: the next one goes to the centre for more of it, and leaves the residuals as they are.
	tooShort, raise = 0.1, 3
)

// state is an iterate: x and the multipliers z of x >= 0 are positive. The objective is scaled to
// about 1.
type state struct {
	p       *Problem
	scale   float64
	x, y, z []float64

	kkt               *kkt
	gradient, hessian []float64 // of the scaled objective at x
	dual, primal      []float64 // residuals: gradient - A'y - z and b - Ax
	dx, dy, dz        []float64
	curvature, right  []float64
	weighted          float64 // sum of the sizes of the dual residuals times x
	short, returning  bool    // the last step was too short, was one to the centre
}

func newState(p *Problem, start []float64) *state {
	n, m := len(p.Cost), len(p.Rows)
	s := &state{p: p, scale: 1, x: append([]float64(nil), start...), y: make([]float64, m), z: make([]float64, n), kkt: newKKT(p)}
	for _, v := range []*[]float64{&s.gradient, &s.hessian, &s.dual, &s.dx, &s.dz, &s.curvature, &s.right} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&s.primal, &s.dy} {
		*v = make([]float64, m)
	}
	var size float64
	for j, c := range p.Cost {
		if c != 0 {
			size += math.Abs(c) * math.Pow(start[j], p.Power[j])
		}
	}
	if size > 0 && !math.IsInf(1/size, 0) {
		s.scale = 1 / size
	}
	for j, x := range s.x {
		s.z[j] = 1 / (float64(n) * x)
	}
	s.measure()
	s.balance()
	return s
}

// balance chooses the multipliers of the rows that leave the smallest dual residuals at the start,
// and those of x >= 0 such that they are feasible where possible, and elsewhere as large as the
// infeasibility.
func (s *state) balance() {
	for j, x := range s.x {
		s.curvature[j] = s.hessian[j] + s.z[j]/x
		s.right[j] = -s.dual[j]
	}
	if !s.kkt.factorize(s.curvature) || !s.kkt.solve(s.right, make([]float64, len(s.y)), s.dx, s.dy) {
		return
	}
	floats.Add(s.y, s.dy)
	s.measure()
	var size float64
	for j, x := range s.x {
		size += math.Abs(s.dual[j]+s.z[j]) * x
	}
	size = max(size, 1) / float64(len(s.x))
	for j, x := range s.x {
		s.z[j] = max(s.dual[j]+s.z[j], size/x)
	}
	s.measure()
}

// measure computes derivatives and residuals at the iterate.
func (s *state) measure() {
	for j, c := range s.p.Cost {
		s.gradient[j], s.hessian[j] = 0, 0
		if c != 0 {
			q := s.p.Power[j]
			s.gradient[j] = s.scale * c * q * math.Pow(s.x[j], q-1)
			s.hessian[j] = (q - 1) * s.gradient[j] / s.x[j]
		}
		s.dual[j] = s.gradient[j] - s.z[j]
	}
	for i, r := range s.p.Rows {
		sum := s.p.B[i]
		for k, j := range r.Columns {
			sum -= r.Values[k] * s.x[j]
			s.dual[j] -= r.Values[k] * s.y[i]
		}
		s.primal[i] = sum
	}
}

// error returns how far the iterate is from the conditions of the optimum.
func (s *state) error() float64 {
	var value float64
	s.weighted = 0
	for j, c := range s.p.Cost {
		if c != 0 {
			value += s.scale * c * math.Pow(s.x[j], s.p.Power[j])
		}
		s.weighted += math.Abs(s.dual[j]) * s.x[j]
	}
	gap := (floats.Dot(s.x, s.z) + s.weighted) / max(math.Abs(value), 1e-3)
	e := max(gap, floats.Norm(s.primal, math.Inf(1)))
	if math.IsNaN(e) {
		return math.Inf(1)
	}
	return e
}

// step moves to the next iterate by Mehrotra's predictor and corrector, or returns false where
// rounding permits no step.
func (s *state) step() bool {
	n := float64(len(s.x))
	for j, x := range s.x {
		s.curvature[j] = s.hessian[j] + s.z[j]/x
	}
	if !s.kkt.factorize(s.curvature) {
		return false
	}
	mu := floats.Dot(s.x, s.z) / n
	for j := range s.right {
		s.right[j] = -s.dual[j] - s.z[j]
	}
	if !s.kkt.solve(s.right, s.primal, s.dx, s.dy) {
		return false
	}
	for j, x := range s.x {
		s.dz[j] = -s.z[j] - s.z[j]/x*s.dx[j]
	}
	t := min(1, longest(s.x, s.dx), longest(s.z, s.dz))
	var affine float64
	for j, x := range s.x {
		affine += (x + t*s.dx[j]) * (s.z[j] + t*s.dz[j])
	}
	sigma := math.Pow(max(affine, 0)/n/mu, 3)
	// Complementarity must not get far ahead of the dual residuals, or steps become short.
	centre, correction, part := max(sigma*mu, ahead*s.weighted/n), t*t, 1.0
	if s.short {
		centre, correction, part = mu, 0, 0
		if !s.returning {
			centre = raise * mu
		}
	}
	s.returning = s.short
	for j, x := range s.x {
		target := centre - correction*s.dx[j]*s.dz[j]
		s.dz[j] = target
		s.right[j] = -part*s.dual[j] - s.z[j] + target/x
	}
	if !s.kkt.solve(s.right, s.primal, s.dx, s.dy) {
		return false
	}
	for j, x := range s.x {
		s.dz[j] = (s.dz[j]-s.z[j]*s.dx[j])/x - s.z[j]
	}
	t = min(1, 0.99*longest(s.x, s.dx), 0.99*longest(s.z, s.dz))
	if !(t > 1e-12) {
		return false
	}
	s.short = t < tooShort
	floats.AddScaled(s.x, t, s.dx)
	floats.AddScaled(s.y, t, s.dy)
	floats.AddScaled(s.z, t, s.dz)
	s.measure()
	return true
}

// longest returns the largest step along d that keeps v from being negative.
func longest(v, d []float64) float64 {
	t := math.Inf(1)
	for j := range v {
		if d[j] < 0 {
			t = min(t, -v[j]/d[j])
		}
	}
	return t
}
