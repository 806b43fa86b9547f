package svm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// fitter is an estimator with its settings.
type fitter interface {
	Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error)
}

func fit(t *testing.T, f fitter, d *dataset.Dataset) *classifier.Model {
	t.Helper()
	m, err := f.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const tight = 1e-6

// sameOptimum checks that two certificates, the second's values multiplied by factor, allow one
// optimum.
func sameOptimum(t *testing.T, what string, a, b *classifier.Model, factor float64) {
	t.Helper()
	const rounding = 1e-6
	p, q := a.Training.Certificate, b.Training.Certificate
	if p.Dual > q.Primal*factor*(1+rounding) || q.Dual*factor > p.Primal*(1+rounding) {
		t.Errorf("%s: the optimum is in [%v, %v] and in [%v, %v]", what, p.Dual, p.Primal, q.Dual*factor, q.Primal*factor)
	}
}

func sameScores(t *testing.T, what string, a, b *mat.Dense, tolerance float64) {
	t.Helper()
	if !mat.EqualApprox(a, b, tolerance) {
		var d mat.Dense
		d.Sub(a, b)
		t.Errorf("%s: scores differ by %v", what, mat.Norm(&d, math.Inf(1)))
	}
}

func TestFlatWeightsMakeTheNormalizedSVMFlat(t *testing.T) {
	for name, g := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(2, 3), "DAG": example.Graph(15, 2)} {
		d := example.Dense(g, 60, 4, 1)
		flat := fit(t, svm.Flat{C: 0.4, Settings: solver.Settings{Gap: tight}}, d)
		norm := fit(t, svm.Normalized{C: 0.4, Settings: solver.Settings{Gap: tight}, Alpha: weighting.Flat(g), Loss: loss.ZeroOne()}, d)
		sameOptimum(t, name, flat, norm, 1)
		sameScores(t, name, flat.LeafScores(d.X), norm.LeafScores(d.X), 0.05)
	}
}

// Scaling the attributes by 1/sqrt(D) scales the weights by sqrt(D).
func TestBalancedTreeRescaling(t *testing.T) {
	g := example.Tree(2, 2, 3)
	d := example.Dense(g, 80, 4, 2)
	const depth = 4
	alpha := make([]float64, g.Len())
	for n := range alpha {
		alpha[n] = 1.0 / depth
	}
	norm := fit(t, svm.Normalized{C: 2, Settings: solver.Settings{Gap: tight}, Alpha: alpha, Loss: loss.ZeroOne()}, d)
	hier := fit(t, svm.Hierarchical{C: 2.0 / depth, Settings: solver.Settings{Gap: tight}, Loss: loss.ZeroOne()}, d)
	sameOptimum(t, "normalized and hierarchical", norm, hier, depth)
	sameScores(t, "normalized and hierarchical", norm.LeafScores(d.X), hier.LeafScores(d.X), 0.05)
}

// A chain of nodes that are above the same leaves is worth the sum of their alpha.
func TestDuplicatedNodes(t *testing.T) {
	names := []string{"r", "a", "b", "a1", "a2", "b1", "b2", "a'", "b1'"}
	short, err := taxonomy.New(names[:7], [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}})
	if err != nil {
		t.Fatal(err)
	}
	// a' between r and a; b1' between b and b1.
	long, err := taxonomy.New(names, [][2]int{{0, 7}, {7, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 8}, {8, 5}, {2, 6}})
	if err != nil {
		t.Fatal(err)
	}
	d := example.Dense(short, 40, 3, 3)
	once := fit(t, svm.Normalized{Settings: solver.Settings{Gap: tight}, Alpha: []float64{0.5, 0.3, 0.2, 0.2, 0.2, 0.3, 0.3}}, d)
	for _, share := range []float64{0.5, 0.1} {
		twice := fit(t, svm.Normalized{Settings: solver.Settings{Gap: tight}, Alpha: []float64{0.5, 0.3 * share, 0.2, 0.2, 0.2, 0.3 * share, 0.3, 0.3 * (1 - share), 0.3 * (1 - share)}},
			&dataset.Dataset{Taxonomy: long, X: d.X, Labels: d.Labels})
		sameOptimum(t, "duplicated nodes", once, twice, 1)
		sameScores(t, "duplicated nodes", once.LeafScores(d.X), twice.LeafScores(d.X), 0.02)
	}
}

