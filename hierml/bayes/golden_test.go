package bayes

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/taxonomy"
)

type shrinkageCase struct {
	Taxonomy golden.Taxonomy
	Counts   [][]float64
	Y        []int
	HeldOut  []int `json:"held_out"`
	Leaves   []struct {
		Leaf       int
		Components []any
		Theta      [][]float64
		EM         [][2]any
		Optimum    []float64
		Loglik     float64
		After50    float64 `json:"loglik_after_50"`
	}
	Mixtures    [][]float64 `json:"mixtures_after_50"`
	CountsTest  [][]float64 `json:"counts_test"`
	LogScores   [][]float64 `json:"log_scores_after_50"`
	Predictions []int
}

// TestGoldenShrinkage compares word shares, weights after some steps, optima and predictions with
// those of an independent program.
func TestGoldenShrinkage(t *testing.T) {
	cases, err := golden.Read("shrinkage")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want shrinkageCase
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			tax, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			all := documents(t, tax, want.Counts, want.Y)
			train, heldOut := all, (*dataset.Dataset)(nil)
			if want.HeldOut != nil {
				var others []int
				for i := range want.Y {
					if !slices.Contains(want.HeldOut, i) {
						others = append(others, i)
					}
				}
				train, heldOut = all.Subset(others), all.Subset(want.HeldOut)
			}
			p := newPaths(train, heldOut, false)
			m := newMixture(p)
			for y, leaf := range want.Leaves {
				m.open(y)
				if len(m.nodes) != len(leaf.Components) {
					t.Fatalf("leaf %d: components %v, want %v", leaf.Leaf, m.nodes, leaf.Components)
				}
				for k, n := range m.nodes[:len(m.theta)] {
					if fmt.Sprint(n) != fmt.Sprint(leaf.Components[k]) {
						t.Fatalf("leaf %d: components %v, want %v", leaf.Leaf, m.nodes, leaf.Components)
					}
					within(t, "theta", m.theta[k], leaf.Theta[k], 1e-12)
				}
				steps := 0
				for _, stored := range leaf.EM {
					for ; steps < int(stored[0].(float64)); steps++ {
						_, n := m.measure(y)
						m.step(n)
					}
					var lambda []float64
					for _, v := range stored[1].([]any) {
						lambda = append(lambda, v.(float64))
					}
					within(t, "lambda", m.lambda, lambda, 1e-12)
				}
				log, n := m.measure(y)
				within(t, "log probability", []float64{log}, []float64{leaf.After50}, 1e-9)
				if bound := slices.Max(m.gradient) - n; leaf.Loglik-log > bound+1e-9 || bound < 0 {
					t.Errorf("leaf %d: %v below the optimum, bounded by %v", leaf.Leaf, leaf.Loglik-log, bound)
				}
				mixture := make([]float64, len(want.Mixtures[y]))
				for w := range mixture {
					mixture[w] = m.probability(w)
				}
				within(t, "mixture", mixture, want.Mixtures[y], 1e-12)
				for i, counts := range want.CountsTest {
					score := logarithm(float64(len(p.documents[y])) / float64(train.Len()))
					for w, k := range counts {
						score += k * logarithm(m.probability(w))
					}
					within(t, "score", []float64{score}, []float64{want.LogScores[i][y]}, 1e-9)
				}

				l := Shrinkage{Gap: 1e-9, MaxSteps: 1 << 20}.learnAnew(t, m, y)
				within(t, "optimum", []float64{-l.primal}, []float64{leaf.Loglik}, 1e-7)
				if l.dual > -leaf.Loglik+1e-9 || l.primal < -leaf.Loglik-1e-9 {
					t.Errorf("leaf %d: optimum %v is not between %v and %v", leaf.Leaf, -leaf.Loglik, l.dual, l.primal)
				}
			}

			model, err := Shrinkage{HeldOut: heldOut, Gap: 1e-15, MaxSteps: 50}.Fit(t.Context(), train)
			if err != nil {
				t.Fatal(err)
			}
			x := documents(t, tax, want.CountsTest, slices.Repeat([]int{want.Y[0]}, len(want.CountsTest))).X
			scores := model.LeafScores(x)
			for i, row := range want.LogScores {
				within(t, "score of the model", scores.RawRowView(i), row, 1e-5)
			}
			if got := model.Predict(x); !slices.Equal(got, want.Predictions) {
				t.Errorf("predictions %v, want %v", got, want.Predictions)
			}
		})
	}
}

// learnAnew learns from equal weights.
func (s Shrinkage) learnAnew(t *testing.T, m *mixture, y int) learned {
	m.open(y)
	return s.learn(t.Context(), m, y)
}

func within(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for k := range want {
		if !(math.Abs(got[k]-want[k]) <= tolerance*max(1, math.Abs(want[k]))) {
			t.Errorf("%s %d: %.15g, want %.15g", what, k, got[k], want[k])
		}
	}
}

// documents returns a data set of documents by their counts of words and their leaves.
func documents(t *testing.T, tax *taxonomy.Taxonomy, counts [][]float64, y []int) *dataset.Dataset {
	t.Helper()
	x := mat.NewDense(len(counts), len(counts[0]), nil)
	labels := make([][]int, len(y))
	for i, row := range counts {
		x.SetRow(i, row)
		labels[i] = []int{y[i]}
	}
	d, err := dataset.FromDense("documents", tax, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
