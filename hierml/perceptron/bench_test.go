package perceptron_test

import (
	"context"
	"os"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
)

// BenchmarkFit trains on a data set of HIERML_DATA, ng15 unless PERCEPTRON_DATA names another, for
// 20 epochs.
func BenchmarkFit(b *testing.B) {
	name := os.Getenv("PERCEPTRON_DATA")
	if name == "" {
		name = "ng15"
	}
	c, err := collection.Open(name)
	if err != nil {
		b.Skip(err)
	}
	if c, err = c.Leafed(); err != nil {
		b.Fatal(err)
	}
	for _, m := range []struct {
		name string
		fit  func(context.Context, *dataset.Dataset) (*classifier.Model, error)
	}{
		{"flat", perceptron.Flat{}.Fit},
		{"flat averaged", perceptron.Flat{Averaged: true}.Fit},
		{"online", perceptron.Hierarchical{}.Fit},
		{"averaged", perceptron.Hierarchical{Averaged: true}.Fit},
		{"minover", perceptron.Hierarchical{Minover: true, Settings: perceptron.Settings{Epochs: 1}}.Fit},
		{"averaged kernel", perceptron.Hierarchical{Averaged: true, Kernel: gram.Linear{}}.Fit},
		{"averaged RBF", perceptron.Hierarchical{Averaged: true, Kernel: gram.RBF{}}.Fit},
		{"Hieron", perceptron.Hieron{}.Fit},
		{"Hieron averaged", perceptron.Hieron{Averaged: true}.Fit},
	} {
		b.Run(m.name, func(b *testing.B) {
			for b.Loop() {
				model, err := m.fit(b.Context(), c.Train)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				r, err := metric.Evaluate(model, c.Test)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(100*r.Accuracy, "%accuracy")
				b.ReportMetric(float64(model.Training.Epochs), "epochs")
				b.StartTimer()
			}
		})
	}
}