func TestOrderOfRowsFeaturesAndNodesDoesNotMatter(t *testing.T) {
	g := example.Graph(16, 5)
	d := example.Dense(g, 60, 5, 4)
	rng := rand.New(rand.NewPCG(1, 2))
	rows, features, nodes := rng.Perm(60), rng.Perm(5), rng.Perm(g.Len())

	names := make([]string, g.Len())
	for n := range names {
		names[nodes[n]] = g.Name(n)
	}
	var edges [][2]int
	for _, e := range g.Edges() {
		edges = append(edges, [2]int{nodes[e[0]], nodes[e[1]]})
	}
	h, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	moved := d.Subset(rows)
	moved.Taxonomy = h
	for i := range moved.X.Rows {
		_, values := moved.X.Row(i)
		old := slices.Clone(values)
		for f := range old {
			values[features[f]] = old[f]
		}
	}
	for i, r := range rows {
		moved.Labels[i] = []int{nodes[d.Labels[r][0]]}
	}
	for name, f := range map[string]fitter{
		"flat": svm.Flat{Settings: solver.Settings{Gap: 1e-9, MaxEpochs: 100000}}, "hierarchical": svm.Hierarchical{Settings: solver.Settings{Gap: 1e-9, MaxEpochs: 100000}, C: 0.1},
	} {
		a, b := fit(t, f, d), fit(t, f, moved)
		sameOptimum(t, name, a, b, 1)
		p, q := a.LeafScores(d.X), b.LeafScores(moved.X)
		for i, r := range rows {
			for y, n := range g.Leaves() {
				if v, w := p.At(r, y), q.At(i, h.LeafIndex(nodes[n])); math.Abs(v-w) > 1e-3 {
					t.Errorf("%s: row %d scores %v at leaf %d, and %v in another order", name, r, v, n, w)
				}
			}
		}
	}
}

func TestScoresOfNodesAndLeavesBelongTogether(t *testing.T) {
	g := example.Graph(14, 3)
	d := example.Dense(g, 30, 4, 6)
	for name, f := range map[string]fitter{"flat": svm.Flat{}, "hierarchical": svm.Hierarchical{}} {
		m := fit(t, f, d)
		leaves, nodes, predicted := m.LeafScores(d.X), m.NodeScores(d.X), m.Predict(d.X)
		if r, c := leaves.Dims(); r != 30 || c != len(g.Leaves()) {
			t.Fatalf("%s: leaf scores are %d x %d", name, r, c)
		}
		for i := range 30 {
			_, x := d.X.Row(i)
			for n := range g.Len() {
				var want float64
				for f, w := range m.Weights(n) {
					want += w * float64(x[f])
				}
				if got := nodes.At(i, n); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: row %d, node %d: score %v, want %v", name, i, n, got, want)
				}
			}
			for y := range g.Leaves() {
				var want float64
				above, values := m.Attributes().Leaf(y)
				for k, n := range above {
					want += values[k] * nodes.At(i, n)
				}
				if got := leaves.At(i, y); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: row %d, leaf %d: score %v, want %v", name, i, y, got, want)
				}
			}
			if at := g.LeafIndex(predicted[i]); at < 0 || leaves.At(i, at) != slices.Max(leaves.RawRowView(i)) {
				t.Errorf("%s: row %d: prediction %d has not the largest score", name, i, predicted[i])
			}
		}
	}
}

