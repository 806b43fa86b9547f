package gram

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/memory"
	"github.com/hierml/notebook/hierml/progress"
)

// Settings of the functions that compute many values. The zero value, and nil, are ready to use.
type Settings struct {
	// Workers is the number of goroutines; values do not depend on it. The default value is the
	// number of CPUs.
	Workers int
	// Progress, if not nil, is called occasionally with the number of values computed and the
	// number of all values, never concurrently. An error stops the computation.
	Progress func(done, total int) error
}

// Matrix returns the Gram matrix of the rows of x: entry i, j is the kernel of rows i and j. It
// takes 8 bytes for every pair of rows. It stops with an error if ctx is cancelled, if Progress
// returns an error, or if a value is not finite.
func Matrix(ctx context.Context, k Kernel, x *dataset.Matrix, s *Settings) (*mat.SymDense, error) {
	against, err := NewAgainst(k, x)
	if err != nil {
		return nil, err
	}
	if err := fits(ctx, x.Rows, x.Rows); err != nil {
		return nil, err
	}
	gram := mat.NewSymDense(x.Rows, nil)
	raw := gram.RawSymmetric()
	err = compute(ctx, s, x.Rows, x.Rows, true, against.worker(x), func(i int) []float64 { return raw.Data[i*raw.Stride : i*raw.Stride+x.Rows] })
	if err != nil {
		return nil, err
	}
	return gram, nil
}

// Cross returns the values of the kernel between the rows of a, one row each, and those of b, one
// column each. Use it for prediction, with the new instances as a and the training set as b. It
// stops as Matrix does.
func Cross(ctx context.Context, k Kernel, a, b *dataset.Matrix, s *Settings) (*mat.Dense, error) {
	if err := checkKernel(k, a); err != nil {
		return nil, err
	}
	against, err := NewAgainst(k, b)
	if err != nil {
		return nil, err
	}
	if err := fits(ctx, a.Rows, b.Rows); err != nil {
		return nil, err
	}
	gram := mat.NewDense(a.Rows, b.Rows, nil)
	if err := compute(ctx, s, a.Rows, b.Rows, false, against.worker(a), gram.RawRowView); err != nil {
		return nil, err
	}
	return gram, nil
}

// fits returns an error where the values of n times m pairs have no room in memory.
func fits(ctx context.Context, n, m int) error {
	bytes := 8 * int64(n) * int64(m)
	err := memory.Check(ctx, memory.Need{
		What: fmt.Sprintf("the kernel values of %d by %d instances", n, m), Least: bytes, About: bytes, Advice: "take fewer instances at a time, or no kernel",
	})
	if err != nil {
		return fmt.Errorf("gram: %w", err)
	}
	return nil
}

// checkKernel returns an error if a kernel, or a matrix whose rows it compares, is invalid.
func checkKernel(k Kernel, x *dataset.Matrix) error {
	if k == nil {
		return fmt.Errorf("gram: there is no kernel")
	}
	if c, ok := k.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return err
		}
	}
	if x == nil || x.Rows == 0 {
		return fmt.Errorf("gram: a matrix without rows has no Gram matrix")
	}
	return checkMatrix(x)
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
				return fmt.Errorf("gram: row %d of the matrix has feature %d after %d; features must ascend and be in 0..%d", i, f, before, x.Cols-1)
			}
			before = f
		}
	}
	return nil
}

// worker writes the values between instance i and those from the given one on into dst, which has
// an entry for all of them. It returns ctx's error if it ends.
type worker func(ctx context.Context, i, from int, dst []float64) error

