package structured

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/quantized"
)

// Inputs are the examples of a problem, known by their inner products.
type Inputs interface {
	// Len returns the number of examples.
	Len() int
	// SquaredNorm returns ||x_i||^2.
	SquaredNorm(i int) float64
	// Product returns <x_i, x_j>.
	Product(i, j int) float64
	// NewState returns zero weights with the given columns, at least as exact as p says.
	NewState(columns []int, p Precision) State
}

// Precision is the required precision of weights.
type Precision int

const (
	Single Precision = iota // float32, enough for relative gaps above 1e-6
	Double                  // float64
	// 16 bits where there are many columns, enough for relative gaps of 5e-4
	Half
)

// State is a weight matrix W, with one row per column of the problem, that a solver changes by
// steps u (x) x_i of the examples. Scores is safe for concurrent use while the weights do not
// change.
type State interface {
	// Width is the length of a slice of scores, at least the number of columns.
	Width() int
	// Scores writes <W_c, x_i> of every column into scores.
	Scores(i int, scores []float64)
	// Add adds u (x) x_i, where u has the given values at some columns.
	Add(i int, columns []int32, u []float64)
	// NewBatch returns an empty batch of examples.
	NewBatch() Batch
	// Set sets W to the sum of rows u_i (x) x_i and returns the squared norms of the sum and of W
	// as stored. The result does not depend on workers. If ctx is cancelled, it returns ctx's
	// error, and W is invalid until it is set again.
	Set(ctx context.Context, u *Rows, workers int) (exact, stored float64, err error)
}

// Columned is a State whose columns can be set, such as those of [Linear] that are not in 16 bits.
type Columned interface {
	State
	// SetColumn sets the weights of a column to w, one per feature, rounded to the stored form, and
	// returns the squared norm of the stored weights.
	SetColumn(c int, w []float64) (square float64)
}

// Rows are sparse vectors u_i over the columns of the weights, one per example.
type Rows struct {
	Border  []int // those of example i lie between Border[i] and Border[i+1]
	Columns []int32
	Values  []float64
}

// Row returns the vector of example i.
func (r *Rows) Row(i int) (columns []int32, values []float64) {
	return r.Columns[r.Border[i]:r.Border[i+1]], r.Values[r.Border[i]:r.Border[i+1]]
}

// scoreWidth rounds a number of columns up to what the vector kernels take.
func scoreWidth(columns int) int { return (columns + 7) &^ 7 }

// Linear are examples given as the rows of a sparse matrix; their weights are a [Weights].
type Linear struct {
	x       *dataset.Matrix
	squares []float64

	byFeature *dataset.Matrix // X transposed: a row for each feature, a column for each example

	// X with its zeros, where there are few.
	depth int       // of a row, at least the number of features
	dense []float32 // examples x depth, or nil
}

// NewLinear returns the rows of x as examples. The matrix is shared, not copied, and must not
// change.
func NewLinear(x *dataset.Matrix) (*Linear, error) {
	if x == nil || x.Rows == 0 {
		return nil, fmt.Errorf("structured: no examples; pass X at least one row")
	}
	if err := CheckMatrix(x); err != nil {
		return nil, err
	}
	l := &Linear{x: x, squares: squaredNorms(x), byFeature: x.Transposed()}
	l.spread()
	return l, nil
}

