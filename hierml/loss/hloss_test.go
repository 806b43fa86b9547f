package loss_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleHLoss() {
	t, err := taxonomy.New([]string{"animal", "bird", "fish", "owl", "duck"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := loss.HLoss(t, loss.SiblingCosts(t))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.SetCost([]int{3}, []int{1})) // owl, said to be some bird
	fmt.Println(l.SetCost([]int{3}, []int{2})) // a fish: owl is forgiven below bird
	fmt.Println(l.SetCost([]int{3}, nil))
	// Output:
	// 0.25
	// 1
	// 1
}

func TestGoldenHLoss(t *testing.T) {
	cases, err := golden.Read("bsvm")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy golden.Taxonomy
				Kind     string `json:"cost_kind"`
				Costs    []float64
				Pairs    []struct {
					Y, Z  []int
					HLoss float64
				} `json:"hloss_pairs"`
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			for kind, costs := range map[string][]float64{"uni": loss.UniformCosts(g), "sib": loss.SiblingCosts(g)} {
				for n, v := range costs {
					if want.Kind == kind && math.Abs(v-want.Costs[n]) > 1e-12 {
						t.Errorf("%s: cost of node %d is %v, want %v", kind, n, v, want.Costs[n])
					}
				}
			}
			l, err := loss.HLoss(g, want.Costs)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Pairs) == 0 {
				t.Error("no pairs")
			}
			for _, p := range want.Pairs {
				if got := l.SetCost(p.Y, p.Z); math.Abs(got-p.HLoss) > 1e-12 {
					t.Errorf("cost of %v for %v is %v, want %v", p.Z, p.Y, got, p.HLoss)
				}
			}
		})
	}
}

// TestHLossDecomposes compares three definitions on random sets of random trees: nodes that differ
// while all above agree, nodes that differ below parents that agree, and the sum over nodes.
func TestHLossDecomposes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 200 {
		g := example.Random(r, 1+r.IntN(12), 1+r.IntN(3), 1)
		if !g.IsTree() {
			t.Fatal("not a tree")
		}
		costs := make([]float64, g.Len())
		for n := range costs {
			costs[n] = r.Float64()
		}
		l, err := loss.HLoss(g, costs)
		if err != nil {
			t.Fatal(err)
		}
		set := func() []int {
			var nodes []int
			for n := range g.Len() {
				if r.IntN(3) == 0 {
					nodes = append(nodes, n)
				}
			}
			return nodes
		}
		truth, predicted := set(), set()
		in := [2]map[int]bool{{}, {}}
		for k, nodes := range [][]int{truth, predicted} {
			for _, n := range g.Closure(nodes) {
				in[k][n] = true
			}
		}
		dst := make([]float64, g.Len())
		sum := l.Decompose(truth, dst)
		for n := range in[1] {
			sum += dst[n]
		}
		var strict float64
		for n := range g.Len() {
			first := in[0][n] != in[1][n]
			for _, a := range g.Ancestors(n) {
				first = first && (a == n || in[0][a] == in[1][a])
			}
			if first {
				strict += costs[n]
			}
		}
		if got := l.SetCost(truth, predicted); math.Abs(got-strict) > 1e-12 || math.Abs(sum-strict) > 1e-12 {
			t.Fatalf("cost of %v for %v is %v, as a sum over nodes %v, want %v", predicted, truth, got, sum, strict)
		}
	}
}

func TestHLossRefuses(t *testing.T) {
	tree, graph := example.Tree(2, 2), example.Graph(8, 1)
	if l, err := loss.HLoss(graph, loss.UniformCosts(graph)); err == nil || l != nil {
		t.Errorf("a graph: %v, %v", l, err)
	}
	for _, costs := range [][]float64{nil, {1}, {1, 1, 1, 1, 1, 1, -1}, {1, 1, 1, 1, 1, 1, math.Inf(1)}, {1, 1, 1, 1, 1, 1, math.NaN()}} {
		if _, err := loss.HLoss(tree, costs); err == nil {
			t.Errorf("costs %v: no error", costs)
		}
	}
}
