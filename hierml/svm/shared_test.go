package svm_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// Without common nodes there is nothing to share: the norm is that of the flat SVM.
func TestSharedWithoutSharing(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "c", "above c"}, [][2]int{{3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	d := example.Dense(g, 40, 4, 1)
	flat := fit(t, svm.Flat{C: 0.4, Settings: solver.Settings{Gap: tight}}, d)
	shared := fit(t, svm.Shared{C: 0.4, Settings: solver.Settings{Gap: tight}}, d)
	sameOptimum(t, "shared and flat", shared, flat, 1)
	sameScores(t, "shared and flat", shared.LeafScores(d.X), flat.LeafScores(d.X), 0.05)
}

// The optimum over alpha is at most the one for any alpha, and that for the alpha learned.
func TestSharedIsBest(t *testing.T) {
	for name, g := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(2, 2, 3), "DAG": example.Graph(25, 7)} {
		d := example.Dense(g, 80, 5, 2)
		shared := fit(t, svm.Shared{C: 0.3, Settings: solver.Settings{Gap: 1e-5, MaxEpochs: 10000}}, d)
		if r := shared.Training.Certificate; r.Status != solver.Converged || r.Gap > 1e-5 {
			t.Errorf("%s: %v", name, r)
		}
		learned := shared.NodeWeights()
		even, err := weighting.MaxMin{}.Weights(g)
		if err != nil {
			t.Fatal(err)
		}
		for what, alpha := range map[string][]float64{"flat": weighting.Flat(g), "max-min": even, "learned": learned} {
			fixed := fit(t, svm.Normalized{C: 0.3, Alpha: alpha, Loss: loss.ZeroOne(), Settings: solver.Settings{Gap: tight}}, d)
			if shared.Training.Certificate.Dual > fixed.Training.Certificate.Primal {
				t.Errorf("%s: no weights give less than %v, but the %s ones give %v", name, shared.Training.Certificate.Dual, what, fixed.Training.Certificate.Primal)
			}
			if what == "learned" && fixed.Training.Certificate.Dual > shared.Training.Certificate.Primal*(1+tight) {
				t.Errorf("%s: the model attains %v, its node weights at least %v", name, shared.Training.Certificate.Primal, fixed.Training.Certificate.Dual)
			}
		}
		for _, l := range g.Leaves() {
			var sum float64
			for _, n := range g.Ancestors(l) {
				sum += learned[n]
			}
			if sum > 1+1e-9 {
				t.Errorf("%s: the weights of a path add up to %v", name, sum)
			}
		}
	}
}

func TestSharedStopped(t *testing.T) {
	g := example.Tree(3, 3)
	d := example.Dense(g, 100, 5, 3)
	whole := fit(t, svm.Shared{Settings: solver.Settings{Gap: 1e-4, MaxEpochs: 10000}}, d).Training.Certificate
	honest := func(what string, r *solver.Result, status solver.Status) {
		t.Helper()
		if r.Status != status || r.Dual > whole.Primal || r.Primal < whole.Dual || math.Abs(r.Gap-(r.Primal-r.Dual)/r.Primal) > 1e-12 {
			t.Errorf("%s: %v; the optimum is in [%v, %v]", what, r, whole.Dual, whole.Primal)
		}
	}
	stop := errors.New("enough")
	for _, after := range []int{1, 2, 12, 25} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		progress := func(err error) func(solver.Progress) error {
			seen = 0
			return func(p solver.Progress) error {
				if seen++; p.Epoch != seen || p.Dual > whole.Primal || p.Primal < whole.Dual {
					t.Errorf("report %d: %v", seen, p)
				}
				if seen == after {
					cancel()
					return err
				}
				return nil
			}
		}
		m, err := svm.Shared{Settings: solver.Settings{Gap: tight, Progress: progress(stop)}}.Fit(t.Context(), d)
		if !errors.Is(err, stop) || m == nil {
			t.Fatalf("error %v", err)
		}
		honest("progress function", m.Training.Certificate, solver.Stopped)
		if len(m.Training.Certificate.History) != after {
			t.Errorf("%d entries of history, want %d", len(m.Training.Certificate.History), after)
		}
		m, err = svm.Shared{Settings: solver.Settings{Gap: tight, Progress: progress(nil)}}.Fit(ctx, d)
		if !errors.Is(err, context.Canceled) || m == nil && after > 1 {
			t.Fatalf("error %v", err)
		}
		if m != nil {
			honest("context", m.Training.Certificate, solver.Cancelled)
		}
		m = fit(t, svm.Shared{Settings: solver.Settings{Gap: tight, MaxEpochs: after}}, d)
		honest("epochs", m.Training.Certificate, solver.MaxEpochs)
		if m.Training.Epochs != after {
			t.Errorf("%d epochs, want %d", m.Training.Epochs, after)
		}
	}
	m := fit(t, svm.Shared{Settings: solver.Settings{Gap: tight, Time: 1}}, d)
	honest("time", m.Training.Certificate, solver.TimeLimit)
	again := fit(t, svm.Shared{Settings: solver.Settings{Gap: 1e-4, MaxEpochs: 10000, Start: whole}}, d).Training.Certificate
	if again.Epochs >= whole.Epochs {
		t.Errorf("%d epochs from the result of %d", again.Epochs, whole.Epochs)
	}
}