// CheckMatrix returns an error for the first fault of a sparse matrix: wrong lengths, indices that
// do not ascend or are out of range, values that are not finite.
func CheckMatrix(x *dataset.Matrix) error {
	if x == nil {
		return fmt.Errorf("structured: the matrix is nil")
	}
	if x.Rows < 0 || x.Cols < 0 || len(x.Indptr) != x.Rows+1 || len(x.Indices) != len(x.Values) {
		return fmt.Errorf("structured: matrix of %d rows and %d columns has %d row borders, %d indices and %d values; expected %d borders and as many indices as values",
			x.Rows, x.Cols, len(x.Indptr), len(x.Indices), len(x.Values), x.Rows+1)
	}
	if x.Indptr[0] != 0 || x.Indptr[x.Rows] != len(x.Indices) {
		return fmt.Errorf("structured: row borders of the matrix run from %d to %d; expected 0 to %d", x.Indptr[0], x.Indptr[x.Rows], len(x.Indices))
	}
	for i := range x.Rows {
		if x.Indptr[i] > x.Indptr[i+1] {
			return fmt.Errorf("structured: row %d of the matrix ends at %d, before it begins at %d", i, x.Indptr[i+1], x.Indptr[i])
		}
	}
	for i := range x.Rows {
		indices, values := x.Row(i)
		before := int32(-1)
		for k, f := range indices {
			if f <= before || int(f) >= x.Cols {
				return fmt.Errorf("structured: row %d has feature %d after %d; features must ascend and be in 0..%d", i, f, before, x.Cols-1)
			}
			before = f
			if v := float64(values[k]); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("structured: row %d, feature %d: value %v is not finite; clean the data first", i, f, v)
			}
		}
	}
	return nil
}

// Len returns the number of rows.
func (l *Linear) Len() int { return l.x.Rows }

// Matrix returns the examples.
func (l *Linear) Matrix() *dataset.Matrix { return l.x }

// SquaredNorm returns ||x_i||^2.
func (l *Linear) SquaredNorm(i int) float64 { return l.squares[i] }

// squaredNorms returns those of the rows.
func squaredNorms(x *dataset.Matrix) []float64 {
	squares := make([]float64, x.Rows)
	for i := range squares {
		_, values := x.Row(i)
		for _, v := range values {
			squares[i] += float64(v) * float64(v)
		}
	}
	return squares
}

// Product returns <x_i, x_j>.
func (l *Linear) Product(i, j int) float64 {
	features, values := l.x.Row(i)
	others, theirs := l.x.Row(j)
	var sum float64
	for len(features) > 0 && len(others) > 0 {
		switch f, g := features[0], others[0]; {
		case f < g:
			features, values = features[1:], values[1:]
		case g < f:
			others, theirs = others[1:], theirs[1:]
		default:
			sum += float64(values[0]) * float64(theirs[0])
			features, values = features[1:], values[1:]
			others, theirs = others[1:], theirs[1:]
		}
	}
	return sum
}

// NewState returns zero weights, at least as exact as p says. Those of dense examples change in
// float64, and are rounded when they are Set.
func (l *Linear) NewState(columns []int, p Precision) State {
	if l.isDense(len(columns)) {
		return newDenseState(l, columns, p == Double)
	}
	w := NewWeights
	switch {
	case p == Double:
		w = NewWideWeights
	case isQuantized(len(columns), p):
		w = newQuantizedWeights
	}
	return &linearState{Weights: w(columns, l.x.Cols), linear: l}
}

// LinearWeights returns the weight matrix of a state of Linear inputs, nil for others. It is
// invalid after the state has changed.
func LinearWeights(s State) *Weights {
	switch s := s.(type) {
	case *linearState:
		return s.Weights
	case *denseState:
		return s.weights()
	}
	return nil
}

// linearState is a weight matrix beside the examples that change it.
type linearState struct {
	*Weights
	linear *Linear
	panels *quantized.Panels // nil before the first use, or where weights have no 16 bits
}

// panelsOf returns the panels of weights in 16 bits.
func (s *linearState) panelsOf() *quantized.Panels {
	if s.panels == nil {
		s.panels = quantized.NewPanels(s.quantized, s.linear.x)
	}
	return s.panels
}

func (s *linearState) Width() int { return s.Stride }

func (s *linearState) Scores(i int, scores []float64) {
	indices, values := s.linear.x.Row(i)
	s.nodeScores(indices, values, scores)
}

func (s *linearState) Add(i int, columns []int32, u []float64) {
	features, values := s.linear.x.Row(i)
	for k, f := range features {
		s.addRow(f, float64(values[k]), columns, u)
	}
}

func (s *linearState) SetColumn(c int, w []float64) (square float64) {
	for f, v := range w {
		v = s.Weights.Set(f, c, v)
		square += v * v
	}
	return square
}

