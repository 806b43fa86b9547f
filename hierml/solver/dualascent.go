package solver

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hierml/notebook/hierml/structured"
)

// DualAscent is dual coordinate ascent in the manner of LIBLINEAR (Keerthi,
// Sundararajan, Chang, Hsieh and Lin 2008): examples are visited in random
// order, and the problem of an example's block is solved on its active competitors,
// exactly by sorting where competitors have columns of their own, as those of a flat SVM have, and
// otherwise by pairwise steps.
//
// An epoch begins with a full pass, which scores all columns, and gives each
// block as active competitors those with a coefficient and the worst others. Passes
// follow that score what the active competitors need alone. They drop competitors that lie below the
// others by more than a tolerance, and blocks that are solved within it, and end when no block
// is left. The certificate after the epoch says how far the tolerance is to be
// reduced for the next.
//
// It fits problems whose examples have one block each: labels against other
// labels, rankings and label sets. BCFW takes the others.
type DualAscent struct{}

const (
	recruits      = 10  // competitors without a coefficient that a full pass makes active
	passes        = 10  // after a full pass, at most
	toleranceRate = 0.3 // tolerance of an epoch, of the mean gap of a block for C = 1
	solveShare    = 0.1 // of the tolerance, to which pairwise steps solve a block
	columnCost    = 4   // what a column scored by itself costs, in those scored with all
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
	rng    *rand.Rand
	weight float64 // sum of C

	order  []int     // blocks to visit
	active [][]int32 // competitors by block
	search structured.Search
	step   *structured.Step
	scores []float64 // of all columns
	some   []float64 // of the columns that the active competitors touch
	ids    []int32
	values []float64
	near   []bool // whether the violation is above the least or within tolerance of it
	sub    *subproblem
}

func newAscent(s *state) *ascent {
	o := s.oracle
	a := &ascent{
		state: s, rng: rand.New(rand.NewPCG(s.settings.Seed, 0)), active: make([][]int32, o.Blocks()),
		search: o.NewSearch(), step: o.NewStep(), scores: make([]float64, s.weights.Width()), sub: newSubproblem(len(o.Columns())),
	}
	for b := range o.Blocks() {
		a.weight += o.C(b)
	}
	return a
}

func (a *ascent) point() *structured.Dual { return a.dual }

// estimate has every epoch certified, as epoch's tolerance needs.
func (a *ascent) estimate() float64 { return 0 }

func (a *ascent) epoch(ctx context.Context) error {
	c := a.certificate
	goal := a.settings.Gap * c.Primal / a.weight
	tolerance := max(toleranceRate*(c.Primal-max(0, c.Dual))/a.weight, goal/2)
	negligible := skipShare * a.settings.Gap * c.Primal / float64(a.oracle.Blocks())
	a.order = a.order[:0]
	for b := range a.oracle.Blocks() {
		if a.gaps[b] > negligible {
			a.order = append(a.order, b)
		}
	}
	for pass := 0; pass <= passes && len(a.order) > 0; pass++ {
		a.rng.Shuffle(len(a.order), func(i, j int) { a.order[i], a.order[j] = a.order[j], a.order[i] })
		left := a.order[:0]
		for k, b := range a.order {
			if k%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if a.visit(b, tolerance, pass == 0) {
				left = append(left, b)
			}
		}
		a.order = left
	}
	return nil
}

// visit solves block b on its active competitors, which it looks for before if
// full. It reports whether the block was not within tolerance.
func (a *ascent) visit(b int, tolerance float64, full bool) bool {
	o, p := a.oracle, a.sub
	i := o.Example(b)
	if full {
		a.weights.Scores(i, a.scores)
		a.recruit(b)
	}
	a.pair(b)
	if len(a.ids) == 0 {
		return false
	}
	p.load(o, b, a.ids, a.values, a.step)
	a.score(b, i, full)
	spread, floor := p.spread(), p.floor()
	a.near = a.near[:0]
	for _, v := range p.violations {
		a.near = append(a.near, v > floor-tolerance)
	}
	if spread > solveShare*tolerance {
		p.solve(o.Inputs().SquaredNorm(i), solveShare*tolerance)
		if p.change(a.step) {
			columns, u := a.step.Take()
			a.weights.Add(i, columns, u)
			a.dual.SetRow(b, p.ids, p.values)
		}
	}
	a.active[b] = a.active[b][:0]
	for k, id := range p.ids {
		if p.values[k] > 0 || a.near[k] {
			a.active[b] = append(a.active[b], id)
		}
	}
	return spread > tolerance
}

// recruit makes the competitors of block b with a coefficient active, and the
// worst of the others.
func (a *ascent) recruit(b int) {
	a.search.Load(b, a.scores)
	ids, values := a.dual.Row(b)
	rest := a.oracle.C(b)
	floor := math.Inf(1)
	for k, id := range ids {
		rest -= values[k]
		floor = min(floor, a.search.Violation(id))
	}
	if rest > roundOff*a.oracle.C(b) {
		floor = min(floor, 0)
	}
	a.active[b] = append(a.active[b][:0], ids...)
	a.active[b] = a.search.Worst(recruits, floor, ids, a.active[b])
}

// pair sets ids to the active competitors of block b and values to their
// coefficients.
func (a *ascent) pair(b int) {
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
}

// score finds the violations of the active competitors, from scores of all
// columns if these are known or hardly cost more.
func (a *ascent) score(b, i int, known bool) {
	columns := a.sub.columns
	a.some = append(a.some[:0], make([]float64, len(columns))...)
	partial, ok := a.weights.(structured.Partial)
	if !known && ok && columnCost*len(columns) < len(a.scores) {
		partial.ScoresAt(i, columns, a.some)
	} else {
		if !known {
			a.weights.Scores(i, a.scores)
		}
		for k, c := range columns {
			a.some[k] = a.scores[c]
		}
	}
	a.sub.score(a.oracle, b, a.some)
}
