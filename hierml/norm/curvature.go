package norm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// curvature has the gradient and the negative Hessian of a point's function in relative changes of
// the weights: w(1+a). With A = P' diag(a of the rows) P and B = Q' diag(a of the columns) Q the
// negative of the second derivative along a is
//
//	mu ||a||^2 + 1/4 sum_ij s_i s_j { plus_ij (A_ij-B_ij)^2 - minus_ij (A_ij+B_ij)^2 },
//	plus_ij = (g'(s_i)+g'(s_j)) / (s_i+s_j),  minus_ij = (g'(s_i)-g'(s_j)) / (s_i-s_j).
type curvature struct {
	ctx      context.Context
	mu       float64
	p, q     *mat.Dense // q is nil without weights of columns
	gradient []float64
	plus     *mat.Dense // times s_i s_j / 4
	minus    *mat.Dense
	diagonal []float64

	// Weights by group, with zeros elsewhere, and what their squares are multiplied by.
	sides [][]float64
	stiff float64
}

func newCurvature(ctx context.Context, at *point, mu float64, rows int) *curvature {
	h := &curvature{ctx: ctx, mu: mu, p: at.p, gradient: make([]float64, len(at.weight))}
	if len(at.weight) > rows {
		h.q = at.q
	}
	k := len(at.sigma)
	root := make([]float64, k)  // sqrt(mu^2 + 4 s^2)
	slope := make([]float64, k) // g'(s) s
	for i, s := range at.sigma {
		root[i] = math.Hypot(mu, 2*s)
		slope[i] = 4 * s * s / (mu + root[i])
	}
	h.plus, h.minus = mat.NewDense(k, k, nil), mat.NewDense(k, k, nil)
	for i, s := range at.sigma {
		for j, t := range at.sigma {
			// g'(s) = 4s/(mu+root); the differences without cancellation.
			h.plus.Set(i, j, (slope[i]*t+slope[j]*s)/(s+t)/4)
			scale := 4 / ((mu + root[i]) * (mu + root[j]))
			h.minus.Set(i, j, s*t*scale*(mu+mu*mu*(s+t)/(s*root[j]+t*root[i]))/4)
		}
	}
	h.diagonal = make([]float64, len(at.weight))
	h.each(func(l int, v []float64) {
		for i, x := range v {
			h.gradient[l] += slope[i] * x * x / 2
			for j, y := range v {
				h.diagonal[l] += (h.plus.At(i, j) - h.minus.At(i, j)) * x * x * y * y
			}
		}
		h.gradient[l] += mu
		h.diagonal[l] = mu + max(h.diagonal[l], 0)
	})
	return h
}

// each calls do for every weight with its row of P or Q.
func (h *curvature) each(do func(l int, v []float64)) {
	rows := h.p.RawMatrix().Rows
	for l := range rows {
		do(l, h.p.RawRowView(l))
	}
	if h.q != nil {
		for l := range h.q.RawMatrix().Rows {
			do(rows+l, h.q.RawRowView(l))
		}
	}
}

// product sets dst to the negative Hessian times a.
func (h *curvature) product(dst, a []float64) {
	rows, k := h.p.Dims()
	first := sandwich(h.p, a[:rows])
	second := mat.NewDense(k, k, nil)
	if h.q != nil {
		second = sandwich(h.q, a[rows:])
	}
	var sum, difference mat.Dense
	sum.Add(first, second)
	difference.Sub(first, second)
	sum.MulElem(&sum, h.minus)
	difference.MulElem(&difference, h.plus)
	first.Sub(&difference, &sum)
	unsandwich(dst[:rows], h.p, first)
	if h.q != nil {
		second.Add(&difference, &sum)
		second.Scale(-1, second)
		unsandwich(dst[rows:], h.q, second)
	}
	floats.AddScaled(dst, h.mu, a)
	for _, side := range h.sides {
		floats.AddScaled(dst, h.stiff*floats.Dot(side, a), side)
	}
}

