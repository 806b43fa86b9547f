package structured

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// Many reports whether there are so many columns that Shortlist is much faster than scoring row by
// row.
func (w *Weights) Many() bool { return w.quantized != nil }

// Shortlist calls visit for every row of x, in any order and concurrently, with a set of candidates
// that contains the k with the highest scores. It stops with ctx's error if ctx is cancelled.
// Features without weights are ignored. leave marks the candidates to leave out, by position; nil
// leaves out none.
//
// The weights have many columns, see [Weights.Many]. They are scored for thousands of rows at a
// time, with a bound on the rounding error. The scores of candidates that may be among the best are
// then recomputed, so they are bit for bit those of [Weights.Scores] and [Attributes.Scores]. The
// result does not depend on workers.
func Shortlist(ctx context.Context, a *Attributes, w *Weights, leave []bool, x *dataset.Matrix, k, workers int, visit func(i int, s *Shortlisted)) error {
	if a == nil || w == nil || x == nil {
		return fmt.Errorf("structured: shortlists need attributes, weights and a matrix")
	}
	x = firstColumns(x, w.Features)
	l := &linearState{Weights: w, linear: &Linear{x: x, squares: squaredNorms(x)}}
	rows := make([]int, x.Rows)
	for i := range rows {
		rows[i] = i
	}
	longest := a.longestSum()
	each := make([]*Shortlisted, guarded.Workers(workers))
	of := func(worker int) []float64 {
		if each[worker] == nil {
			each[worker] = &Shortlisted{
				attributes: a, state: l, leave: leave, columns: make([]float64, w.Stride), sums: make([]float64, len(a.columns)+1),
				scores: make([]float64, len(a.candidates)), seen: make([]bool, w.Stride),
			}
		}
		return each[worker].columns
	}
	l.scan(ctx, rows, len(each), true, of, func(worker, i int, bound float64) {
		s := each[worker]
		s.load(i, k, bound*longest)
		visit(i, s)
	})
	return ctx.Err()
}

// firstColumns returns the matrix without the columns from n on.
func firstColumns(x *dataset.Matrix, n int) *dataset.Matrix {
	beyond := false
	for i := range x.Rows {
		features, _ := x.Row(i)
		beyond = beyond || len(features) > 0 && int(features[len(features)-1]) >= n
	}
	if !beyond {
		return x
	}
	out := &dataset.Matrix{Rows: x.Rows, Cols: n, Indptr: make([]int, 1, x.Rows+1)}
	for i := range x.Rows {
		features, values := x.Row(i)
		known, _ := slices.BinarySearch(features, int32(n))
		out.Indices, out.Values = append(out.Indices, features[:known]...), append(out.Values, values[:known]...)
		out.Indptr = append(out.Indptr, len(out.Indices))
	}
	return out
}

// Shortlisted is a row of a matrix with the candidates that may have the highest scores. It is
// valid until visit returns.
type Shortlisted struct {
	attributes *Attributes
	state      *linearState
	leave      []bool // candidates that are left out
	example    int
	columns    []float64 // scores of the columns
	sums       []float64
	scores     []float64 // by candidate
	candidates []int32
	all, exact bool // all candidates, whose scores are exact; those of the candidates are exact

	best   []float64 // the k highest scores, ascending
	needed []int32   // columns of the candidates
	seen   []bool    // by column, whether it is in needed
	values []float64 // of those needed
}

// load turns to a row whose columns are scored, where scores of candidates are wrong by up to a
// bound.
func (s *Shortlisted) load(i, k int, bound float64) {
	s.example, s.exact = i, false
	s.candidates = s.candidates[:0]
	s.attributes.candidateScores(s.columns, s.sums, s.scores)
	s.all = bound == 0 || k >= len(s.scores)
	if floor := s.kth(k) - 2*bound*(1+1e-6); !s.all && !math.IsNaN(floor) && finite(s.scores) {
		for y, v := range s.scores {
			if v >= floor && !s.left(y) {
				s.candidates = append(s.candidates, int32(y))
			}
		}
		return
	}
	s.all, s.exact = true, bound == 0
	for y := range s.scores {
		if !s.left(y) {
			s.candidates = append(s.candidates, int32(y))
		}
	}
}

// left reports whether a candidate is left out.
func (s *Shortlisted) left(y int) bool { return s.leave != nil && s.leave[y] }

// kth returns the k-th highest score.
func (s *Shortlisted) kth(k int) float64 {
	if k <= 0 || k > len(s.scores) {
		return math.NaN()
	}
	s.best = s.best[:0]
	for y, v := range s.scores {
		if s.left(y) {
			continue
		}
		if len(s.best) == k {
			if !(v > s.best[0]) {
				continue
			}
			s.best = slices.Delete(s.best, 0, 1)
		}
		at, _ := slices.BinarySearch(s.best, v)
		s.best = slices.Insert(s.best, at, v)
	}
	if len(s.best) < k {
		return math.Inf(-1) // all that are not left out
	}
	return s.best[0]
}

// Candidates returns the positions of the candidates that may be among the best, ascending; all of
// them if a score is not finite. The slice must not be modified.
func (s *Shortlisted) Candidates() []int32 { return s.candidates }

// Scores writes the scores of the Candidates into dst, one each.
func (s *Shortlisted) Scores(dst []float64) {
	if !s.exact {
		s.rescore()
	}
	for k, y := range s.candidates {
		if s.all {
			dst[k] = s.scores[y]
		} else {
			dst[k] = s.attributes.candidateScore(s.columns, int(y))
		}
	}
}

// rescore makes the scores of the columns of the candidates sums in float64.
func (s *Shortlisted) rescore() {
	s.exact = true
	a := s.attributes
	s.needed = s.needed[:0]
	if !s.all {
		for _, y := range s.candidates {
			for _, c := range a.cols[a.colptr[y]:a.colptr[y+1]] {
				if !s.seen[c] {
					s.needed = append(s.needed, c)
					s.seen[c] = true
				}
			}
		}
		for _, c := range s.needed {
			s.seen[c] = false
		}
	}
	if s.all || len(s.needed)*s.state.ColumnCost() >= s.state.Stride {
		s.state.Scores(s.example, s.columns)
		a.candidateScores(s.columns, s.sums, s.scores)
		return
	}
	s.values = slices.Grow(s.values[:0], len(s.needed))[:len(s.needed)]
	s.state.ScoresAt(s.example, s.needed, s.values)
	for k, c := range s.needed {
		s.columns[c] = s.values[k]
	}
}
