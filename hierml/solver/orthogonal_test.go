package solver

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// transfer is a reference problem of orthogonal transfer.
type transfer struct {
	Taxonomy  golden.Taxonomy `json:"taxonomy_without_root"`
	K         [][]float64
	C         float64
	X         [][]float64
	Y         []int
	Objective float64
	W         [][]float64
	Tolerance float64 `json:"W_tolerance"`
	RDA       struct {
		Steps5, Steps20 trajectory
	}
}

type trajectory struct {
	W            [][]float64
	Bounds       [][2]float64 // upper, lower
	Upper, Lower *float64
}

func readTransfers(t *testing.T) map[string]*transfer {
	t.Helper()
	cases, err := golden.Read("orthogonal")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*transfer)
	for _, c := range cases {
		all[c.ID] = new(transfer)
		if err := c.Decode(all[c.ID]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// oneTransfer returns the problem with the largest C.
func oneTransfer(t *testing.T) *transfer {
	t.Helper()
	all := readTransfers(t)
	var largest *transfer
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if largest == nil || all[id].C > largest.C {
			largest = all[id]
		}
	}
	return largest
}

func (w *transfer) matrix() *dataset.Matrix {
	x := &dataset.Matrix{Rows: len(w.X), Cols: len(w.X[0]), Indptr: []int{0}}
	for _, row := range w.X {
		for f, v := range row {
			if v != 0 {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(v))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return x
}

// gram returns the inner products of the instances, not rounded as the matrix is.
func (w *transfer) gram() *mat.SymDense {
	g := mat.NewSymDense(len(w.X), nil)
	for i := range w.X {
		for j := range i + 1 {
			var sum float64
			for f, v := range w.X[i] {
				sum += v * w.X[j][f]
			}
			g.SetSym(i, j, sum)
		}
	}
	return g
}

func (w *transfer) problem(t *testing.T, kernel bool) (*OrthogonalProblem, *taxonomy.Taxonomy) {
	t.Helper()
	g, err := w.Taxonomy.New()
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewSymDense(len(w.K), nil)
	for i, row := range w.K {
		for j := i; j < len(row); j++ {
			k.SetSym(i, j, row[j])
		}
	}
	r, err := orthogonal.New(k)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([][]int, len(w.Y))
	for i, y := range w.Y {
		labels[i] = []int{y}
	}
	siblings, err := structured.NewSiblings(structured.Nodes(g), labels, structured.SiblingOptions{Roots: true}, w.C/float64(len(w.Y)))
	if err != nil {
		t.Fatal(err)
	}
	p := &OrthogonalProblem{Siblings: siblings, Regularizer: r}
	if kernel {
		p.Inputs, err = structured.NewKernel(w.gram())
	} else {
		p.Inputs, err = structured.NewLinear(w.matrix())
	}
	if err != nil {
		t.Fatal(err)
	}
	return p, g
}

// nodeWeights returns the weights, a row a node.
func nodeWeights(r *Result, w *transfer) *mat.Dense {
	dense := mat.NewDense(len(w.W), len(w.X[0]), nil)
	for n := range w.W {
		if r.Weights != nil {
			dense.SetRow(n, r.Weights.Node(n))
			continue
		}
		for i, x := range w.X {
			columns, values := r.Expansion.Rows.Row(i)
			for k, c := range columns {
				if r.Expansion.Columns[c] == n {
					for f, v := range x {
						dense.Set(n, f, dense.At(n, f)+values[k]*v)
					}
				}
			}
		}
	}
	return dense
}

func difference(got *mat.Dense, want [][]float64) (largest, scale float64) {
	for n, row := range want {
		for f, v := range row {
			largest, scale = max(largest, math.Abs(got.At(n, f)-v)), max(scale, math.Abs(v))
		}
	}
	return largest, scale
}

func TestOrthogonalGolden(t *testing.T) {
	for id, want := range readTransfers(t) {
		t.Run(id, func(t *testing.T) {
			for _, kernel := range []bool{false, true} {
				p, _ := want.problem(t, kernel)
				tolerance := 1e-6 // rounded instances have another optimum
				if kernel {
					tolerance = 1e-9
				}
				for _, gap := range []float64{1e-1, 1e-3, 1e-6, 1e-9} {
					r, err := SolveOrthogonal(context.Background(), p, &Settings{Gap: gap, MaxEpochs: 100000}, nil)
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("kernel %v: %v, reference %.10g", kernel, r, want.Objective)
					if r.Gap > gap || r.Status != Converged {
						t.Errorf("gap %v, asked for %v: %v", r.Gap, gap, r.Status)
					}
					if r.Primal < want.Objective*(1-tolerance) || r.Dual > want.Objective*(1+tolerance) {
						t.Errorf("the certificate says the optimum is between %.10g and %.10g, it is %.10g", r.Dual, r.Primal, want.Objective)
					}
					got := nodeWeights(r, want)
					var distance float64
					for n, row := range want.W {
						for f, v := range row {
							distance += (got.At(n, f) - v) * (got.At(n, f) - v)
						}
					}
					if bound := r.Primal - r.Dual + tolerance*want.Objective; p.Regularizer.LambdaMin()/2*distance > bound {
						t.Errorf("weights are %v from the optimum, the gap %v allows %v", math.Sqrt(distance), bound, math.Sqrt(2*bound/p.Regularizer.LambdaMin()))
					}
					if gap < 1e-8 {
						if d, scale := difference(got, want.W); d > 1e-4*scale+want.Tolerance {
							t.Errorf("weights differ by %v of %v", d, scale)
						}
					}
				}
			}
		})
	}
}

func TestRDAGolden(t *testing.T) {
	for id, want := range readTransfers(t) {
		t.Run(id, func(t *testing.T) {
			for _, kernel := range []bool{false, true} {
				p, _ := want.problem(t, kernel)
				steps := 0
				observe := func(s RDAStep) {
					steps++
					if s.Iteration != steps || s.Value < s.Upper*(1-1e-12) && s.Upper <= want.C {
						t.Errorf("kernel %v, step %d: %+v", kernel, steps, s)
					}
					for count, reference := range map[int]trajectory{5: want.RDA.Steps5, 20: want.RDA.Steps20} {
						if b := reference.Bounds; steps <= len(b) && (math.Abs(s.Upper-b[steps-1][0]) > 1e-5*b[steps-1][0] || math.Abs(s.Lower-b[steps-1][1]) > 1e-5*b[steps-1][0]) {
							t.Errorf("kernel %v, step %d: bounds %v and %v, want %v", kernel, steps, s.Upper, s.Lower, b[steps-1])
						}
						if steps != count {
							continue
						}
						if u, l := reference.Upper, reference.Lower; u != nil && (math.Abs(s.Upper-*u) > 1e-5**u || math.Abs(s.Lower-*l) > 1e-5**u) {
							t.Errorf("kernel %v, step %d: bounds %v and %v, want %v and %v", kernel, steps, s.Upper, s.Lower, *u, *l)
						}
						if d, scale := difference(nodeWeights(&Result{Weights: s.Weights, Expansion: s.Expansion}, want), reference.W); d > 1e-5*scale {
							t.Errorf("kernel %v, step %d: weights differ by %v of %v", kernel, steps, d, scale)
						}
					}
				}
				r, err := SolveOrthogonal(context.Background(), p, &Settings{Gap: 1e-9, MaxEpochs: 20}, RDA{Observe: observe})
				if err != nil || steps != r.Epochs || steps != 20 {
					t.Errorf("kernel %v: %d steps seen, %v, %v", kernel, steps, r, err)
				}
			}
		})
	}
}

func TestRDA(t *testing.T) {
	for id, want := range readTransfers(t) {
		p, _ := want.problem(t, true)
		last := 0.0
		r, err := SolveOrthogonal(context.Background(), p, &Settings{Gap: 1e-9, MaxEpochs: 300, Progress: func(p Progress) error {
			if p.Dual < last || p.Dual > want.Objective*(1+1e-9) || p.Primal < want.Objective*(1-1e-9) {
				t.Errorf("%s: %v, the optimum is %v", id, p, want.Objective)
			}
			last = p.Dual
			return nil
		}}, RDA{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v, reference %v", id, r, want.Objective)
		if r.Status != MaxEpochs || r.Epochs != 300 || len(r.History) != 300 {
			t.Errorf("%s: %v after %d epochs", id, r.Status, r.Epochs)
		}
	}
	// Well conditioned, RDA comes near.
	g := example.Tree(2, 2)
	d := example.Dense(g, 40, 6, 1)
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		t.Fatal(err)
	}
	siblings, err := structured.NewSiblings(structured.Nodes(g), d.Labels, structured.SiblingOptions{Roots: true}, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	r, err := orthogonal.Descendants(g, 0.3, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &OrthogonalProblem{Inputs: inputs, Siblings: siblings, Regularizer: r}
	if got, err := SolveOrthogonal(context.Background(), p, &Settings{Gap: 2e-2, MaxEpochs: 1000}, RDA{}); err != nil || got.Status != Converged {
		t.Errorf("a well conditioned problem: %v, %v", got, err)
	}
}

func TestOrthogonalStops(t *testing.T) {
	want := oneTransfer(t)
	p, _ := want.problem(t, false)
	stop := errors.New("enough")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range []Method{nil, BCFW{}, RDA{}} {
		r, err := SolveOrthogonal(ctx, p, nil, m)
		if !errors.Is(err, context.Canceled) || r == nil || r.Status != Cancelled || r.Primal < want.Objective || r.Gap != 1 {
			t.Errorf("%T, cancelled: %v, %v", m, r, err)
		}
		r, err = SolveOrthogonal(context.Background(), p, &Settings{Gap: 1e-9, Progress: func(p Progress) error {
			if p.Epoch == 3 {
				return stop
			}
			return nil
		}}, m)
		if !errors.Is(err, stop) || r == nil || r.Status != Stopped || r.Epochs != 3 || r.Primal > want.C {
			t.Errorf("%T, stopped: %v, %v", m, r, err)
		}
		r, err = SolveOrthogonal(context.Background(), p, &Settings{Gap: 1e-14, MaxEpochs: math.MaxInt, Time: 20 * time.Millisecond}, m)
		if err != nil || r.Status != TimeLimit && r.Gap > 1e-14 || r.Dual > want.Objective*(1+1e-6) {
			t.Errorf("%T, time: %v, %v", m, r, err)
		}
	}
	start, err := SolveOrthogonal(context.Background(), p, &Settings{Gap: 1e-5, MaxEpochs: 100000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := SolveOrthogonal(context.Background(), p, &Settings{Gap: 1e-4, Start: start}, nil)
	if err != nil || again.Epochs > 2 {
		t.Errorf("from a solution: %v, %v", again, err)
	}
}

// Long turns let a method that speeds up with its epochs do so: without coupling orthogonal
// transfer takes no more than a few times the epochs of the ridge problem that it is.
func TestOrthogonalTurns(t *testing.T) {
	g := example.Tree(2)
	d := example.Dense(g, 27, 8, 1094)
	p := problem(d, structured.Flat(g), loss.ZeroOne(), 185)
	settings := &Settings{Gap: 1e-6, MaxEpochs: 20000}
	ridge, err := Solve(context.Background(), p, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	siblings, err := structured.NewSiblings(structured.Nodes(g), d.Labels, structured.SiblingOptions{}, 185)
	if err != nil {
		t.Fatal(err)
	}
	r, err := orthogonal.Descendants(g, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := SolveOrthogonal(context.Background(), &OrthogonalProblem{Inputs: p.Inputs, Siblings: siblings, Regularizer: r}, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Epochs > 4*ridge.Epochs || got.Gap > 1e-6 {
		t.Errorf("%v; the ridge problem: %v", got, ridge)
	}
}

func TestOrthogonalRefused(t *testing.T) {
	want := oneTransfer(t)
	p, g := want.problem(t, false)
	other, _ := want.problem(t, false)
	edge, err := orthogonal.Descendants(g, orthogonal.MaxAlpha(g))
	if err != nil {
		t.Fatal(err)
	}
	other.Regularizer = edge
	var convexity *orthogonal.ConvexityError
	if _, err := SolveOrthogonal(context.Background(), other, nil, nil); !errors.As(err, &convexity) {
		t.Errorf("a regularizer that is not strongly convex: %v", err)
	}
	for name, try := range map[string]func() (*Result, error){
		"nothing":  func() (*Result, error) { return SolveOrthogonal(context.Background(), nil, nil, nil) },
		"settings": func() (*Result, error) { return SolveOrthogonal(context.Background(), p, &Settings{Gap: -1}, nil) },
		"Pegasos":  func() (*Result, error) { return SolveOrthogonal(context.Background(), p, nil, Pegasos{}) },
		"start": func() (*Result, error) {
			return SolveOrthogonal(context.Background(), p, &Settings{Start: &Result{}}, nil)
		},
	} {
		if r, err := try(); err == nil || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}
