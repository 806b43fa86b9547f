package orthogonal

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Signs is a point S of the saddle form, a number in [-1, 1] for every pair of nodes that K
// couples, with the factorization K o S = LL'. It is not safe for concurrent use.
type Signs struct {
	r     *Regularizer
	parts []signedPart
}

type signedPart struct {
	signs   []float64 // by pair
	inverse *mat.SymDense
	lower   *mat.TriDense // L
	upper   *mat.TriDense // inverse of L', upper triangular
}

// NewSigns returns S = 0, for which K o S is the diagonal of K, or a
// *ConvexityError if Omega is not strongly convex.
func (r *Regularizer) NewSigns() (*Signs, error) {
	if err := r.Strong(); err != nil {
		return nil, err
	}
	s := &Signs{r: r, parts: make([]signedPart, len(r.parts))}
	for k := range s.parts {
		s.parts[k].signs = make([]float64, len(r.parts[k].pairs))
		if err := s.factor(k); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Clone returns a copy.
func (s *Signs) Clone() *Signs {
	c := &Signs{r: s.r, parts: slices.Clone(s.parts)}
	for k := range c.parts {
		c.parts[k].signs = slices.Clone(c.parts[k].signs)
	}
	return c
}

// factor factors K o S of a part.
func (s *Signs) factor(k int) error {
	part, signed := &s.r.parts[k], &s.parts[k]
	n := len(part.nodes)
	q := mat.NewSymDense(n, nil)
	for i, node := range part.nodes {
		q.SetSym(i, i, s.r.diagonal[node])
	}
	for e, pair := range part.pairs {
		q.SetSym(pair.i, pair.j, pair.k*signed.signs[e])
	}
	var c mat.Cholesky
	if !c.Factorize(q) {
		return fmt.Errorf("orthogonal: the matrix of the penalty is not positive definite for the nodes connected with node %d; choose a smaller Alpha", part.nodes[0])
	}
	signed.inverse, signed.lower, signed.upper = new(mat.SymDense), new(mat.TriDense), new(mat.TriDense)
	c.LTo(signed.lower)
	if err := c.InverseTo(signed.inverse); err != nil {
		return fmt.Errorf("orthogonal: the matrix of the penalty cannot be inverted for the nodes connected with node %d: %w", part.nodes[0], err)
	}
	if err := signed.upper.InverseTri(signed.lower.TTri()); err != nil {
		return fmt.Errorf("orthogonal: a factor of the matrix of the penalty cannot be inverted for the nodes connected with node %d: %w", part.nodes[0], err)
	}
	return nil
}

// Row returns the entries of a row of the inverse of L', that of the node n, whose weights are w_n
// = sum_c values_c v_c in the weights v of the ridge problem, which has as many of them as there
// are nodes. Columns ascend.
func (s *Signs) Row(n int) (columns []int, values []float64) {
	k, i := s.r.part[n], s.r.position[n]
	nodes := s.r.parts[k].nodes
	for j := i; j < len(nodes); j++ {
		if s.parts[k].upper.At(i, j) != 0 {
			columns = append(columns, int(nodes[j]))
		}
	}
	slices.Sort(columns)
	for _, c := range columns {
		values = append(values, s.parts[k].upper.At(i, s.r.position[c]))
	}
	return columns, values
}

// Weights turns the products of the ridge problem's weights v into those of the node weights w.
func (s *Signs) Weights(dst, v *Products) {
	s.transform(dst, v, func(k int) mat.Matrix { return s.parts[k].upper })
}

// Dual turns the products of the ridge problem's weights v into those of the vectors g = (K o S)w =
// Lv, which a dual point determines whatever S is.
func (s *Signs) Dual(dst, v *Products) {
	s.transform(dst, v, func(k int) mat.Matrix { return s.parts[k].lower })
}

// Column calls add with the entries of a column of the inverse of L', times a value: what the
// weights of the ridge problem at that column contribute to those of the nodes.
func (s *Signs) Column(column int, value float64, add func(node int, value float64)) {
	k, j := s.r.part[column], s.r.position[column]
	for i := range j + 1 {
		if v := s.parts[k].upper.At(i, j); v != 0 {
			add(int(s.r.parts[k].nodes[i]), v*value)
		}
	}
}

func (s *Signs) transform(dst, src *Products, factor func(part int) mat.Matrix) {
	for k := range s.parts {
		a := factor(k)
		var half, product mat.Dense
		half.Mul(a, src.part(k))
		product.Mul(&half, a.T())
		dst.setPart(k, &product)
	}
}

const (
	maxSweeps = 128
	refresh   = 16 // sweeps after which the inverse is computed anew
)

// Ascend moves to the S with the largest dual value, -1/2 of the trace of (K o S)^-1 M, for vectors
// g with products M (Dual gives them), and stops when Omega of the weights (K o S)^-1 g exceeds
// their quadratic form by no more than tolerance in any part of K, or after 128 sweeps. A sweep
// goes from pair to pair and takes for each the value that makes the two weight vectors orthogonal,
// or the nearer end of [-1, 1]. If ctx is cancelled, Ascend returns its error, and S is incomplete.
func (s *Signs) Ascend(ctx context.Context, m *Products, tolerance float64) error {
	for k := range s.parts {
		if len(s.r.parts[k].pairs) == 0 {
			continue
		}
		for sweeps := 0; sweeps < maxSweeps; sweeps += refresh {
			before := slices.Clone(s.parts[k].signs)
			done := s.sweep(ctx, k, m.part(k), tolerance)
			if err := ctx.Err(); err != nil {
				copy(s.parts[k].signs, before) // those that the inverse is of
				return err
			}
			if err := s.factor(k); err != nil {
				return err
			}
			if done {
				break
			}
		}
	}
	return nil
}

// sweep goes through the pairs of a part up to refresh times, and reports whether the tolerance was
// met. It returns when ctx ends.
func (s *Signs) sweep(ctx context.Context, k int, m *mat.Dense, tolerance float64) bool {
	part, signs := &s.r.parts[k], s.parts[k].signs
	n := len(part.nodes)
	var half, weights mat.Dense
	inverse := mat.DenseCopyOf(s.parts[k].inverse)
	half.Mul(inverse, m)
	weights.Mul(&half, inverse)
	scratch := make([]float64, 6*n)
	for range refresh {
		var excess float64
		for e, pair := range part.pairs {
			v := weights.At(pair.i, pair.j)
			excess += pair.k * (math.Abs(v) - signs[e]*v)
		}
		if !(excess > tolerance) {
			return true
		}
		for e, pair := range part.pairs {
			if ctx.Err() != nil {
				return false
			}
			t := step(inverse, &weights, pair.i, pair.j, pair.k*(-1-signs[e]), pair.k*(1-signs[e]))
			if t == 0 {
				continue
			}
			signs[e] = max(-1, min(1, signs[e]+t/pair.k))
			couple(inverse, &weights, pair.i, pair.j, t, scratch)
		}
	}
	return false
}

// step returns the t in [lo, hi] at which an addition of t to the entries ij and ji of a matrix
// with this inverse makes the weights of i and j orthogonal, or the end of the interval towards it.
func step(inverse, weights *mat.Dense, i, j int, lo, hi float64) float64 {
	a, b, c := inverse.At(i, i), inverse.At(j, j), inverse.At(i, j)
	p, q, r := weights.At(i, i), weights.At(j, j), weights.At(i, j)
	// <w_i, w_j> after the step is h(t) over the square of a determinant.
	linear := 2*c*r - b*p - a*q
	square := r*(c*c+a*b) - c*(b*p+a*q)
	h := func(t float64) float64 { return r + t*(linear+t*square) }
	switch {
	case r > 0 && h(hi) >= 0:
		return hi
	case r < 0 && h(lo) <= 0:
		return lo
	case r == 0:
		return 0
	}
	// The root that goes to zero with r.
	return -2 * r / (linear - math.Sqrt(max(0, linear*linear-4*r*square)))
}

// couple adds t to the entries ij and ji of the matrix whose inverse is given, and changes the
// inverse and the products of the weights accordingly. scratch has six entries a row.
func couple(inverse, weights *mat.Dense, i, j int, t float64, scratch []float64) {
	n, _ := inverse.Dims()
	// m = (T^-1 + the rows and columns i, j of the inverse)^-1 with T = t [0 1; 1 0].
	a, b, c := inverse.At(i, i), inverse.At(j, j), inverse.At(i, j)
	determinant := a*b - (c+1/t)*(c+1/t)
	mii, mjj, mij := b/determinant, a/determinant, -(c+1/t)/determinant
	columnI, columnJ, rowI, rowJ := scratch[:n], scratch[n:2*n], scratch[2*n:3*n], scratch[3*n:4*n]
	left, right := scratch[4*n:5*n], scratch[5*n:6*n] // columns of the inverse, i and j, times m
	copy(columnI, inverse.RawRowView(i))
	copy(columnJ, inverse.RawRowView(j))
	copy(rowI, weights.RawRowView(i))
	copy(rowJ, weights.RawRowView(j))
	for k := range n {
		left[k] = columnI[k]*mii + columnJ[k]*mij
		right[k] = columnI[k]*mij + columnJ[k]*mjj
	}
	pii, pij, pjj := rowI[i], rowI[j], rowJ[j]
	for k := range n {
		row, out := inverse.RawRowView(k), weights.RawRowView(k)
		// The weights W become (I - left e_i' - right e_j') W.
		l, r := left[k], right[k]
		x, y := l*pii+r*pij-rowI[k], l*pij+r*pjj-rowJ[k]
		if l == 0 && r == 0 && x == 0 && y == 0 {
			continue
		}
		for m := range n {
			row[m] -= l*columnI[m] + r*columnJ[m]
			out[m] += x*left[m] + y*right[m] - l*rowI[m] - r*rowJ[m]
		}
	}
}
