package solver

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/hierml/notebook/hierml/structured"
)

// BCFW is block-coordinate Frank-Wolfe in the dual (Lacoste-Julien, Jaggi,
// Schmidt and Pletscher 2013) with pairwise steps and exact line search. A visit
// to an example scores all columns once; for each of its blocks it takes the worst competitors
// and those that have a coefficient as a working set, solves the block's
// problem on it with steps that cost one pass over the working set each, and
// adds the sum of the steps to the weights.
//
// After an epoch the weights are rebuilt from the dual in float64 and certified;
// blocks whose own gap is negligible then are not visited in the next epoch.
//
// It fits every problem.
type BCFW struct{}

const (
	innerSteps = 20    // pairwise steps a visit, at most
	newcomers  = 8     // competitors without a coefficient that join a working set
	innerShare = 0.02  // share of a block's violation at which a visit ends
	roundOff   = 1e-14 // share of C that is no more than rounding
	skipShare  = 0.1   // share of the gap asked for that skipped blocks may have together
)

func (BCFW) start(s *state) (iteration, error) { return newBlocks(s), nil }

// blocks is the state of BCFW.
type blocks struct {
	*state
	rng *rand.Rand

	order  []int // examples
	search structured.Search
	step   *structured.Step
	scores []float64
	worst  []int32 // newcomers of the visit
	set    workingSet
}

func newBlocks(s *state) *blocks {
	o := s.oracle
	return &blocks{
		state: s, rng: rand.New(rand.NewPCG(s.settings.Seed, 0)),
		search: o.NewSearch(), step: o.NewStep(), scores: make([]float64, s.weights.Width()),
	}
}

func (b *blocks) point() *structured.Dual { return b.dual }

func (b *blocks) epoch(ctx context.Context) error {
	negligible := skipShare * b.settings.Gap * b.certificate.Primal / float64(b.oracle.Blocks())
	b.order = b.order[:0]
	for i := range b.oracle.Inputs().Len() {
		for _, k := range b.oracle.BlocksOf(i) {
			if b.gaps[k] > negligible {
				b.order = append(b.order, i)
				break
			}
		}
	}
	b.rng.Shuffle(len(b.order), func(i, j int) { b.order[i], b.order[j] = b.order[j], b.order[i] })
	for k, i := range b.order {
		if k%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b.visit(i, negligible)
	}
	return nil
}

// visit improves the blocks of example i.
func (b *blocks) visit(i int, negligible float64) {
	o := b.oracle
	squaredNorm := o.Inputs().SquaredNorm(i)
	b.weights.Scores(i, b.scores)
	for _, k := range b.oracle.BlocksOf(i) {
		if b.gaps[k] <= negligible || !b.improve(k, squaredNorm) {
			continue
		}
		columns, u := b.step.Take()
		b.weights.Add(i, columns, u)
		for j, c := range columns {
			b.scores[c] += squaredNorm * u[j]
		}
	}
}

// improve solves block k on a working set, and leaves the change of the weights
// in b.step. It reports whether there is one.
func (b *blocks) improve(k int, squaredNorm float64) bool {
	b.search.Load(k, b.scores)
	b.fill(k)
	if !b.set.solve(squaredNorm) {
		return false
	}
	for j, id := range b.set.ids {
		if change := b.set.values[j] - b.set.before[j]; change != 0 && j > 0 {
			b.oracle.Direct(k, id, change, b.step)
		}
	}
	b.dual.SetRow(k, b.set.ids[1:], b.set.values[1:])
	return true
}

// fill makes the working set of block k: none, which stands for the part of C
// that no competitor has, the competitors with a coefficient, and the worst of
// the others.
func (b *blocks) fill(k int) {
	s, o := &b.set, b.oracle
	ids, values := b.dual.Row(k)
	s.reset()
	c := o.C(k)
	rest := c
	for _, v := range values {
		rest -= v
	}
	floor := 0.0 // smallest violation of those with a coefficient
	if rest < roundOff*c {
		rest, floor = 0, math.Inf(1)
	}
	s.add(-1, rest, 0)
	for j, id := range ids {
		v := b.search.Violation(id)
		s.add(id, values[j], v)
		floor = min(floor, v)
	}
	b.worst = b.search.Worst(newcomers, floor, ids, b.worst[:0])
	for _, id := range b.worst {
		s.add(id, 0, b.search.Violation(id))
	}
	s.allot()
	for j := range s.ids {
		for l := range j + 1 {
			if l == 0 {
				s.setProduct(j, l, 0)
			} else {
				s.setProduct(j, l, o.Product(k, s.ids[j], s.ids[l]))
			}
		}
	}
}
