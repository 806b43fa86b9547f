package solver

import (
	"context"
	"math/rand/v2"

	"github.com/hierml/notebook/hierml/structured"
)

// Pegasos is stochastic subgradient descent with step size 1/(lambda t)
// (Shalev-Shwartz, Singer and Srebro 2007) for lambda = 1/(C N), with the
// examples in a new random order every epoch and the average of the iterates
// weighted by t (Lacoste-Julien, Schmidt and Bach 2012).
//
// The iterate after step t is C N/t times the sum of the subgradients so far, so
// the solver adds subgradients to one matrix and keeps the scale apart: a step
// costs one pass over the nodes for the scores and the nodes of two paths for
// the update.
//
// Its certificate rests on the same identity: each subgradient is
// r_i(y) (Lambda(y_i)-Lambda(y)) (x) x_i for the competitor y that it picked, so
// the weighted average is W(a) for coefficients a that count the picks, step s
// of T with weight 2 C N (T-s+1)/(T (T+1)). These sum to C for an example on
// average, and to at most C (1+1/E) after E epochs; where the sum is above C it
// is scaled down to C, which makes a feasible. Primal and dual values are those
// of a, and the weights returned are W(a).
//
// The gap falls like 1/E with the number E of epochs. The zero value is ready to
// use.
type Pegasos struct {
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

// Solve solves the problem. If ctx ends or Progress returns an error before,
// Solve returns that error and the best result so far, with the certificate of
// its weights. Other errors come without a result.
func (p Pegasos) Solve(ctx context.Context, problem *structured.Problem) (*Result, error) {
	set, err := newSettings(p.Gap, p.MaxEpochs, p.Workers, p.Progress)
	if err != nil {
		return nil, err
	}
	o, err := problem.Compile()
	if err != nil {
		return nil, err
	}
	s := newState(o)
	return run(ctx, set, s, newSubgradients(s, p.Seed))
}

// pick is how often and when a competitor gave the subgradient of an example.
type pick struct {
	leaf  int32
	count int
	steps float64 // sum of the steps at which it did
}

// subgradients is the state of Pegasos.
type subgradients struct {
	*state
	rng   *rand.Rand
	sum   *structured.Weights // of the subgradients
	steps int
	picks [][]pick // by example
	dual  *structured.Dual

	order      []int
	scorer     *structured.Scorer
	step       *structured.Step
	violations []float64
	leaves     []int32
	values     []float64
}

func newSubgradients(s *state, seed uint64) *subgradients {
	o := s.oracle
	g := &subgradients{
		state: s, rng: rand.New(rand.NewPCG(seed, 0)), sum: o.NewWeights(), picks: make([][]pick, o.Len()), dual: o.NewDual(),
		order: make([]int, o.Len()), step: o.NewStep(), violations: make([]float64, o.Leaves()),
	}
	g.scorer = structured.NewScorer(o.Attributes(), g.sum)
	for i := range g.order {
		g.order[i] = i
	}
	return g
}

func (g *subgradients) epoch(ctx context.Context) error {
	o := g.oracle
	scale := o.C() * float64(o.Len())
	g.rng.Shuffle(len(g.order), func(i, j int) { g.order[i], g.order[j] = g.order[j], g.order[i] })
	for k, i := range g.order {
		if k%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		o.Violations(g.scorer, scale/float64(max(g.steps, 1)), i, g.violations)
		g.steps++
		t := o.Label(i)
		y := t
		for z, v := range g.violations {
			if v > g.violations[y] {
				y = int32(z)
			}
		}
		if y != t {
			g.step.Add(i, y, 1)
			g.step.Apply(i, g.sum)
			g.count(i, y)
		}
	}
	return nil
}

// count notes that y was picked for example i in the current step.
func (g *subgradients) count(i int, y int32) {
	for k := range g.picks[i] {
		if p := &g.picks[i][k]; p.leaf == y {
			p.count++
			p.steps += float64(g.steps)
			return
		}
	}
	g.picks[i] = append(g.picks[i], pick{leaf: y, count: 1, steps: float64(g.steps)})
}

// point returns the coefficients of the weighted average.
func (g *subgradients) point() *structured.Dual {
	c := g.oracle.C()
	t := float64(g.steps)
	unit := 2 * c * float64(g.oracle.Len()) / (t * (t + 1))
	for i, picks := range g.picks {
		g.leaves, g.values = g.leaves[:0], g.values[:0]
		var sum float64
		for _, p := range picks {
			v := unit * ((t+1)*float64(p.count) - p.steps)
			g.leaves, g.values = append(g.leaves, p.leaf), append(g.values, v)
			sum += v
		}
		if sum > c {
			for k := range g.values {
				g.values[k] *= c / sum
			}
		}
		g.dual.SetRow(i, g.leaves, g.values)
	}
	return g.dual
}
