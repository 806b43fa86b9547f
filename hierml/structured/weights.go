package structured

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/pages"
	"github.com/hierml/notebook/hierml/internal/quantized"
)

// Weights is the matrix W of a linear hierarchical classifier, one row <W_n> per node and one
// column per feature. It is stored feature-major, so an instance reads one contiguous run of memory
// for each of its features: the weight of column c for feature f is at f*Stride+c. Storage is
// float32, or float64 if that is not enough; everything computed from it is accumulated in float64.
// A problem with many columns that was not solved to a small gap has another form, which At, Row
// and the scores support: weights are 16-bit multiples of a unit per feature, and features with few
// non-zero weights take little memory.
type Weights struct {
	Features int
	// columns a feature and the length of a slice of scores, a multiple of 8; the rest is zero
	Stride  int
	Columns []int     // node id of each column; a node without a column has weight zero
	Data    []float32 // Features x Stride, or nil
	Wide    []float64 // Features x Stride, or nil

	quantized *quantized.Weights // where there is neither
}

// NewWeights returns zero weights in float32; columns has the node id of each column.
func NewWeights(columns []int, features int) *Weights {
	stride := scoreWidth(len(columns))
	return &Weights{Features: features, Stride: stride, Columns: columns, Data: pages.Zeros[float32](features * stride)}
}

// NewWideWeights returns zero weights in float64.
func NewWideWeights(columns []int, features int) *Weights {
	stride := scoreWidth(len(columns))
	return &Weights{Features: features, Stride: stride, Columns: columns, Wide: make([]float64, features*stride)}
}

// newQuantizedWeights returns zero weights in 16 bits.
func newQuantizedWeights(columns []int, features int) *Weights {
	q := quantized.New(len(columns), features)
	return &Weights{Features: features, Stride: q.Stride(), Columns: columns, quantized: q}
}

// quantizedColumns is the number of columns above which weights have 16 bits: the 2,702 leaves of
// EC enzymes take no less time so, and more memory, and the 12,294 of DMOZ less of both.
const quantizedColumns = 8192

func isQuantized(columns int, p Precision) bool {
	return p == Half && columns > quantizedColumns && columns <= quantized.MaxColumns
}

// Like returns zero weights with other columns, for the same features in the same storage.
func (w *Weights) Like(columns []int) *Weights {
	if w.Wide != nil {
		return NewWideWeights(columns, w.Features)
	}
	if w.quantized != nil {
		return newQuantizedWeights(columns, w.Features)
	}
	return NewWeights(columns, w.Features)
}

// String returns the size and the storage.
func (w *Weights) String() string {
	storage := "float32"
	switch {
	case w.Wide != nil:
		storage = "float64"
	case w.quantized != nil:
		storage = "16 bits and one unit each"
	}
	return fmt.Sprintf("weights of %d nodes for %d features in %s", len(w.Columns), w.Features, storage)
}

// At returns the weight of a column for a feature.
func (w *Weights) At(feature, column int) float64 {
	if w.Wide != nil {
		return w.Wide[feature*w.Stride+column]
	}
	if w.quantized != nil {
		return w.quantized.At(feature, column)
	}
	return float64(w.Data[feature*w.Stride+column])
}

// SplitLast returns the weights of all features except the last, in the same memory, and those of
// the last by column.
func (w *Weights) SplitLast() (rest *Weights, last []float64) {
	n := w.Features - 1
	last = make([]float64, len(w.Columns))
	for c := range last {
		last[c] = w.At(n, c)
	}
	rest = &Weights{Features: n, Stride: w.Stride, Columns: w.Columns}
	switch {
	case w.Data != nil:
		rest.Data = w.Data[:n*w.Stride]
	case w.Wide != nil:
		rest.Wide = w.Wide[:n*w.Stride]
	default:
		rest.quantized = w.quantized.First(n)
	}
	return rest, last
}

// Set sets the weight of a column for a feature, rounded to the stored form, and returns the stored
// weight. Weights of NewWeights and NewWideWeights may be set concurrently.
func (w *Weights) Set(feature, column int, v float64) float64 {
	if w.Wide != nil {
		w.Wide[feature*w.Stride+column] = v
		return v
	}
	if w.quantized != nil {
		return w.quantized.Set(feature, column, v)
	}
	w.Data[feature*w.Stride+column] = float32(v)
	return float64(float32(v))
}

// Row appends the columns, ascending, and the values of the weights of a feature that are not zero.
func (w *Weights) Row(feature int, columns []int32, values []float64) ([]int32, []float64) {
	at := feature * w.Stride
	switch {
	case w.Wide != nil:
		return appendRow(w.Wide[at:at+len(w.Columns)], columns, values)
	case w.quantized != nil:
		return w.quantized.AppendRow(feature, columns, values)
	}
	return appendRow(w.Data[at:at+len(w.Columns)], columns, values)
}

func appendRow[T float32 | float64](row []T, columns []int32, values []float64) ([]int32, []float64) {
	for c, v := range row {
		if v != 0 {
			columns, values = append(columns, int32(c)), append(values, float64(v))
		}
	}
	return columns, values
}

