package solver

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/hierml/notebook/hierml/structured"
)

// BCFW is block-coordinate Frank-Wolfe in the dual (Lacoste-Julien, Jaggi,
// Schmidt and Pletscher 2013) with pairwise steps and exact line search. A block
// is an example. A visit scores all leaves once, takes the worst competitors
// and those that have a coefficient as a working set, solves the block's
// problem on it with steps that cost one pass over the working set each, and
// adds the sum of the steps to the weights.
//
// After an epoch the weights are rebuilt from the dual in float64 and certified;
// examples whose own gap is negligible then are not visited in the next epoch.
//
// The zero value is ready to use.
type BCFW struct {
	// Gap is the relative duality gap at which to stop. The default value is 1e-3.
	Gap float64
	// MaxEpochs bounds the passes over the examples. The default value is 1000.
	MaxEpochs int
	// Seed determines the order of the examples.
	Seed uint64
	// Workers is the number of goroutines of the certificate; the result does not
	// depend on it. The default value is the number of processors.
	Workers int
	// Progress, if not nil, is called after every epoch. An error stops the solver.
	Progress func(Progress) error
}

const (
	innerSteps = 20    // pairwise steps a visit, at most
	newcomers  = 8     // competitors without a coefficient that join a working set
	innerShare = 0.02  // share of a block's violation at which a visit ends
	roundOff   = 1e-14 // share of C that is no more than rounding
	skipShare  = 0.1   // share of the gap asked for that skipped examples may have together
)

// Solve solves the problem. If ctx ends or Progress returns an error before,
// Solve returns that error and the best result so far, with the certificate of
// its weights. Other errors come without a result.
func (b BCFW) Solve(ctx context.Context, p *structured.Problem) (*Result, error) {
	set, err := newSettings(b.Gap, b.MaxEpochs, b.Workers, b.Progress)
	if err != nil {
		return nil, err
	}
	o, err := p.Compile()
	if err != nil {
		return nil, err
	}
	s := newState(o)
	return run(ctx, set, s, newBlocks(s, set.gap, b.Seed))
}

// blocks is the state of BCFW.
type blocks struct {
	*state
	gap  float64 // asked for
	rng  *rand.Rand
	dual *structured.Dual

	order      []int
	scorer     *structured.Scorer
	step       *structured.Step
	violations []float64
	worst      []int32 // newcomers of the visit
	set        workingSet
}

func newBlocks(s *state, gap float64, seed uint64) *blocks {
	o := s.oracle
	b := &blocks{
		state: s, gap: gap, rng: rand.New(rand.NewPCG(seed, 0)), dual: o.NewDual(),
		scorer: structured.NewScorer(o.Attributes(), s.weights), step: o.NewStep(),
		violations: make([]float64, o.Leaves()), worst: make([]int32, 0, newcomers+1),
	}
	return b
}

func (b *blocks) point() *structured.Dual { return b.dual }

func (b *blocks) epoch(ctx context.Context) error {
	negligible := skipShare * b.gap * b.certificate.Primal / float64(b.oracle.Len())
	b.order = b.order[:0]
	for i, g := range b.gaps {
		if g > negligible {
			b.order = append(b.order, i)
		}
	}
	b.rng.Shuffle(len(b.order), func(i, j int) { b.order[i], b.order[j] = b.order[j], b.order[i] })
	for k, i := range b.order {
		if k%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b.visit(i)
	}
	return nil
}

// visit improves the block of example i.
func (b *blocks) visit(i int) {
	o := b.oracle
	b.oracle.Violations(b.scorer, 1, i, b.violations)
	b.fill(i)
	if !b.set.solve(o.SquaredNorm(i)) {
		return
	}
	for k, y := range b.set.leaves {
		if change := b.set.values[k] - b.set.before[k]; change != 0 && k > 0 {
			b.step.Add(i, y, change)
		}
	}
	b.step.Apply(i, b.weights)
	b.dual.SetRow(i, b.set.leaves[1:], b.set.values[1:])
}

// fill makes the working set of example i: the true leaf, which stands for the
// part of C that no competitor has, the competitors with a coefficient, and the
// worst of the others.
func (b *blocks) fill(i int) {
	s, t := &b.set, b.oracle.Label(i)
	leaves, values := b.dual.Row(i)
	s.reset()
	rest := b.oracle.C()
	for _, v := range values {
		rest -= v
	}
	floor := 0.0 // smallest violation of a leaf with a coefficient
	if rest < roundOff*b.oracle.C() {
		rest, floor = 0, math.Inf(1)
	}
	s.add(t, rest, 0)
	for k, y := range leaves {
		v := b.violations[y]
		s.add(y, values[k], v)
		floor = min(floor, v)
	}
	for _, y := range leaves {
		b.violations[y] = floor // taken
	}
	b.worst = worstLeaves(b.violations, floor, b.worst[:0])
	for _, y := range b.worst {
		if y != t {
			s.add(y, 0, b.violations[y])
		}
	}
	s.allot()
	for k := range s.leaves {
		for l := range k + 1 {
			s.setProduct(k, l, b.oracle.Product(i, s.leaves[k], s.leaves[l]))
		}
	}
}

// worstLeaves appends the leaves with the largest values above floor, at most
// as many as newcomers, the worst first.
func worstLeaves(values []float64, floor float64, worst []int32) []int32 {
	for y, v := range values {
		if v <= floor {
			continue
		}
		at := len(worst)
		worst = append(worst, int32(y))
		for at > 0 && values[worst[at-1]] < v {
			worst[at] = worst[at-1]
			at--
		}
		worst[at] = int32(y)
		if len(worst) > newcomers {
			worst = worst[:newcomers]
			floor = values[worst[newcomers-1]]
		}
	}
	return worst
}
