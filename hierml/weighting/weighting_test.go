package weighting_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

type goldenCase struct {
	Taxonomy golden.Taxonomy
	Flat     []float64
	Rho      []struct {
		Rho       float64
		Alpha     []float64
		Objective float64
	}
}

func TestGolden(t *testing.T) {
	cases, err := golden.Read("alpha")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want goldenCase
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "flat", weighting.Flat(g), want.Flat)
			for _, r := range want.Rho {
				s, err := weighting.Path{Rho: r.Rho}.Solve(t.Context(), g)
				if err != nil {
					t.Error(err)
					continue
				}
				compare(t, fmt.Sprintf("rho %v", r.Rho), s.Alpha, r.Alpha)
				if math.Abs(s.Primal-r.Objective) > 1e-12*r.Objective {
					t.Errorf("rho %v: objective %v, want %v", r.Rho, s.Primal, r.Objective)
				}
			}
		})
	}
}

func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for n, w := range want {
		if math.Abs(got[n]-w) > 1e-9*w+1e-300 {
			t.Errorf("%s: weight of node %d is %v, want %v", what, n, got[n], w)
		}
	}
}

// TestCertificates checks on random graphs that the weights are proved to be optimal, and that
// nodes above the same leaves, which nothing tells apart, weigh the same.
func TestCertificates(t *testing.T) {
	for _, rho := range []float64{1.001, 1.01, 1.1, 1.5, 2, 3, 10} {
		r := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			n := 5 + r.IntN(150)
			g := example.Random(r, n, 1+r.IntN(5), 1+r.IntN(3))
			s, err := weighting.Path{Rho: rho}.Solve(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			enough := 1e-11
			if rho > 5 {
				enough = 1e-9
			}
			if !(math.Abs(s.Gap) < enough) || !(s.PathError < enough) {
				t.Errorf("rho %v: gap %v, path error %v", rho, s.Gap, s.PathError)
			}
			if math.Abs((s.Primal-s.Dual)/s.Primal-s.Gap) > 1e-12 {
				t.Errorf("rho %v: primal %v, dual %v, gap %v", rho, s.Primal, s.Dual, s.Gap)
			}
			leaves := func(v int) string {
				return fmt.Sprint(slices.DeleteFunc(slices.Clone(g.Descendants(v)), func(u int) bool { return !g.IsLeaf(u) }))
			}
			first := make(map[string]int)
			for v := range g.Len() {
				if s.Alpha[v] < 0 {
					t.Errorf("weight %v", s.Alpha[v])
				}
				u, ok := first[leaves(v)]
				if !ok {
					first[leaves(v)] = v
				} else if math.Abs(s.Alpha[u]-s.Alpha[v]) > 1e-12*s.Alpha[v] {
					t.Errorf("rho %v: nodes %d and %d are above the same leaves and weigh %v and %v", rho, u, v, s.Alpha[u], s.Alpha[v])
				}
			}
		}
	}
}

// TestDuplicatePulls has the graph with which [CSS16, Theorem 1] fails: four leaves in two rows and
// two columns, and one of the rows twice. The row's two nodes together get sqrt2/(1+sqrt2) in the
// limit, not a half.
func TestDuplicatePulls(t *testing.T) {
	names := []string{"A", "B", "C", "D", "4", "5", "6", "7", "A again"}
	edges := [][2]int{{0, 4}, {0, 5}, {1, 6}, {1, 7}, {2, 4}, {2, 6}, {3, 5}, {3, 7}, {8, 4}, {8, 5}}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	alpha, err := weighting.Path{Rho: 1.01}.Weights(g)
	if err != nil {
		t.Fatal(err)
	}
	if k := alpha[0] + alpha[8]; math.Abs(k-0.58564) > 5e-6 {
		t.Errorf("the weight of the duplicated row is %v, want 0.58564", k)
	}
}

