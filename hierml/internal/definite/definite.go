// Package definite solves systems of linear equations with a symmetric positive definite matrix, by
// its Cholesky factor, for many right-hand sides and on all processors, and computes blocks on the
// diagonal of the inverse. It divides matrices of some thousand rows into blocks, which gonum's
// BLAS multiplies, so that it can be cancelled in between, as gonum's own factorization cannot, and
// needs one matrix.
//
// Results do not depend on the number of workers.
package definite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// block is the number of rows and columns that are taken at a time.
const block = 128

// columnsAtATime is the number of right-hand sides that one goroutine takes at a time.
const columnsAtATime = 64

// Factor is the lower triangular matrix L with L L' = A. It is safe for concurrent use.
type Factor struct {
	n       int
	l       []float64   // by rows; what is above the diagonal is not looked at
	inverse [][]float64 // of the blocks on the diagonal, block x block, by rows
	workers int
}

// ErrNotDefinite is the error of a matrix that has an eigenvalue of 0 or less, up to rounding.
var ErrNotDefinite = errors.New("definite: the matrix is not positive definite")

// Factorize returns the factor of a matrix of n rows, of which a has the lower triangle by rows, n
// apart, and it overwrites that; what is above the diagonal stays. workers is the number of
// goroutines of this call and of the factor's methods, 0 for one a processor. It ends with ctx.
func Factorize(ctx context.Context, a []float64, n, workers int) (*Factor, error) {
	f := &Factor{n: n, l: a, workers: workers}
	f.workers = guarded.Workers(workers)
	for from := 0; from < n; from += block {
		size := min(block, n-from)
		pieces := (n - from + block - 1) / block
		// What the columns before contribute to these, from the diagonal on.
		if err := f.each(ctx, pieces, func(p *product, piece int) {
			row := from + piece*block
			c, stride := a[row*n+from:], n
			if piece == 0 { // what is above the diagonal stays
				p.columns = grown(p.columns, size*size)
				c, stride = p.columns, size
				for i := range size {
					copy(c[i*size:], a[(from+i)*n+from:][:i+1])
				}
			}
			p.subtract(c, stride, min(block, n-row), size, from, operand{a[row*n:], n, 1}, operand{a[from*n:], 1, n})
			if piece == 0 {
				for i := range size {
					copy(a[(from+i)*n+from:][:i+1], c[i*size:])
				}
			}
		}); err != nil {
			return nil, err
		}
		inverse, err := f.diagonal(from, size)
		if err != nil {
			return nil, err
		}
		f.inverse = append(f.inverse, inverse)
		if err := f.each(ctx, pieces-1, func(p *product, piece int) {
			row := from + (piece+1)*block
			p.set(a[row*n+from:], n, min(block, n-row), size, size, operand{a[row*n+from:], n, 1}, operand{inverse, 1, block})
		}); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// each calls do for every piece of the work, on all workers, until ctx ends.
func (f *Factor) each(ctx context.Context, pieces int, do func(p *product, piece int)) error {
	scratch := sync.Pool{New: func() any { return new(product) }}
	guarded.Each(pieces, f.workers, func(piece int) {
		if ctx.Err() != nil {
			return
		}
		p := scratch.Get().(*product)
		do(p, piece)
		scratch.Put(p)
	})
	return context.Cause(ctx)
}

// diagonal factorizes a block on the diagonal, and returns the inverse of its factor.
func (f *Factor) diagonal(from, size int) ([]float64, error) {
	row := func(i int) []float64 { return f.l[(from+i)*f.n+from:][:size] }
	inverse := make([]float64, block*block)
	for i := range size {
		own := row(i)
		for j := range i {
			own[j] = (own[j] - floats.Dot(own[:j], row(j)[:j])) / row(j)[j]
		}
		pivot := own[i] - floats.Dot(own[:i], own[:i])
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return nil, fmt.Errorf("%w: pivot %d is %.3g", ErrNotDefinite, from+i, pivot)
		}
		own[i] = math.Sqrt(pivot)
		to := inverse[i*block:][:size]
		for j, v := range own[:i] {
			for c, w := range inverse[j*block:][:j+1] {
				to[c] -= float64(v * w)
			}
		}
		to[i] = 1
		for c := range to[:i+1] {
			to[c] /= own[i]
		}
	}
	return inverse, nil
}

// Solve overwrites b, n rows of q numbers each, with the solution X of A X = b.
func (f *Factor) Solve(ctx context.Context, b []float64, q int) error {
	return f.each(ctx, (q+columnsAtATime-1)/columnsAtATime, func(p *product, piece int) {
		column := piece * columnsAtATime
		columns := min(columnsAtATime, q-column)
		f.forward(ctx, p, b[column:], q, columns, 0)
		f.backward(ctx, p, b[column:], q, columns)
	})
}

// forward solves L X = b for some columns of b, whose rows are stride apart. The rows above a given
// one, the first of a block, are zeros, and b has not got them.
func (f *Factor) forward(ctx context.Context, p *product, b []float64, stride, columns, above int) {
	for from := above; from < f.n && ctx.Err() == nil; from += block {
		size, own := min(block, f.n-from), b[(from-above)*stride:]
		p.subtract(own, stride, size, columns, from-above, operand{f.l[from*f.n+above:], f.n, 1}, operand{b, stride, 1})
		p.set(own, stride, size, columns, size, operand{f.inverse[from/block], block, 1}, operand{own, stride, 1})
	}
}

// backward solves L' X = b for some columns of b.
func (f *Factor) backward(ctx context.Context, p *product, b []float64, stride, columns int) {
	for from := (f.n - 1) / block * block; from >= 0 && ctx.Err() == nil; from -= block {
		size, own := min(block, f.n-from), b[from*stride:]
		if below := from + size; below < f.n {
			p.subtract(own, stride, size, columns, f.n-below, operand{f.l[below*f.n+from:], 1, f.n}, operand{b[below*stride:], stride, 1})
		}
		p.set(own, stride, size, columns, size, operand{f.inverse[from/block], 1, block}, operand{own, stride, 1})
	}
}

// InverseBlocks returns the blocks on the diagonal of the inverse of A: block k, by rows, is that
// of the rows and columns from border[k] on and before border[k+1]. border ascends from 0 to n. It
// is X'X of the columns X of the inverse of L.
func (f *Factor) InverseBlocks(ctx context.Context, border []int) ([][]float64, error) {
	blocks := make([][]float64, len(border)-1)
	err := f.each(ctx, len(blocks), func(p *product, k int) {
		from, q := border[k], border[k+1]-border[k]
		above := from / block * block
		p.columns = grown(p.columns, (f.n-above)*q)
		clear(p.columns)
		for c := range q {
			p.columns[(from-above+c)*q+c] = 1
		}
		for c := 0; c < q; c += block { // what fits into the cache
			f.forward(ctx, p, p.columns[c:], q, min(block, q-c), above)
		}
		own := make([]float64, q*q)
		p.subtract(own, q, q, q, f.n-above, operand{p.columns, 1, q}, operand{p.columns, q, 1})
		for i, v := range own {
			own[i] = -v
		}
		blocks[k] = own
	})
	return blocks, err
}

// Multiply returns A X for a symmetric matrix of n rows, whose diagonal is given and of which a has
// what is above it, by rows, n apart; X has n rows of q numbers each. workers and ctx are as of
// Factorize.
func Multiply(ctx context.Context, a, diagonal []float64, n int, x []float64, q, workers int) ([]float64, error) {
	f := &Factor{n: n, workers: workers}
	f.workers = guarded.Workers(workers)
	y := make([]float64, n*q)
	err := f.each(ctx, (n+block-1)/block, func(p *product, piece int) {
		from := piece * block
		size := min(block, n-from)
		to := from + size
		own := y[from*q : to*q]
		p.subtract(own, q, size, q, from, operand{a[from:], 1, n}, operand{x, q, 1})
		if to < n {
			p.subtract(own, q, size, q, n-to, operand{a[from*n+to:], n, 1}, operand{x[to*q:], q, 1})
		}
		p.columns = grown(p.columns, size*size)
		for i := range size {
			p.columns[i*size+i] = diagonal[from+i]
			for j := i + 1; j < size; j++ {
				v := a[(from+i)*n+from+j]
				p.columns[i*size+j], p.columns[j*size+i] = v, v
			}
		}
		p.subtract(own, q, size, q, size, operand{p.columns, size, 1}, operand{x[from*q:], q, 1})
		for k, v := range own {
			own[k] = -v
		}
	})
	return y, err
}
