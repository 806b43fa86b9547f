package gram

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
)

// Tolerance is the deviation from symmetry and positive semidefiniteness that Check accepts,
// relative to the largest entry, and for eigenvalues also times the size of the matrix.
const Tolerance = 1e-9

// Check returns an error if k is not a Gram matrix: it must be square, have finite values, and be
// symmetric and positive semidefinite, the last two up to Tolerance.
func Check(k mat.Matrix) error {
	if k == nil {
		return fmt.Errorf("gram: there is no Gram matrix")
	}
	rows, cols := k.Dims()
	if rows != cols {
		return fmt.Errorf("gram: the Gram matrix is %d x %d; it must be square, with one row and one column per instance", rows, cols)
	}
	if rows == 0 {
		return fmt.Errorf("gram: the Gram matrix is empty")
	}
	var largest float64
	for i := range rows {
		for j := range cols {
			v := k.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("gram: the Gram matrix has %v in row %d, column %d; its values must be finite", v, i, j)
			}
			largest = max(largest, math.Abs(v))
		}
	}
	for i := range rows {
		for j := range i {
			if a, b := k.At(i, j), k.At(j, i); math.Abs(a-b) > Tolerance*largest {
				return fmt.Errorf("gram: the Gram matrix is not symmetric: it has %v in row %d, column %d and %v in row %d, column %d", a, i, j, b, j, i)
			}
		}
	}
	for i := range rows {
		if v := k.At(i, i); v < -Tolerance*largest {
			return fmt.Errorf("gram: the Gram matrix is not positive semidefinite: instance %d has the product %v with itself", i, v)
		}
	}
	return definite(k, largest)
}

// definite returns an error if a symmetric matrix has an eigenvalue below the tolerance.
func definite(k mat.Matrix, largest float64) error {
	n, _ := k.Dims()
	shifted := mat.NewSymDense(n, nil)
	shift := Tolerance * largest * float64(n)
	for i := range n {
		for j := i; j < n; j++ {
			shifted.SetSym(i, j, k.At(i, j))
		}
		shifted.SetSym(i, i, k.At(i, i)+shift)
	}
	var factor mat.Cholesky
	if largest == 0 || factor.Factorize(shifted) {
		return nil
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(shifted, false) {
		return fmt.Errorf("gram: the Gram matrix is not positive semidefinite")
	}
	values := eigen.Values(nil)
	return fmt.Errorf("gram: the Gram matrix is not positive semidefinite: its eigenvalues go from %.3g to %.3g; the function that it was made with is not a kernel",
		values[0]-shift, values[n-1]-shift)
}

// Given is a kernel with precomputed values: those of a Gram matrix over all instances, for
// training and for prediction. An instance is the row of Numbers with its number.
type Given struct {
	gram mat.Matrix
}

// NewGiven returns the kernel with the values of k, which must pass Check and not change.
func NewGiven(k mat.Matrix) (Given, error) {
	if err := Check(k); err != nil {
		return Given{}, err
	}
	return Given{k}, nil
}

// Numbers returns the matrix of n instances identified by number: row i has a 1 in column i and
// zeros elsewhere. Parts of it, such as those of Dataset.Split, keep the numbers.
func Numbers(n int) *dataset.Matrix {
	x := &dataset.Matrix{Rows: n, Cols: n, Indptr: make([]int, n+1), Indices: make([]int32, n), Values: make([]float32, n)}
	for i := range n {
		x.Indptr[i+1], x.Indices[i], x.Values[i] = i+1, int32(i), 1
	}
	return x
}

// Value returns the entry of the Gram matrix for two rows of Numbers, and NaN for other vectors.
func (g Given) Value(a, b Vector) float64 {
	if g.gram == nil {
		return math.NaN()
	}
	n, _ := g.gram.Dims()
	i, j := number(a), number(b)
	if i < 0 || j < 0 || i >= n || j >= n {
		return math.NaN()
	}
	return g.gram.At(i, j)
}

// number returns the number of an instance, or -1.
func number(v Vector) int {
	if len(v.Indices) != 1 || v.Values[0] != 1 {
		return -1
	}
	return int(v.Indices[0])
}

// Check returns an error if the kernel has no values.
func (g Given) Check() error {
	if g.gram == nil {
		return fmt.Errorf("gram: the kernel has no Gram matrix; create the kernel with NewGiven")
	}
	return nil
}

// String names the kernel.
func (Given) String() string { return "given Gram matrix" }