// Node returns the weight vector of a node, one entry per feature; zeros for a node that has no
// column.
func (w *Weights) Node(n int) []float64 {
	v := make([]float64, w.Features)
	for c, m := range w.Columns {
		if m == n {
			for f := range v {
				v[f] = w.At(f, c)
			}
			break
		}
	}
	return v
}

// tile is the number of columns that are scored at a time, so that their scores stay in the first
// level of the cache.
const tile = 1024

// narrowStride is the number of columns up to which a row is so short that four at a time are not
// worth a call.
const narrowStride = 128

// nodeScores writes <W_n, x> for every column into s, which has Stride entries. Features beyond
// those of w are ignored.
func (w *Weights) nodeScores(indices []int32, values []float32, s []float64) {
	n := len(indices)
	for n > 0 && int(indices[n-1]) >= w.Features {
		n--
	}
	indices, values = indices[:n], values[:n]
	if n == 0 {
		clear(s)
		return
	}
	if w.quantized != nil {
		clear(s)
		for k, f := range indices {
			w.quantized.AddScores(int(f), float64(values[k]), s)
		}
		return
	}
	if w.Wide == nil && w.Stride <= narrowStride {
		for lo := 0; lo < w.Stride; lo += 32 {
			narrow(s[lo:min(lo+32, w.Stride)], indices, values, w.Data[lo:], w.Stride)
		}
		return
	}
	clear(s)
	if w.Wide != nil {
		for k, f := range indices {
			axpyWide(s, float64(values[k]), w.Wide[int(f)*w.Stride:(int(f)+1)*w.Stride])
		}
		return
	}
	for lo := 0; lo < w.Stride; lo += tile {
		w.addTile(indices, values, s, lo)
	}
}

// addTile adds to s, in the tile of columns from lo, what nodeScores writes.
func (w *Weights) addTile(indices []int32, values []float32, s []float64, lo int) {
	s = s[lo:min(lo+tile, w.Stride)]
	n := len(indices)
	var rows fourRows
	for k := 0; k < n; k += 4 {
		for j := range 4 {
			if k+j < n {
				rows.x[j], rows.row[j] = float64(values[k+j]), &w.Data[int(indices[k+j])*w.Stride+lo]
			} else {
				rows.x[j], rows.row[j] = 0, rows.row[j-1]
			}
			rows.next[j] = &w.Data[int(indices[min(k+4+j, n-1)])*w.Stride+lo]
		}
		axpy4(s, &rows)
	}
}

// addRow adds x times u to the columns cols of a feature.
func (w *Weights) addRow(feature int32, x float64, cols []int32, u []float64) {
	if w.quantized != nil {
		w.quantized.AddRow(int(feature), x, cols, u)
		return
	}
	at := int(feature) * w.Stride
	u = u[:len(cols)]
	if w.Wide != nil {
		row := w.Wide[at : at+w.Stride]
		for j, c := range cols {
			row[c] += x * u[j]
		}
		return
	}
	row := w.Data[at : at+w.Stride]
	for j, c := range cols {
		row[c] += float32(x * u[j])
	}
}

// Scorer computes scores of instances under fixed weights. It has scratch space, so each goroutine
// needs its own.
type Scorer struct {
	attributes *Attributes
	weights    *Weights
	nodes      []float64
	sums       []float64
}

// NewScorer returns a Scorer for weights over the columns of the attributes.
func NewScorer(a *Attributes, w *Weights) *Scorer {
	return &Scorer{attributes: a, weights: w, nodes: make([]float64, w.Stride), sums: make([]float64, len(a.columns)+1)}
}

// Leaves writes the score of every candidate for one instance into dst, in the order of
// Attributes.Candidates. Features that the weights do not have are ignored.
func (s *Scorer) Leaves(indices []int32, values []float32, dst []float64) {
	s.weights.nodeScores(indices, values, s.nodes)
	s.attributes.candidateScores(s.nodes, s.sums, dst)
}

// Nodes writes <W_n, x> for every node id n into dst, zero for nodes without a column. Features
// that the weights do not have are ignored.
func (s *Scorer) Nodes(indices []int32, values []float32, dst []float64) {
	s.weights.nodeScores(indices, values, s.nodes)
	clear(dst)
	for c, n := range s.weights.Columns {
		dst[n] = s.nodes[c]
	}
}

// ScoreLeaves writes the scores of all candidates for every row of x into dst, row-major with one
// entry per candidate. The result does not depend on workers.
func ScoreLeaves(a *Attributes, w *Weights, x *dataset.Matrix, dst []float64, workers int) {
	q := len(a.candidates)
	scorers := make([]*Scorer, guarded.Workers(workers))
	guarded.Chunks(x.Rows, len(scorers), func(worker, lo, hi int) {
		if scorers[worker] == nil {
			scorers[worker] = NewScorer(a, w)
		}
		for i := lo; i < hi; i++ {
			indices, values := x.Row(i)
			scorers[worker].Leaves(indices, values, dst[i*q:(i+1)*q])
		}
	})
}

// Argmax returns the position of the largest score, in case of a tie the first. It skips NaN, and
// returns -1 if there is no score.
func Argmax(scores []float64) int {
	best, at := math.Inf(-1), -1
	for y, s := range scores {
		if s > best || at < 0 && !math.IsNaN(s) {
			best, at = s, y
		}
	}
	return at
}
