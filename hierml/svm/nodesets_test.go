package svm_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// innerTexts are texts with one or two labels, of which every seventh is the parent of a label
// alone.
func innerTexts(t *testing.T, rows int, seed uint64) *dataset.Dataset {
	t.Helper()
	tax, err := taxonomy.FromPaths(strings.Fields("a/aa a/ab a/ac b/ba b/bb c/ca c/cb c/cc/cca c/cc/ccb d"), "/")
	if err != nil {
		t.Fatal(err)
	}
	d := severalTexts(tax, rows, seed)
	for i := 0; i < rows; i += 7 {
		if parents := tax.Parents(d.Labels[i][0]); len(parents) > 0 {
			d.Labels[i] = []int{parents[0]}
		}
	}
	return d
}

func TestNodeSets(t *testing.T) {
	all := innerTexts(t, 900, 1)
	train, test := all.Subset(span(0, 600)), all.Subset(span(600, 900))
	settings := solver.Settings{Gap: 1e-2}
	var states []string
	model, err := svm.NodeSets{
		Method: svm.Flat{Settings: settings}, Grid: []float64{1e-4, 1}, Folds: 3,
		Progress: func(done float64, state string) error {
			if math.Abs(done-float64(len(states))/7) > 1e-12 {
				t.Errorf("%d models are a part of %v", len(states), done)
			}
			states = append(states, state)
			return nil
		},
	}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	if len(states) != 7 || states[4] != "model 5 of 7, without fold 2" || states[6] != "model 7 of 7, on all data" {
		t.Errorf("progress %q", states)
	}
	if len(model.Tried) != 2 || model.Model.C != 1 || model.HeldOut != model.Tried[1].HeldOut || !(model.Tried[0].HeldOut < model.HeldOut) {
		t.Errorf("chosen C = %v of %+v, held out %v", model.Model.C, model.Tried, model.HeldOut)
	}
	sets := model.Predict(test.X)
	f, err := metric.LabelSets(test.Labels, sets, test.Taxonomy)
	if err != nil {
		t.Fatal(err) // also if a set is not in its most specific form
	}
	if math.Abs(f.Hierarchical-model.HeldOut) > 0.05 {
		t.Errorf("F1 %.4f, on instances held out %.4f", f.Hierarchical, model.HeldOut)
	}
	// The best constant cut of the same model's scores, chosen on the test part itself, is hardly
	// better.
	best := 0.0
	for cut := -1.0; cut < 1; cut += 0.1 {
		leafSets := model.Model.PredictSets(test.X, calibration.Above(cut))
		for i, set := range leafSets {
			for k, n := range set {
				if n >= test.Taxonomy.Len() {
					set[k] = model.Model.Taxonomy.Parents(n)[0]
				}
			}
			leafSets[i] = mostSpecific(test.Taxonomy, set)
		}
		other, err := metric.LabelSets(test.Labels, leafSets, test.Taxonomy)
		if err != nil {
			t.Fatal(err)
		}
		best = max(best, other.Hierarchical)
	}
	if f.Hierarchical < best-0.01 {
		t.Errorf("F1 %.4f; a constant cut reaches %.4f", f.Hierarchical, best)
	}
	inner := 0
	p := model.NodeProbabilities(test.X)
	for i, set := range sets {
		if len(set) == 0 {
			t.Fatalf("row %d has no label", i)
		}
		for _, n := range set {
			if !test.Taxonomy.IsLeaf(n) {
				inner++
			}
		}
		for n := range test.Taxonomy.Len() {
			for _, child := range test.Taxonomy.Children(n) {
				if p.At(i, child) > p.At(i, n) {
					t.Fatalf("row %d: node %d has probability %v, its child %v", i, n, p.At(i, n), p.At(i, child))
				}
			}
			above := slices.Contains(test.Taxonomy.Closure(set), n)
			if len(set) > 1 && above != (p.At(i, n) > model.Level) {
				t.Fatalf("row %d: node %d has probability %v and is predicted: %v", i, n, p.At(i, n), above)
			}
		}
	}
	if inner == 0 {
		t.Error("no inner node was predicted")
	}
	for _, text := range []string{model.String(), model.HTML()} {
		if !strings.Contains(text, "for sets of nodes") || !strings.Contains(text, "held out") {
			t.Errorf("shown as %s", text)
		}
	}
	// On the data with all labels at leaves, metric evaluates the model as it does others.
	leafed, err := train.Leafed()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := (&dataset.Collection{Train: train, Test: test}).Leafed()
	if err != nil {
		t.Fatal(err)
	}
	if leafed.Taxonomy.Len() != whole.Train.Taxonomy.Len() {
		t.Fatal("the test part has labels that the training part has not")
	}
	leaves, err := svm.NodeSets{Method: svm.Flat{Settings: settings}, Folds: 3}.Fit(t.Context(), whole.Train)
	if err != nil {
		t.Fatal(err)
	}
	r, err := metric.Evaluate(leaves, whole.Test)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.HierarchicalF1-f.Hierarchical) > 0.03 { // a miscellaneous leaf counts as a node more
		t.Errorf("F1 %.4f of sets of leaves, %.4f of nodes", r.HierarchicalF1, f.Hierarchical)
	}
	again, err := svm.NodeSets{Method: svm.Flat{Settings: settings}, Grid: []float64{1}, Folds: 3}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	if again.Level != model.Level || again.HeldOut != model.HeldOut {
		t.Errorf("level %v and F1 %v, and the next time %v and %v", model.Level, model.HeldOut, again.Level, again.HeldOut)
	}
}

