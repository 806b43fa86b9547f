package structured

import (
	"context"
	"math"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// scanned is an example of a scan: its scores, and a search for violated competitors of its blocks.
// There is one for each goroutine.
type scanned struct {
	oracle *Oracle
	search Search
	scores []float64 // of the columns

	// Where the scores are sums in float32.
	state   *linearState
	example int
	bound   float64 // of what a score is wrong by
	ids     []int32
	step    *Step
	exact   []float64
	all     []float64
}

// bounded is a Search that can tell which competitors may be the most violated ones.
type bounded interface {
	// near appends the competitors of the block loaded of which one has the largest violation, if
	// any is above zero, where every score is wrong by up to a bound.
	near(bound float64, dst []int32) []int32
}

// withBlocks returns the examples that have a block.
func (o *Oracle) withBlocks() []int {
	examples := make([]int, 0, o.inputs.Len())
	for i := range o.inputs.Len() {
		if len(o.BlocksOf(i)) > 0 {
			examples = append(examples, i)
		}
	}
	return examples
}

// Search calls visit for every block of the examples, in any order and from several goroutines,
// with a search that has turned to it, under weights that do not change meanwhile, until ctx ends.
// Scores may be sums in float32.
func (o *Oracle) Search(ctx context.Context, w State, examples []int, workers int, visit func(b int, search Search)) {
	o.scan(ctx, w, examples, workers, false, func(s *scanned, i int) {
		for _, b := range o.BlocksOf(i) {
			s.search.Load(b, s.scores)
			visit(b, s.search)
		}
	})
}

// scan calls visit for the examples, in any order, with the scores of each under weights that do
// not change meanwhile, until ctx ends. Without bounds, the scanned are not asked for their worst
// competitor.
func (o *Oracle) scan(ctx context.Context, w Scored, examples []int, workers int, bounds bool, visit func(s *scanned, i int)) {
	workers = guarded.Workers(workers)
	each := make([]*scanned, workers)
	of := func(worker int) *scanned {
		if each[worker] == nil {
			each[worker] = &scanned{oracle: o, search: o.NewSearch(), scores: make([]float64, w.Width())}
		}
		return each[worker]
	}
	if state, ok := w.(*linearState); ok && state.quantized != nil {
		if _, ok := of(0).search.(bounded); ok {
			scores := func(worker int) []float64 { return of(worker).scores }
			state.scan(ctx, examples, workers, bounds, scores, func(worker, i int, bound float64) {
				s := of(worker)
				s.state, s.example, s.bound = state, i, bound
				visit(s, i)
			})
			return
		}
	}
	guarded.Chunks(len(examples), workers, func(worker, lo, hi int) {
		s := of(worker)
		for _, i := range examples[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			w.Scores(i, s.scores)
			visit(s, i)
		}
	})
}

// scanScores is the number of scores that a scan has at a time, and scanExamples that of examples.
const scanScores, scanExamples = 128 << 20, 8192

// scan calls visit for the examples, in any order, when the scores of each under weights in 16 bits
// are in those of the worker, until ctx ends. bound is what they are wrong by, at most, 0 where
// they are sums in float64; without bounds it says nothing.
func (l *linearState) scan(ctx context.Context, examples []int, workers int, bounds bool, scores func(worker int) []float64, visit func(worker, i int, bound float64)) {
	p := l.panelsOf()
	var longest float64
	if bounds {
		longest = l.quantized.MaxColumnNorm(workers)
	}
	size := max(1, min(scanExamples, scanScores/l.Stride))
	for len(examples) > 0 && ctx.Err() == nil {
		part := examples[:min(size, len(examples))]
		examples = examples[len(part):]
		p.Load(part, workers, bounds)
		guarded.Chunks(len(part), workers, func(worker, lo, hi int) {
			scores := scores(worker)
			for k := lo; k < hi && ctx.Err() == nil; k++ {
				i := part[k]
				p.Scores(k, scores)
				bound := p.Bound(k, math.Sqrt(l.linear.squares[i]), longest)
				if !finite(scores) { // a sum that float64 may have room for
					l.Scores(i, scores)
					bound = 0
				}
				visit(worker, i, bound)
			}
		})
	}
}

// worst loads a block of the example and returns its largest violation, zero if none is above, as
// sums in float64 have it.
func (s *scanned) worst(b int) float64 {
	worst := s.search.Load(b, s.scores)
	if s.state == nil || s.bound == 0 {
		return worst
	}
	s.ids = s.search.(bounded).near(s.bound, s.ids[:0])
	const few = 64
	if len(s.ids) > few {
		if s.all == nil {
			s.all = make([]float64, len(s.scores))
		}
		s.state.Scores(s.example, s.all)
		return s.search.Load(b, s.all)
	}
	if s.step == nil {
		s.step = s.oracle.NewStep()
	}
	worst = 0
	for _, id := range s.ids {
		s.oracle.Direct(b, id, 1, s.step)
		columns, u := s.step.Take()
		if cap(s.exact) < len(columns) {
			s.exact = make([]float64, 2*len(columns))
		}
		scores := s.exact[:len(columns)]
		s.state.ScoresAt(s.example, columns, scores)
		v := s.oracle.Cost(b, id)
		for k := range columns {
			v -= u[k] * scores[k]
		}
		worst = max(worst, v)
	}
	return worst
}
