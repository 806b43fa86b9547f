package hierml_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

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
			if got := scores.At(i, k); math.Abs(got-v) > tolerance*max(1, math.Abs(v)) {
				t.Errorf("row %d scores %v for leaf %d, want %v", i, got, k, v)
			}
			if scores.At(i, k) > 0 {
				set = append(set, g.Leaves()[k])
			}
		}
		if want.PredictionGap > tolerance && predicted[i] != want.Predictions[i] {
			t.Errorf("row %d is %d, want %d", i, predicted[i], want.Predictions[i])
		}
		if want.SetsGap > tolerance && !slices.Equal(set, want.Sets[i]) {
			t.Errorf("row %d has the set %v, want %v", i, set, want.Sets[i])
		}
	}
}
