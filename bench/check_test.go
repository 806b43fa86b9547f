package main

import (
	"context"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
)

func TestDeviation(t *testing.T) {
	c, err := synthetic.TextLike{Levels: []int{3, 12}, Train: 50, Test: 1, Features: 100}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := c.Train
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
