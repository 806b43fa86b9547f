package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// solve runs one of the solvers with the given settings.
type solve func(ctx context.Context, p *structured.Problem, s BCFW) (*Result, error)

var solvers = map[string]solve{
	"BCFW": func(ctx context.Context, p *structured.Problem, s BCFW) (*Result, error) {
		return s.Solve(ctx, p)
	},
	"Pegasos": func(ctx context.Context, p *structured.Problem, s BCFW) (*Result, error) {
		return Pegasos(s).Solve(ctx, p)
	},
}

func problem(d *dataset.Dataset, a *structured.Attributes, l loss.Loss, c float64) *structured.Problem {
	y := make([]int, len(d.Labels))
	for i, set := range d.Labels {
		y[i] = set[0]
	}
	return &structured.Problem{X: d.X, Y: y, Attributes: a, Loss: l, C: c}
}

func problems(t *testing.T) map[string]*structured.Problem {
	t.Helper()
	tree, graph, two := example.Tree(2, 3), example.Graph(20, 3), example.Tree(2)
	norm := problem(example.Dense(tree, 40, 4, 6), structured.Ancestors(tree), loss.Symdiff(tree), 2)
	norm.Rescaling = structured.Norm
	texts := example.Tree(3, 4)
	empty := example.Dense(two, 12, 2, 5)
	empty.X = &dataset.Matrix{Rows: 12, Cols: 2, Indptr: make([]int, 13)}
	same := example.Dense(tree, 20, 3, 9)
	for i := range same.Labels {
		same.Labels[i] = tree.Leaves()[1:2]
	}
	return map[string]*structured.Problem{
		"flat":            problem(example.Dense(tree, 40, 4, 1), structured.Flat(tree), loss.ZeroOne(), 1),
		"tree":            problem(example.Dense(tree, 40, 4, 2), structured.Ancestors(tree), loss.Symdiff(tree), 0.3),
		"DAG":             problem(example.Dense(graph, 50, 5, 3), structured.Ancestors(graph), loss.Tree(graph), 5),
		"norm rescaling":  norm,
		"texts":           problem(example.Texts(texts, 400, 300, 15, 1), structured.Ancestors(texts), loss.Half(texts), 1),
		"empty instances": problem(empty, structured.Flat(two), loss.ZeroOne(), 1),
		"one class seen":  problem(same, structured.Ancestors(tree), loss.Symdiff(tree), 1),
		"one leaf":        problem(example.Dense(example.Tree(1, 1), 5, 2, 1), structured.Ancestors(example.Tree(1, 1)), loss.ZeroOne(), 1),
	}
}

