package svm_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// withoutFrequencies drops the notes that compare with label frequencies, which few instances get.
func withoutFrequencies(notes []string) []string {
	return slices.DeleteFunc(notes, func(note string) bool { return strings.Contains(note, "label frequencies") })
}

// TestNoteOfFrequencies trains on features that say nothing, and on features that say all.
func TestNoteOfFrequencies(t *testing.T) {
	said, random := innerTexts(t, 300, 1), innerTexts(t, 300, 1)
	random.X = innerTexts(t, 300, 2).X
	for name, sets := range map[string]svm.NodeSets{
		"default": {}, "grid": {Method: svm.Ridge{}, Grid: []float64{0.1, 1}},
		"folds": {Method: svm.Flat{Settings: solver.Settings{Gap: 0.05}}, Folds: 3},
	} {
		var n example.Watcher
		m, err := sets.Fit(progress.With(t.Context(), &n), random)
		if err != nil {
			t.Fatal(err)
		}
		if len(n.Notes) != 1 || !strings.Contains(n.Notes[0], "label frequencies alone") || !(m.Frequencies > 0) {
			t.Errorf("%s, features of other instances: F1 %v, of frequencies %v, notes %q", name, m.HeldOut, m.Frequencies, n.Notes)
		}
		n.Notes = nil
		if m, err = sets.Fit(progress.With(t.Context(), &n), said); err != nil {
			t.Fatal(err)
		}
		if len(n.Notes) != 0 || !(m.HeldOut > m.Frequencies) {
			t.Errorf("%s: F1 %v, of frequencies %v, notes %q", name, m.HeldOut, m.Frequencies, n.Notes)
		}
	}
}

// TestNoteOfUnsolved trains on features of very different scales with too few epochs. Whoever
// watches is told once, of the model that is returned; of a training that reaches its gap nothing.
func TestNoteOfUnsolved(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 60, 50, 10, 1)
	mixed := example.Texts(d.Taxonomy, 60, 50, 10, 1)
	for k, f := range mixed.X.Indices {
		mixed.X.Values[k] *= []float32{1e6, 1e-6}[f%2]
	}
	settings := solver.Settings{MaxEpochs: 20}
	method := svm.Hierarchical{Settings: settings}
	for _, test := range []struct {
		name string
		fit  func(ctx context.Context, d *dataset.Dataset) error
	}{
		{"one training", func(ctx context.Context, d *dataset.Dataset) error {
			_, err := method.Fit(ctx, d)
			return err
		}},
		{"with a progress function", func(ctx context.Context, d *dataset.Dataset) error {
			m := method
			m.Settings.Progress = func(solver.Progress) error { return nil }
			_, err := m.Fit(ctx, d)
			return err
		}},
		{"one against the rest", func(ctx context.Context, d *dataset.Dataset) error {
			_, err := svm.OneVsRest{Settings: solver.Settings{MaxEpochs: 8}}.Fit(ctx, d)
			return err
		}},
		{"choosing C", func(ctx context.Context, d *dataset.Dataset) error {
			_, err := svm.Search{Grid: []float64{0.1, 1}}.ChooseC(ctx, method, d)
			return err
		}},
		{"node sets", func(ctx context.Context, d *dataset.Dataset) error {
			_, err := svm.NodeSets{Method: method, Folds: 2}.Fit(ctx, d)
			return err
		}},
	} {
		var n example.Watcher
		if err := test.fit(progress.With(t.Context(), &n), mixed); err != nil {
			t.Fatal(err)
		}
		n.Notes = withoutFrequencies(n.Notes)
		if len(n.Notes) != 1 || strings.Contains(n.Notes[0], "\n") || !strings.Contains(n.Notes[0], "gap of") || !strings.Contains(n.Notes[0], solver.MaxEpochs.String()) {
			t.Errorf("%s: notes %q", test.name, n.Notes)
		}
		n.Notes = nil
		if err := test.fit(progress.With(t.Context(), &n), d); err != nil {
			t.Fatal(err)
		}
		n.Notes = withoutFrequencies(n.Notes)
		if len(n.Notes) != 0 {
			t.Errorf("%s, solved: notes %q", test.name, n.Notes)
		}
	}
}

// The largest number of epochs of each part is not that of all of them: half of the work is not
// told to be done before half of the parts are.
func TestProgressIsThatOfAllParts(t *testing.T) {
	var w example.Watcher
	m, err := svm.OneVsRest{Settings: solver.Settings{MaxEpochs: 6, Workers: 1}}.Fit(progress.With(t.Context(), &w), example.Texts(example.Tree(4, 5), 100, 50, 10, 1))
	if err != nil {
		t.Fatal(err)
	}
	if early := w.Reports[:len(w.Reports)/3]; len(early) < 6 || early[len(early)-1].Done > 0.5 {
		t.Errorf("%v is told to be done with the third part of the reports, of %v", early, m)
	}
}