func TestSameSeedSameModel(t *testing.T) {
	g := example.Tree(3, 4)
	d := example.Texts(g, 600, 400, 20, 1)
	first := fit(t, svm.Normalized{Settings: solver.Settings{Seed: 5, Workers: 1, MaxEpochs: 5}}, d)
	for _, workers := range []int{1, 2, 4, 0} {
		m := fit(t, svm.Normalized{Settings: solver.Settings{Seed: 5, Workers: workers, MaxEpochs: 5}}, d)
		if !slices.Equal(m.Training.Certificate.Weights.Data, first.Training.Certificate.Weights.Data) || m.Training.Certificate.Primal != first.Training.Certificate.Primal {
			t.Errorf("%d workers give another model", workers)
		}
		if !mat.Equal(m.LeafScores(d.X), first.LeafScores(d.X)) {
			t.Errorf("%d workers give other scores", workers)
		}
	}
}

func TestCancelledFitReturnsTheBestModel(t *testing.T) {
	g := example.Tree(3, 4)
	d := example.Texts(g, 600, 400, 20, 1)
	ctx, cancel := context.WithCancel(context.Background())
	m, err := svm.Normalized{Settings: solver.Settings{Gap: 1e-9, Progress: func(p solver.Progress) error {
		if p.Epoch == 2 {
			cancel()
		}
		return nil
	}}}.Fit(ctx, d)
	if !errors.Is(err, context.Canceled) || m == nil {
		t.Fatalf("model %v, error %v", m, err)
	}
	if r := m.Training.Certificate; r.Status != solver.Cancelled || r.Epochs != 2 || r.Gap <= 0 || r.Gap >= 1 {
		t.Errorf("result %v", r)
	}
	if n := len(m.Predict(d.X)); n != 600 {
		t.Errorf("%d predictions", n)
	}

	stop := errors.New("stop")
	m, err = svm.Flat{Settings: solver.Settings{Progress: func(solver.Progress) error { return stop }}}.Fit(context.Background(), d)
	if !errors.Is(err, stop) || m == nil || m.Training.Status != solver.Stopped {
		t.Errorf("model %v, error %v", m, err)
	}
}

func TestFitRefuses(t *testing.T) {
	g := example.Tree(2, 2) // leaves 3 to 6
	for _, c := range []struct {
		name string
		fit  fitter
		edit func(*dataset.Dataset)
		says string
	}{
		{"no taxonomy", svm.Flat{}, func(d *dataset.Dataset) { d.Taxonomy = nil }, `dataset "dense" has no taxonomy`},
		{"no matrix", svm.Hierarchical{}, func(d *dataset.Dataset) { d.X = nil }, `dataset "dense" has no matrix of instances`},
		{"no instances", svm.Normalized{}, func(d *dataset.Dataset) { d.X.Rows, d.Labels = 0, nil }, "no instances"},
		{"labels missing", svm.Flat{}, func(d *dataset.Dataset) { d.Labels = d.Labels[:3] }, "labels for 3"},
		{"two labels", svm.Normalized{DivideByNorm: true}, func(d *dataset.Dataset) { d.Labels[4] = []int{3, 5} }, "DivideByNorm needs single labels"},
		{"a set without labels", svm.Hierarchical{Sets: true}, func(d *dataset.Dataset) { d.Labels[4] = nil }, "row 4 has no labels"},
		{"no label", svm.Normalized{}, func(d *dataset.Dataset) { d.Labels[2] = nil }, "row 2 of dataset \"dense\" has no label"},
		{"inner node", svm.Flat{}, func(d *dataset.Dataset) { d.Labels[1] = []int{2} }, "row 1 of dataset \"dense\" is labelled with the inner node \"2\"; move such labels to added leaves with Dataset.Leafed"},
		{"unknown label", svm.Flat{}, func(d *dataset.Dataset) { d.Labels[1] = []int{77} }, "row 1 of dataset \"dense\" has label 77"},
		{"not a number", svm.Normalized{}, func(d *dataset.Dataset) { d.X.Values[5] = float32(math.NaN()) }, "row 1, feature 2: value NaN"},
		{"negative C", svm.Flat{C: -1}, nil, "C is -1"},
		{"infinite C", svm.Hierarchical{C: math.Inf(1)}, nil, "C is +Inf"},
		{"C not a number", svm.Normalized{C: math.NaN()}, nil, "C is NaN"},
		{"negative gap", svm.Flat{Settings: solver.Settings{Gap: -0.1}}, nil, "Gap is -0.1"},
		{"negative epochs", svm.Hierarchical{Settings: solver.Settings{MaxEpochs: -1}}, nil, "MaxEpochs is -1"},
		{"negative workers", svm.Normalized{Settings: solver.Settings{Workers: -1}}, nil, "Workers is -1"},
		{"rho", svm.Normalized{Weighting: weighting.Path{Rho: 0.5}}, nil, "Rho is 0.5"},
		{"alpha too short", svm.Normalized{Alpha: []float64{1}}, nil, "alpha has 1 entries"},
		{"negative alpha", svm.Normalized{Alpha: []float64{0, 1, 1, -1, 1, 1, 1}}, nil, "alpha of node \"3\" is -1"},
	} {
		d := example.Dense(g, 8, 3, 1)
		if c.edit != nil {
			c.edit(d)
		}
		m, err := c.fit.Fit(context.Background(), d)
		if m != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: model %v, error %v; want an error that says %q", c.name, m, err, c.says)
		}
	}
}

