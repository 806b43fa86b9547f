package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hierml/notebook/hierml/structured"
)

// BCFW is block-coordinate Frank-Wolfe in the dual [LJSP13] with pairwise steps and exact line
// search. A visit to an example scores all columns once. For each block of the example, the working
// set has the most violated competitors and those with a coefficient. BCFW solves the block's
// problem on it, in steps of one pass over the working set each, and adds the sum of the steps to
// the weights.
//
// Blocks whose gap was negligible at their last visit are skipped, except in every fifth epoch.
// When the gaps found by the visits suggest that the requested gap is reached, and after epochs 1,
// 4, 16 and so on, the weights are rebuilt from the dual in float64 and certified in a separate
// pass.
//
// With few weights, blocks depend on each other strongly. If eight epochs are not enough, every
// further epoch begins with a long step in the direction of the previous one, with exact line
// search. The step comes before the visits, because it raises the dual but may also raise the
// primal value, which the visits lower again before the certificate.
//
// It fits every problem. The zero value is ready to use.
type BCFW struct {
	// Sample draws the examples of an epoch (as many as there are) with probabilities proportional
	// to the gaps of their blocks at the last visit [OALDL16]. By default each example that is not
	// skipped is visited once. On the texts measured, sampling takes more visits.
	Sample bool
}

const (
	innerSteps = 20    // pairwise steps a visit, at most
	newcomers  = 8     // competitors without a coefficient that join a working set
	innerShare = 0.02  // share of a block's violation at which a visit ends
	roundOff   = 1e-14 // share of C that counts as rounding
	skipShare  = 0.1   // share of the requested gap that skipped blocks may have together
	fullEpoch  = 5     // period, in epochs, at which no block is skipped
	hardEpoch  = 6     // epoch from which visits are twice as thorough
	slowEpoch  = 8     // epoch from which a problem counts as slow
)

func (m BCFW) start(s *state) (iteration, error) {
	b := newBlocks(s)
	b.sample = m.Sample
	return b, nil
}

// blocks is the state of BCFW.
type blocks struct {
	*state
	rng        *rand.Rand
	sample     bool
	negligible float64 // gap of a block that is not visited

	order   []int // examples
	batch   structured.Batch
	changes structured.Rows // of the weights by the examples of the batch
	search  structured.Search
	step    *structured.Step
	worst   []int32 // newcomers of the visit
	set     workingSet
	sums    []float64 // of the gaps of examples up to each
	epochs  int
	ahead   *extrapolation // nil for many weights
}

func newBlocks(s *state) *blocks {
	o := s.oracle
	return &blocks{
		state: s, rng: rand.New(rand.NewPCG(s.settings.Seed, 0)),
		batch: s.weights.NewBatch(), search: o.NewSearch(), step: o.NewStep(), ahead: newExtrapolation(s),
	}
}

func (b *blocks) point() *structured.Dual { return b.dual }

// estimate returns the duality gap found by the visits of the last epoch. It is usually more than
// the gap of the point reached.
func (b *blocks) estimate() float64 {
	var sum float64
	for _, g := range b.gaps {
		sum += g
	}
	return sum
}

func (b *blocks) epoch(ctx context.Context) parts {
	return func(yield func(float64, error) bool) {
		if b.ahead != nil && b.epochs >= slowEpoch {
			if err := b.ahead.advance(ctx, b.oracle, b.dual, b.settings.Workers); err != nil {
				yield(0, err)
				return
			}
		}
		b.negligible = skipShare * b.settings.Gap * b.certificate.Primal / float64(b.oracle.Blocks())
		b.order = b.order[:0]
		if b.epochs++; b.epochs%fullEpoch == 0 {
			b.negligible = -1
		}
		if b.sample && b.epochs > 1 && b.negligible >= 0 {
			b.draw()
		} else {
			b.shuffle()
		}
		size := b.batch.Size()
		for lo := 0; lo < len(b.order); lo += size {
			b.visit(ctx, b.order[lo:min(lo+size, len(b.order))])
			if !yield(min(1, float64(lo+size)/float64(len(b.order))), nil) {
				return
			}
		}
	}
}

// shuffle shuffles the examples that have a block worth a visit.
func (b *blocks) shuffle() {
	for i := range b.oracle.Inputs().Len() {
		for _, k := range b.oracle.BlocksOf(i) {
			if b.gaps[k] > b.negligible {
				b.order = append(b.order, i)
				break
			}
		}
	}
	b.rng.Shuffle(len(b.order), func(i, j int) { b.order[i], b.order[j] = b.order[j], b.order[i] })
}

// draw samples as many examples as there are, with probabilities proportional to their gaps.
func (b *blocks) draw() {
	b.sums = b.sums[:0]
	var sum float64
	for i := range b.oracle.Inputs().Len() {
		for _, k := range b.oracle.BlocksOf(i) {
			sum += b.gaps[k]
		}
		b.sums = append(b.sums, sum)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		b.shuffle()
		return
	}
	b.negligible = -1
	for range b.sums {
		i, _ := slices.BinarySearch(b.sums, sum*b.rng.Float64())
		b.order = append(b.order, i)
	}
}

// visit improves the blocks of some examples, one after the other, until ctx ends.
func (b *blocks) visit(ctx context.Context, examples []int) {
	b.batch.Load(examples, b.settings.Workers)
	b.batch.Multiply()
	u := &b.changes
	u.Border, u.Columns, u.Values = append(u.Border[:0], 0), u.Columns[:0], u.Values[:0]
	for k, i := range examples {
		scores := b.batch.Scores(k)
		for j, product := range b.batch.Products(k) {
			if product != 0 {
				columns, values := u.Row(j)
				for m, c := range columns {
					scores[c] += product * values[m]
				}
			}
		}
		squaredNorm := b.oracle.Inputs().SquaredNorm(i)
		for _, block := range b.oracle.BlocksOf(i) {
			if b.gaps[block] > b.negligible && ctx.Err() == nil && b.improve(block, scores, squaredNorm) {
				columns, values := b.step.Take()
				for m, c := range columns {
					scores[c] += squaredNorm * values[m]
				}
				u.Columns, u.Values = append(u.Columns, columns...), append(u.Values, values...)
			}
		}
		u.Border = append(u.Border, len(u.Columns))
	}
	b.batch.Add(u, b.settings.Workers)
}

// effort is the factor of the newcomers and the steps of a visit.
func (b *blocks) effort() int {
	if b.epochs >= hardEpoch {
		return 2
	}
	return 1
}

// improve solves block k on a working set and leaves the change of the weights in b.step. It
// reports whether there is a change, and records the gap of the block.
func (b *blocks) improve(k int, scores []float64, squaredNorm float64) bool {
	worst := b.search.Load(k, scores)
	b.fill(k)
	gap := b.oracle.C(k) * worst
	for j, a := range b.set.values {
		gap -= a * b.set.violations[j]
	}
	b.gaps[k] = max(gap, 0)
	if !b.set.solve(squaredNorm, innerSteps*b.effort()) {
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

// fill builds the working set of block k: none, which represents the unused part of C, the
// competitors with a coefficient, and the most violated of the others.
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
	b.worst = b.search.Worst(newcomers*b.effort(), floor, ids, b.worst[:0])
	for _, id := range b.worst {
		s.add(id, 0, b.search.Violation(id))
	}
	s.multiply(o.Competitors, k)
}
