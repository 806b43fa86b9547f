package definite

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// operand is a matrix in memory: element (i, p) is data[i*row+p*column]. One of the steps is 1.
type operand struct {
	data        []float64
	row, column int
}

// general returns the operand of m x n elements as gonum has it.
func (o operand) general(m, n int) (blas.Transpose, blas64.General) {
	if o.column == 1 && o.row >= n { // a row of single numbers is a column, too
		return blas.NoTrans, blas64.General{Rows: m, Cols: n, Stride: o.row, Data: o.data}
	}
	return blas.Trans, blas64.General{Rows: n, Cols: m, Stride: o.column, Data: o.data}
}

// product multiplies matrices. It holds scratch space: one a goroutine.
type product struct {
	whole   []float64
	columns []float64 // of an inverse, or a block
}

// set makes c, which is m x n with rows that are stride apart, the product of a, m x k, and b, k x
// n, which may be c itself.
func (p *product) set(c []float64, stride, m, n, k int, a, b operand) {
	p.whole = grown(p.whole, m*n)
	clear(p.whole)
	p.subtract(p.whole, n, m, n, k, a, b)
	for i := range m {
		for j, v := range p.whole[i*n : (i+1)*n] {
			c[i*stride+j] = -v
		}
	}
}

// subtract takes the product of a, m x k, and b, k x n, from c, which is m x n with rows that are
// stride apart.
func (p *product) subtract(c []float64, stride, m, n, k int, a, b operand) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	ta, left := a.general(m, k)
	tb, right := b.general(k, n)
	blas64.Gemm(ta, tb, -1, left, right, 1, blas64.General{Rows: m, Cols: n, Stride: stride, Data: c})
}

// grown returns a slice of the length, with any content.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
