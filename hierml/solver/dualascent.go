package solver

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/structured"
)

// DualAscent is dual coordinate ascent as in LIBLINEAR [KSCHL08]. Examples are visited in random
// order, and the problem of an example's block is solved on its active competitors: exactly by
// sorting if each competitor has its own column, as in a flat SVM, otherwise by pairwise steps.
//
// An epoch has several passes over the blocks. The first pass visits all blocks except those whose
// gap was negligible at their last visit. Its active competitors are those with a coefficient and
// the most violated others. Each further pass visits the blocks that the previous one did not solve
// within a tolerance, until there are none. If the active competitors touch few of the columns,
// passes after the first score only these, and drop competitors that lie below the others by more
// than the tolerance. Every epoch has a smaller tolerance: a share of the gap found by the first
// pass of the previous epoch or by the certificate. With few weights, epochs from the fifth on
// begin with a step in the direction of the previous one, as in BCFW.
//
// With thousands of columns of weights in 16 bits, scoring all of them for one example costs as
// much as many visits. Then certificates, which score many examples at a time, find the active
// competitors. In the first epoch, parts of the examples are searched with the weights made by the
// previous parts. All passes score only the columns of these competitors.
//
// It solves problems whose examples have one block each: labels against other labels, rankings and
// label sets. Use BCFW for others.
type DualAscent struct{}

const (
	recruits      = 30  // competitors without a coefficient that become active
	wideRecruits  = 60  // the same if searches are rare
	passes        = 10  // in an epoch, at most
	toleranceRate = 0.3 // tolerance of an epoch, as a share of the mean gap of a block for C = 1
	solveShare    = 0.1 // of the tolerance, to which pairwise steps solve a block
	aheadEpoch    = 4   // after which there is a step ahead
	// blocks that are solved one after the other between two changes of the weights, so that
	// workers share the work and write data that is still in their caches
	together = 4
)

func (DualAscent) start(s *state) (iteration, error) {
	o := s.oracle
	for i := range o.Inputs().Len() {
		if n := len(o.BlocksOf(i)); n > 1 {
			return nil, fmt.Errorf("solver: DualAscent fits problems with one block an example, and example %d has %d; use BCFW", i, n)
		}
	}
	a := newAscent(s)
	if o.Many(s.settings.precision(true)) {
		return newWideAscent(a), nil
	}
	return a, nil
}

// ascent is the state of DualAscent.
type ascent struct {
	*state
	rng       *rand.Rand
	weight    float64            // sum of C
	tolerance float64            // of the epoch
	ahead     *extrapolation     // nil for many weights
	recruits  int                // competitors without a coefficient that become active
	partial   structured.Partial // nil if a column costs as much as all

	order   []int     // blocks to visit
	active  [][]int32 // competitors by block
	touched int       // columns touched by the active competitors of the blocks of a pass

	batch    structured.Batch
	examples []int
	left     []bool          // of the batch, those not solved within tolerance
	changes  structured.Rows // of the weights by the examples of the batch
	step     *structured.Step
	near     []bool // whether the violation is above the smallest or within tolerance of it

	// By block of the batch: its problem on its active competitors, the columns that these touch,
	// and the scores of the columns.
	subs    []*subproblem
	columns [][]int32
	some    [][]float64
	loaders []*loader // by worker
}

// loader is scratch space of a worker that loads blocks.
type loader struct {
	search structured.Search
	step   *structured.Step
	values []float64
}

func newAscent(s *state) *ascent {
	o := s.oracle
	a := &ascent{
		state: s, rng: rand.New(rand.NewPCG(s.settings.Seed, 0)), active: make([][]int32, o.Blocks()), batch: s.weights.NewBatch(), step: o.NewStep(), ahead: newExtrapolation(s), recruits: recruits,
	}
	a.partial, _ = s.weights.(structured.Partial)
	size := a.batch.Size()
	a.subs, a.columns, a.some = make([]*subproblem, size), make([][]int32, size), make([][]float64, size)
	for range min(size, guarded.Workers(s.settings.Workers)) {
		a.loaders = append(a.loaders, &loader{search: o.NewSearch(), step: o.NewStep()})
	}
	for b := range o.Blocks() {
		a.weight += o.C(b)
	}
	return a
}

