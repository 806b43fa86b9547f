package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
)

// After solve no competitor is better than one that could give way to it.
func TestSubproblemIsSolved(t *testing.T) {
	tree := example.Tree(3, 4)
	d := example.Dense(tree, 60, 4, 1)
	for name, c := range map[string]struct {
		problem  *structured.Problem
		separate bool
	}{
		"flat":         {problem(d, structured.Flat(tree), loss.Symdiff(tree), 0.5), true},
		"hierarchical": {problem(d, structured.Ancestors(tree), loss.Symdiff(tree), 0.5), false},
		"slack":        {rescaled(d, structured.Ancestors(tree), loss.Symdiff(tree), structured.Slack, 0.2), false},
	} {
		o, err := c.problem.Compile()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		p, step := newSubproblem(len(o.Columns())), o.NewStep()
		for b := range o.Blocks() {
			var ids []int32
			var values, violations []float64
			left := o.C(b)
			for id := range int32(12) {
				if id == o.Competitors.(*structured.Labels).Label(b) || rng.IntN(4) == 0 {
					continue
				}
				v := 0.0
				if rng.IntN(2) == 0 {
					v = left * rng.Float64()
					left -= v
				}
				ids, values = append(ids, id), append(values, v)
				violations = append(violations, rng.NormFloat64()*math.Exp(rng.NormFloat64()))
			}
			a := o.Inputs().SquaredNorm(b) * math.Exp(2*rng.NormFloat64())
			p.load(o, b, ids, values, step)
			p.violations = append(p.violations[:0], violations...)
			if p.separate() != c.separate {
				t.Fatalf("%s: separate is %v", name, p.separate())
			}
			p.solve(a, 1e-9)
			sum := 0.0
			for k := range ids {
				sum += p.values[k]
				if p.values[k] < 0 {
					t.Fatalf("%s, block %d: coefficient %v", name, b, p.values[k])
				}
				v := violations[k]
				for l := range ids {
					v -= a * o.Product(b, ids[k], ids[l]) * (p.values[l] - values[l])
				}
				p.violations[k] = v
			}
			if sum > o.C(b)*(1+1e-12) {
				t.Fatalf("%s, block %d: coefficients add up to %v of %v", name, b, sum, o.C(b))
			}
			if s := p.spread(); s > 1e-8 {
				t.Errorf("%s, block %d: the violations differ by %v: %v with %v", name, b, s, p.violations, p.values)
			}
		}
	}
}

func TestDualAscentRefusesSeveralBlocks(t *testing.T) {
	p := problems(t)["tree"]
	p = &structured.Problem{Inputs: p.Inputs, Columns: p.Columns, Competitors: twice{p.Competitors}}
	if _, err := Solve(context.Background(), p, nil, DualAscent{}); err == nil || !strings.Contains(err.Error(), "one block an example") {
		t.Errorf("error %v", err)
	}
}

// twice has every block for the first example and again for the others.
type twice struct{ structured.Competitors }

func (twice) Example(b int) int { return b / 2 }

func TestPassesDoNotAllocate(t *testing.T) {
	tree := example.Tree(3, 4)
	for name, a := range map[string]*structured.Attributes{"flat": structured.Flat(tree), "hierarchical": structured.Ancestors(tree)} {
		o, err := problem(example.Texts(tree, 300, 300, 15, 1), a, loss.Symdiff(tree), 1).Compile()
		if err != nil {
			t.Fatal(err)
		}
		b := newAscent(newState(context.Background(), o, Settings{Gap: 1e-9}))
		for range 30 { // lists of competitors reach their sizes
			if err := workAll(b); err != nil {
				t.Fatal(err)
			}
		}
		i, blocks := 0, make([]int, 1)
		if n := testing.AllocsPerRun(200, func() {
			blocks[0] = i
			b.visit(context.Background(), blocks, false)
			b.visit(context.Background(), blocks, true)
			i++
		}); n > 0 {
			t.Errorf("%s: %v allocations a visit", name, n)
		}
	}
}

// countingBatch counts how often some columns were scored by themselves.
type countingBatch struct {
	structured.Batch
	calls *int
}

func (b countingBatch) ScoresAt(columns [][]int32, dst [][]float64, workers int) {
	*b.calls += len(columns)
	b.Batch.ScoresAt(columns, dst, workers)
}

// Where there are many columns, passes score some of them alone, and get to the same optimum.
func TestFewColumnsAreScoredAlone(t *testing.T) {
	tree := example.Tree(300)
	wide := problem(example.Texts(tree, 400, 300, 15, 1), structured.Flat(tree), loss.ZeroOne(), 1)
	kernel := nonlinear(example.Dense(tree, 100, 4, 7), structured.Flat(tree), loss.ZeroOne(), 1)
	for name, p := range map[string]*structured.Problem{"linear": wide, "kernel": kernel} {
		for _, gap := range []float64{1e-3, 1e-6} { // weights in float32 and float64
			set := Settings{Gap: gap, MaxEpochs: 500}
			exact, err := Solve(context.Background(), p, &set, nil)
			if err != nil {
				t.Fatal(err)
			}
			o, err := p.Compile()
			if err != nil {
				t.Fatal(err)
			}
			a := newAscent(newState(context.Background(), o, set))
			calls := 0
			a.batch = countingBatch{a.batch, &calls}
			r, err := run(context.Background(), a.state, a)
			if err != nil || r.Status != Converged || r.Dual > exact.Primal*(1+1e-6) || r.Primal < exact.Dual*(1-1e-6) {
				t.Errorf("%s: %v, %v; want what %v is", name, r, err, exact)
			}
			if calls == 0 {
				t.Errorf("%s: no columns were scored alone", name)
			}
		}
	}
}

// Where there are so many columns that weights have 16 bits, both methods reach the optimum,
// whatever the number of workers.
func TestManyColumns(t *testing.T) {
	tree := example.Tree(90, 100)
	x := example.Texts(tree, 100, 150, 15, 1)
	for name, a := range map[string]*structured.Attributes{"flat": structured.Flat(tree), "hierarchical": structured.Ancestors(tree)} {
		p := problem(x, a, loss.ZeroOne(), 1)
		exact, err := Solve(context.Background(), p, &Settings{Gap: 1e-6}, nil) // weights in float64
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []Method{BCFW{}, DualAscent{}} {
			var first *Result
			for _, workers := range []int{1, 3} {
				r, err := Solve(context.Background(), p, &Settings{Gap: halfGap, Workers: workers}, m)
				if r != nil && r.Weights.Data != nil {
					t.Fatalf("%v do not have 16 bits", r.Weights)
				}
				if err != nil || r.Status != Converged {
					t.Fatalf("%s by %T: %v, %v", name, m, r, err)
				}
				if r.Dual > exact.Primal || r.Primal < exact.Dual {
					t.Errorf("%s by %T: %v; want what %v is", name, m, r, exact)
				}
				if first == nil {
					first = r
					continue
				}
				if r.Primal != first.Primal || r.Dual != first.Dual || r.Epochs != first.Epochs {
					t.Errorf("%s by %T: %v by %d workers, %v by one", name, m, r, workers, first)
				}
			}
		}
	}
}
