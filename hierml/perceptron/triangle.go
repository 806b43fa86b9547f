package perceptron

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/gram"
)

// triangle is R, upper triangular, with R'R = I + SS', where the columns of S are instances. An
// instance is added by Givens rotations, which are stable for features of very different scales.
type triangle struct {
	size      int
	r         []float64 // by rows, each from the diagonal on
	squared   []float64 // norms of the columns of R: 1 and the squares of the feature's values
	condition float64   // the smallest share of a diagonal entry in the norm of its column
	row       []float64 // scratch
}

// numbers returns the number of entries.
func numbers(size int) int { return size * (size + 1) / 2 }

// newTriangle returns I.
func newTriangle(size int) *triangle {
	t := &triangle{size: size, r: make([]float64, numbers(size)), squared: make([]float64, size), condition: 1, row: make([]float64, size)}
	for i := range size {
		t.from(i)[0], t.squared[i] = 1, 1
	}
	return t
}

// from returns row i from the diagonal on.
func (t *triangle) from(i int) []float64 {
	begin := len(t.r) - numbers(t.size-i)
	return t.r[begin : begin+t.size-i]
}

// solve writes R^-1' x into dst and returns its squared norm.
func (t *triangle) solve(x gram.Vector, dst []float64) (square float64) {
	spread(x, dst)
	for i := range dst {
		if dst[i] == 0 {
			continue
		}
		row := t.from(i)
		dst[i] /= row[0]
		floats.AddScaled(dst[i+1:], -dst[i], row[1:])
		square += dst[i] * dst[i]
	}
	return square
}

// back makes v, R^-1 v, in place.
func (t *triangle) back(v []float64) []float64 {
	for i := t.size - 1; i >= 0; i-- {
		row := t.from(i)
		v[i] = (v[i] - floats.Dot(row[1:], v[i+1:])) / row[0]
	}
	return v
}

// norm returns the norm of weights in units of the norms of the columns of R.
func (t *triangle) norm(w []float64) float64 {
	square := 0.0
	for f, v := range w {
		square += v * v * t.squared[f]
	}
	return math.Sqrt(square)
}

// check returns an error if R is hardly invertible once x is in it, given R^-1' x: the leading
// minors of R'R grow by the sums of its squares.
func (t *triangle) check(x gram.Vector, solved []float64) error {
	spread(x, t.row)
	least, before := 1.0, 1.0
	for i, v := range solved {
		after := before + v*v
		least = min(least, t.from(i)[0]*math.Sqrt(after/before)/math.Sqrt(t.squared[i]+t.row[i]*t.row[i]))
		before = after
	}
	if !(least >= lost) {
		return t.tooLarge()
	}
	return nil
}

// tooLarge is the error for an R that is hardly invertible.
func (t *triangle) tooLarge() error {
	return fmt.Errorf("its values, or earlier ones, are so large that other values lose their digits; scale the features (features.Scaling)")
}

// add adds x to the instances. It also applies the rotations to the entries of other columns, in
// by, by column.
func (t *triangle) add(x gram.Vector, entries []float64, by [][]float64) {
	spread(x, t.row)
	rest := append([]float64(nil), entries...)
	t.condition = 1
	for i, v := range t.row {
		row := t.from(i)
		t.squared[i] += v * v
		if v = t.row[i]; v != 0 {
			norm := math.Hypot(row[0], v)
			c, s := row[0]/norm, v/norm
			for j, e := range t.row[i:] {
				row[j], t.row[i+j] = c*row[j]+s*e, c*e-s*row[j]
			}
			for k, e := range rest {
				by[k][i], rest[k] = c*by[k][i]+s*e, c*e-s*by[k][i]
			}
		}
		t.condition = min(t.condition, row[0]/math.Sqrt(t.squared[i]))
	}
}

// spread writes x into dst with its zeros.
func spread(x gram.Vector, dst []float64) {
	clear(dst)
	for k, f := range x.Indices {
		dst[f] = float64(x.Values[k])
	}
}

// largest returns the largest absolute value.
func largest(values []float32) (most float64) {
	for _, v := range values {
		most = max(most, math.Abs(float64(v)))
	}
	return most
}