func (a *ascent) point() *structured.Dual { return a.dual }

// estimate returns the duality gap of the blocks when all columns were last scored for them. It is
// usually more than the gap of the point reached.
func (a *ascent) estimate() float64 {
	var sum float64
	for _, g := range a.gaps {
		sum += g
	}
	return sum
}

func (a *ascent) epoch(ctx context.Context) parts {
	return func(yield func(float64, error) bool) {
		if a.ahead != nil && a.result.Epochs >= aheadEpoch {
			if err := a.ahead.advance(ctx, a.oracle, a.dual, a.settings.Workers); err != nil {
				yield(0, err)
				return
			}
		}
		goal := a.settings.Gap * a.certificate.Primal
		gap := a.estimate()
		if math.IsInf(gap, 1) {
			gap = a.certificate.Primal
		}
		a.tolerance = max(toleranceRate*gap, goal) / a.weight
		a.orderUnsolved(goal)
		few := false // columns touched
		for pass := 0; pass < passes && len(a.order) > 0; pass++ {
			a.shuffle()
			a.touched = 0
			visited := len(a.order)
			share := math.Pow(0.5, float64(pass+1)) // of the epoch: a pass is assumed to take as long as all later ones
			if !a.pass(ctx, few, 1-2*share, share, yield) {
				return
			}
			few = a.partial != nil && a.partial.ColumnCost()*a.touched < visited*len(a.oracle.Columns())
		}
	}
}

// orderUnsolved selects the blocks whose last gap was not negligible for the goal.
func (a *ascent) orderUnsolved(goal float64) {
	negligible := skipShare * goal / float64(a.oracle.Blocks())
	a.order = a.order[:0]
	for b := range a.oracle.Blocks() {
		if a.gaps[b] > negligible {
			a.order = append(a.order, b)
		}
	}
}

func (a *ascent) shuffle() {
	a.rng.Shuffle(len(a.order), func(i, j int) { a.order[i], a.order[j] = a.order[j], a.order[i] })
}

// pass visits the blocks in order and leaves in it those that were not within tolerance. share is
// its share of the epoch, and done is the share already done. It reports whether it visited all
// blocks.
func (a *ascent) pass(ctx context.Context, few bool, done, share float64, yield func(float64, error) bool) bool {
	left, visited := a.order[:0], len(a.order)
	size := a.batch.Size()
	if few {
		size = min(size, together)
	}
	for lo := 0; lo < len(a.order); lo += size {
		blocks := a.order[lo:min(lo+size, len(a.order))]
		a.visit(ctx, blocks, few)
		if !yield(done+share*min(1, float64(lo+size)/float64(visited)), nil) {
			return false
		}
		for k, unsolved := range a.left {
			if unsolved {
				left = append(left, blocks[k])
			}
		}
	}
	a.order = left
	return true
}

// visit solves some blocks, one after the other, until ctx is cancelled. If few is set, it uses
// their present active competitors, otherwise those at the weights before the first of these
// blocks.
func (a *ascent) visit(ctx context.Context, blocks []int, few bool) {
	o := a.oracle
	a.examples = a.examples[:0]
	for _, b := range blocks {
		a.examples = append(a.examples, o.Example(b))
	}
	if few {
		a.batch.Take(a.examples)
	} else {
		a.batch.Load(a.examples, a.settings.Workers)
	}
	if shares := min(len(a.loaders), len(blocks)); shares == 1 || few {
		a.prepare(blocks, 0, len(blocks), few, a.loaders[0])
	} else {
		guarded.Each(shares, shares, func(share int) {
			a.prepare(blocks, share*len(blocks)/shares, (share+1)*len(blocks)/shares, few, a.loaders[share])
		})
	}
	a.batch.Multiply()
	if few {
		a.batch.ScoresAt(a.columns[:len(blocks)], a.some[:len(blocks)], a.settings.Workers)
	}
	a.left = a.left[:0]
	u := &a.changes
	u.Border, u.Columns, u.Values = append(u.Border[:0], 0), u.Columns[:0], u.Values[:0]
	for k, b := range blocks {
		switch {
		case ctx.Err() != nil:
			a.left = append(a.left, true)
		default:
			a.update(k)
			if a.solve(k, b) {
				columns, values := a.step.Take()
				u.Columns, u.Values = append(u.Columns, columns...), append(u.Values, values...)
			}
		}
		u.Border = append(u.Border, len(u.Columns))
	}
	a.batch.Add(u, a.settings.Workers)
}

