package gram

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
)

// Settings of the functions that compute many values. The zero value, and nil, are ready to use.
type Settings struct {
	// Workers is the number of goroutines; values do not depend on it. The default value is the number of processors.
	Workers int
	// Progress, if not nil, is called now and then with the number of values computed and of all there are. It is
	// never called twice at the same time. An error ends the computation.
	Progress func(done, total int) error
}

// Matrix returns the Gram matrix of the rows of x: entry i, j is the kernel of rows i and j. It takes 8 bytes for every pair of
// rows. An end of ctx and an error of Progress end it with that error. A value that is not finite is an error.
func Matrix(ctx context.Context, k Kernel, x *dataset.Matrix, s *Settings) (*mat.SymDense, error) {
	if err := checkKernel(k, x); err != nil {
		return nil, err
	}
	gram := mat.NewSymDense(x.Rows, nil)
	raw := gram.RawSymmetric()
	source := newRows(k, x, x)
	err := compute(ctx, s, x.Rows, x.Rows, true, source.worker, func(i int) []float64 { return raw.Data[i*raw.Stride : i*raw.Stride+x.Rows] })
	if err != nil {
		return nil, err
	}
	return gram, nil
}

// Cross returns the values of the kernel between the rows of a, one row each, and those of b, one column each.
// Prediction takes it, with the new instances for a and those of the training set for b. It ends as Matrix does.
func Cross(ctx context.Context, k Kernel, a, b *dataset.Matrix, s *Settings) (*mat.Dense, error) {
	if err := checkKernel(k, a, b); err != nil {
		return nil, err
	}
	gram := mat.NewDense(a.Rows, b.Rows, nil)
	source := newRows(k, a, b)
	if err := compute(ctx, s, a.Rows, b.Rows, false, source.worker, gram.RawRowView); err != nil {
		return nil, err
	}
	return gram, nil
}

// checkKernel returns what is wrong with a kernel or with the matrices that it is to compare rows of.
func checkKernel(k Kernel, matrices ...*dataset.Matrix) error {
	if k == nil {
		return fmt.Errorf("gram: there is no kernel")
	}
	if c, ok := k.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return err
		}
	}
	for _, x := range matrices {
		if x == nil || x.Rows == 0 {
			return fmt.Errorf("gram: a matrix without rows has no Gram matrix")
		}
		if err := checkMatrix(x); err != nil {
			return err
		}
	}
	return nil
}

func checkMatrix(x *dataset.Matrix) error {
	if len(x.Indptr) != x.Rows+1 || x.Indptr[0] != 0 || x.Indptr[x.Rows] != len(x.Indices) || len(x.Indices) != len(x.Values) {
		return fmt.Errorf("gram: the matrix of %d rows has %d row borders, %d indices and %d values, which do not fit together", x.Rows, len(x.Indptr), len(x.Indices), len(x.Values))
	}
	for i := range x.Rows {
		if x.Indptr[i] > x.Indptr[i+1] {
			return fmt.Errorf("gram: row %d of the matrix ends before it begins", i)
		}
	}
	for i := range x.Rows {
		before := int32(-1)
		for _, f := range Row(x, i).Indices {
			if f <= before || int(f) >= x.Cols {
				return fmt.Errorf("gram: row %d of the matrix has feature %d after %d; features ascend and lie in 0..%d", i, f, before, x.Cols-1)
			}
			before = f
		}
	}
	return nil
}

// worker writes the values between instance i and those from the given one on into dst, which has an entry for all of them. It
// returns ctx's error if it ends.
type worker func(ctx context.Context, i, from int, dst []float64) error

// compute fills an n x m matrix, or the upper triangle of one, row by row.
func compute(ctx context.Context, s *Settings, n, m int, triangle bool, newWorker func() worker, row func(i int) []float64) error {
	var set Settings
	if s != nil {
		set = *s
	}
	if set.Workers < 0 {
		return fmt.Errorf("gram: Workers is %d; it is not negative, 0 for one a processor", set.Workers)
	}
	if set.Workers == 0 {
		set.Workers = runtime.GOMAXPROCS(0)
	}
	total := n * m
	if triangle {
		total = n * (n + 1) / 2
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var reporting sync.Mutex
	var done, reported int
	finished := func(values int) {
		reporting.Lock()
		defer reporting.Unlock()
		done += values
		if set.Progress == nil || ctx.Err() != nil || done < total && done-reported < total/100 {
			return
		}
		reported = done
		if err := set.Progress(done, total); err != nil {
			cancel(fmt.Errorf("gram: stopped after %d of %d values: %w", done, total, err))
		}
	}
	var wait sync.WaitGroup
	for range min(set.Workers, n) {
		wait.Go(func() {
			work := newWorker()
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return
				}
				from := 0
				if triangle {
					from = i
				}
				dst := row(i)
				if err := work(ctx, i, from, dst); err != nil {
					cancel(err)
					return
				}
				for j := from; j < m; j++ {
					if math.IsNaN(dst[j]) || math.IsInf(dst[j], 0) {
						cancel(fmt.Errorf("gram: the kernel of instances %d and %d is %v; values of a kernel are finite", i, j, dst[j]))
						return
					}
				}
				finished(m - from)
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// rows compares the rows of two matrices.
type rows struct {
	kernel Kernel
	a, b   *dataset.Matrix

	// For kernels of inner products: the squared norms of the rows, and b by feature.
	products         ofProducts
	squaresA, square []float64
	border           []int
	examples         []int32
	values           []float32
}

func newRows(k Kernel, a, b *dataset.Matrix) *rows {
	r := &rows{kernel: k, a: a, b: b}
	var ok bool
	if r.products, ok = k.(ofProducts); !ok {
		return r
	}
	r.squaresA, r.square = squares(a), squares(b)
	r.border = make([]int, b.Cols+1)
	for _, f := range b.Indices {
		r.border[f+1]++
	}
	for f := range b.Cols {
		r.border[f+1] += r.border[f]
	}
	r.examples = make([]int32, len(b.Indices))
	r.values = make([]float32, len(b.Indices))
	next := append([]int(nil), r.border[:b.Cols]...)
	for i := range b.Rows {
		indices, values := b.Row(i)
		for k, f := range indices {
			r.examples[next[f]], r.values[next[f]] = int32(i), values[k]
			next[f]++
		}
	}
	return r
}

func squares(x *dataset.Matrix) []float64 {
	s := make([]float64, x.Rows)
	for i := range s {
		v := Row(x, i)
		s[i] = v.Dot(v)
	}
	return s
}

func (r *rows) worker() worker {
	if r.products == nil {
		return func(ctx context.Context, i, from int, dst []float64) error {
			a := Row(r.a, i)
			for j := from; j < len(dst); j++ {
				if j%64 == 0 && ctx.Err() != nil {
					return context.Cause(ctx)
				}
				dst[j] = r.kernel.Value(a, Row(r.b, j))
			}
			return nil
		}
	}
	return r.productsRow
}

// productsRow accumulates the inner products feature by feature, so that it costs as many operations as the features of row
// i have entries in b.
func (r *rows) productsRow(_ context.Context, i, from int, dst []float64) error {
	clear(dst[from:])
	indices, values := r.a.Row(i)
	for k, f := range indices {
		if int(f) >= r.b.Cols {
			break
		}
		v := float64(values[k])
		for e := r.border[f]; e < r.border[f+1]; e++ {
			dst[r.examples[e]] += v * float64(r.values[e])
		}
	}
	for j := from; j < len(dst); j++ {
		dst[j] = r.products.ofProducts(dst[j], r.squaresA[i], r.square[j])
	}
	return nil
}
