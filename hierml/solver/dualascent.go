package solver

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hierml/notebook/hierml/structured"
)

// DualAscent is dual coordinate ascent in the manner of LIBLINEAR [KSCHL08]: examples are visited
// in random order, and the problem of an example's block is solved on its active competitors,
// exactly by sorting where competitors have columns of their own, as those of a flat SVM have, and
// otherwise by pairwise steps.
//
// An epoch is a number of passes over the blocks. The first visits all of them but those whose gap
// was negligible when it was seen last, and takes as active competitors those with a coefficient
// and the worst others. The following passes visit the blocks that were not solved within a
// tolerance before, until there are none. Where the active competitors touch few of the columns,
// passes but the first score these alone, and drop competitors that lie below the others by more
// than the tolerance. Every epoch has a smaller tolerance, a share of the gap that the first pass
// of the epoch before found or the certificate. Where weights are few, epochs from the fifth on begin
// with a step in the direction in which the one before has led, as those of BCFW do.
//
// It fits problems whose examples have one block each: labels against other labels, rankings and
// label sets. BCFW takes the others.
type DualAscent struct{}

const (
	recruits      = 30  // competitors without a coefficient that become active
	passes        = 10  // in an epoch, at most
	toleranceRate = 0.3 // tolerance of an epoch, as a share of the mean gap of a block for C = 1
	solveShare    = 0.1 // of the tolerance, to which pairwise steps solve a block
	aheadEpoch    = 4   // after which there is a step ahead
)

func (DualAscent) start(s *state) (iteration, error) {
	o := s.oracle
	for i := range o.Inputs().Len() {
		if n := len(o.BlocksOf(i)); n > 1 {
			return nil, fmt.Errorf("solver: DualAscent fits problems with one block an example, and example %d has %d; use BCFW", i, n)
		}
	}
	return newAscent(s), nil
}

// ascent is the state of DualAscent.
type ascent struct {
	*state
	rng       *rand.Rand
	weight    float64        // sum of C
	tolerance float64        // of the epoch
	ahead     *extrapolation // nil for many weights

	order   []int     // blocks to visit
	active  [][]int32 // competitors by block
	touched int       // columns that the active competitors of the blocks visited in a pass touch

	batch    structured.Batch
	examples []int
	left     []bool          // of the batch, those not solved within tolerance
	changes  structured.Rows // of the weights by the examples of the batch
	partial  structured.Partial
	some     []float64 // scores of the columns that active competitors touch
	search   structured.Search
	step     *structured.Step
	ids      []int32
	values   []float64
	near     []bool // whether the violation is above the least or within tolerance of it
	sub      *subproblem
}

func newAscent(s *state) *ascent {
	o := s.oracle
	a := &ascent{
		state: s, rng: rand.New(rand.NewPCG(s.settings.Seed, 0)), active: make([][]int32, o.Blocks()), batch: s.weights.NewBatch(),
		search: o.NewSearch(), step: o.NewStep(), sub: newSubproblem(len(o.Columns())), ahead: newExtrapolation(s),
	}
	a.partial, _ = s.weights.(structured.Partial)
	for b := range o.Blocks() {
		a.weight += o.C(b)
	}
	return a
}

func (a *ascent) point() *structured.Dual { return a.dual }

// estimate returns the duality gap as the blocks had it when all columns were scored for them last:
// more than that of the point reached, as a rule.
func (a *ascent) estimate() float64 {
	var sum float64
	for _, g := range a.gaps {
		sum += g
	}
	return sum
}

func (a *ascent) epoch(ctx context.Context) error {
	if a.ahead != nil && a.result.Epochs >= aheadEpoch {
		if err := a.ahead.advance(ctx, a.oracle, a.dual, a.settings.Workers); err != nil {
			return err
		}
	}
	goal := a.settings.Gap * a.certificate.Primal
	gap := a.estimate()
	if math.IsInf(gap, 1) {
		gap = a.certificate.Primal
	}
	a.tolerance = max(toleranceRate*gap, goal) / a.weight
	negligible := skipShare * goal / float64(a.oracle.Blocks())
	a.order = a.order[:0]
	for b := range a.oracle.Blocks() {
		if a.gaps[b] > negligible {
			a.order = append(a.order, b)
		}
	}
	few := false // columns touched
	for pass := 0; pass < passes && len(a.order) > 0; pass++ {
		a.rng.Shuffle(len(a.order), func(i, j int) { a.order[i], a.order[j] = a.order[j], a.order[i] })
		a.touched = 0
		visited := len(a.order)
		share := math.Pow(0.5, float64(pass+1)) // of the epoch: a pass is thought to take as long as all that follow
		if err := a.pass(ctx, few, 1-2*share, share); err != nil {
			return err
		}
		few = a.partial != nil && a.partial.ColumnCost()*a.touched < visited*len(a.oracle.Columns())
	}
	return nil
}