// prepare loads the blocks of the batch from lo to hi and computes the scores of their columns. If
// few is set, it uses their present active competitors, otherwise it finds new ones.
func (a *ascent) prepare(blocks []int, lo, hi int, few bool, l *loader) {
	for k := lo; k < hi; k++ {
		if few {
			a.load(k, blocks[k], l)
			continue
		}
		scores := a.batch.Scores(k)
		a.recruit(blocks[k], scores, l.search)
		a.load(k, blocks[k], l)
		for j, c := range a.columns[k] {
			a.some[k][j] = scores[c]
		}
	}
}

// update adds the changes made by earlier blocks of the batch to the scores of the k-th block.
func (a *ascent) update(k int) {
	slots, scores := a.subs[k].slots, a.some[k]
	for j, product := range a.batch.Products(k) {
		if product != 0 {
			columns, values := a.changes.Row(j)
			for m, c := range columns {
				if at := slots[c]; at >= 0 {
					scores[at] += product * values[m]
				}
			}
		}
	}
}

// solve solves block b, which is loaded as the k-th, from the scores of the columns it touches, and
// records whether it was not within tolerance. It reports whether the weights change; the change is
// in a.step.
func (a *ascent) solve(k, b int) (changed bool) {
	p, tolerance := a.subs[k], a.tolerance
	p.score(a.oracle, b, a.some[k])
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

// recruit activates the competitors of block b with a coefficient and the most violated of the
// others, and records the gap of the block.
func (a *ascent) recruit(b int, scores []float64, search structured.Search) {
	gap := a.oracle.C(b) * search.Load(b, scores)
	ids, values := a.dual.Row(b)
	for k, id := range ids {
		gap -= values[k] * search.Violation(id)
	}
	a.gaps[b] = max(gap, 0)
	a.activate(b, search)
}

// activate activates the competitors of block b, the current block of the search, with a
// coefficient, and the most violated of the others.
func (a *ascent) activate(b int, search structured.Search) {
	ids, values := a.dual.Row(b)
	rest := a.oracle.C(b)
	floor := math.Inf(1)
	for k, id := range ids {
		rest -= values[k]
		floor = min(floor, search.Violation(id))
	}
	if rest > roundOff*a.oracle.C(b) {
		floor = min(floor, 0)
	}
	a.active[b] = append(a.active[b][:0], ids...)
	a.active[b] = search.Worst(a.recruits, floor, ids, a.active[b])
}

// load takes the active competitors of block b and their coefficients as the k-th subproblem, and
// makes room for the scores of the columns it touches.
func (a *ascent) load(k, b int, l *loader) {
	ids, values := a.dual.Row(b)
	l.values = l.values[:0]
	for _, id := range a.active[b] {
		v := 0.0
		if at := slices.Index(ids, id); at >= 0 {
			v = values[at]
		}
		l.values = append(l.values, v)
	}
	if a.subs[k] == nil {
		a.subs[k] = newSubproblem(len(a.oracle.Columns()))
	}
	a.subs[k].load(a.oracle, b, a.active[b], l.values, l.step)
	a.columns[k] = a.subs[k].columns
	a.some[k] = zeros(a.some[k], len(a.columns[k]))
}
