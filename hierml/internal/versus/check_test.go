package main

import (
	"context"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

func TestDeviation(t *testing.T) {
	d := example.Texts(example.Tree(3, 4), 50, 100, 20, 1)
	for name, e := range map[string]classifier.Estimator{"flat": svm.Flat{Settings: solver.Settings{Gap: 0.1}}, "hierarchical": svm.Hierarchical{Settings: solver.Settings{Gap: 0.1}}} {
		m, err := e.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := deviation(m, d, name == "hierarchical")
		if err != nil || got > 1e-6 {
			t.Errorf("%s: the weights deviate by %v of their norm, %v", name, got, err)
		}
		point := m.Training.Certificate.Point
		for b := range point.Blocks() {
			point.SetRow(b, nil, nil)
		}
		if got, err = deviation(m, d, name == "hierarchical"); err != nil || got != 1 {
			t.Errorf("%s: the weights of another point deviate by %v, %v", name, got, err)
		}
	}
}