// Set adds up the weights of a number of features at a time in float64, and then rounds them to
// what is stored.
func (s *linearState) Set(ctx context.Context, u *Rows, workers int) (exact, stored float64, err error) {
	l, w := s.linear, s.Weights
	passed := follow(ctx, false, l.x.Cols)
	if w.quantized != nil {
		return w.quantized.SetSums(ctx, l.byFeature, u.Row, workers, passed.add)
	}
	norms := make([][2]float64, l.x.Cols/guarded.ChunkSize+1)
	var given []int32 // examples with entries in u
	for i := range l.x.Rows {
		if u.Border[i+1] > u.Border[i] {
			given = append(given, int32(i))
		}
	}
	size := max(1, setCells/(guarded.ChunkSize*w.Stride)) * guarded.ChunkSize // features at a time
	pieces := (l.x.Cols + size - 1) / size
	shares := min(guarded.Workers(workers), max(1, pieces))
	guarded.Each(shares, shares, func(share int) {
		first, last := share*pieces/shares*size, min((share+1)*pieces/shares*size, l.x.Cols)
		at := make([]int, len(given)) // where the features from lo on begin, in the matrix
		for k, i := range given {
			features, _ := l.x.Row(int(i))
			begin, _ := slices.BinarySearch(features, int32(first))
			at[k] = l.x.Indptr[i] + begin
		}
		sums := make([]float64, min(size, l.x.Cols)*w.Stride)
		for lo := first; lo < last && ctx.Err() == nil; lo += size {
			hi := min(lo+size, last)
			s.sum(u, given, at, lo, hi, sums)
			for from := lo; from < hi; from += guarded.ChunkSize {
				to := min(from+guarded.ChunkSize, hi)
				norms[from/guarded.ChunkSize] = w.round(from, to, sums[(from-lo)*w.Stride:])
			}
			passed.add(hi - lo)
		}
	})
	for _, norm := range norms {
		exact += norm[0]
		stored += norm[1]
	}
	return exact, stored, ctx.Err()
}

// setCells is about how many sums Set keeps at a time, so that they stay in the second level of the
// cache.
const setCells = 1 << 17

// sum makes sums, Stride of a feature, those of u_i x_if for the features from lo to hi, of the
// examples given. It moves on where the features of each begin, to those from hi on.
func (s *linearState) sum(u *Rows, given []int32, at []int, lo, hi int, sums []float64) {
	x, stride := s.linear.x, s.Stride
	clear(sums[:(hi-lo)*stride])
	for k, i := range given {
		begin, end := at[k], x.Indptr[i+1]
		if begin == end || int(x.Indices[begin]) >= hi {
			continue
		}
		columns, values := u.Row(int(i))
		values = values[:len(columns)]
		for ; begin < end && int(x.Indices[begin]) < hi; begin++ {
			v, row := float64(x.Values[begin]), sums[(int(x.Indices[begin])-lo)*stride:][:stride]
			for j, c := range columns {
				row[c] += v * values[j]
			}
		}
		at[k] = begin
	}
}

// round makes the weights of the features from lo to hi what is stored of sums, Stride of a
// feature, and returns the squared norms of the sums and of what is stored.
func (w *Weights) round(lo, hi int, sums []float64) (norm [2]float64) {
	sums = sums[:(hi-lo)*w.Stride]
	if w.Wide != nil {
		copy(w.Wide[lo*w.Stride:], sums)
		for _, v := range sums {
			norm[0] += v * v
		}
		norm[1] = norm[0]
		return norm
	}
	out := w.Data[lo*w.Stride:][:len(sums)]
	for k, v := range sums {
		rounded := float32(v)
		out[k] = rounded
		norm[0] += v * v
		norm[1] += float64(rounded) * float64(rounded)
	}
	return norm
}

// Kernel are examples known by the matrix of their inner products; their weights are an
// [Expansion].
type Kernel struct{ gram *mat.SymDense }