// compute fills an n x m matrix, or the upper triangle of one, row by row.
func compute(ctx context.Context, s *Settings, n, m int, triangle bool, newWorker func() worker, row func(i int) []float64) error {
	var set Settings
	if s != nil {
		set = *s
	}
	if set.Workers < 0 {
		return fmt.Errorf("gram: Workers is %d; it must not be negative, and 0 means one per CPU", set.Workers)
	}
	set.Workers = guarded.Workers(set.Workers)
	total := n * m
	if triangle {
		total = n * (n + 1) / 2
	}
	var work *progress.Work
	if set.Progress == nil {
		ctx, work = progress.Begin(ctx, "kernel")
		defer work.End()
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
		if ctx.Err() != nil || done < total && done-reported < total/100 {
			return
		}
		reported = done
		if set.Progress == nil {
			work.Report(float64(done)/float64(total), func() string { return fmt.Sprintf("%d of %d values", done, total) })
			return
		}
		if err := set.Progress(done, total); err != nil {
			cancel(fmt.Errorf("gram: stopped after %d of %d values: %w", done, total, err))
		}
	}
	var wait guarded.Group
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
						cancel(fmt.Errorf("gram: the kernel of instances %d and %d is %v; values of a kernel must be finite", i, j, dst[j]))
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

// Against compares instances with the rows of a matrix. It is safe for concurrent use.
type Against struct {
	kernel Kernel
	x      *dataset.Matrix

	// For kernels of inner products: the squared norms of the rows, and x by feature.
	products ofProducts
	squares  []float64
	features []int32 // of the entries of border; nil where they are all
	border   []int
	examples []int32
	values   []float32
}

// NewAgainst returns the comparison with the rows of x, which must not change.
func NewAgainst(k Kernel, x *dataset.Matrix) (*Against, error) {
	if err := checkKernel(k, x); err != nil {
		return nil, err
	}
	a := &Against{kernel: k, x: x}
	var ok bool
	if a.products, ok = k.(ofProducts); !ok {
		return a, nil
	}
	x, a.features = x.Occurring()
	a.squares = make([]float64, x.Rows)
	a.border = make([]int, x.Cols+1)
	for _, f := range x.Indices {
		a.border[f+1]++
	}
	for f := range x.Cols {
		a.border[f+1] += a.border[f]
	}
	a.examples = make([]int32, len(x.Indices))
	a.values = make([]float32, len(x.Indices))
	next := append([]int(nil), a.border[:x.Cols]...)
	for i := range x.Rows {
		row := Row(x, i)
		a.squares[i] = row.Dot(row)
		for k, f := range row.Indices {
			a.examples[next[f]], a.values[next[f]] = int32(i), row.Values[k]
			next[f]++
		}
	}
	return a, nil
}

// Values writes the kernel of v and every row into dst, which has one entry per row. Indices of v
// beyond the columns of the matrix count only in its norm.
func (a *Against) Values(v Vector, dst []float64) { a.from(context.Background(), v, 0, dst) }

// ValuesFrom is Values for the rows starting with the given one. Entries of dst before it do not
// change.
func (a *Against) ValuesFrom(v Vector, from int, dst []float64) {
	a.from(context.Background(), v, from, dst)
}

// from writes the values for the rows from the given one on, until ctx ends.
func (a *Against) from(ctx context.Context, v Vector, from int, dst []float64) {
	if a.products == nil {
		for j := from; j < len(dst); j++ {
			if j%64 == 0 && ctx.Err() != nil {
				return
			}
			dst[j] = a.kernel.Value(v, Row(a.x, j))
		}
		return
	}
	// Inner products are accumulated feature by feature, which takes as many operations as the
	// features of v have entries.
	clear(dst[from:])
	place := 0
	for k, f := range v.Indices {
		if int(f) >= a.x.Cols {
			break
		}
		if a.features != nil {
			step, ok := slices.BinarySearch(a.features[place:], f)
			if place += step; !ok {
				continue
			}
			f = int32(place)
		}
		w := float64(v.Values[k])
		first, end := a.border[f], a.border[f+1]
		if from > 0 {
			first += sort.Search(end-first, func(i int) bool { return int(a.examples[first+i]) >= from })
		}
		for e := first; e < end; e++ {
			dst[a.examples[e]] += w * float64(a.values[e])
		}
	}
	square := v.Dot(v)
	for j := from; j < len(dst); j++ {
		dst[j] = a.products.ofProducts(dst[j], square, a.squares[j])
	}
}

// worker compares the rows of x.
func (a *Against) worker(x *dataset.Matrix) func() worker {
	return func() worker {
		return func(ctx context.Context, i, from int, dst []float64) error {
			a.from(ctx, Row(x, i), from, dst)
			return context.Cause(ctx)
		}
	}
}
