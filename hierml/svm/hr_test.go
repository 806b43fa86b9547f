package svm_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

var marginLosses = []solver.MarginLoss{solver.Hinge, solver.SquaredHinge, solver.Logistic}

// TestHROfChains holds that single nodes are one-vs-rest, and that chains of k nodes are, with k C.
func TestHROfChains(t *testing.T) {
	const leaves = 3
	flat, err := taxonomy.New([]string{"a", "b", "c"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := several(flat, 50, 4, 3)
	for _, k := range []int{1, 3} {
		var names []string
		var edges [][2]int
		for chain := range leaves {
			for depth := range k {
				if n := len(names); depth > 0 {
					edges = append(edges, [2]int{n - 1, n})
				}
				names = append(names, string(rune('a'+chain))+strings.Repeat("'", k-1-depth))
			}
		}
		chains, err := taxonomy.New(names, edges)
		if err != nil {
			t.Fatal(err)
		}
		moved := *d
		moved.Taxonomy, moved.Labels = chains, make([][]int, d.Len())
		for i, set := range d.Labels {
			for _, y := range set {
				moved.Labels[i] = append(moved.Labels[i], chains.Leaves()[y])
			}
		}
		for _, l := range marginLosses {
			settings := solver.Settings{Gap: 1e-9, MaxEpochs: 20000}
			rest := fit(t, svm.OneVsRest{C: 0.5 * float64(k), Loss: l, Settings: settings}, d)
			chained := fit(t, svm.HR{C: 0.5, Loss: l, Settings: settings}, &moved)
			want := rest.Training.Certificate.Primal / float64(k)
			if got := chained.Training.Certificate; math.Abs(got.Primal-want) > 1e-8*want || got.Gap > 1e-9 {
				t.Errorf("%v, chains of %d: %v, one-vs-rest divided by that %v", l, k, got, want)
			}
		}
	}
}

// edgePenalty returns 1/2 sum_edges ||w_m - w_n||^2 + 1/2 sum_roots ||w_r||^2 for the weights of a
// model's leaves, with those of inner nodes where it is smallest.
func edgePenalty(t *testing.T, m *classifier.Model, edges [][2]int, roots []int) float64 {
	t.Helper()
	g, features := m.Taxonomy, m.Features()
	laplacian := mat.NewDense(g.Len(), g.Len(), nil)
	add := func(a, b int, v float64) { laplacian.Set(a, b, laplacian.At(a, b)+v) }
	for _, r := range roots {
		add(r, r, 1)
	}
	for _, e := range edges {
		add(e[0], e[0], 1)
		add(e[1], e[1], 1)
		add(e[0], e[1], -1)
		add(e[1], e[0], -1)
	}
	w, flow := mat.NewDense(g.Len(), features, nil), mat.NewDense(g.Len(), features, nil)
	for y, leaf := range g.Leaves() {
		nodes, values := m.Attributes().Leaf(y)
		for k, n := range nodes {
			for f, u := range m.Weights(n) {
				w.Set(leaf, f, w.At(leaf, f)+values[k]*u)
			}
		}
	}
	system := mat.DenseCopyOf(laplacian) // rows of leaves: their weights; of inner nodes: no flow
	for n := range g.Len() {
		if g.IsLeaf(n) {
			for j := range g.Len() {
				system.Set(n, j, 0)
			}
			system.Set(n, n, 1)
		}
	}
	var all mat.Dense
	if err := all.Solve(system, w); err != nil {
		t.Fatal(err)
	}
	flow.Mul(laplacian, &all)
	flow.MulElem(flow, &all)
	return mat.Sum(flow) / 2
}

// hrValue evaluates the objective of HR by its definition, over edges.
func hrValue(t *testing.T, m *classifier.Model, d *dataset.Dataset, s svm.HR) float64 {
	t.Helper()
	g := d.Taxonomy
	value := edgePenalty(t, m, g.Edges(), g.Roots())
	scores := m.LeafScores(d.X)
	for i, set := range d.Labels {
		for k, y := range g.Leaves() {
			margin := -scores.At(i, k)
			for _, n := range set {
				if n == y {
					margin = -margin
				}
			}
			value += s.C * s.Loss.Value(margin)
		}
	}
	return value
}

// TestHRAgainstDefinition evaluates the objective at the weights of models of trees, forests and
// graphs, by the formula over edges, which the model is to have certified.
func TestHRAgainstDefinition(t *testing.T) {
	two, err := taxonomy.New([]string{"a", "b", "c", "d", "e"}, [][2]int{{0, 2}, {0, 3}, {1, 4}})
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(3, 4), "forest": two, "graph": example.Graph(15, 3)} {
		d := several(g, 60, 4, 5)
		for _, l := range marginLosses {
			m := fit(t, svm.HR{C: 0.7, Loss: l, Settings: solver.Settings{Gap: 1e-4}}, d)
			value := hrValue(t, m, d, svm.HR{C: 0.7, Loss: l})
			if r := m.Training.Certificate; math.Abs(value-r.Primal) > 1e-5*value || r.Gap > 1e-4 {
				t.Errorf("%s, %v: objective by definition %v, certified %v", name, l, value, r)
			}
		}
	}
}

func TestHRStopsEarly(t *testing.T) {
	d := several(example.Tree(3, 4), 60, 4, 6)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	m, err := svm.HR{}.Fit(ended, d)
	if !errors.Is(err, context.Canceled) || m == nil || m.Training.Certificate.Gap != 1 {
		t.Errorf("cancelled: model %v, error %v", m, err)
	}
	m, err = svm.HR{Settings: solver.Settings{Gap: 1e-7, Time: time.Nanosecond}}.Fit(context.Background(), d)
	if err != nil || m.Training.Status != solver.TimeLimit {
		t.Fatalf("no time: %v, error %v", m, err)
	}
	m = fit(t, svm.HR{Settings: solver.Settings{Gap: 1e-7, MaxEpochs: 1}}, d)
	if r := m.Training.Certificate; r.Status != solver.MaxEpochs || r.Epochs != 1 || r.Gap <= 1e-7 {
		t.Errorf("one epoch: %v", r)
	}
	enough := errors.New("enough")
	m, err = svm.HR{Settings: solver.Settings{Gap: 1e-9, Progress: func(p solver.Progress) error {
		if p.Epoch == 2 {
			return enough
		}
		return nil
	}}}.Fit(context.Background(), d)
	if !errors.Is(err, enough) || m == nil || m.Training.Status != solver.Stopped || len(m.Training.Certificate.History) != 2 {
		t.Errorf("stopped: %v, error %v", m, err)
	}
}

// TestNoTimeToPrepare trains what needs a kernel or a factor before there are any weights.
func TestNoTimeToPrepare(t *testing.T) {
	none := solver.Settings{Time: time.Nanosecond}
	const parents, leaves = 80, 60 // each of these below each of those
	var names []string
	var edges [][2]int
	for n := range parents + leaves {
		names = append(names, strconv.Itoa(n))
		for p := range parents {
			if n >= parents {
				edges = append(edges, [2]int{p, n})
			}
		}
	}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	for what, e := range map[string]classifier.Estimator{
		"kernel of the instances": svm.Hierarchical{Kernel: gram.Linear{}, Settings: none},
		"the graph was factored":  svm.HR{Settings: none},
	} {
		if m, err := e.Fit(context.Background(), several(g, 60, 4, 5)); m != nil || err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: model %v, error %v", what, m, err)
		}
	}
}

