// Package norm provides the norms that [CSS16] compares as measures of how much the classes of a
// model share. The rows of the matrix U are the weights of the leaves; its norm is small if few
// factors explain all rows.
//
//   - [Frobenius] is the norm of the multiclass SVM, without sharing.
//   - [Trace] is min ||A||_F ||V||_F over all factorizations A V = U.
//   - [Shared], [CSS16, (17)], is min ||A||_2->inf ||V||_F, where ||A||_2->inf is the largest
//     length of a row of A.
//   - [Structured], [CSS16, (16)], is the same, restricted to the matrices A given by a taxonomy:
//     every leaf has the factors of its ancestors, with weights that do not depend on the leaf.
//   - [Max] is min ||A||_2->inf ||V'||_2->inf.
//
// For a matrix of r rows and c columns [CSS16, Theorem 2]:
//
//	Trace/sqrt(rc) <= Shared/sqrt(c) <= Max   and   Shared <= Structured <= Frobenius
//
// [CSS16, Lemma 3] bounds Shared from below by the length of the longest row, and not by its
// square, as printed. If all rows are multiples a_l u of one, Shared is max |a_l| ||u||: the sign
// of a_l does not matter.
//
// These are norms; the objectives of the SVMs have their squares.
package norm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Norm is the value of a norm with its certificate. The factors attain Value, up to rounding, and a
// dual point proves Lower: the norm is between them.
type Norm struct {
	Value float64
	Lower float64

	// Left and Right are factors with Left Right = U. They are nil if Value is exact without them.
	Left, Right *mat.Dense
}

// Gap returns (Value - Lower) / Value, 0 for the norm of a zero matrix.
func (n *Norm) Gap() float64 {
	if n.Value == 0 {
		return 0
	}
	return (n.Value - n.Lower) / n.Value
}

// String returns the value and the certificate in one line.
func (n *Norm) String() string { return fmt.Sprintf("%.10g, relative gap %.2g", n.Value, n.Gap()) }

// enough is the relative gap at which the norms that are computed by iteration are good enough.
const enough = 1e-9

// check returns the largest absolute value of a matrix, or what is wrong with it.
func check(u mat.Matrix) (float64, error) {
	if u == nil {
		return 0, fmt.Errorf("norm: there is no matrix")
	}
	rows, cols := u.Dims()
	var largest float64
	for i := range rows {
		for j := range cols {
			v := u.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, fmt.Errorf("norm: the matrix has %v in row %d, column %d; its values must be finite", v, i, j)
			}
			largest = max(largest, math.Abs(v))
		}
	}
	return largest, nil
}

// scaled returns u divided by its largest absolute value, so that no product leaves the range of
// floating point.
func scaled(u mat.Matrix, largest float64) *mat.Dense {
	s := mat.DenseCopyOf(u)
	s.Apply(func(_, _ int, v float64) float64 { return v / largest }, s)
	return s
}

// Frobenius returns the square root of the sum of all squares. It is exact: Lower is Value.
func Frobenius(u mat.Matrix) (*Norm, error) {
	largest, err := check(u)
	if err != nil {
		return nil, err
	}
	if largest == 0 {
		return &Norm{}, nil
	}
	v := mat.Norm(scaled(u, largest), 2) * largest
	return &Norm{Value: v, Lower: v}, nil
}

// Trace returns the sum of the singular values, and computes the factors from the singular vectors
// P and Q: Value is ||A||_F ||V||_F, and Lower is <PQ', U> divided by a bound of the largest
// singular value of PQ'.
func Trace(u mat.Matrix) (*Norm, error) {
	largest, err := check(u)
	if err != nil {
		return nil, err
	}
	if largest == 0 {
		return &Norm{}, nil
	}
	s := scaled(u, largest)
	d, ok := decompose(s)
	if !ok {
		return nil, fmt.Errorf("norm: the singular values of the matrix cannot be computed")
	}
	left, right := d.factors()
	n := &Norm{Value: mat.Norm(left, 2)*mat.Norm(right, 2) + residual(s, left, right), Left: left, Right: right}
	var polar mat.Dense
	polar.Mul(d.p, d.q.T())
	n.Lower = inner(&polar, s) / (orthogonality(d.p) * orthogonality(d.q))
	return n.rescale(largest), nil
}

// rescale turns the norm of U/largest into that of U.
func (n *Norm) rescale(largest float64) *Norm {
	n.Value *= largest
	n.Lower *= largest
	if n.Left != nil {
		n.Right.Scale(largest, n.Right)
	}
	return n
}

// decomposition is a singular value decomposition p diag(sigma) q', without what is zero.
type decomposition struct {
	p, q  *mat.Dense
	sigma []float64
}

