package svm_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestMaxConstraintQuadraticProgram compares optima with those that testdata/maxconstraint.py found
// by an interior-point method.
func TestMaxConstraintQuadraticProgram(t *testing.T) {
	text, err := os.ReadFile("testdata/maxconstraint.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name      string
		Edges     [][2]int
		C         float64
		X, W      [][]float64
		Labels    [][]int
		Weights   []float64
		Objective float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		g, err := taxonomy.New([]string{"a", "b", "c", "d", "e", "f", "g"}, c.Edges)
		if err != nil {
			t.Fatal(err)
		}
		d := &dataset.Dataset{Name: c.Name, Taxonomy: g, X: denseRows(c.X), Labels: c.Labels, Weights: c.Weights}
		m, err := svm.MaxConstraint{C: c.C, Settings: solver.Settings{Gap: 1e-8, MaxEpochs: 100000}}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		r := m.Training.Certificate
		if slack := 1e-7 * c.Objective; r.Primal < c.Objective-slack || r.Primal > c.Objective+slack || r.Dual > c.Objective+slack || r.Gap > 1e-8 {
			t.Errorf("%s, C = %v: objective %v and dual value %v, gap %v; the quadratic program has %v", c.Name, c.C, r.Primal, r.Dual, r.Gap, c.Objective)
		}
		for n, want := range c.W {
			for f, v := range m.Weights(n) {
				if math.Abs(v-want[f]) > 1e-3 {
					t.Errorf("%s, C = %v: weight of feature %d for node %d is %v, in the quadratic program %v", c.Name, c.C, f, n, v, want[f])
				}
			}
		}
	}
}

