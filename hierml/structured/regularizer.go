package structured

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ClassRegularizer is the regularizer of class weights, those that score the leaves, implied by the
// norm of the node weights: W_y = sum_z lambda_z(y) w_z [Cai08, section 4.4], whose equations are
// meant below. The smallest 1/2 ||w||^2 of node weights that give the class weights is
//
//	1/2 { sum_y ||W_y||^2 / lambda_y(y)^2 - u(W)' A^-1 u(W) } = 1/2 sum_yy' Q_yy' <W_y, W_y'>    (4.46, 4.48)
//
// so the hierarchical SVM is a flat one that couples its classes: where Q is negative, it pulls the
// weights of two classes together. Node weights at the optimum of every problem of this package are
// the smallest.
type ClassRegularizer struct {
	Interior []int         // nodes that are not leaves, ascending
	A        *mat.SymDense // (4.40), a row and column an interior node; nil if there is none
	Q        *mat.SymDense // a row and column a leaf, in the order of Attributes.Candidates

	taxonomyLen int
	leaves      []int
	own         []float64 // lambda_y(y)
	// lambda_o(y), a row a leaf and a column an interior node; nil without any
	shared *mat.Dense
	factor mat.Cholesky
}

// NewClassRegularizer returns the regularizer of the class attributes of the leaves. It returns an
// error if the attribute vector of a leaf is zero at the leaf itself or non-zero at another leaf.
func NewClassRegularizer(a *Attributes) (*ClassRegularizer, error) {
	t := a.taxonomy
	r := &ClassRegularizer{taxonomyLen: t.Len(), leaves: a.candidates, own: make([]float64, len(a.candidates))}
	position := make([]int, t.Len())
	for n := range t.Len() {
		if a.Candidate(n) < 0 {
			position[n] = len(r.Interior)
			r.Interior = append(r.Interior, n)
		}
	}
	q, l := len(a.candidates), len(r.Interior)
	if l > 0 {
		r.shared = mat.NewDense(q, l, nil)
	}
	for y, leaf := range a.candidates {
		nodes, values := a.Leaf(y)
		for k, n := range nodes {
			switch {
			case n == leaf:
				r.own[y] = values[k]
			case a.Candidate(n) >= 0:
				return nil, fmt.Errorf("structured: class %q has an attribute at class %q; class weights can be regularized only where no class is part of another", t.Name(leaf), t.Name(n))
			default:
				r.shared.Set(y, position[n], values[k])
			}
		}
		if r.own[y] == 0 {
			return nil, fmt.Errorf("structured: class %q has no attribute of its own; its weights are those of other nodes, and no regularizer of class weights exists", t.Name(leaf))
		}
	}
	r.Q = mat.NewSymDense(q, nil)
	for y, v := range r.own {
		r.Q.SetSym(y, y, 1/v/v)
	}
	if l == 0 {
		return r, nil
	}
	scaled := r.scaled()
	r.A = mat.NewSymDense(l, nil)
	r.A.SymOuterK(1, scaled.T())
	for k := range l {
		r.A.SetSym(k, k, 1+r.A.At(k, k))
	}
	if !r.factor.Factorize(r.A) {
		return nil, fmt.Errorf("structured: the attributes differ too much in size for a regularizer of class weights")
	}
	// Row y of u is that of scaled divided by lambda_y(y): Q = D^-2 - (D^-1 S) A^-1 (D^-1 S)'.
	var lower mat.TriDense
	r.factor.LTo(&lower)
	u := mat.DenseCopyOf(scaled.T())
	for k := range l {
		row := u.RawRowView(k)
		for y := range row {
			row[y] /= r.own[y]
		}
	}
	var half mat.Dense
	if err := half.Solve(&lower, u); err != nil {
		return nil, fmt.Errorf("structured: the attributes differ too much in size for a regularizer of class weights: %w", err)
	}
	var taken mat.SymDense
	taken.SymOuterK(1, half.T())
	for y := range q {
		for z := range y + 1 {
			r.Q.SetSym(y, z, r.Q.At(y, z)-taken.At(y, z))
		}
	}
	return r, nil
}

// scaled returns lambda_o(y) / lambda_y(y).
func (r *ClassRegularizer) scaled() *mat.Dense {
	s := mat.DenseCopyOf(r.shared)
	for y, v := range r.own {
		row := s.RawRowView(y)
		for k := range row {
			row[k] /= v
		}
	}
	return s
}

// Evaluate returns 1/2 sum_yy' Q_yy' <W_y, W_y'> for the inner products of class weights.
func (r *ClassRegularizer) Evaluate(products mat.Symmetric) float64 {
	var sum float64
	for y := range r.leaves {
		for z := range r.leaves {
			sum += r.Q.At(y, z) * products.At(y, z)
		}
	}
	return sum / 2
}

// Nodes returns the smallest node weights that give the class weights W, a row a leaf: a row a
// node, those of interior nodes by (4.45) and those of leaves by (4.38).
func (r *ClassRegularizer) Nodes(w mat.Matrix) (*mat.Dense, error) {
	rows, features := w.Dims()
	if rows != len(r.leaves) {
		return nil, fmt.Errorf("structured: class weights of %d classes for %d leaves", rows, len(r.leaves))
	}
	nodes := mat.NewDense(r.taxonomyLen, features, nil)
	rest := mat.DenseCopyOf(w)
	if len(r.Interior) > 0 {
		scaled := r.scaled()
		byOwn := mat.DenseCopyOf(w)
		for y, v := range r.own {
			row := byOwn.RawRowView(y)
			for f := range row {
				row[f] /= v
			}
		}
		var u, inner, part mat.Dense
		u.Mul(scaled.T(), byOwn)
		if err := r.factor.SolveTo(&inner, &u); err != nil && math.IsNaN(mat.Norm(&inner, 2)) {
			return nil, fmt.Errorf("structured: interior weights: %w", err)
		}
		part.Mul(r.shared, &inner)
		rest.Sub(rest, &part)
		for k, n := range r.Interior {
			nodes.SetRow(n, inner.RawRowView(k))
		}
	}
	for y, leaf := range r.leaves {
		row := rest.RawRowView(y)
		for f := range row {
			row[f] /= r.own[y]
		}
		nodes.SetRow(leaf, row)
	}
	return nodes, nil
}