func decompose(m mat.Matrix) (*decomposition, bool) {
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDThin) {
		return nil, false
	}
	d := &decomposition{p: new(mat.Dense), q: new(mat.Dense), sigma: svd.Values(nil)}
	svd.UTo(d.p)
	svd.VTo(d.q)
	k := len(d.sigma)
	for k > 1 && d.sigma[k-1] <= d.sigma[0]*1e-300 {
		k--
	}
	d.sigma = d.sigma[:k]
	rows, _ := d.p.Dims()
	cols, _ := d.q.Dims()
	d.p, d.q = d.p.Slice(0, rows, 0, k).(*mat.Dense), d.q.Slice(0, cols, 0, k).(*mat.Dense)
	return d, true
}

// factors returns p sqrt(sigma) and sqrt(sigma) q'.
func (d *decomposition) factors() (left, right *mat.Dense) {
	left, right = mat.DenseCopyOf(d.p), mat.DenseCopyOf(d.q.T())
	for k, s := range d.sigma {
		root := math.Sqrt(s)
		for i := range left.RawMatrix().Rows {
			left.Set(i, k, left.At(i, k)*root)
		}
		row := right.RawRowView(k)
		for j := range row {
			row[j] *= root
		}
	}
	return left, right
}

// orthogonality returns a bound of the largest singular value of a matrix with nearly orthonormal
// columns: the square root of the largest absolute row sum of its Gram matrix.
func orthogonality(p *mat.Dense) float64 {
	var g mat.Dense
	g.Mul(p.T(), p)
	return math.Sqrt(mat.Norm(&g, math.Inf(1)))
}

// residual returns ||U - left right||_F. What factors with this residual attain, plus the residual,
// is a bound of all norms here.
func residual(u, left, right *mat.Dense) float64 {
	var r mat.Dense
	r.Mul(left, right)
	r.Sub(u, &r)
	return mat.Norm(&r, 2)
}

func inner(a, b *mat.Dense) float64 {
	var sum float64
	for i := range a.RawMatrix().Rows {
		x, y := a.RawRowView(i), b.RawRowView(i)
		for j, v := range x {
			sum += v * y[j]
		}
	}
	return sum
}

// longest returns the largest length of a row.
func longest(a *mat.Dense) float64 {
	var square float64
	for i := range a.RawMatrix().Rows {
		var s float64
		for _, v := range a.RawRowView(i) {
			s += v * v
		}
		square = max(square, s)
	}
	return math.Sqrt(square)
}

// Shared returns the shared norm, [CSS16, (17)]: min ||A||_2->inf ||V||_F over all A V = U. Its
// square is the largest ||diag(sqrt nu) U||_*^2 over all nu in the simplex. If ctx is cancelled, it
// returns ctx's error and the bounds so far.
func Shared(ctx context.Context, u mat.Matrix) (*Norm, error) {
	return factorized(ctx, u, false)
}

// Max returns the max norm: min ||A||_2->inf ||V'||_2->inf over all A V = U. It is the largest
// ||diag(sqrt nu) U diag(sqrt omega)||_* over all nu and omega in simplices. If ctx is cancelled,
// it returns ctx's error and the bounds so far.
func Max(ctx context.Context, u mat.Matrix) (*Norm, error) {
	return factorized(ctx, u, true)
}

func factorized(ctx context.Context, u mat.Matrix, columns bool) (*Norm, error) {
	largest, err := check(u)
	if err != nil {
		return nil, err
	}
	if largest == 0 {
		return &Norm{}, nil
	}
	whole := scaled(u, largest)
	turn := new(mat.Dense)
	work := whole
	if !columns {
		if work, turn, err = rotated(whole); err != nil {
			return nil, err
		}
	}
	p := newWeighted(work, columns)
	err = p.solve(ctx)
	if !columns {
		p.best.turn(whole, turn)
	}
	return p.best.rescale(largest), err
}

// rotated returns a matrix with no more columns than its rank and one with orthonormal rows, whose
// product is u. Norms that do not distinguish the columns are those of the first, up to the
// residual.
func rotated(u *mat.Dense) (narrow, turn *mat.Dense, err error) {
	d, ok := decompose(u)
	if !ok {
		return nil, nil, fmt.Errorf("norm: the singular values of the matrix cannot be computed")
	}
	narrow = mat.DenseCopyOf(d.p)
	for i := range narrow.RawMatrix().Rows {
		floats.Mul(narrow.RawRowView(i), d.sigma)
	}
	return narrow, mat.DenseCopyOf(d.q.T()), nil
}

// turn makes the norm of a rotated matrix that of u, of which the rotation may miss a little.
func (n *Norm) turn(u, turn *mat.Dense) {
	scale := orthogonality(mat.DenseCopyOf(turn.T()))
	var right, narrow mat.Dense
	right.Mul(n.Right, turn)
	narrow.Mul(n.Left, n.Right)
	n.Right = &right
	miss := residual(u, &narrow, turn)
	n.Value = n.Value*scale + miss
	n.Lower = max(n.Lower/scale-miss, 0)
}