// sandwich returns p' diag(a) p.
func sandwich(p *mat.Dense, a []float64) *mat.Dense {
	weighted := mat.DenseCopyOf(p)
	for l, v := range a {
		floats.Scale(v, weighted.RawRowView(l))
	}
	var s mat.Dense
	s.Mul(p.T(), weighted)
	return &s
}

// unsandwich sets dst to the diagonal of p t p'.
func unsandwich(dst []float64, p, t *mat.Dense) {
	var pt mat.Dense
	pt.Mul(p, t)
	for l := range dst {
		dst[l] = floats.Dot(pt.RawRowView(l), p.RawRowView(l))
	}
}

// newton returns the relative change of the weights to the maximizer of the quadratic model that
// keeps the sum of each group, and the squared Newton decrement.
//
// On such changes the gradient may be taken less a multiple of the weights, which is small near a
// centre, and the negative Hessian more a multiple of their square: the max norm's function is
// linear along a change of all weights by the same factor.
func (h *curvature) newton(groups [][]float64) (direction []float64, decrement float64, ok bool) {
	n := len(h.gradient)
	slope := append([]float64(nil), h.gradient...)
	h.sides = nil
	lo := 0
	for _, weights := range groups {
		side := make([]float64, n)
		copy(side[lo:], weights)
		floats.AddScaled(slope, -floats.Sum(slope[lo:lo+len(weights)]), side)
		h.sides = append(h.sides, side)
		lo += len(weights)
	}
	h.stiff = floats.Sum(h.gradient)
	for _, side := range h.sides {
		for l, w := range side {
			h.diagonal[l] += h.stiff * w * w
		}
	}
	if direction, ok = h.conjugate(slope); !ok {
		return nil, 0, false
	}
	system := mat.NewDense(len(groups), len(groups), nil)
	rhs := mat.NewVecDense(len(groups), nil)
	solved := make([][]float64, len(groups))
	for e, side := range h.sides {
		if solved[e], ok = h.conjugate(side); !ok {
			return nil, 0, false
		}
		rhs.SetVec(e, floats.Dot(side, direction))
		for g, other := range h.sides {
			system.Set(g, e, floats.Dot(other, solved[e]))
		}
	}
	var multipliers mat.VecDense
	if err := multipliers.SolveVec(system, rhs); err != nil {
		return nil, 0, false
	}
	for g, s := range solved {
		floats.AddScaled(direction, -multipliers.AtVec(g), s)
	}
	return direction, floats.Dot(direction, slope), true
}

// maxConjugate bounds the steps of conjugate gradients, which on large problems gives Newton steps
// that are a little off.
const maxConjugate = 2000

// conjugate solves for the negative Hessian by conjugate gradients with its diagonal as the
// preconditioner. It does not if the context ends.
func (h *curvature) conjugate(rhs []float64) ([]float64, bool) {
	n := len(rhs)
	x, r := make([]float64, n), append([]float64(nil), rhs...)
	z, hd := make([]float64, n), make([]float64, n)
	floats.DivTo(z, r, h.diagonal)
	d := append([]float64(nil), z...)
	rz := floats.Dot(r, z)
	goal := rz * 1e-24
	for range min(2*n+20, maxConjugate) {
		if rz <= goal {
			break
		}
		if h.ctx.Err() != nil {
			return nil, false
		}
		h.product(hd, d)
		curvature := floats.Dot(d, hd)
		if !(curvature > 0) {
			return x, floats.Norm(x, 1) > 0
		}
		step := rz / curvature
		floats.AddScaled(x, step, d)
		floats.AddScaled(r, -step, hd)
		floats.DivTo(z, r, h.diagonal)
		next := floats.Dot(r, z)
		floats.Scale(next/rz, d)
		floats.Add(d, z)
		rz = next
	}
	return x, true
}