func TestNodeSetsErrors(t *testing.T) {
	d := innerTexts(t, 40, 1)
	stop := errors.New("enough")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name  string
		ctx   context.Context
		sets  svm.NodeSets
		d     *dataset.Dataset
		words string
	}{
		{"no data", t.Context(), svm.NodeSets{}, nil, "the dataset is nil"},
		{"folds", t.Context(), svm.NodeSets{Folds: 41}, d, "41 folds of 40 instances"},
		{"empty grid", t.Context(), svm.NodeSets{Grid: []float64{}}, d, "the grid is empty"},
		{"no C", t.Context(), svm.NodeSets{Method: trainer{svm.Flat{}}, Grid: []float64{1}}, d, "has no C to choose"},
		{"bad C", t.Context(), svm.NodeSets{Grid: []float64{-1}}, d, "the grid: svm: C is -1; C, the weight of the training error, must be"},
		{"stopped", t.Context(), svm.NodeSets{Progress: func(float64, string) error { return stop }}, d, "enough"},
		{"cancelled", cancelled, svm.NodeSets{}, d, "context canceled"},
	} {
		if m, err := test.sets.Fit(test.ctx, test.d); err == nil || m != nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v, %v", test.name, m, err)
		}
	}
}

// trainer is a method without C.
type trainer struct{ classifier.Estimator }

// mostSpecific returns the nodes of the set that are above no other, ascending.
func mostSpecific(t *taxonomy.Taxonomy, set []int) []int {
	kept := slices.DeleteFunc(slices.Clone(set), func(n int) bool {
		return slices.ContainsFunc(set, func(m int) bool { return m != n && slices.Contains(t.Ancestors(m), n) })
	})
	slices.Sort(kept)
	return slices.Compact(kept)
}

// unequal trains on all data, of the given number of instances, as a training that was cut short:
// its weights have not grown to the scale of those of the folds.
type unequal struct{ instances int }

func (u unequal) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if d.Len() < u.instances {
		return svm.Flat{Settings: solver.Settings{Gap: 1e-2}}.Fit(ctx, d)
	}
	return svm.Flat{C: 0.02, Settings: solver.Settings{MaxEpochs: 2}}.Fit(ctx, d)
}

// TestNodeSetsAnnounceWhatTheyReach compares the F1 that is announced with that of other instances,
// also where the training on all data was cut short before its weights had the scale of those of
// the folds.
func TestNodeSetsAnnounceWhatTheyReach(t *testing.T) {
	all := innerTexts(t, 1200, 1)
	train, test := all.Subset(span(0, 600)), all.Subset(span(600, 1200))
	long := solver.Settings{Gap: 1e-2}
	for name, method := range map[string]classifier.Estimator{
		"default":       nil,
		"flat":          svm.Flat{Settings: long},
		"one-vs-rest":   svm.OneVsRest{Settings: long},
		"cut":           svm.Flat{Settings: solver.Settings{MaxEpochs: 1}},
		"cut after all": unequal{train.Len()},
	} {
		m, err := svm.NodeSets{Method: method}.Fit(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		f, err := metric.LabelSets(test.Labels, m.Predict(test.X), test.Taxonomy)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: F1 %.4f, announced %.4f", name, f.Hierarchical, m.HeldOut)
		if math.Abs(f.Hierarchical-m.HeldOut) > 0.05 { // each has a standard error of about 0.02
			t.Errorf("%s: F1 %.4f, announced is %.4f", name, f.Hierarchical, m.HeldOut)
		}
	}
}
