package hierml_test

import (
	"math"
	"testing"

	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// weightTolerance is what weights may differ by where they are unique. Where a constraint holds
// with equality and without a force, the reference and this library are both right to about the
// square root of their gaps.
const weightTolerance = 1e-6

// TestGoldenAlpha has the weights of [CSS16, (6) to (8)]; those without constraints are in
// TestGolden.
func TestGoldenAlpha(t *testing.T) {
	type weights struct {
		Rho, T      float64
		Directional bool
		Alpha       []float64
		Objective   float64
	}
	cases, err := golden.Read("alpha")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy             golden.Taxonomy
				Directional, Relaxed []weights
				MaxMin               struct {
					Value   float64
					Leximin []float64
				}
				MaxMinRelaxed struct{ T, Value float64 } `json:"maxmin_relaxed"`
			}
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			for i := range want.Directional {
				want.Directional[i].Directional = true
			}
			for _, w := range append(want.Directional, want.Relaxed...) {
				p := weighting.Path{Rho: w.Rho, T: w.T, Directional: w.Directional}
				s, err := p.Solve(t.Context(), g)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v: gap %.1e, path error %.1e", p, s.Gap, s.PathError)
				compareWeights(t, s.Alpha, w.Alpha, nil)
				checkSolution(t, s, w.Objective)
				if _, err := p.Weights(g); err != nil {
					t.Error(err)
				}
			}
			alpha := maxMin(t, weighting.MaxMin{}, g, want.MaxMin.Value)
			compareWeights(t, alpha, want.MaxMin.Leximin, nil)
			maxMin(t, weighting.MaxMin{T: want.MaxMinRelaxed.T}, g, want.MaxMinRelaxed.Value)
		})
	}
}

func maxMin(t *testing.T, m weighting.MaxMin, g *taxonomy.Taxonomy, smallest float64) []float64 {
	t.Helper()
	alpha, err := m.Weights(g)
	if err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for _, a := range alpha {
		least = min(least, a)
	}
	if math.Abs(least-smallest) > 1e-12 {
		t.Errorf("%+v: the smallest weight is %v, want %v", m, least, smallest)
	}
	return alpha
}

// TestGoldenAlphaClosed has the weights of [CSS16, (20)].
func TestGoldenAlphaClosed(t *testing.T) {
	cases, err := golden.Read("alpha_closed")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy         golden.Taxonomy
				Norm2            []float64
				Objective        float64
				Alpha            []float64
				UniqueIfPositive bool `json:"alpha_unique_where_norm2_positive"`
			}
			decode(t, c, &want)
			s, err := weighting.Shared{Squares: want.Norm2}.Solve(t.Context(), build(t, want.Taxonomy))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("gap %.1e", s.Gap)
			compareWeights(t, s.Alpha, want.Alpha, want.Norm2)
			checkSolution(t, s, want.Objective)
		})
	}
}

// TestGoldenSplit has the weights of duplicated nodes, for which the normalized SVM is that of the
// minimal graph: TestGolden compares the optima.
func TestGoldenSplit(t *testing.T) {
	cases, err := golden.Read("nhsvm")
	if err != nil {
		t.Fatal(err)
	}
	split := 0
	for _, c := range cases {
		var want struct {
			Classes  [][]int
			Alpha    []float64
			AlphaMin []float64 `json:"alpha_minimal"`
		}
		decode(t, c, &want)
		if want.AlphaMin == nil {
			continue
		}
		split++
		alpha, err := weighting.Split(len(want.Alpha), want.Classes, want.AlphaMin)
		if err != nil {
			t.Fatal(err)
		}
		for n, a := range alpha {
			if math.Abs(a-want.Alpha[n]) > 1e-12 {
				t.Errorf("%s: weights %v, want %v", c.ID, alpha, want.Alpha)
				break
			}
		}
	}
	if split == 0 {
		t.Error("no case has duplicated nodes")
	}
}

// compareWeights compares the weights whose squares are not 0, or all of them.
func compareWeights(t *testing.T, got, want, squares []float64) {
	t.Helper()
	for n, w := range want {
		if squares != nil && squares[n] == 0 {
			continue
		}
		if math.Abs(got[n]-w) > weightTolerance {
			t.Errorf("weight of node %d is %v, want %v", n, got[n], w)
		}
	}
}

func checkSolution(t *testing.T, s *weighting.Solution, objective float64) {
	t.Helper()
	if math.Abs(s.Primal-objective) > 1e-10*objective || s.Dual > objective*(1+1e-11) {
		t.Errorf("between %.13g and %.13g, want %.13g", s.Dual, s.Primal, objective)
	}
	if !(s.Gap < 1e-10) || !(s.PathError < 1e-10) {
		t.Errorf("gap %v, path error %v", s.Gap, s.PathError)
	}
}
