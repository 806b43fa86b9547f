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

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

var methods = map[string]Method{"BCFW": BCFW{}, "BCFW by samples": BCFW{Sample: true}, "DualAscent": DualAscent{}, "Pegasos": Pegasos{}, "Pegasos in batches": Pegasos{Batch: 7}, "RDA": RDA{}}

func problem(d *dataset.Dataset, a *structured.Attributes, l loss.Loss, c float64) *structured.Problem {
	return rescaled(d, a, l, structured.Margin, c)
}

func rescaled(d *dataset.Dataset, a *structured.Attributes, l loss.Loss, r structured.Rescaling, c float64) *structured.Problem {
	y := make([]int, len(d.Labels))
	for i, set := range d.Labels {
		y[i] = set[0]
	}
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		panic(err)
	}
	labels, err := structured.NewLabels(a, y, l, r, c)
	if err != nil {
		panic(err)
	}
	return &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: labels}
}

// nonlinear returns a problem with the kernel (1 + <x, z>)^2.
func nonlinear(d *dataset.Dataset, a *structured.Attributes, l loss.Loss, c float64) *structured.Problem {
	p := problem(d, a, l, c)
	gram := mat.NewSymDense(p.Inputs.Len(), nil)
	for i := range p.Inputs.Len() {
		for j := i; j < p.Inputs.Len(); j++ {
			v := 1 + p.Inputs.Product(i, j)
			gram.SetSym(i, j, v*v/50)
		}
	}
	inputs, err := structured.NewKernel(gram)
	if err != nil {
		panic(err)
	}
	p.Inputs = inputs
	return p
}

func problems(t *testing.T) map[string]*structured.Problem {
	t.Helper()
	tree, graph, two := example.Tree(2, 3), example.Graph(20, 3), example.Tree(2)
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
		"norm rescaling":  rescaled(example.Dense(tree, 40, 4, 6), structured.Ancestors(tree), loss.Symdiff(tree), structured.Norm, 2),
		"slack rescaling": rescaled(example.Dense(tree, 40, 4, 6), structured.Ancestors(tree), loss.Symdiff(tree), structured.Slack, 0.2),
		"kernel":          nonlinear(example.Dense(tree, 40, 4, 7), structured.Ancestors(tree), loss.Symdiff(tree), 1),
		"texts":           problem(example.Texts(texts, 400, 300, 15, 1), structured.Ancestors(texts), loss.Half(texts), 1),
		"empty instances": problem(empty, structured.Flat(two), loss.ZeroOne(), 1),
		"one class seen":  problem(same, structured.Ancestors(tree), loss.Symdiff(tree), 1),
		"one leaf":        problem(example.Dense(example.Tree(1, 1), 5, 2, 1), structured.Ancestors(example.Tree(1, 1)), loss.ZeroOne(), 1),
	}
}

// primal evaluates the objective at the weights of a result from its definition.
func primal(t *testing.T, p *structured.Problem, r *Result) float64 {
	t.Helper()
	o, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var value float64
	inputs := p.Inputs
	scores := make([][]float64, inputs.Len())
	if r.Weights != nil {
		x := inputs.(*structured.Linear).Matrix()
		nodes := make([][]float64, len(p.Columns))
		for c, n := range p.Columns {
			nodes[c] = r.Weights.Node(n)
			for _, v := range nodes[c] {
				value += v * v / 2
			}
		}
		for i := range scores {
			scores[i] = make([]float64, len(p.Columns))
			features, values := x.Row(i)
			for c, w := range nodes {
				for k, f := range features {
					scores[i][c] += w[f] * float64(values[k])
				}
			}
		}
	} else {
		for i := range scores {
			scores[i] = make([]float64, len(p.Columns))
			for j := range inputs.Len() {
				columns, u := r.Expansion.Rows.Row(j)
				for k, c := range columns {
					scores[i][c] += u[k] * inputs.Product(i, j)
				}
			}
			columns, u := r.Expansion.Rows.Row(i)
			for k, c := range columns {
				value += u[k] * scores[i][c] / 2
			}
		}
	}
	search := o.NewSearch()
	for b := range o.Blocks() {
		value += o.C(b) * search.Load(b, scores[o.Example(b)])
	}
	return value
}

