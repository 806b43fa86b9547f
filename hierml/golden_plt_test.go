package hierml_test

import (
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

// withBias returns the rows with a constant feature at the end, unless it is nil.
func withBias(rows [][]float64, bias *float64) [][]float64 {
	if bias == nil {
		return rows
	}
	wider := make([][]float64, len(rows))
	for i, row := range rows {
		wider[i] = append(slices.Clone(row), *bias)
	}
	return wider
}

// near compares a row of values.
func near(t *testing.T, what string, row int, got, want []float64, tolerance float64) {
	t.Helper()
	for k, v := range want {
		if !(math.Abs(got[k]-v) <= tolerance*max(1, math.Abs(v))) {
			t.Errorf("%s of row %d at %d: %v, want %v", what, row, k, got[k], v)
		}
	}
}

// TestGoldenPLT trains the label tree of every case of the family plt.
func TestGoldenPLT(t *testing.T) {
	cases, err := golden.Read("plt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				instances
				Taxonomy golden.Taxonomy
				Link     *string
				C        float64
				Bias     *float64
				Nodes    []struct {
					Node                 int
					Instances, Positives []int32
					Degenerate           *string
					Objective            float64
					W                    []float64
				}
				Test        [][]float64   `json:"X_test"`
				Scores      [][]*float64  `json:"node_scores"`
				Conditional [][]float64   `json:"node_probabilities"`
				Leaves      [][]float64   `json:"label_probabilities"`
				Top         [][][]float64 `json:"top3"`
				Narrow      [][][]float64 `json:"beam1"`
				Wide        [][][]float64 `json:"beam2"`
			}
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			s := svm.PLT{C: want.C, Link: classifier.Margin}
			if want.Link != nil {
				s.Link = map[string]classifier.Link{"sigmoid": classifier.Sigmoid, "l3-hinge": classifier.CubedHinge, "l2-hinge": classifier.SquaredHinge}[*want.Link]
			}
			want.X = withBias(want.X, want.Bias)
			want.W = make([][]float64, g.Len())
			objective := 0.0
			var always, never []int
			for _, n := range want.Nodes {
				objective += n.Objective
				want.W[n.Node] = n.W
				if n.Degenerate != nil && *n.Degenerate == "all_positive" {
					always = append(always, n.Node)
				} else if n.Degenerate != nil {
					never = append(never, n.Node)
				}
				e, err := s.Policy.Examples(g, want.Labels, n.Node)
				if err != nil {
					t.Fatal(err)
				}
				if all := slices.Sorted(slices.Values(slices.Concat(e.Positive, e.Negative))); !slices.Equal(e.Positive, n.Positives) || !slices.Equal(all, n.Instances) {
					t.Errorf("node %d has positives %v of %v, want %v of %v", n.Node, e.Positive, all, n.Positives, n.Instances)
				}
			}
			for n := range want.W {
				if want.W[n] == nil {
					want.W[n] = make([]float64, len(want.X[0]))
				}
			}
			fit := func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
				s.Settings = solver.Settings{Gap: gap, MaxEpochs: 100000}
				return s.Fit(context.Background(), d)
			}
			in := want.instances
			in.compare(t, objective, g, fit)
			m, err := fit(1e-12, in.dataset(g))
			if err != nil {
				t.Fatal(err)
			}
			if a, n := m.Certain(); !slices.Equal(a, always) || !slices.Equal(n, never) || m.Link() != s.Link {
				t.Errorf("link %v, certain %v, %v, want %v, %v, %v", m.Link(), a, n, s.Link, always, never)
			}
			x := (&instances{X: withBias(want.Test, want.Bias)}).dataset(g).X
			scores := m.NodeScores(x)
			for i, row := range want.Scores {
				for n, v := range row {
					if v != nil && !(math.Abs(scores.At(i, n)-*v) <= 1e-5*max(1, math.Abs(*v))) {
						t.Errorf("row %d: node %d has score %v, want %v", i, n, scores.At(i, n), *v)
					}
				}
			}
			if want.Link == nil {
				if _, err := m.LeafProbabilities(x); err == nil {
					t.Error("margins have probabilities")
				}
				return
			}
			conditional, err := m.ConditionalProbabilities(x)
			if err != nil {
				t.Fatal(err)
			}
			leaves, err := m.LeafProbabilities(x)
			if err != nil {
				t.Fatal(err)
			}
			least, err := m.LeastProbabilities(x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want.Test {
				near(t, "conditional probabilities", i, conditional.RawRowView(i), want.Conditional[i], 1e-5)
				near(t, "probabilities", i, leaves.RawRowView(i), want.Leaves[i], 1e-5)
				for y, leaf := range g.Leaves() {
					smallest := 1.0
					for _, n := range g.Ancestors(leaf) {
						smallest = min(smallest, want.Conditional[i][n])
					}
					near(t, "least probability", i, []float64{least.At(i, y)}, []float64{smallest}, 1e-5)
				}
			}
			checkRanked(t, "Rank", m.Rank(x, 3), want.Top)
			for width, ranked := range map[int][][][]float64{1: want.Narrow, 2: want.Wide} {
				beam, err := m.NewBeam(width)
				if err != nil {
					t.Fatal(err)
				}
				checkRanked(t, beam.String(), beam.Rank(x, 3), ranked)
			}
		})
	}
}

// checkRanked compares ranked leaves with the reference's, pairs of leaf and probability, as far as
// these are not 0.
func checkRanked(t *testing.T, what string, got [][]classifier.Ranked, want [][][]float64) {
	t.Helper()
	for i, ranked := range want {
		for k, r := range ranked {
			if r[1] == 0 {
				continue
			}
			if len(got[i]) <= k || got[i][k].Node != int(r[0]) || math.Abs(math.Exp(got[i][k].Score)-r[1]) > 1e-5 {
				t.Errorf("%s, row %d: %v, want %v", what, i, got[i], ranked)
				break
			}
		}
		if len(got[i]) < len(ranked) {
			t.Errorf("%s, row %d: %v, want %v", what, i, got[i], ranked)
		}
	}
}

// TestGoldenPolicies compares the examples of every node and policy with the family policies.
func TestGoldenPolicies(t *testing.T) {
	cases, err := golden.Read("policies")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy golden.Taxonomy
				Labels   [][]int `json:"most_specific"`
				Nodes    []struct {
					Node                int
					Exclusive           [2][]int32
					LessExclusive       [2][]int32 `json:"less_exclusive"`
					LessInclusive       [2][]int32 `json:"less_inclusive"`
					Inclusive, Siblings [2][]int32
					ExclusiveSiblings   [2][]int32 `json:"exclusive_siblings"`
					ParentPositive      [2][]int32 `json:"parent_positive"`
				}
			}
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			for _, n := range want.Nodes {
				for policy, sets := range map[svm.Policy][2][]int32{
					svm.Exclusive: n.Exclusive, svm.LessExclusive: n.LessExclusive, svm.LessInclusive: n.LessInclusive, svm.Inclusive: n.Inclusive,
					svm.Siblings: n.Siblings, svm.ExclusiveSiblings: n.ExclusiveSiblings, svm.ParentPositive: n.ParentPositive,
				} {
					e, err := policy.Examples(g, want.Labels, n.Node)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(e.Positive, sets[0]) || !slices.Equal(e.Negative, sets[1]) {
						t.Errorf("%v of node %d: %v, want %v", policy, n.Node, e, sets)
					}
				}
			}
		})
	}
}