// primal evaluates the objective at weights from its definition.
func primal(t *testing.T, p *structured.Problem, w *structured.Weights) float64 {
	t.Helper()
	o, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var value float64
	for n := range p.Attributes.Taxonomy().Len() {
		for _, v := range w.Node(n) {
			value += v * v / 2
		}
	}
	s, v := structured.NewScorer(p.Attributes, w), make([]float64, o.Leaves())
	for i := range o.Len() {
		o.Violations(s, 1, i, v)
		value += p.C * slices.Max(v)
	}
	return value
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestSolversAgreeAndCertify(t *testing.T) {
	ctx := context.Background()
	for name, p := range problems(t) {
		exact, err := BCFW{Gap: 1e-6, MaxEpochs: 20000}.Solve(ctx, p)
		if err != nil || exact.Status != Converged {
			t.Fatalf("%s: %v, %v", name, exact, err)
		}
		for solver, solve := range solvers {
			t.Run(name+"/"+solver, func(t *testing.T) {
				r, err := solve(ctx, p, BCFW{Gap: 2e-2, MaxEpochs: 3000, Seed: 3})
				if err != nil || r.Status != Converged || r.Gap > 2e-2 {
					t.Fatalf("%v, %v", r, err)
				}
				if got := primal(t, p, r.Weights); !near(got, r.Primal, 1e-10) {
					t.Errorf("the weights have primal value %v, the result says %v", got, r.Primal)
				}
				const rounding = 1e-6
				before := Progress{Primal: math.Inf(1), Dual: math.Inf(-1)}
				for k, h := range r.History {
					if h.Epoch != k+1 || h.Primal > before.Primal || h.Dual < before.Dual {
						t.Errorf("%v comes after %v", h, before)
					}
					if h.Primal < exact.Dual*(1-rounding) || h.Dual > exact.Primal*(1+rounding) {
						t.Errorf("%v; the optimum lies between %v and %v", h, exact.Dual, exact.Primal)
					}
					before = h
				}
				if len(r.History) != r.Epochs {
					t.Errorf("%d epochs in the history of %d", len(r.History), r.Epochs)
				}
			})
		}
	}
}

func TestDualPointsAreFeasible(t *testing.T) {
	for name, p := range problems(t) {
		o, err := p.Compile()
		if err != nil {
			t.Fatal(err)
		}
		s, u := newState(o), newState(o)
		for kind, m := range map[string]method{"BCFW": newBlocks(s, 1e-9, 1), "Pegasos": newSubgradients(u, 1)} {
			st := s
			if kind == "Pegasos" {
				st = u
			}
			for range 7 {
				if err := m.epoch(context.Background()); err != nil {
					t.Fatal(err)
				}
				d := m.point()
				for i := range o.Len() {
					leaves, values := d.Row(i)
					var sum float64
					for k, v := range values {
						if v < 0 || leaves[k] == o.Label(i) {
							t.Fatalf("%s, %s: example %d has coefficient %v at leaf %d", name, kind, i, v, leaves[k])
						}
						if slices.Contains(leaves[:k], leaves[k]) {
							t.Fatalf("%s, %s: example %d has two coefficients at leaf %d", name, kind, i, leaves[k])
						}
						sum += v
					}
					if sum > o.C()*(1+1e-12) {
						t.Fatalf("%s, %s: coefficients of example %d add up to %v, C is %v", name, kind, i, sum, o.C())
					}
				}
				if st.certificate, err = o.Certify(context.Background(), d, st.weights, st.gaps, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestSeedDecidesAndWorkersDoNot(t *testing.T) {
	tree := example.Tree(3, 4)
	p := problem(example.Texts(tree, 500, 300, 15, 1), structured.Ancestors(tree), loss.Symdiff(tree), 1)
	for name, solve := range solvers {
		run := func(seed uint64, workers int) *Result {
			r, err := solve(context.Background(), p, BCFW{MaxEpochs: 4, Seed: seed, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		first := run(1, 1)
		for _, workers := range []int{1, 2, 3, 0} {
			r := run(1, workers)
			if r.Primal != first.Primal || r.Dual != first.Dual || !slices.Equal(r.Weights.Data, first.Weights.Data) {
				t.Errorf("%s: %d workers reach %v, one %v", name, workers, r, first)
			}
		}
		if r := run(2, 1); slices.Equal(r.Weights.Data, first.Weights.Data) {
			t.Errorf("%s: two seeds give the same weights", name)
		}
	}
}

func TestEarlyEndsKeepTheBest(t *testing.T) {
	tree := example.Tree(3, 4)
	p := problem(example.Texts(tree, 500, 300, 15, 1), structured.Ancestors(tree), loss.Symdiff(tree), 1)
	enough := errors.New("enough")
	for name, solve := range solvers {
		for _, c := range []struct {
			end    string
			status Status
			cause  error
		}{{"cancel", Cancelled, context.Canceled}, {"error", Stopped, enough}, {"deadline", TimeLimit, context.DeadlineExceeded}, {"epochs", MaxEpochs, nil}} {
			t.Run(name+"/"+c.end, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				if c.end == "deadline" {
					ctx, cancel = context.WithTimeout(context.Background(), 300*time.Millisecond)
				}
				defer cancel()
				s := BCFW{Gap: 1e-12, Progress: func(p Progress) error {
					if p.Epoch == 3 && c.end == "cancel" {
						cancel()
					}
					if p.Epoch == 3 && c.end == "error" {
						return enough
					}
					if c.end == "deadline" {
						<-ctx.Done()
					}
					return nil
				}}
				if c.end == "epochs" {
					s.MaxEpochs = 3
				}
				r, err := solve(ctx, p, s)
				if r == nil || r.Status != c.status || !errors.Is(err, c.cause) {
					t.Fatalf("%v, %v; want status %v and error %v", r, err, c.status, c.cause)
				}
				if r.Epochs != len(r.History) || c.end != "deadline" && r.Epochs != 3 {
					t.Errorf("%d epochs", r.Epochs)
				}
				if got := primal(t, p, r.Weights); !near(got, r.Primal, 1e-10) {
					t.Errorf("the weights have primal value %v, the result says %v", got, r.Primal)
				}
				last := r.History[len(r.History)-1]
				if r.Primal != last.Primal || r.Dual != last.Dual || r.Gap != last.Gap || r.Gap <= 0 || r.Gap >= 1 {
					t.Errorf("result %v after %v", r, last)
				}
			})
		}
	}
}

func TestCancelledBeforeTheFirstEpoch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := problems(t)["tree"]
	for name, solve := range solvers {
		r, err := solve(ctx, p, BCFW{})
		if !errors.Is(err, context.Canceled) || r == nil {
			t.Fatalf("%s: %v, %v", name, r, err)
		}
		if got := primal(t, p, r.Weights); !near(got, r.Primal, 1e-12) || r.Dual != 0 || r.Gap != 1 || r.Epochs != 0 {
			t.Errorf("%s: %v, and the weights have primal value %v", name, r, got)
		}
	}
}

func TestSolversRefuse(t *testing.T) {
	p := problems(t)["tree"]
	for name, solve := range solvers {
		for says, s := range map[string]BCFW{
			"Gap is NaN": {Gap: math.NaN()}, "Gap is -1": {Gap: -1}, "MaxEpochs is -1": {MaxEpochs: -1}, "Workers is -2": {Workers: -2},
		} {
			if r, err := solve(context.Background(), p, s); r != nil || err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, %v; want an error that says %q", name, r, err, says)
			}
		}
		if r, err := solve(context.Background(), &structured.Problem{}, BCFW{}); r != nil || err == nil {
			t.Errorf("%s: an empty problem gives %v, %v", name, r, err)
		}
	}
}

func TestVisitsDoNotAllocate(t *testing.T) {
	tree := example.Tree(3, 4)
	o, err := problem(example.Texts(tree, 300, 300, 15, 1), structured.Ancestors(tree), loss.Symdiff(tree), 1).Compile()
	if err != nil {
		t.Fatal(err)
	}
	b := newBlocks(newState(o), 1e-9, 1)
	g := newSubgradients(newState(o), 1)
	for range 30 { // lists of competitors reach their sizes
		if err := errors.Join(b.epoch(context.Background()), g.epoch(context.Background())); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	if n := testing.AllocsPerRun(200, func() { b.visit(i); i++ }); n > 0 {
		t.Errorf("%v allocations a visit", n)
	}
}

func TestWorstLeaves(t *testing.T) {
	values := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9}
	got := worstLeaves(values, 2, nil)
	if want := []int32{5, 12, 14, 11, 13, 7, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("worst leaves %v, want %v", got, want)
	}
	if got := worstLeaves(values, 9, nil); len(got) != 0 {
		t.Errorf("leaves %v above the largest value", got)
	}
}

func ExampleBCFW_Solve() {
	t, err := taxonomy.New([]string{"all", "cat", "dog"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := BCFW{Gap: 1e-6}.Solve(context.Background(), &structured.Problem{
		X:          &dataset.Matrix{Rows: 2, Cols: 2, Indptr: []int{0, 1, 2}, Indices: []int32{0, 1}, Values: []float32{1, 1}},
		Y:          []int{1, 2},
		Attributes: structured.Ancestors(t),
		Loss:       loss.ZeroOne(),
		C:          10,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, primal %.4f, dual %.4f\n", result.Status, result.Primal, result.Dual)
	fmt.Println("cat", result.Weights.Node(1), "dog", result.Weights.Node(2))
	// Output:
	// converged, primal 0.5000, dual 0.5000
	// cat [0.5 -0.5] dog [-0.5 0.5]
}

// script is a method that visits given points.
type script struct {
	points []*structured.Dual
	at     int
}

func (s *script) epoch(context.Context) error { s.at++; return nil }

func (s *script) point() *structured.Dual { return s.points[s.at-1] }

func TestWorsePointsAreNotReturned(t *testing.T) {
	p := problems(t)["tree"]
	o, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	b := newBlocks(newState(o), 1e-9, 1)
	for range 5 {
		if err := b.epoch(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	set, err := newSettings(1e-9, 3, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	good, err := run(context.Background(), settings{gap: 1e-9, maxEpochs: 1}, newState(o), &script{points: []*structured.Dual{b.dual}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := run(context.Background(), set, newState(o), &script{points: []*structured.Dual{o.NewDual(), b.dual, o.NewDual()}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Primal != good.Primal || r.Dual != good.Dual || !slices.Equal(r.Weights.Data, good.Weights.Data) {
		t.Errorf("%v with a worse point at the end, %v without", r, good)
	}
}

func TestPairwiseStepIsExact(t *testing.T) {
	// The true leaf and one competitor, violation 1 and squared distance 3 times
	// ||x||^2 = 2: the optimum 1/6 is inside, and is cut off by C = 1/10. With a
	// second competitor the step from the first to it crosses their product.
	for _, c := range []struct {
		c          float64
		values     []float64
		violations []float64
		products   [3][3]float64
		want       []float64
	}{
		{1, []float64{1, 0, 0}, []float64{0, 1, -1}, [3][3]float64{1: {1: 3}}, []float64{5. / 6, 1. / 6, 0}},
		{0.1, []float64{0.1, 0, 0}, []float64{0, 1, -1}, [3][3]float64{1: {1: 3}}, []float64{0, 0.1, 0}},
		{1, []float64{0, 1, 0}, []float64{0, 1, 2}, [3][3]float64{1: {1: 3, 2: 2}, 2: {1: 2, 2: 3}}, []float64{0, 0.75, 0.25}},
	} {
		var s workingSet
		s.reset()
		for k := range c.values {
			s.add(int32(k), c.values[k], c.violations[k])
		}
		s.allot()
		for k := range 3 {
			for l := range k + 1 {
				s.setProduct(k, l, c.products[k][l])
			}
		}
		if !s.solve(2) {
			t.Error("nothing changed")
		}
		for k, want := range c.want {
			if math.Abs(s.values[k]-want) > 1e-12 {
				t.Errorf("C %v: coefficients %v, want %v", c.c, s.values, c.want)
				break
			}
		}
	}
}
