package perceptron

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// nodeData returns instances with labels at nodes of all depths, closed or not, sometimes none, by
// the signs of random functions.
func nodeData(r *rand.Rand, g *taxonomy.Taxonomy, rows, cols int) *dataset.Dataset {
	x := &dataset.Matrix{Rows: rows, Cols: cols, Indptr: []int{0}}
	labels := make([][]int, rows)
	for i := range labels {
		for f := range cols {
			if r.IntN(3) > 0 {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(r.NormFloat64()))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
		for n := range g.Len() {
			if r.IntN(3) == 0 {
				labels[i] = append(labels[i], n)
			}
		}
	}
	return &dataset.Dataset{Name: "nodes", Taxonomy: g, X: x, Labels: labels}
}

func TestGoldenHRLS(t *testing.T) {
	cases, err := golden.Read("hrls")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy golden.Taxonomy
				X        [][]float64
				Labels   [][]int `json:"label_nodes"`
				Steps    []struct {
					Margins   []float64
					Without   []float64 `json:"margins_without_current"`
					Predicted []int
					HLoss     float64 `json:"hloss_uni"`
				}
				W       [][]float64 `json:"final_w"`
				Updates []int
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			uni, err := loss.Uni(g)
			if err != nil {
				t.Fatal(err)
			}
			// As many features as there are makes the learner write the weights down after three
			// instances, and many more that are zero keep it from that.
			for _, features := range []int{len(want.X[0]), 100} {
				l, err := HRLS{}.Learner(g, features)
				if err != nil {
					t.Fatal(err)
				}
				for i, row := range want.X {
					var indices []int32
					var values []float32
					for f, v := range row {
						indices, values = append(indices, int32(f)), append(values, float32(v))
					}
					margins, err := l.Margins(indices, values)
					if err != nil {
						t.Fatal(err)
					}
					step := want.Steps[i]
					for _, family := range l.families {
						if family == nil {
							continue
						}
						spread := family.spread
						if family.triangle != nil {
							spread = family.triangle.solve(gram.Vector{Indices: indices, Values: values}, make([]float64, features))
						}
						for _, n := range family.nodes {
							if got := margins[n]; math.Abs(got-step.Without[n]) > 1e-10 {
								t.Errorf("step %d: margin of node %d is %v, want %v", i, n, got, step.Without[n])
							}
							if got := margins[n] / (1 + spread); math.Abs(got-step.Margins[n]) > 1e-10 {
								t.Errorf("step %d: margin of node %d with the instance is %v, want %v", i, n, got, step.Margins[n])
							}
						}
					}
					predicted, err := l.Update(indices, values, want.Labels[i])
					if err != nil {
						t.Fatal(err)
					}
					if got := g.Closure(predicted); !slices.Equal(got, step.Predicted) {
						t.Errorf("step %d: predicted %v, want %v", i, got, step.Predicted)
					}
					if got := uni.(loss.SetLoss).SetCost(want.Labels[i], predicted); got != step.HLoss {
						t.Errorf("step %d: H-loss %v, want %v", i, got, step.HLoss)
					}
				}
				m, err := l.Model()
				if err != nil {
					t.Fatal(err)
				}
				for n, row := range want.W {
					if l.Updates(n) != want.Updates[n] {
						t.Errorf("node %d has %d updates, want %d", n, l.Updates(n), want.Updates[n])
					}
					for f, v := range row {
						if got := m.Weights(n)[f]; math.Abs(got-v) > 1e-10 {
							t.Errorf("weight of feature %d at node %d is %v, want %v", f, n, got, v)
						}
					}
				}
			}
		})
	}
}

// TestHRLSAgainstDefinition solves the normal equations of every node.
func TestHRLSAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	for _, cols := range []int{1, 4, 9, 60} {
		g := example.Random(r, 12, 2, 1)
		d := nodeData(r, g, 30, cols)
		m, err := HRLS{}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for v := range g.Len() {
			a, b := mat.NewSymDense(cols, nil), mat.NewVecDense(cols, nil)
			for f := range cols {
				a.SetSym(f, f, 1)
			}
			for i, set := range d.Labels {
				closed := g.Closure(set)
				if p := g.Parents(v); len(p) > 0 && !slices.Contains(closed, p[0]) {
					continue
				}
				x := mat.NewVecDense(cols, nil)
				indices, values := d.X.Row(i)
				for k, f := range indices {
					x.SetVec(int(f), float64(values[k]))
				}
				a.SymRankOne(a, 1, x)
				z := -1.0
				if slices.Contains(closed, v) {
					z = 1
				}
				b.AddScaledVec(b, z, x)
			}
			var want mat.VecDense
			if err := want.SolveVec(a, b); err != nil {
				t.Fatal(err)
			}
			for f, got := range m.Weights(v) {
				if math.Abs(got-want.AtVec(f)) > 1e-9 {
					t.Errorf("%d features: weight %d of node %d is %v, want %v", cols, f, v, got, want.AtVec(f))
				}
			}
		}
	}
}

