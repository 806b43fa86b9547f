package structured

import (
	"math"

	"github.com/hierml/notebook/hierml/dataset"
)

// Weights is the matrix W of a linear hierarchical classifier, one row <W_n>
// a node and one column a feature, stored feature-major so that an instance
// touches one contiguous run of memory for each of its features: the weight of
// column c for feature f is Data[f*Stride+c]. Storage is float32; everything
// computed from it is accumulated in float64.
type Weights struct {
	Features int
	Stride   int       // columns a feature, rounded up to a multiple of 8; the rest is zero
	Columns  []int     // node id of each column; a node without a column has weight zero
	Data     []float32 // Features x Stride
}

// NewWeights returns zero weights; columns has the node id of each column.
func NewWeights(columns []int, features int) *Weights {
	stride := scoreWidth(len(columns))
	return &Weights{Features: features, Stride: stride, Columns: columns, Data: make([]float32, features*stride)}
}

// Node returns the weight vector of a node, one entry a feature; zeros for a
// node that has no column.
func (w *Weights) Node(n int) []float64 {
	v := make([]float64, w.Features)
	for c, m := range w.Columns {
		if m == n {
			for f := range v {
				v[f] = float64(w.Data[f*w.Stride+c])
			}
			break
		}
	}
	return v
}

// row returns the weights of feature f.
func (w *Weights) row(f int32) []float32 {
	at := int(f) * w.Stride
	return w.Data[at : at+w.Stride]
}

// nodeScores writes <W_n, x> for every column into s, which has Stride entries.
// Features beyond those of w are ignored.
func (w *Weights) nodeScores(indices []int32, values []float32, s []float64) {
	clear(s)
	n := len(indices)
	for n > 0 && int(indices[n-1]) >= w.Features {
		n--
	}
	if n == 0 {
		return
	}
	next := w.row(indices[0])
	for k, x := range values[:n] {
		row := next
		if k+1 < n {
			next = w.row(indices[k+1])
		}
		axpy(s, float64(x), row, next)
	}
}

// add adds x (x) u to W: for every feature of x, u times its value to the
// columns cols.
func (w *Weights) add(indices []int32, values []float32, cols []int32, u []float64) {
	u = u[:len(cols)]
	for k, f := range indices {
		x := float64(values[k])
		row := w.row(f)
		for j, c := range cols {
			row[c] += float32(x * u[j])
		}
	}
}

// Scorer computes scores of instances under fixed weights. It holds scratch
// space: one Scorer a goroutine.
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

// Leaves writes the score of every candidate for one instance into dst, in the
// order of Attributes.Candidates. Features that the weights do not have are ignored.
func (s *Scorer) Leaves(indices []int32, values []float32, dst []float64) {
	s.weights.nodeScores(indices, values, s.nodes)
	s.attributes.candidateScores(s.nodes, s.sums, dst)
}

// Nodes writes <W_n, x> for every node id n into dst, zero for nodes without a
// column. Features that the weights do not have are ignored.
func (s *Scorer) Nodes(indices []int32, values []float32, dst []float64) {
	s.weights.nodeScores(indices, values, s.nodes)
	clear(dst)
	for c, n := range s.weights.Columns {
		dst[n] = s.nodes[c]
	}
}

// ScoreLeaves writes the scores of all candidates for every row of x into dst,
// row-major with one entry a candidate. The result does not depend on workers.
func ScoreLeaves(a *Attributes, w *Weights, x *dataset.Matrix, dst []float64, workers int) {
	q := len(a.candidates)
	scorers := make([]*Scorer, workerCount(workers))
	parallel(x.Rows, len(scorers), func(worker, lo, hi int) {
		if scorers[worker] == nil {
			scorers[worker] = NewScorer(a, w)
		}
		for i := lo; i < hi; i++ {
			indices, values := x.Row(i)
			scorers[worker].Leaves(indices, values, dst[i*q:(i+1)*q])
		}
	})
}

// Argmax returns the position of the largest score, the first of equal ones,
// and skips NaN; -1 without any.
func Argmax(scores []float64) int {
	best, at := math.Inf(-1), -1
	for y, s := range scores {
		if s > best || at < 0 && !math.IsNaN(s) {
			best, at = s, y
		}
	}
	return at
}