// pass visits the blocks in order, which it leaves with those that were not within tolerance. It is a share of the
// epoch, of which some is done.
func (a *ascent) pass(ctx context.Context, few bool, done, share float64) error {
	left, visited := a.order[:0], len(a.order)
	size := a.batch.Size()
	for lo := 0; lo < len(a.order); lo += size {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		blocks := a.order[lo:min(lo+size, len(a.order))]
		a.left = a.left[:0]
		if few {
			for _, b := range blocks {
				a.left = append(a.left, a.revisit(b))
			}
		} else {
			a.visit(ctx, blocks)
		}
		if err := a.between(a.dual, done+share*min(1, float64(lo+size)/float64(visited))); err != nil {
			return err
		}
		for k, unsolved := range a.left {
			if unsolved {
				left = append(left, blocks[k])
			}
		}
	}
	a.order = left
	return nil
}

// visit finds the active competitors of some blocks and solves the blocks, one after the other,
// until ctx ends.
func (a *ascent) visit(ctx context.Context, blocks []int) {
	o := a.oracle
	a.examples = a.examples[:0]
	for _, b := range blocks {
		a.examples = append(a.examples, o.Example(b))
	}
	a.batch.Load(a.examples, a.settings.Workers)
	a.batch.Multiply()
	u := &a.changes
	u.Border, u.Columns, u.Values = append(u.Border[:0], 0), u.Columns[:0], u.Values[:0]
	for k, b := range blocks {
		if ctx.Err() != nil {
			a.left = append(a.left, true)
			u.Border = append(u.Border, len(u.Columns))
			continue
		}
		scores := a.batch.Scores(k)
		for j, product := range a.batch.Products(k) {
			if product != 0 {
				columns, values := u.Row(j)
				for m, c := range columns {
					scores[c] += product * values[m]
				}
			}
		}
		a.recruit(b, scores)
		a.load(b)
		a.some = a.some[:0]
		for _, c := range a.sub.columns {
			a.some = append(a.some, scores[c])
		}
		if a.solve(b) {
			columns, values := a.step.Take()
			u.Columns, u.Values = append(u.Columns, columns...), append(u.Values, values...)
		}
		u.Border = append(u.Border, len(u.Columns))
	}
	a.batch.Add(u, a.settings.Workers)
}

// revisit solves a block on the active competitors that it has. It reports whether the block was
// not within tolerance.
func (a *ascent) revisit(b int) bool {
	a.load(b)
	i := a.oracle.Example(b)
	a.some = zeros(a.some, len(a.sub.columns))
	a.partial.ScoresAt(i, a.sub.columns, a.some)
	if a.solve(b) {
		columns, values := a.step.Take()
		a.weights.Add(i, columns, values)
	}
	left := a.left[len(a.left)-1]
	a.left = a.left[:len(a.left)-1]
	return left
}

// solve solves block b, which is loaded, from the scores of the columns it touches, and notes
// whether it was not within tolerance. It reports whether the weights are to change, by what is
// then in a.step.
func (a *ascent) solve(b int) (changed bool) {
	p, tolerance := a.sub, a.tolerance
	p.score(a.oracle, b, a.some)
	spread, floor := p.spread(), p.floor()
	a.left = append(a.left, spread > tolerance)
	a.near = a.near[:0]
	for _, v := range p.violations {
		a.near = append(a.near, v > floor-tolerance)
	}
	if spread > solveShare*tolerance {
		p.solve(a.oracle.Inputs().SquaredNorm(a.oracle.Example(b)), solveShare*tolerance)
		if changed = p.change(a.step); changed {
			a.dual.SetRow(b, p.ids, p.values)
		}
	}
	a.active[b] = a.active[b][:0]
	for k, id := range p.ids {
		if p.values[k] > 0 || a.near[k] {
			a.active[b] = append(a.active[b], id)
		}
	}
	a.touched += len(p.columns)
	return changed
}

// recruit makes the competitors of block b with a coefficient active, and the worst of the others,
// and notes the gap of the block.
func (a *ascent) recruit(b int, scores []float64) {
	gap := a.oracle.C(b) * a.search.Load(b, scores)
	ids, values := a.dual.Row(b)
	rest := a.oracle.C(b)
	floor := math.Inf(1)
	for k, id := range ids {
		v := a.search.Violation(id)
		gap -= values[k] * v
		rest -= values[k]
		floor = min(floor, v)
	}
	a.gaps[b] = max(gap, 0)
	if rest > roundOff*a.oracle.C(b) {
		floor = min(floor, 0)
	}
	a.active[b] = append(a.active[b][:0], ids...)
	a.active[b] = a.search.Worst(recruits, floor, ids, a.active[b])
}

// load takes the active competitors of block b and their coefficients as the subproblem.
func (a *ascent) load(b int) {
	ids, values := a.dual.Row(b)
	a.ids, a.values = append(a.ids[:0], a.active[b]...), a.values[:0]
	for _, id := range a.ids {
		v := 0.0
		for k, known := range ids {
			if known == id {
				v = values[k]
				break
			}
		}
		a.values = append(a.values, v)
	}
	a.sub.load(a.oracle, b, a.ids, a.values, a.step)
}
