package hierml_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// localSVM is the SVM of one inner node, nil above the roots.
type localSVM struct {
	Node      *int
	Children  []int
	Instances []int
	solution
	LocalN  solution `json:"local_N"`
	GlobalN solution `json:"global_N"`
}

type solution struct {
	Objective float64
	W         [][]float64
}

// TestGoldenRecursive runs the divide-and-conquer SVM of every case of the family dnc.
func TestGoldenRecursive(t *testing.T) {
	cases, err := golden.Read("dnc")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				instances
				Taxonomy    golden.Taxonomy
				C           float64
				Nodes       []localSVM
				Test        [][]float64 `json:"X_test"`
				Predictions []int
			}
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			for i := range want.Nodes {
				want.Nodes[i].LocalN = want.Nodes[i].solution
			}
			m := checkRecursive(t, g, &want.instances, svm.Recursive{C: want.C}, want.Nodes)
			test := (&instances{X: want.Test}).dataset(g)
			if got := m.Predict(test.X); !slices.Equal(got, want.Predictions) {
				t.Errorf("predictions %v, want %v", got, want.Predictions)
			}
		})
	}
}

// TestGoldenHIERMULT runs the recursive SVM of every case of the family baselines004.
func TestGoldenHIERMULT(t *testing.T) {
	cases, err := golden.Read("baselines004")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				instances
				Taxonomy golden.Taxonomy `json:"taxonomy_without_root"`
				C        float64
				Y        []int
				Nodes    []localSVM `json:"HIERMULT"`
			}
			decode(t, c, &want)
			for _, y := range want.Y {
				want.Labels = append(want.Labels, []int{y})
			}
			g := build(t, want.Taxonomy)
			checkRecursive(t, g, &want.instances, svm.Recursive{C: want.C, Mean: svm.LocalMean}, want.Nodes)
			for i := range want.Nodes {
				want.Nodes[i].LocalN = want.Nodes[i].GlobalN
			}
			checkRecursive(t, g, &want.instances, svm.Recursive{C: want.C, Mean: svm.GlobalMean}, want.Nodes)
		})
	}
}

// checkRecursive compares the sum over the nodes with its certificate, and the weights of each node
// with the reference's in LocalN. It returns the model of the smallest gap.
func checkRecursive(t *testing.T, g *taxonomy.Taxonomy, in *instances, s svm.Recursive, nodes []localSVM) *classifier.Model {
	t.Helper()
	var objective float64
	for _, n := range nodes {
		objective += n.LocalN.Objective
	}
	in.Objective = objective
	in.compare(t, objective, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
		s.Settings = solver.Settings{Gap: gap, MaxEpochs: 100000}
		return s.Fit(context.Background(), d)
	})
	s.Settings.Gap = 1e-7
	m, err := s.Fit(context.Background(), in.dataset(g))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if len(n.LocalN.W) != len(n.Children) {
			t.Fatalf("%d weight vectors for %d children", len(n.LocalN.W), len(n.Children))
		}
		for k, c := range n.Children {
			node := c
			if !g.IsTree() && n.Node != nil {
				var ok bool
				if node, ok = m.Taxonomy.Node(fmt.Sprintf("%d below %d", c, *n.Node)); !ok {
					t.Fatalf("no node for the edge from %d to %d in\n%v", *n.Node, c, m.Taxonomy)
				}
			}
			for f, v := range m.Weights(node) {
				if math.Abs(v-n.LocalN.W[k][f]) > 1e-4 {
					t.Errorf("weight of child %d for feature %d is %v, want %v", c, f, v, n.LocalN.W[k][f])
				}
			}
		}
	}
	return m
}