// same tells whether two results have the same weights.
func same(a, b *Result) bool {
	if a.Weights != nil {
		return slices.Equal(a.Weights.Data, b.Weights.Data) && slices.Equal(a.Weights.Wide, b.Weights.Wide)
	}
	return slices.Equal(a.Expansion.Rows.Values, b.Expansion.Rows.Values)
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestSolversAgreeAndCertify(t *testing.T) {
	ctx := context.Background()
	for name, p := range problems(t) {
		exact, err := Solve(ctx, p, &Settings{Gap: 1e-6, MaxEpochs: 20000}, nil)
		if err != nil || exact.Status != Converged {
			t.Fatalf("%s: %v, %v", name, exact, err)
		}
		for name2, method := range methods {
			t.Run(name+"/"+name2, func(t *testing.T) {
				r, err := Solve(ctx, p, &Settings{Gap: 2e-2, MaxEpochs: 3000, Seed: 3}, method)
				if err != nil || r.Status != Converged || r.Gap > 2e-2 {
					t.Fatalf("%v, %v", r, err)
				}
				if got := primal(t, p, r); !near(got, r.Primal, 1e-10) {
					t.Errorf("the weights have primal value %v, the result says %v", got, r.Primal)
				}
				const rounding = 1e-6
				before := Progress{Primal: math.Inf(1), Dual: math.Inf(-1)}
				for k, h := range r.History {
					if h.Epoch != k+1 || h.Primal > before.Primal || h.Dual < before.Dual || h.Estimate < 0 {
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
		for kind, method := range methods {
			st := newState(context.Background(), o, Settings{Gap: 1e-9, Seed: 1})
			m, err := method.start(st)
			if err != nil {
				t.Fatal(err)
			}
			for range 7 {
				if err := workAll(m); err != nil {
					t.Fatal(err)
				}
				d := m.point()
				for i := range o.Blocks() {
					leaves, values := d.Row(i)
					var sum float64
					for k, v := range values {
						if v < 0 || leaves[k] == o.Competitors.(*structured.Labels).Label(i) {
							t.Fatalf("%s, %s: example %d has coefficient %v at leaf %d", name, kind, i, v, leaves[k])
						}
						if slices.Contains(leaves[:k], leaves[k]) {
							t.Fatalf("%s, %s: example %d has two coefficients at leaf %d", name, kind, i, leaves[k])
						}
						sum += v
					}
					if sum > o.C(i)*(1+1e-12) {
						t.Fatalf("%s, %s: coefficients of example %d add up to %v, C is %v", name, kind, i, sum, o.C(i))
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
	for name, method := range methods {
		run := func(seed uint64, workers int) *Result {
			r, err := Solve(context.Background(), p, &Settings{MaxEpochs: 4, Seed: seed, Workers: workers}, method)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		first := run(1, 1)
		for _, workers := range []int{1, 2, 3, 0} {
			r := run(1, workers)
			if r.Primal != first.Primal || r.Dual != first.Dual || !same(r, first) {
				t.Errorf("%s: %d workers reach %v, one %v", name, workers, r, first)
			}
		}
		if r := run(2, 1); same(r, first) != (name == "RDA") { // RDA draws nothing
			t.Errorf("%s: do two seeds give the same weights? %v", name, same(r, first))
		}
	}
}

// A deadline is a context whose deadline passes when the test says so.
type deadline struct {
	context.Context
	passed chan struct{}
}

func (d deadline) Done() <-chan struct{} { return d.passed }

func (d deadline) Err() error {
	select {
	case <-d.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestEarlyEndsKeepTheBest(t *testing.T) {
	tree := example.Tree(3, 4)
	p := problem(example.Texts(tree, 500, 300, 15, 1), structured.Ancestors(tree), loss.Symdiff(tree), 1)
	enough := errors.New("enough")
	for name, method := range methods {
		for _, c := range []struct {
			end    string
			status Status
			cause  error
		}{{"cancel", Cancelled, context.Canceled}, {"error", Stopped, enough}, {"deadline", TimeLimit, context.DeadlineExceeded}, {"epochs", MaxEpochs, nil}} {
			t.Run(name+"/"+c.end, func(t *testing.T) {
				cancelled, cancel := context.WithCancel(context.Background())
				defer cancel()
				timed := deadline{context.Background(), make(chan struct{})}
				var ctx context.Context = cancelled
				if c.end == "deadline" {
					ctx = timed
				}
				s := Settings{Gap: 1e-12, Progress: func(p Progress) error {
					switch {
					case p.Epoch < 3:
					case c.end == "cancel":
						cancel()
					case c.end == "error":
						return enough
					case c.end == "deadline":
						close(timed.passed)
					}
					return nil
				}}
				if c.end == "epochs" {
					s.MaxEpochs = 3
				}
				r, err := Solve(ctx, p, &s, method)
				if r == nil || r.Status != c.status || !errors.Is(err, c.cause) {
					t.Fatalf("%v, %v; want status %v and error %v", r, err, c.status, c.cause)
				}
				if r.Epochs != len(r.History) || r.Epochs != 3 {
					t.Errorf("%d epochs", r.Epochs)
				}
				if got := primal(t, p, r); !near(got, r.Primal, 1e-10) {
					t.Errorf("the weights have primal value %v, the result says %v", got, r.Primal)
				}
				last := r.History[len(r.History)-1]
				if r.Primal > last.Primal || r.Dual < last.Dual || r.Gap > last.Gap || r.Gap <= 0 || r.Gap >= 1 && name != "RDA" { // whose first step is far too long
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
	for name, method := range methods {
		r, err := Solve(ctx, p, nil, method)
		if !errors.Is(err, context.Canceled) || r == nil {
			t.Fatalf("%s: %v, %v", name, r, err)
		}
		if got := primal(t, p, r); !near(got, r.Primal, 1e-12) || r.Dual != 0 || r.Gap != 1 || r.Epochs != 0 {
			t.Errorf("%s: %v, and the weights have primal value %v", name, r, got)
		}
	}
}

func TestSolversRefuse(t *testing.T) {
	p := problems(t)["tree"]
	for name, method := range methods {
		for says, s := range map[string]Settings{
			"Gap is NaN": {Gap: math.NaN()}, "Gap is -1": {Gap: -1}, "MaxEpochs is -1": {MaxEpochs: -1}, "Workers is -2": {Workers: -2}, "Time is -1s": {Time: -time.Second},
		} {
			if r, err := Solve(context.Background(), p, &s, method); r != nil || err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, %v; want an error that says %q", name, r, err, says)
			}
		}
		if r, err := Solve(context.Background(), &structured.Problem{}, nil, method); r != nil || err == nil {
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
	b := newBlocks(newState(context.Background(), o, Settings{Gap: 1e-9, Workers: 1}))
	g := newSubgradients(newState(context.Background(), o, Settings{Gap: 1e-9}), 1)
	for range 30 { // lists of competitors reach their sizes
		if err := errors.Join(workAll(b), workAll(g)); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	if n := testing.AllocsPerRun(200, func() { b.visit(context.Background(), b.order[:b.batch.Size()]); g.descend(g.order[i : i+1]); i++ }); n > 0 {
		t.Errorf("%v allocations a visit", n)
	}
}

func ExampleSolve() {
	t, err := taxonomy.New([]string{"all", "cat", "dog"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := &dataset.Matrix{Rows: 2, Cols: 2, Indptr: []int{0, 1, 2}, Indices: []int32{0, 1}, Values: []float32{1, 1}}
	inputs, err := structured.NewLinear(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	attributes := structured.Ancestors(t)
	labels, err := structured.NewLabels(attributes, []int{1, 2}, loss.ZeroOne(), structured.Margin, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	problem := &structured.Problem{Inputs: inputs, Columns: attributes.Columns(), Competitors: labels}
	result, err := Solve(context.Background(), problem, &Settings{Gap: 1e-6}, nil)
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

// workAll works through an epoch.
func workAll(m iteration) error {
	return work(context.Background(), m, func(float64) error { return nil })
}

// script is a method that visits given points.
type script struct {
	points []*structured.Dual
	at     int
}

func (s *script) epoch(context.Context) parts {
	return func(yield func(float64, error) bool) { s.at++; yield(1, nil) }
}

func (s *script) estimate() float64 { return 0 }

func (s *script) point() *structured.Dual { return s.points[s.at-1] }

func TestWorsePointsAreNotReturned(t *testing.T) {
	p := problems(t)["tree"]
	o, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	b := newBlocks(newState(context.Background(), o, Settings{Gap: 1e-9}))
	for range 5 {
		if err := workAll(b); err != nil {
			t.Fatal(err)
		}
	}
	good, err := run(context.Background(), newState(context.Background(), o, Settings{Gap: 1e-9, MaxEpochs: 1}), &script{points: []*structured.Dual{b.dual}})
	if err != nil {
		t.Fatal(err)
	}
	points := []*structured.Dual{o.NewDual(), b.dual, o.NewDual()}
	r, err := run(context.Background(), newState(context.Background(), o, Settings{Gap: 1e-9, MaxEpochs: 3}), &script{points: points})
	if err != nil {
		t.Fatal(err)
	}
	if r.Primal != good.Primal || r.Dual != good.Dual || !same(r, good) {
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
			for l := range 3 {
				s.products[k*s.stride+l] = c.products[k][l]
			}
		}
		if !s.solve(2, innerSteps) {
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

func TestWarmStart(t *testing.T) {
	tree := example.Tree(3, 4)
	d := example.Texts(tree, 500, 300, 15, 1)
	at := func(c float64) *structured.Problem {
		return problem(d, structured.Ancestors(tree), loss.Symdiff(tree), c)
	}
	first, err := Solve(context.Background(), at(1), &Settings{Gap: 1e-4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []float64{0.5, 1, 1.2} {
		cold, err := Solve(context.Background(), at(c), &Settings{Gap: 1e-4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		warm, err := Solve(context.Background(), at(c), &Settings{Gap: 1e-4, Start: first}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if warm.Epochs >= cold.Epochs || c == 1 && warm.Epochs > 0 || warm.Gap > 1e-4 {
			t.Errorf("C %v: %v from a start, %v without", c, warm, cold)
		}
		if got := primal(t, at(c), warm); !near(got, warm.Primal, 1e-10) {
			t.Errorf("C %v: the weights have primal value %v, the result says %v", c, got, warm.Primal)
		}
	}
	if _, err := Solve(context.Background(), problems(t)["tree"], &Settings{Start: first}, nil); err == nil {
		t.Error("no error for the start of another problem")
	}
	few := example.Tree(4)
	short := example.Texts(few, 500, 300, 15, 1)
	if _, err := Solve(context.Background(), problem(short, structured.Ancestors(few), loss.Symdiff(few), 1), &Settings{Start: first}, nil); err == nil {
		t.Error("no error for the start of a problem with more leaves")
	}
	if _, err := Solve(context.Background(), at(1), &Settings{Start: first}, Pegasos{}); err == nil {
		t.Error("no error for Pegasos from a start")
	}
}

func TestTimeEndsWithoutError(t *testing.T) {
	tree := example.Tree(3, 4)
	p := problem(example.Texts(tree, 500, 300, 15, 1), structured.Ancestors(tree), loss.Symdiff(tree), 1)
	r, err := Solve(context.Background(), p, &Settings{Time: time.Nanosecond}, nil)
	if err != nil || r.Status != TimeLimit {
		t.Errorf("%v, %v", r, err)
	}
}

// The default method is dual ascent for flat SVMs of dense examples or of many columns in 16 bits,
// and BCFW for all else.
func TestDefaultMethod(t *testing.T) {
	g := example.Tree(2, 3)
	wide := example.Tree(90, 100)
	dense, texts, many := example.Dense(g, 30, 5, 1), example.Texts(g, 30, 100, 5, 1), example.Texts(wide, 30, 100, 5, 1)
	for _, c := range []struct {
		name       string
		data       *dataset.Dataset
		attributes *structured.Attributes
		rescaling  structured.Rescaling
		want       Method
	}{
		{"flat, dense", dense, structured.Flat(g), structured.Margin, DualAscent{}},
		{"flat, texts", texts, structured.Flat(g), structured.Margin, BCFW{}},
		{"flat, many", many, structured.Flat(wide), structured.Margin, DualAscent{}},
		{"hierarchical, many", many, structured.Ancestors(wide), structured.Margin, BCFW{}},
		{"flat, slack rescaling", dense, structured.Flat(g), structured.Slack, BCFW{}},
		{"hierarchical, dense", dense, structured.Ancestors(g), structured.Margin, BCFW{}},
	} {
		inputs, err := structured.NewLinear(c.data.X)
		if err != nil {
			t.Fatal(err)
		}
		y := make([]int, c.data.Len())
		for i, labels := range c.data.Labels {
			y[i] = labels[0]
		}
		labels, err := structured.NewLabels(c.attributes, y, loss.ZeroOne(), c.rescaling, 1)
		if err != nil {
			t.Fatal(err)
		}
		o, err := (&structured.Problem{Inputs: inputs, Columns: c.attributes.Columns(), Competitors: labels}).Compile()
		if err != nil {
			t.Fatal(err)
		}
		if got := defaultMethod(o, &Settings{Gap: halfGap}); got != c.want {
			t.Errorf("%s: %T, want %T", c.name, got, c.want)
		}
	}
}