// TestHRLSOfLargeValues solves the least squares of large values by a QR decomposition of all
// instances, above I, where the values of one instance are of one size, and as dates in
// milliseconds beside ratios.
func TestHRLSOfLargeValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 250))
	g := example.Tree(2, 2)
	leaves := g.Leaves()
	for _, cols := range []int{1, 3, 20} {
		for _, sizes := range [][]float64{{1e-3}, {1}, {1e3}, {1e7}, {1e8}, {1e9}, {1e12}, {1e30}, {1, 1e12, 1e-3}, {1e9, 1}} {
			for _, rows := range []int{cols / 2, cols + 1, 4*cols + 20} {
				if rows == 0 || slices.Max(sizes) >= 1e12 && rows <= cols {
					continue
				}
				x, labels := mat.NewDense(rows, cols, nil), make([][]int, rows)
				for i := range rows {
					y := i % len(leaves)
					labels[i] = []int{leaves[y]}
					for f := range cols {
						x.Set(i, f, float64(float32(sizes[f%len(sizes)]*(r.NormFloat64()+float64(y>>(f%2)&1)))))
					}
				}
				d, err := dataset.FromDense("large", g, x, labels)
				if err != nil {
					t.Fatal(err)
				}
				m, err := HRLS{}.Fit(t.Context(), d)
				if err != nil {
					if len(sizes) > 1 && strings.Contains(err.Error(), "scale the features") {
						continue // and not wrong
					}
					t.Fatalf("%d rows of %d features of %v: %v", rows, cols, sizes, err)
				}
				for _, v := range g.Roots() {
					for _, v := range append(slices.Clone(g.Children(v)), v) {
						a, z := mat.NewDense(rows+cols, cols, nil), mat.NewVecDense(rows+cols, nil)
						for i := range rows {
							a.SetRow(i, x.RawRowView(i))
							z.SetVec(i, -1)
							if slices.Contains(g.Closure(labels[i]), v) {
								z.SetVec(i, 1)
							}
						}
						for f := range cols {
							a.Set(rows+f, f, 1)
						}
						unit := func(f int) float64 { return max(1, sizes[f%len(sizes)]) }
						for f := range cols { // of one size, so that the decomposition is exact
							for i := range rows + cols {
								a.Set(i, f, a.At(i, f)/unit(f))
							}
						}
						var qr mat.QR
						qr.Factorize(a)
						var want mat.VecDense
						if err := qr.SolveVecTo(&want, false, z); err != nil {
							t.Fatal(err)
						}
						for f, got := range m.Weights(v) {
							got *= unit(f)
							if math.Abs(got-want.AtVec(f)) > 1e-5*mat.Norm(&want, 2) {
								t.Errorf("%d rows of %d features of %v: weight %d of node %d is %v, want %v", rows, cols, sizes, f, v, got, want.AtVec(f))
							}
						}
					}
				}
			}
		}
	}
}