func TestHRWorkersDoNotMatter(t *testing.T) {
	d := several(example.Tree(3, 4), 60, 4, 5)
	one, three := fit(t, svm.HR{Settings: solver.Settings{Workers: 1}}, d), fit(t, svm.HR{Settings: solver.Settings{Workers: 3}}, d)
	if a, b := one.Training.Certificate, three.Training.Certificate; a.Primal != b.Primal || a.Dual != b.Dual || a.Epochs != b.Epochs {
		t.Errorf("one worker: %v, three: %v", a, b)
	}
}

func TestHRErrors(t *testing.T) {
	d := several(example.Tree(2, 2), 20, 3, 1)
	inner := *d
	inner.Labels = make([][]int, d.Len())
	for i := range inner.Labels {
		inner.Labels[i] = []int{0}
	}
	for what, c := range map[string]struct {
		e classifier.Estimator
		d *dataset.Dataset
	}{
		"C is":         {svm.HR{C: -1}, d},
		"unknown loss": {svm.HR{Loss: 7}, d},
		"leave Kernel": {svm.HR{Loss: solver.Logistic, Kernel: gram.Linear{}}, d},
		"only sweeps":  {svm.HR{Graph: d.Taxonomy.Edges(), Method: solver.BCFW{}}, d},
		"no edge":      {svm.HR{Graph: [][2]int{}}, d},
		"listed twice": {svm.HR{Graph: append([][2]int{{4, 1}, {1, 4}}, d.Taxonomy.Edges()...)}, d},
		"0..6":         {svm.HR{Graph: [][2]int{{0, 7}}}, d},
		"Gap is":       {svm.HR{Settings: solver.Settings{Gap: -1}}, d},
		"inner node":   {svm.HR{}, &inner},
	} {
		if m, err := c.e.Fit(context.Background(), c.d); m != nil || err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: model %v, error %v", what, m, err)
		}
	}
}