func TestMatricesThatDoNotFit(t *testing.T) {
	g := example.Tree(2, 2)
	d := example.Dense(g, 20, 3, 1)
	m := fit(t, svm.Hierarchical{}, d)
	if err := m.Check(d.X); err != nil {
		t.Error(err)
	}
	wide := &dataset.Matrix{Rows: 1, Cols: 9, Indptr: []int{0, 3}, Indices: []int32{0, 2, 8}, Values: []float32{1, 2, 3}}
	for _, x := range []*dataset.Matrix{wide, nil, {Rows: 1, Cols: 3, Indptr: []int{0, 1}, Indices: []int32{0}, Values: []float32{float32(math.NaN())}}} {
		if err := m.Check(x); err == nil {
			t.Errorf("no error for %v", x)
		}
	}
	none := &dataset.Matrix{Cols: 3, Indptr: []int{0}}
	if r, c := m.LeafScores(none).Dims(); r != 0 || c != 0 || len(m.Predict(none)) != 0 {
		t.Errorf("no rows give scores %d x %d and predictions %v", r, c, m.Predict(none))
	}
}

func TestDescriptions(t *testing.T) {
	g := example.Tree(2, 2)
	m := fit(t, svm.Flat{C: 0.5, Settings: solver.Settings{Workers: 1}}, example.Dense(g, 20, 3, 1))
	m.Name = "a < b"
	m.Training.Certificate.Primal, m.Training.Certificate.Dual, m.Training.Certificate.Gap, m.Training.Epochs, m.Training.Seconds = 12.5, 12.4, 0.008, 7, 1.234
	want := `a < b
  C             0.5
  leaves        4
  nodes         7
  features      3
  instances     20
  primal        12.5
  dual          12.4
  relative gap  0.008
  epochs        7
  seconds       1.23
  training      converged`
	if got := m.String(); got != want {
		t.Errorf("description\n%s\nwant\n%s", got, want)
	}
	html := m.HTML()
	for _, part := range []string{`<caption style="text-align:left">a &lt; b</caption>`, `>relative gap</th><td style="text-align:left;padding:2px 8px">0.008</td>`, "</table>"} {
		if !strings.Contains(html, part) {
			t.Errorf("%q is not in %s", part, html)
		}
	}
}