// TestHRLSRefusesWhatRoundingLoses has two features that differ in digits that their squares do not
// have; the learner stays as it was.
func TestHRLSRefusesWhatRoundingLoses(t *testing.T) {
	l, err := HRLS{}.Learner(example.Tree(2), 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, values := range [][]float32{{1e12, 1e12}, {1, -1}, {1e12, 1e12}} {
		_, err := l.Update([]int32{0, 1}, values, []int{1})
		if (err != nil) != (i == 2) || i == 2 && !strings.Contains(err.Error(), "scale the features") {
			t.Errorf("instance %d: %v", i, err)
		}
	}
	if _, err := l.Update([]int32{0}, []float32{2}, []int{2}); err != nil || l.Steps() != 3 {
		t.Errorf("%v, %d steps", err, l.Steps())
	}
}

// TestHRLSModel holds the model, also after a way through a file, to what the learner predicts.
func TestHRLSModel(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	for _, cols := range []int{5, 80} {
		g := example.Tree(2, 3)
		d := nodeData(r, g, 40, cols)
		m, err := HRLS{}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		l, err := HRLS{}.Learner(g, cols)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Learn(t.Context(), d.Instances()); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Write(&file, classifier.Format{}); err != nil {
			t.Fatal(err)
		}
		loaded, err := classifier.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if m.Instances != 40 || l.Steps() != 40 || m.Training.Status != solver.Converged || m.Training.Certificate != nil || loaded.Rule != classifier.TopDown {
			t.Errorf("%v", m)
		}
		for name, m := range map[string]*classifier.Model{"trained": m, "loaded": loaded} {
			sets, err := m.ClosedSets(d.X)
			if err != nil {
				t.Fatal(err)
			}
			leaves, err := m.Decide(d.X, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range sets {
				indices, values := d.X.Row(i)
				want, err := l.Predict(indices, values)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(sets[i], want) {
					t.Errorf("%s: predicted %v for row %d, the learner says %v", name, sets[i], i, want)
				}
				want = slices.DeleteFunc(want, func(n int) bool { return !g.IsLeaf(n) })
				if !slices.Equal(leaves[i], want) {
					t.Errorf("%s: decided for the leaves %v in row %d, want %v", name, leaves[i], i, want)
				}
			}
		}
	}
}

// TestHRLSSparse compares weights that are kept where there are too many for all of them.
func TestHRLSSparse(t *testing.T) {
	g := example.Tree(2, 2)
	for _, cols := range []int{4, 90} {
		l, err := HRLS{}.Learner(g, cols)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Learn(t.Context(), nodeData(rand.New(rand.NewPCG(1, 0)), g, 6, cols).Instances()); err != nil {
			t.Fatal(err)
		}
		m := mustModel(t, l)
		w := l.sparseWeights(m.Attributes())
		for c, n := range w.Columns {
			for f, v := range m.Weights(n) {
				if got := w.At(f, c); got != float64(float32(v)) {
					t.Errorf("weight %d of node %d is %v, want %v", f, n, got, v)
				}
			}
		}
	}
}

func mustModel(t *testing.T, l *HRLSLearner) *classifier.Model {
	t.Helper()
	m, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestHRLSRefuses(t *testing.T) {
	g := example.Tree(2)
	d := nodeData(rand.New(rand.NewPCG(1, 0)), g, 5, 2)
	graph := example.Graph(9, 1)
	l, err := HRLS{}.Learner(g, 2)
	if err != nil {
		t.Fatal(err)
	}
	update := func(indices []int32, values []float32, labels ...int) error {
		_, err := l.Update(indices, values, labels)
		return err
	}
	for name, call := range map[string]func() error{
		"no data":      func() error { _, err := HRLS{}.Fit(t.Context(), nil); return err },
		"no rows":      func() error { _, err := HRLS{}.Fit(t.Context(), d.Subset(nil)); return err },
		"a graph":      func() error { _, err := HRLS{}.Learner(graph, 2); return err },
		"no features":  func() error { _, err := HRLS{}.Learner(g, 0); return err },
		"no learner":   func() error { _, err := new(HRLSLearner).Predict(nil, nil); return err },
		"no instances": func() error { return l.Learn(t.Context(), nil) },
		"label":        func() error { return update([]int32{0}, []float32{1}, 3) },
		"feature":      func() error { return update([]int32{2}, []float32{1}, 1) },
		"value":        func() error { return update([]int32{0}, []float32{float32(math.NaN())}, 1) },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if l.Steps() != 0 || l.Updates(0) != 0 {
		t.Error("instances that are errors were learned from")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := (HRLS{}).Fit(ctx, d); err == nil || m == nil || m.Training.Status != solver.Cancelled {
		t.Errorf("cancelled: %v, %v", m, err)
	}
}

// TestHRLSHasABound has the error of an instance for which there is no room.
func TestHRLSHasABound(t *testing.T) {
	before := maxSquares
	defer func() { maxSquares = before }()
	maxSquares = 9 // a triangle of three instances, and a number for each
	g := example.Tree(1)
	l, err := HRLS{}.Learner(g, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		_, err := l.Update([]int32{0}, []float32{1}, nil)
		if full := i == 3; (err != nil) != full || full && !strings.Contains(err.Error(), "allowed") {
			t.Errorf("instance %d: %v", i, err)
		}
	}
	if l.Steps() != 3 {
		t.Errorf("%d instances were learned from", l.Steps())
	}
}

func ExampleHRLS_Learner() {
	t, err := taxonomy.New([]string{"animal", "bird", "fish"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := HRLS{}.Learner(t, 2) // features: feathers, scales
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range []struct {
		feature int32
		label   int
	}{{0, 1}, {1, 2}, {0, 1}, {1, 2}} {
		predicted, err := l.Update([]int32{x.feature}, []float32{1}, []int{x.label})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.NamesOf(predicted...), "is", t.Name(x.label))
	}
	// Output:
	// [bird fish] is bird
	// [bird fish] is fish
	// [bird] is bird
	// [fish] is fish
}

func TestHRLSReports(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 8, 5, 3, 1)
	var w example.Watcher
	if _, err := (HRLS{}).Fit(progress.With(t.Context(), &w), d); err != nil {
		t.Fatal(err)
	}
	if w.Begun != 1 || w.Ended != 1 || len(w.Reports) != d.Len() || w.Reports[0].Done != 1/float64(d.Len()) || w.Reports[d.Len()-1].Done != 1 {
		t.Errorf("%d begun, %d ended, %v", w.Begun, w.Ended, w.Reports)
	}
}
