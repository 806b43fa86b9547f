package forest

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/taxonomy"
)

type clusCase struct {
	Taxonomy     golden.Taxonomy
	W0           float64
	WeightRule   string `json:"weight_rule"`
	Weights      []float64
	Significance *float64
	MinExamples  int  `json:"min_examples"`
	MEstimate    bool `json:"m_estimate"`
	X            [][]float64
	LabelNodes   [][]int `json:"label_nodes"`
	Tree         []struct {
		Instances []int
		SS        float64
		Feature   *int32
		Threshold float64
		Gain      float64
		No        int
		Mean      []float64
	}
	XTest       [][]float64 `json:"X_test"`
	Predictions [][]float64
	SetsAtHalf  [][]int `json:"sets_at_half"`
}

// TestGoldenClus compares weights, trees and predictions with those of an independent program,
// whose sizes of trees are those of scikit-learn.
func TestGoldenClus(t *testing.T) {
	cases, err := golden.Read("clus")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]Aggregate{"avg": Mean, "sum": Sum, "min": Minimum, "max": Maximum, "none": Mean}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want clusCase
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			tax, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			rule, ok := rules[want.WeightRule]
			if !ok {
				t.Fatalf("rule %q", want.WeightRule)
			}
			s := Tree{W0: want.W0, Parents: rule, MinLeaf: want.MinExamples, MEstimate: want.MEstimate, Significance: 1}
			if want.Significance != nil {
				s.Significance = *want.Significance
			}
			for n, w := range weights(tax, s.W0, rule) {
				near(t, "weight", w, want.Weights[n])
			}
			d := denseOf(t, tax, want.X, want.LabelNodes)
			m, err := s.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			got := m.trees[0]
			if len(got.feature) != len(want.Tree) {
				t.Fatalf("%d nodes, want %d", len(got.feature), len(want.Tree))
			}
			for k, node := range want.Tree {
				if node.Feature == nil {
					if got.feature[k] >= 0 {
						t.Fatalf("node %d tests feature %d, want a leaf", k, got.feature[k])
					}
					if size := got.size[got.other[k]]; int(size) != len(node.Instances) {
						t.Errorf("leaf %d has %d instances, want %d", k, size, len(node.Instances))
					}
					continue
				}
				if got.feature[k] != *node.Feature || got.threshold[k] != float32(node.Threshold) || int(got.other[k]) != node.No {
					t.Fatalf("node %d: feature %d > %v, otherwise %d; want %d > %v, otherwise %d",
						k, got.feature[k], got.threshold[k], got.other[k], *node.Feature, node.Threshold, node.No)
				}
			}
			x := denseOf(t, tax, want.XTest, make([][]int, len(want.XTest))).X
			p := m.NodeProbabilities(x)
			for i, row := range want.Predictions {
				for n, v := range row {
					near(t, "probability", p.At(i, n), v)
				}
			}
			m.Level = 0.5
			for i, set := range m.Predict(x) {
				if closed := tax.Closure(set); !slices.Equal(closed, want.SetsAtHalf[i]) {
					t.Errorf("row %d: set %v, want %v", i, closed, want.SetsAtHalf[i])
				}
			}
		})
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s %.15g, want %.15g", what, got, want)
	}
}

// denseOf returns a data set whose labels are given with all nodes above.
func denseOf(t *testing.T, tax *taxonomy.Taxonomy, x [][]float64, closed [][]int) *dataset.Dataset {
	t.Helper()
	m := mat.NewDense(len(x), len(x[0]), nil)
	labels := make([][]int, len(closed))
	for i, row := range x {
		m.SetRow(i, row)
		labels[i] = tax.MostSpecific(closed[i])
	}
	d, err := dataset.FromDense("dense", tax, m, labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
