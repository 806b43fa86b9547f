package hierml_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
)

// hidden reports whether a score is that of a leaf without training instances, the y-th, which the
// reference predicts like others.
func hidden(m *classifier.Model, score float64, y int) bool {
	return math.IsInf(score, -1) && m.Unseen(m.Taxonomy.Leaves()[y])
}

// TestGoldenHR runs the families of hierarchical regularization, on trees, forests and graphs: by
// sweeps, and the hinge by methods for structured problems and by a kernel, too.
func TestGoldenHR(t *testing.T) {
	for _, family := range []string{"hr_svm", "hr_lr"} {
		cases, err := golden.Read(family)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) { checkHR(t, c) })
		}
	}
}

func checkHR(t *testing.T, c golden.Case) {
	var want struct {
		instances
		Taxonomy      golden.Taxonomy
		C             float64
		Loss          string
		U             [][]float64
		TestX         [][]float64 `json:"X_test"`
		LeafScores    [][]float64 `json:"leaf_scores"`
		Predictions   []int
		PredictionGap float64 `json:"prediction_gap"`
		Sets          [][]int
		SetsGap       float64 `json:"sets_gap"`
	}
	decode(t, c, &want)
	g := build(t, want.Taxonomy)
	losses := map[string]solver.MarginLoss{"hinge": solver.Hinge, "squared_hinge": solver.SquaredHinge, "logistic": solver.Logistic}
	l, ok := losses[want.Loss]
	if !ok {
		t.Fatalf("unknown loss %q", want.Loss)
	}
	want.W = want.U // the weights of the model, on trees; nil on graphs
	e := svm.HR{C: want.C, Loss: l}
	fit := func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
		e.Settings = solver.Settings{Gap: gap, MaxEpochs: 100000}
		return e.Fit(context.Background(), d)
	}
	want.compare(t, want.Objective, g, fit)
	if l == solver.Hinge {
		e.Method = solver.BCFW{}
		want.compare(t, want.Objective, g, fit)
		e.Method, e.Kernel, want.W = nil, gram.Linear{}, nil
		want.compare(t, want.Objective, g, fit)
		e.Kernel = nil
	}
	m, err := fit(1e-12, want.dataset(g))
	if err != nil {
		t.Fatal(err)
	}
	test := (&instances{X: want.TestX, Labels: make([][]int, len(want.TestX))}).dataset(g)
	scores := m.LeafScores(test.X)
	predicted := m.Predict(test.X)
	const tolerance = 1e-4
	for i, row := range want.LeafScores {
		var set []int
		for k, v := range row {
			if got := scores.At(i, k); math.Abs(got-v) > tolerance*max(1, math.Abs(v)) && !hidden(m, got, k) {
				t.Errorf("row %d scores %v for leaf %d, want %v", i, got, k, v)
			}
			if scores.At(i, k) > 0 {
				set = append(set, g.Leaves()[k])
			}
		}
		if want.PredictionGap > tolerance && !m.Unseen(want.Predictions[i]) && predicted[i] != want.Predictions[i] {
			t.Errorf("row %d is %d, want %d", i, predicted[i], want.Predictions[i])
		}
		want.Sets[i] = slices.DeleteFunc(want.Sets[i], m.Unseen)
		if want.SetsGap > tolerance && !slices.Equal(set, want.Sets[i]) {
			t.Errorf("row %d has the set %v, want %v", i, set, want.Sets[i])
		}
	}
}

// TestGoldenHRGraph runs the family of undirected graphs, which nothing draws to zero. Nodes
// without data are inner nodes of a taxonomy made for that.
func TestGoldenHRGraph(t *testing.T) {
	cases, err := golden.Read("hr_graph")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) { checkHRGraph(t, c) })
	}
}

func checkHRGraph(t *testing.T, c golden.Case) {
	var want struct {
		instances
		N           int
		Edges       [][2]int
		WithData    []int `json:"nodes_with_data"`
		C           float64
		Loss        solver.MarginLoss
		Unique      bool `json:"W_unique"`
		Differences [][]float64
	}
	decode(t, c, &want)
	shape := golden.Taxonomy{N: want.N}
	for n := range want.N {
		if !slices.Contains(want.WithData, n) {
			shape.Edges = append(shape.Edges, [2]int{n, want.WithData[0]})
		}
	}
	g := build(t, shape)
	ctx := context.Background()
	d := want.dataset(g)
	m, err := svm.HR{C: want.C, Loss: want.Loss, Graph: want.Edges, Settings: solver.Settings{Gap: 1e-12, MaxEpochs: 100000}}.Fit(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	r := m.Training.Certificate
	if r.Status != solver.Converged || r.Primal < want.Objective*(1-1e-7) || r.Dual > want.Objective*(1+1e-7) {
		t.Errorf("%v, want %v", r, want.Objective)
	}
	// The weights of all nodes are made of those of the model as those of leaves are.
	nodes := make([]int, want.N)
	for n := range nodes {
		nodes[n] = n
	}
	all, _, err := structured.Laplacian(ctx, g, nodes, want.Edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := make([][]float64, want.N)
	for n := range w {
		w[n] = make([]float64, d.X.Cols)
		columns, values := all.Leaf(n)
		for k, c := range columns {
			floats.AddScaled(w[n], values[k], m.Weights(c))
		}
	}
	tolerance, penalty := 0.0, 0.0
	for _, row := range want.W {
		tolerance = max(tolerance, 1e-5*floats.Norm(row, math.Inf(1)))
	}
	for k, e := range want.Edges {
		difference := floats.SubTo(make([]float64, d.X.Cols), w[e[0]], w[e[1]])
		penalty += floats.Dot(difference, difference) / 2
		if floats.Distance(difference, want.Differences[k], math.Inf(1)) > tolerance {
			t.Errorf("difference along %v is %v, want %v", e, difference, want.Differences[k])
		}
	}
	if want.Unique {
		for n, row := range want.W {
			if floats.Distance(w[n], row, math.Inf(1)) > tolerance {
				t.Errorf("weights of node %d are %v, want %v", n, w[n], row)
			}
		}
	}
	value := penalty
	for i, set := range want.Labels {
		for _, n := range want.WithData {
			margin := floats.Dot(w[n], want.X[i])
			if !slices.Contains(set, n) {
				margin = -margin
			}
			value += want.C * want.Loss.Value(margin)
		}
	}
	if math.Abs(value-r.Primal) > 1e-7*value {
		t.Errorf("the objective by definition is %v, certified %v", value, r)
	}
}
