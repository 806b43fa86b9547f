package svm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// noted keeps the notes that it is told.
type noted struct{ notes []string }

func (n *noted) Begin(string) progress.Task { return nil }
func (n *noted) Note(text string)           { n.notes = append(n.notes, text) }

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
		var n noted
		if err := test.fit(progress.With(t.Context(), &n), mixed); err != nil {
			t.Fatal(err)
		}
		if len(n.notes) != 1 || strings.Contains(n.notes[0], "\n") || !strings.Contains(n.notes[0], "gap of") || !strings.Contains(n.notes[0], solver.MaxEpochs.String()) {
			t.Errorf("%s: notes %q", test.name, n.notes)
		}
		n.notes = nil
		if err := test.fit(progress.With(t.Context(), &n), d); err != nil {
			t.Fatal(err)
		}
		if len(n.notes) != 0 {
			t.Errorf("%s, solved: notes %q", test.name, n.notes)
		}
	}
}
