package hierml_test

import (
	"context"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// Data that stay in a file make the same models as data in memory.
func TestTrainFromAMap(t *testing.T) {
	d := example.Texts(example.Tree(3, 3), 300, 200, 15, 1)
	file := filepath.Join(t.TempDir(), "texts.map")
	if err := dataset.SaveMap(t.Context(), file, d.Name, d.Taxonomy, d.Vocabulary, d.Instances()); err != nil {
		t.Fatal(err)
	}
	mapped, err := dataset.Map(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := mapped.Close(); err != nil {
			t.Error(err)
		}
	}()
	settings := solver.Settings{MaxEpochs: 20, Workers: 1}
	for name, method := range map[string]func(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error){
		"BCFW": func(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
			return svm.Hierarchical{Settings: settings}.Fit(ctx, d)
		},
		"Pegasos": func(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
			return svm.Flat{Settings: settings, Method: solver.Pegasos{}}.Fit(ctx, d)
		},
		"perceptron": func(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
			return perceptron.Hierarchical{Averaged: true}.Fit(ctx, d)
		},
	} {
		fromFile, err := method(t.Context(), mapped.Dataset)
		if err != nil {
			t.Fatal(name, err)
		}
		inMemory, err := method(t.Context(), d)
		if err != nil {
			t.Fatal(name, err)
		}
		if !mat.Equal(fromFile.LeafScores(d.X), inMemory.LeafScores(d.X)) {
			t.Errorf("%s: a model of mapped data has other scores", name)
		}
	}
}