// TestNestedOverlap has overlapping nodes inside of a leaf of overlapping nodes, next to one that
// gets no weight.
func TestNestedOverlap(t *testing.T) {
	square := func(edges [][2]int, at int, below ...int) [][2]int {
		for i, pair := range [][2]int{{0, 1}, {2, 3}, {0, 2}, {1, 3}} {
			edges = append(edges, [2]int{at + i, below[pair[0]]}, [2]int{at + i, below[pair[1]]})
		}
		return edges
	}
	names := make([]string, 16)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	// 0 to 3 above 4 to 7, of which 7 is above 8 to 11, which are above 12 to 15.
	edges := square(square([][2]int{{7, 8}, {7, 9}, {7, 10}, {7, 11}}, 0, 4, 5, 6, 7), 8, 12, 13, 14, 15)
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	for _, rho := range []float64{1.01, 1.1, 2, 5} {
		s, err := weighting.Path{Rho: rho}.Solve(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(s.Gap) < 1e-11) || !(s.PathError < 1e-11) {
			t.Errorf("rho %v: gap %v, path error %v", rho, s.Gap, s.PathError)
		}
	}
}

// TestTreesForAnyRho checks path sums and certificates where weights are far out of range.
func TestTreesForAnyRho(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, rho := range []float64{1 + 1e-6, 1.0001, 1.2, 2, 50, 1000} {
		for range 20 {
			s, err := weighting.Path{Rho: rho}.Solve(t.Context(), example.Random(r, 2+r.IntN(300), 1+r.IntN(2), 1))
			if err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(s.Gap) < 1e-9) || !(s.PathError < 1e-12) {
				t.Errorf("rho %v: gap %v, path error %v", rho, s.Gap, s.PathError)
			}
		}
	}
}

// TestExtremeRho has exponents of which rounding leaves no useful certificate: trees do not need
// one.
func TestExtremeRho(t *testing.T) {
	g, err := taxonomy.FromPaths([]string{"a/b/c", "a/b/d", "a/e"}, "/") // a, a/b, a/b/c, a/b/d, a/e
	if err != nil {
		t.Fatal(err)
	}
	for rho, want := range map[float64][]float64{1 + 1e-12: {1, 0, 0, 0, 0}, 1e9: {0.5, 0.25, 0.25, 0.25, 0.5}} {
		alpha, err := weighting.Path{Rho: rho}.Weights(g)
		if err != nil {
			t.Errorf("rho %v: %v", rho, err)
			continue
		}
		for v, w := range want {
			if math.Abs(alpha[v]-w) > 1e-6 {
				t.Errorf("rho %v: weights %v, want about %v", rho, alpha, want)
				break
			}
		}
	}
	overlap, err := taxonomy.New([]string{"A", "B", "C", "x", "y", "z"}, [][2]int{{0, 3}, {0, 4}, {1, 4}, {1, 5}, {2, 3}, {2, 5}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (weighting.Path{Rho: 1e9}).Weights(overlap); err == nil {
		t.Error("a graph for rho 1e9: no error")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := example.Random(rand.New(rand.NewPCG(5, 6)), 200, 2, 3)
	if _, err := (weighting.Path{}).Solve(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestRhoRefused(t *testing.T) {
	g, err := taxonomy.FromPaths([]string{"a/b"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, rho := range []float64{1, 0.5, -2, math.NaN(), math.Inf(1)} {
		if _, err := (weighting.Path{Rho: rho}).Weights(g); err == nil {
			t.Errorf("rho %v: no error", rho)
		}
	}
}

func ExamplePath() {
	t, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "fmt"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	alpha, err := weighting.Path{Rho: 2}.Weights(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n, a := range alpha {
		fmt.Printf("%-8s %.3f\n", t.Name(n), a)
	}
	// Output:
	// go       0.667
	// go/ast   0.333
	// go/build 0.333
	// fmt      1.000
}

func BenchmarkWeights(b *testing.B) {
	for name, g := range map[string]*taxonomy.Taxonomy{
		"tree":  example.Random(rand.New(rand.NewPCG(7, 8)), 20000, 1, 1),
		"graph": example.Random(rand.New(rand.NewPCG(9, 10)), 600, 5, 2),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (weighting.Path{Rho: 1.5}).Weights(g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
