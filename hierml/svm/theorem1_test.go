package svm_test

import (
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// [CSS16, Theorem 1] does not hold on graphs: as Rho tends to 1, the optimum with a duplicated node
// does not tend to that without. With the weights of the minimal graph divided among the duplicates
// it is the same.
func TestDuplicatesOnGraphs(t *testing.T) {
	names := []string{"row 1", "row 2", "column 1", "column 2", "4", "5", "6", "7", "row 1 again"}
	edges := [][2]int{{0, 4}, {0, 5}, {1, 6}, {1, 7}, {2, 4}, {2, 6}, {3, 5}, {3, 7}}
	minimal, err := taxonomy.New(names[:8], edges)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := taxonomy.New(names, append(edges, [2]int{8, 4}, [2]int{8, 5}))
	if err != nil {
		t.Fatal(err)
	}
	once := example.Dense(minimal, 60, 4, 8)
	again := &dataset.Dataset{Taxonomy: twice, X: once.X, Labels: once.Labels}
	settings := solver.Settings{Gap: 1e-5, MaxEpochs: 10000}
	for _, rho := range []float64{1.1, 1.03, 1.01} {
		p := weighting.Path{Rho: rho}
		a := fit(t, svm.Normalized{Weighting: p, Settings: settings}, once)
		b := fit(t, svm.Normalized{Weighting: p, Settings: settings}, again)
		if b.Training.Certificate.Dual < 1.04*a.Training.Certificate.Primal {
			t.Errorf("rho %v: the optimum is in [%v, %v], with the duplicate in [%v, %v]; expected a twentieth more", rho, a.Training.Certificate.Dual, a.Training.Certificate.Primal, b.Training.Certificate.Dual, b.Training.Certificate.Primal)
		}
		alpha, err := p.Weights(minimal)
		if err != nil {
			t.Fatal(err)
		}
		split, err := weighting.Split(9, [][]int{{0, 8}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, alpha)
		if err != nil {
			t.Fatal(err)
		}
		c := fit(t, svm.Normalized{Alpha: split, Settings: settings}, again)
		sameOptimum(t, "split weights", a, c, 1)
		sameScores(t, "split weights", a.LeafScores(once.X), c.LeafScores(once.X), 0.05)
	}
}
