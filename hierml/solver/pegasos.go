package solver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/hierml/notebook/hierml/structured"
)

// Pegasos is stochastic subgradient descent with step size 1/t in the scale of package structured,
// which is 1/(lambda t) for lambda = 1/(C N) in that of the paper [SSS07], with the blocks in a new
// random order every epoch and the average of the iterates weighted by t [LSB12].
//
// With S steps an epoch, the iterate after step t is S/t times the sum of C_b times the directions
// picked so far. The solver adds those to one matrix and keeps the scale apart: a step costs one
// pass over the columns for the scores and the columns of one direction for the update.
//
// Its certificate uses the same identity: the weighted average is W(a) for coefficients a that
// count the picks, step s of T with weight 2 C_b S (T-s+1)/(T (T+1)). These sum to C_b for a block
// on average, and to at most C_b (1+1/E) after E epochs; where the sum is above C_b it is scaled
// down to C_b, which makes a feasible. Primal and dual values are those of a, and the weights
// returned are W(a).
//
// The gap falls like 1/E with the number E of epochs. It fits every problem; it always starts from
// zero weights. The zero value is ready to use.
type Pegasos struct {
	// Batch is the number of blocks whose subgradients, at the same weights, make one step. The
	// default value is 1.
	Batch int
}

func (p Pegasos) start(s *state) (iteration, error) {
	if p.Batch < 0 {
		return nil, fmt.Errorf("solver: Batch is %d; it must be a number of blocks, or 0 for 1", p.Batch)
	}
	return newSubgradients(s, max(1, min(p.Batch, s.oracle.Blocks()))), nil
}

func (Pegasos) errStart() error {
	return errors.New("solver: Pegasos counts its steps from zero weights and cannot start from a result or a checkpoint; leave Start nil and Checkpoint empty, or use BCFW")
}

// pick records how often and when a competitor gave the subgradient of a block.
type pick struct {
	id    int32
	count int
	steps float64 // sum of the steps at which it did
}

// subgradients is the state of Pegasos.
type subgradients struct {
	*state
	batch int
	rng   *rand.Rand
	sum   structured.State // of the subgradients
	steps int
	picks [][]pick // by block

	order  []int
	search structured.Search
	step   *structured.Step
	scores []float64
	found  []int32
	worst  []int32 // of the batch, -1 for none
	ids    []int32
	values []float64
}

func newSubgradients(s *state, batch int) *subgradients {
	o := s.oracle
	g := &subgradients{
		state: s, batch: batch, rng: rand.New(rand.NewPCG(s.settings.Seed, 0)), sum: o.NewState(s.settings.precision(false)), picks: make([][]pick, o.Blocks()),
		order: make([]int, o.Blocks()), search: o.NewSearch(), step: o.NewStep(), scores: make([]float64, s.weights.Width()),
	}
	for b := range g.order {
		g.order[b] = b
	}
	return g
}

func (g *subgradients) epoch(context.Context) parts {
	return func(yield func(float64, error) bool) {
		g.rng.Shuffle(len(g.order), func(i, j int) { g.order[i], g.order[j] = g.order[j], g.order[i] })
		for at := 0; at < len(g.order); at += g.batch {
			next := min(at+g.batch, len(g.order))
			g.descend(g.order[at:next])
			if !yield(float64(next)/float64(len(g.order)), nil) {
				return
			}
		}
	}
}

// perEpoch is the number of steps in an epoch, and the factor by which the sum over a batch
// estimates that over all blocks.
func (g *subgradients) perEpoch() float64 {
	return float64((g.oracle.Blocks() + g.batch - 1) / g.batch)
}

// descend takes one step with the subgradients of some blocks.
func (g *subgradients) descend(batch []int) {
	o := g.oracle
	scale := g.perEpoch() / float64(max(g.steps, 1))
	g.steps++
	g.worst = g.worst[:0]
	for _, b := range batch {
		g.sum.Scores(o.Example(b), g.scores)
		for c := range g.scores {
			g.scores[c] *= scale
		}
		g.search.Load(b, g.scores)
		g.found = g.search.Worst(1, 0, nil, g.found[:0])
		if len(g.found) == 0 {
			g.worst = append(g.worst, -1)
		} else {
			g.worst = append(g.worst, g.found[0])
		}
	}
	for k, b := range batch {
		if id := g.worst[k]; id >= 0 {
			o.Direct(b, id, o.C(b), g.step)
			columns, u := g.step.Take()
			g.sum.Add(o.Example(b), columns, u)
			g.count(b, id)
		}
	}
}

// estimate returns none: the steps do not give the gap of the average.
func (g *subgradients) estimate() float64 { return 0 }

// count records that a competitor was picked for block b in the current step.
func (g *subgradients) count(b int, id int32) {
	for k := range g.picks[b] {
		if p := &g.picks[b][k]; p.id == id {
			p.count++
			p.steps += float64(g.steps)
			return
		}
	}
	g.picks[b] = append(g.picks[b], pick{id: id, count: 1, steps: float64(g.steps)})
}

// point returns the coefficients of the weighted average.
func (g *subgradients) point() *structured.Dual {
	t := float64(g.steps)
	unit := 2 * g.perEpoch() / (t * (t + 1))
	for b, picks := range g.picks {
		c := g.oracle.C(b)
		g.ids, g.values = g.ids[:0], g.values[:0]
		var sum float64
		for _, p := range picks {
			v := c * unit * ((t+1)*float64(p.count) - p.steps)
			g.ids, g.values = append(g.ids, p.id), append(g.values, v)
			sum += v
		}
		if sum > c {
			for k := range g.values {
				g.values[k] *= c / sum
			}
		}
		g.dual.SetRow(b, g.ids, g.values)
	}
	return g.dual
}
