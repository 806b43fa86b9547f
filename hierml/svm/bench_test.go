package svm_test

import (
	"context"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// tour returns data of the tour's size: 15,000 texts, 160 leaves.
func tour() *dataset.Dataset {
	return example.Texts(example.Tree(5, 4, 8), 15000, 30000, 60, 1)
}

func BenchmarkFit(b *testing.B) {
	d := tour()
	for name, f := range map[string]fitter{"Flat": svm.Flat{}, "Hierarchical": svm.Hierarchical{}, "Normalized": svm.Normalized{}, "Transfer": svm.Transfer{}, "Orthogonal": svm.Orthogonal{}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m, err := f.Fit(context.Background(), d)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(m.Training.Epochs), "epochs")
			}
		})
	}
}

func BenchmarkLeafScores(b *testing.B) {
	d := tour()
	m, err := svm.Normalized{Settings: solver.Settings{MaxEpochs: 1}}.Fit(context.Background(), d)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m.LeafScores(d.X)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*d.Len()), "ns/row")
}