// denseRows returns a matrix of the rows.
func denseRows(rows [][]float64) *dataset.Matrix {
	x := &dataset.Matrix{Rows: len(rows), Cols: len(rows[0]), Indptr: []int{0}}
	for _, row := range rows {
		for f, v := range row {
			x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(v))
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return x
}

// TestMaxConstraintWithoutHierarchy holds that on nodes without edges it is one-vs-rest.
func TestMaxConstraintWithoutHierarchy(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "c", "d"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := example.Dense(g, 40, 3, 4)
	d.Labels[1], d.Labels[2] = []int{0, 3}, nil
	settings := solver.Settings{Gap: 1e-9, MaxEpochs: 100000}
	m, err := svm.MaxConstraint{C: 0.7, Settings: settings}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := svm.OneVsRest{C: 0.7, Settings: settings}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Training.Certificate.Primal, rest.Training.Certificate.Primal; math.Abs(got-want) > 1e-7*want {
		t.Errorf("objective %v, of one-vs-rest %v", got, want)
	}
	for n := range g.Len() {
		for f, v := range m.Weights(n) {
			if want := rest.Weights(n)[f]; math.Abs(v-want) > 1e-4 {
				t.Errorf("weight of feature %d for node %d is %v, in one-vs-rest %v", f, n, v, want)
			}
		}
	}
}

// TestMaxConstraintLearnsSets learns labels at any nodes, which features tell, and checks the
// scores and sets against those of the weights, before and after saving.
func TestMaxConstraintLearnsSets(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for name, g := range map[string]*taxonomy.Taxonomy{
		"tree": example.Tree(2, 3), "forest": example.Random(r, 12, 3, 1), "graph": example.Random(r, 12, 2, 3),
	} {
		d := closedLabels(r, g, 60)
		m, err := svm.MaxConstraint{C: 300, Settings: solver.Settings{Gap: 1e-4}}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		predicted, err := m.ClosedSets(d.X)
		if err != nil {
			t.Fatal(err)
		}
		scores, own := m.CoherentScores(d.X), m.NodeScores(d.X)
		for i, set := range predicted {
			if !slices.Equal(set, d.Labels[i]) {
				t.Errorf("%s: row %d has labels %v, predicted %v", name, i, d.Labels[i], set)
			}
			above := g.Closure(set)
			for n := range g.Len() {
				if m.Unseen(n) {
					if !math.IsInf(scores.At(i, n), -1) {
						t.Errorf("%s: row %d has the score %v for node %d, which is unseen", name, i, scores.At(i, n), n)
					}
					continue
				}
				highest := math.Inf(-1)
				for _, below := range g.Descendants(n) {
					if !m.Unseen(below) {
						highest = max(highest, own.At(i, below))
					}
				}
				if got := scores.At(i, n); got != highest || slices.Contains(above, n) != (got > 0) {
					t.Errorf("%s: row %d, node %d: score %v, want %v; predicted %v", name, i, n, got, highest, set)
				}
				for _, child := range g.Children(n) {
					if scores.At(i, child) > scores.At(i, n) {
						t.Errorf("%s: row %d: the score rises from node %d to %d", name, i, n, child)
					}
				}
			}
		}
		path := filepath.Join(t.TempDir(), "model")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		loaded, err := classifier.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := loaded.ClosedSets(d.X); err != nil || loaded.Rule != classifier.BottomUp || !reflect.DeepEqual(again, predicted) {
			t.Errorf("%s: other sets after a way through a file, error %v", name, err)
		}
		leaves, err := m.Decide(d.X, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, set := range leaves {
			want := slices.DeleteFunc(slices.Clone(predicted[i]), func(n int) bool { return !g.IsLeaf(n) })
			if !slices.Equal(set, want) {
				t.Errorf("%s: row %d: leaves %v, want %v", name, i, set, want)
			}
		}
	}
}

// TestMaxConstraintNodeSets learns levels from scores of nodes, inner ones without leaves of their
// own, and saves them.
func TestMaxConstraintNodeSets(t *testing.T) {
	all := innerTexts(t, 600, 1)
	train, test := all.Subset(span(0, 400)), all.Subset(span(400, 600))
	m, err := svm.NodeSets{Method: svm.MaxConstraint{}, Grid: []float64{1e-4, 1}, Folds: 3}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	if m.Model.Taxonomy != train.Taxonomy || m.Model.Rule != classifier.BottomUp || m.Model.C != 1 {
		t.Errorf("chosen from %+v:\n%v", m.Tried, m)
	}
	sets := m.Predict(test.X)
	f, err := metric.LabelSets(test.Labels, sets, test.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	leaves, err := svm.NodeSets{Method: svm.OneVsRest{}, Folds: 3}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Hierarchical-m.HeldOut) > 0.05 || m.HeldOut < leaves.HeldOut-0.02 {
		t.Errorf("F1 %.4f, on instances held out %.4f; of one-vs-rest %.4f", f.Hierarchical, m.HeldOut, leaves.HeldOut)
	}
	path := filepath.Join(t.TempDir(), "sets")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := svm.LoadNodeSets(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := loaded.NodeProbabilities(test.X), m.NodeProbabilities(test.X); !reflect.DeepEqual(got, want) {
		t.Error("other probabilities after a way through a file")
	}
	// A method that wraps it trains on leaves in place of the inner nodes that are labels.
	wrapped, err := svm.NodeSets{Method: svm.Balanced{Estimator: svm.MaxConstraint{}}, Folds: 3}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	if p := wrapped.NodeProbabilities(test.X); p.RawMatrix().Cols != test.Taxonomy.Len() {
		t.Errorf("probabilities of %d nodes, want %d", p.RawMatrix().Cols, test.Taxonomy.Len())
	}
}

// TestMaxConstraintChoosesC chooses C by the sets that are predicted.
func TestMaxConstraintChoosesC(t *testing.T) {
	d := closedLabels(rand.New(rand.NewPCG(2, 1)), example.Tree(2, 3), 90)
	choice, err := svm.ChooseC(t.Context(), svm.MaxConstraint{}, d)
	if err != nil {
		t.Fatal(err)
	}
	best := slices.MinFunc(choice.Tried, func(a, b svm.Tried) int { return int(math.Copysign(1, a.Loss-b.Loss)) })
	if best.Loss > 0.5 || best.Accuracy < 0.8 {
		t.Errorf("C was chosen by %v", choice.Tried)
	}
}

func TestMaxConstraintRefuses(t *testing.T) {
	d := example.Dense(example.Tree(2, 3), 20, 3, 1)
	for want, call := range map[string]func() error{
		"C is -1":            func() error { _, err := svm.MaxConstraint{C: -1}.Fit(t.Context(), d); return err },
		"the dataset is nil": func() error { _, err := svm.MaxConstraint{}.Fit(t.Context(), nil); return err },
		"does not support checkpoints": func() error {
			_, err := svm.MaxConstraint{Settings: solver.Settings{Checkpoint: filepath.Join(t.TempDir(), "c")}}.Fit(t.Context(), d)
			return err
		},
		"use BCFW": func() error {
			_, err := svm.MaxConstraint{Method: solver.DualAscent{}}.Fit(t.Context(), d)
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