// NewKernel returns examples with the given inner products, which must be finite. The caller must
// make sure that the matrix is positive semidefinite: otherwise the problem has no solution. The
// matrix is shared, not copied, and must not change.
func NewKernel(gram *mat.SymDense) (*Kernel, error) {
	if gram == nil || gram.IsEmpty() {
		return nil, fmt.Errorf("structured: no examples; pass a Gram matrix of at least one row")
	}
	n := gram.SymmetricDim()
	for i := range n {
		for j := i; j < n; j++ {
			if v := gram.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("structured: the inner product of examples %d and %d is %v; it must be finite", i, j, v)
			}
		}
		if v := gram.At(i, i); v < 0 {
			return nil, fmt.Errorf("structured: the inner product of example %d with itself is %v; it must not be negative", i, v)
		}
	}
	return &Kernel{gram}, nil
}

// Len returns the number of examples.
func (k *Kernel) Len() int { return k.gram.SymmetricDim() }

// SquaredNorm returns the inner product of example i with itself.
func (k *Kernel) SquaredNorm(i int) float64 { return k.gram.At(i, i) }

// Product returns the inner product of two examples.
func (k *Kernel) Product(i, j int) float64 { return k.gram.At(i, j) }

// NewState returns zero weights, always in float64.
func (k *Kernel) NewState(columns []int, _ Precision) State {
	width := scoreWidth(len(columns))
	return &Expansion{Columns: columns, Rows: Rows{Border: make([]int, k.Len()+1)}, kernel: k, width: width, scores: make([]float64, k.Len()*width)}
}

// Expansion is a weight matrix W = sum_i u_i (x) phi(x_i) over the examples of a [Kernel]. It has
// the vectors u_i and the scores of all examples.
type Expansion struct {
	Columns []int // node id of each column
	Rows    Rows  // u_i, as of the last Set

	kernel *Kernel
	width  int
	scores []float64 // examples x width
}

// Width is the length of a slice of scores.
func (e *Expansion) Width() int { return e.width }

// Scores writes the scores of example i.
func (e *Expansion) Scores(i int, scores []float64) {
	copy(scores, e.scores[i*e.width:(i+1)*e.width])
}

// Add adds u (x) phi(x_i).
func (e *Expansion) Add(i int, columns []int32, u []float64) {
	e.addTo(0, e.kernel.Len(), i, columns, u)
}

// addTo adds u (x) phi(x_i) to the scores of examples lo to hi.
func (e *Expansion) addTo(lo, hi, i int, columns []int32, u []float64) {
	for j := lo; j < hi; j++ {
		if k := e.kernel.gram.At(i, j); k != 0 {
			row := e.scores[j*e.width : (j+1)*e.width]
			for m, c := range columns {
				row[c] += k * u[m]
			}
		}
	}
}

// Set sets the weights from the given vectors.
func (e *Expansion) Set(ctx context.Context, u *Rows, workers int) (exact, stored float64, err error) {
	e.Rows = Rows{Border: append([]int(nil), u.Border...), Columns: append([]int32(nil), u.Columns...), Values: append([]float64(nil), u.Values...)}
	norms := make([]float64, e.kernel.Len())
	guarded.Chunks(e.kernel.Len(), workers, func(_, lo, hi int) {
		for j := lo; j < hi && ctx.Err() == nil; j++ {
			row := e.scores[j*e.width : (j+1)*e.width]
			clear(row)
			for i := range e.kernel.Len() {
				columns, values := u.Row(i)
				if len(columns) == 0 {
					continue
				}
				k := e.kernel.gram.At(i, j)
				for m, c := range columns {
					row[c] += k * values[m]
				}
			}
			columns, values := u.Row(j)
			for m, c := range columns {
				norms[j] += values[m] * row[c]
			}
		}
	})
	for _, v := range norms {
		exact += v
	}
	return exact, exact, ctx.Err()
}

// ScoresOf writes the scores of the columns for an instance whose inner products with the examples
// are given. scores has Width entries.
func (e *Expansion) ScoresOf(products, scores []float64) {
	clear(scores)
	for i, k := range products {
		columns, values := e.Rows.Row(i)
		for m, c := range columns {
			scores[c] += k * values[m]
		}
	}
}
