package weighting_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// TestConstrained checks on random graphs that the weights of [CSS16, (8)] and of the directional
// constraint satisfy their constraints and are proved to be optimal.
func TestConstrained(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, rho := range []float64{1.01, 1.1, 1.5, 2, 3, 5} {
		for _, limit := range []float64{0, 1.001, 1.5, 3, math.Inf(1)} {
			for _, directional := range []bool{false, true} {
				for range 4 {
					g := example.Random(r, 2+r.IntN(80), 1+r.IntN(4), 1+r.IntN(3))
					p := weighting.Path{Rho: rho, T: limit, Directional: directional}
					s, err := p.Solve(t.Context(), g)
					if err != nil {
						t.Fatal(err)
					}
					if !(math.Abs(s.Gap) < 1e-9) || !(s.PathError < 1e-10) {
						t.Errorf("%+v, %d nodes: gap %v, path error %v", p, g.Len(), s.Gap, s.PathError)
					}
					for _, e := range g.Edges() {
						if directional && s.Alpha[e[0]] > s.Alpha[e[1]] {
							t.Errorf("%+v: the parent %d weighs %v, its child %v", p, e[0], s.Alpha[e[0]], s.Alpha[e[1]])
						}
					}
				}
			}
		}
	}
}

// TestCommonLeaf has the three parents with four leaves each and one common leaf on which the limit
// of [CSS16, (8)] matters.
func TestCommonLeaf(t *testing.T) {
	names := make([]string, 16)
	var edges [][2]int
	for i := range names {
		names[i] = string(rune('a' + i))
		if i >= 3 && i < 15 {
			edges = append(edges, [2]int{(i - 3) / 4, i})
		}
	}
	g, err := taxonomy.New(names, append(edges, [2]int{0, 15}, [2]int{1, 15}, [2]int{2, 15}))
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[float64][2]float64{1: {17. / 3, 1}, 1.5: {3.75, 1.5}, math.Inf(1): {2.4, 2.4}} {
		s, err := weighting.Path{T: limit}.Solve(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for _, v := range g.Ancestors(15) {
			sum += s.Alpha[v]
		}
		if math.Abs(s.Primal-want[0]) > 1e-9 || math.Abs(sum-want[1]) > 1e-6 {
			t.Errorf("limit %v: objective %v and common path %v, want %v", limit, s.Primal, sum, want)
		}
	}
}

// TestMaxMin checks what characterizes the max-min fair weights: every node is on a path whose sum
// is complete and on which no node weighs more.
func TestMaxMin(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 200 {
		g := example.Random(r, 2+r.IntN(200), 1+r.IntN(5), 1+r.IntN(4))
		for _, limit := range []float64{1, 1.5} {
			alpha, err := weighting.MaxMin{T: limit}.Weights(g)
			if err != nil {
				t.Fatal(err)
			}
			bottleneck := make([]bool, g.Len())
			for _, l := range g.Leaves() {
				var sum, largest float64
				for _, v := range g.Ancestors(l) {
					sum += alpha[v]
					largest = max(largest, alpha[v])
				}
				if math.Abs(sum-limit) > 1e-12 {
					t.Errorf("the sum of a path is %v, want %v", sum, limit)
				}
				for _, v := range g.Ancestors(l) {
					bottleneck[v] = bottleneck[v] || alpha[v] > largest-1e-12
				}
			}
			if v := slices.Index(bottleneck, false); v >= 0 {
				t.Errorf("node %d of weight %v could weigh more", v, alpha[v])
			}
			for _, e := range g.Edges() {
				if alpha[e[0]] > alpha[e[1]] {
					t.Errorf("the parent %d weighs %v, its child %v", e[0], alpha[e[0]], alpha[e[1]])
				}
			}
		}
	}
}

// TestShared checks on random graphs, on which many squares are 0 and others of very different
// size, that the weights of [CSS16, (20)] are proved to be optimal, and that scaling the squares
// changes nothing.
func TestShared(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, most := range []int{1, 2, 4} {
		for range 100 {
			g := example.Random(r, 1+r.IntN(120), 1+r.IntN(4), most)
			squares := make([]float64, g.Len())
			for v := range squares {
				if r.IntN(3) > 0 {
					squares[v] = math.Exp(4 * r.NormFloat64())
				}
			}
			s, err := weighting.Shared{Squares: squares}.Solve(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(s.Gap) < 1e-10) {
				t.Errorf("%d nodes: gap %v", g.Len(), s.Gap)
			}
			for _, l := range g.Leaves() {
				var sum float64
				for _, v := range g.Ancestors(l) {
					sum += s.Alpha[v]
				}
				if sum > 1+1e-14 || sum < 1-1e-12 && squares[l] == 0 {
					t.Errorf("the sum of a path is %v", sum)
				}
			}
			for v := range squares {
				squares[v] *= 1e-200
			}
			small, err := weighting.Shared{Squares: squares}.Solve(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(small.Primal-1e-200*s.Primal) > 1e-210*s.Primal {
				t.Errorf("value %v of squares scaled by 1e-200, want %v", small.Primal, 1e-200*s.Primal)
			}
		}
	}
}

// TestSharedZero has predictors without any weight.
func TestSharedZero(t *testing.T) {
	g := example.Random(rand.New(rand.NewPCG(17, 18)), 30, 2, 2)
	s, err := weighting.Shared{Squares: make([]float64, g.Len())}.Solve(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if s.Primal != 0 || s.Dual != 0 || s.Gap != 0 || !slices.Equal(s.Alpha, weighting.Flat(g)) {
		t.Errorf("%+v, want the flat weights of value 0", s)
	}
}

func TestConstraintsRefused(t *testing.T) {
	g := example.Random(rand.New(rand.NewPCG(19, 20)), 10, 1, 2)
	for name, weights := range map[string]func() ([]float64, error){
		"T below 1":         func() ([]float64, error) { return weighting.Path{T: 0.9}.Weights(g) },
		"T not a number":    func() ([]float64, error) { return weighting.Path{T: math.NaN()}.Weights(g) },
		"infinite smallest": func() ([]float64, error) { return weighting.MaxMin{T: math.Inf(1)}.Weights(g) },
		"few squares":       func() ([]float64, error) { return weighting.Shared{}.Weights(g) },
		"negative square": func() ([]float64, error) {
			return weighting.Shared{Squares: append(make([]float64, 9), -1)}.Weights(g)
		},
		"infinite square": func() ([]float64, error) {
			return weighting.Shared{Squares: append(make([]float64, 9), math.Inf(1))}.Weights(g)
		},
		"classes":      func() ([]float64, error) { return weighting.Split(2, [][]int{{0}, {0}}, []float64{1, 1}) },
		"no such node": func() ([]float64, error) { return weighting.Split(2, [][]int{{2}}, []float64{1}) },
		"amounts":      func() ([]float64, error) { return weighting.Split(2, [][]int{{0}}, nil) },
	} {
		if alpha, err := weights(); err == nil {
			t.Errorf("%s: weights %v, no error", name, alpha)
		}
	}
}

func TestConstrainedCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := example.Random(rand.New(rand.NewPCG(5, 6)), 200, 2, 3)
	squares := make([]float64, g.Len())
	for v := range squares {
		squares[v] = float64(v)
	}
	for _, solve := range []func(context.Context, *taxonomy.Taxonomy) (*weighting.Solution, error){
		weighting.Path{Directional: true}.Solve, weighting.Path{T: 1.5}.Solve, weighting.Shared{Squares: squares}.Solve,
	} {
		if _, err := solve(ctx, g); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	}
}

// TestHeaviest compares values with their bounds, and on forests with all weights 1 on one level of
// a tree.
func TestHeaviest(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, most := range []int{1, 2, 4} {
		for range 60 {
			g := example.Random(r, 1+r.IntN(400), 1+r.IntN(4), most)
			values := make([]float64, g.Len())
			for v := range values {
				if r.IntN(3) > 0 {
					values[v] = math.Exp(2 * r.NormFloat64())
				}
			}
			s, err := weighting.Heaviest{Values: values}.Solve(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(s.Gap) < 1e-6) {
				t.Errorf("%d nodes: value %v, bound %v", g.Len(), s.Primal, s.Dual)
			}
			var attained, leaves float64
			for v, a := range s.Alpha {
				attained += a * values[v]
				if g.IsLeaf(v) {
					leaves += values[v]
				}
			}
			if math.Abs(attained-s.Primal) > 1e-9*attained || leaves > s.Dual*(1+1e-12) {
				t.Errorf("weights attain %v, the leaves %v; value %v, bound %v", attained, leaves, s.Primal, s.Dual)
			}
			for _, l := range g.Leaves() {
				var sum float64
				for _, v := range g.Ancestors(l) {
					sum += s.Alpha[v]
				}
				if sum > 1+1e-12 {
					t.Errorf("the sum of a path is %v", sum)
				}
			}
		}
	}
}