func TestSharedRefuses(t *testing.T) {
	g := example.Tree(2, 2)
	d := example.Dense(g, 10, 2, 4)
	for name, s := range map[string]svm.Shared{
		"C": {C: -1}, "gap": {Settings: solver.Settings{Gap: -1}}, "epochs": {Settings: solver.Settings{MaxEpochs: -1}},
		"start": {Settings: solver.Settings{Start: &solver.Result{}}}, "pegasos": {Method: solver.Pegasos{}}, "RDA": {Method: solver.RDA{}},
	} {
		if m, err := s.Fit(t.Context(), d); err == nil || m != nil {
			t.Errorf("%s: model %v, error %v", name, m, err)
		}
	}
}

// A single leaf, and instances without features, leave nothing to learn.
func TestSharedOfNothing(t *testing.T) {
	alone, err := taxonomy.New([]string{"a", "b"}, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	d := example.Dense(alone, 10, 2, 5)
	if r := fit(t, svm.Shared{}, d).Training.Certificate; r.Primal != 0 || r.Gap != 0 {
		t.Errorf("one leaf: %v", r)
	}
	d = example.Dense(example.Tree(2, 2), 10, 2, 6)
	clear(d.X.Values)
	if r := fit(t, svm.Shared{C: 2}, d).Training.Certificate; math.Abs(r.Primal-20) > 1e-9 || r.Gap > 1e-3 {
		t.Errorf("no features: %v", r)
	}
}

// What works on other linear models works on shared ones.
func TestSharedModel(t *testing.T) {
	g := example.Graph(20, 3)
	d := example.Dense(g, 60, 4, 7)
	m := fit(t, svm.Shared{C: 0.5, Settings: solver.Settings{Gap: 1e-4, MaxEpochs: 10000}}, d)
	path := filepath.Join(t.TempDir(), "model")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := classifier.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	sameScores(t, "loaded", loaded.LeafScores(d.X), m.LeafScores(d.X), 1e-6)
	if !floats.EqualApprox(loaded.NodeWeights(), m.NodeWeights(), 1e-12) {
		t.Errorf("node weights %v, loaded %v", m.NodeWeights(), loaded.NodeWeights())
	}
	compact, err := m.Compact(t.Context(), 0.01)
	if err != nil {
		t.Fatal(err)
	}
	if r := compact.Training.Certificate; r.Primal > m.Training.Certificate.Primal*1.01 || r.Dual > m.Training.Certificate.Primal {
		t.Errorf("compacted: %v, before %v", r, m.Training.Certificate)
	}
	choice, err := svm.Search{Grid: []float64{0.1, 1}}.ChooseC(t.Context(), svm.Shared{}, d)
	if err != nil || choice.Model.Training.Certificate.Gap > solver.DefaultGap {
		t.Errorf("choice %v, error %v", choice, err)
	}
}
