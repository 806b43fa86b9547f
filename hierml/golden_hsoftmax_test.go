package hierml_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// TestGoldenHierarchicalSoftmax trains every case of the family hsoftmax.
func TestGoldenHierarchicalSoftmax(t *testing.T) {
	cases, err := golden.Read("hsoftmax")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				instances
				Taxonomy golden.Taxonomy
				C        float64
				Nodes    []struct {
					Children  []int
					Objective float64
					W         [][]float64
				}
				Test          [][]float64 `json:"X_test"`
				Conditional   [][]float64
				Leaves        [][]float64 `json:"label_probabilities"`
				Exact, Greedy []int
			}
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			objective := 0.0
			want.W = slices.Repeat([][]float64{make([]float64, len(want.X[0]))}, g.Len())
			for _, n := range want.Nodes {
				objective += n.Objective
				for k, w := range n.W {
					want.W[n.Children[k]] = w
				}
			}
			fit := func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
				return svm.HierarchicalSoftmax{C: want.C, Settings: solver.Settings{Gap: gap, MaxEpochs: 100000}}.Fit(context.Background(), d)
			}
			want.compare(t, objective, g, fit)
			m, err := fit(1e-12, want.dataset(g))
			if err != nil {
				t.Fatal(err)
			}
			x := (&instances{X: want.Test}).dataset(g).X
			conditional, err := m.ConditionalProbabilities(x)
			if err != nil {
				t.Fatal(err)
			}
			leaves, err := m.LeafProbabilities(x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want.Test {
				want.Exact[i], want.Greedy[i] = seenOnly(m, want.Conditional[i], want.Leaves[i], want.Exact[i], want.Greedy[i])
				near(t, "conditional probabilities", i, conditional.RawRowView(i), want.Conditional[i], 1e-5)
				near(t, "probabilities", i, leaves.RawRowView(i), want.Leaves[i], 1e-5)
				sum := 0.0
				for _, p := range leaves.RawRowView(i) {
					sum += p
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("row %d: the probabilities add up to %v", i, sum)
				}
			}
			if got := m.Predict(x); !slices.Equal(got, want.Exact) {
				t.Errorf("predicted %v, want %v", got, want.Exact)
			}
			m.Rule = classifier.Descend
			if got := m.Predict(x); !slices.Equal(got, want.Greedy) {
				t.Errorf("greedily predicted %v, want %v", got, want.Greedy)
			}
		})
	}
}

// seenOnly takes from what the reference says the labels without training instances, which have
// probability 0 here: their siblings share it in proportion. It returns the predictions for that.
func seenOnly(m *classifier.Model, conditional, leaves []float64, exact, greedy int) (int, int) {
	g := m.Taxonomy
	if !slices.ContainsFunc(g.Leaves(), m.Unseen) {
		return exact, greedy
	}
	for n := range g.Len() {
		if m.Unseen(n) {
			conditional[n] = 0
		}
	}
	for n := -1; n < g.Len(); n++ {
		children := g.Roots()
		if n >= 0 {
			children = g.Children(n)
		}
		sum := 0.0
		for _, c := range children {
			sum += conditional[c]
		}
		for _, c := range children {
			if sum > 0 {
				conditional[c] /= sum
			}
		}
	}
	best := 0
	for y, leaf := range g.Leaves() {
		leaves[y] = 1
		for _, n := range g.Ancestors(leaf) {
			leaves[y] *= conditional[n]
		}
		if leaves[y] > leaves[best] {
			best = y
		}
	}
	among, at := g.Roots(), 0
	for len(among) > 0 {
		at = slices.MaxFunc(among, func(a, b int) int { return cmp.Compare(conditional[a], conditional[b]) })
		among = g.Children(at)
	}
	return g.Leaves()[best], at
}
