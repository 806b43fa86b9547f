package decision

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestGoldenHLoss(t *testing.T) {
	cases, err := golden.Read("bsvm")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy golden.Taxonomy
				Costs    []float64
				Rows     []struct {
					P, H     []float64
					Decision []int
					Risk     float64
					Half     []int   `json:"half_decision"`
					HalfRisk float64 `json:"half_risk"`
				}
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			h, err := NewHLoss(g, want.Costs)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Rows) == 0 {
				t.Error("no rows")
			}
			for i, row := range want.Rows {
				p := mat.NewDense(1, g.Len(), row.P)
				sets, risks, err := h.Decide(p)
				if err != nil {
					t.Fatal(err)
				}
				if got := g.Closure(sets[0]); !slices.Equal(got, row.Decision) || math.Abs(risks[0]-row.Risk) > 1e-12 {
					t.Errorf("row %d: decision %v with risk %v, want %v with %v", i, got, risks[0], row.Decision, row.Risk)
				}
				expected, on := make([]float64, g.Len()), make([]bool, g.Len())
				h.expect(row.P, expected, on)
				for n, v := range row.H {
					if math.Abs(expected[n]-v) > 1e-12 {
						t.Errorf("row %d: H of node %d is %v, want %v", i, n, expected[n], v)
					}
				}
				half := halves(g, row.P)
				risks, err = h.Risk(p, [][]int{half})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(half, row.Half) || math.Abs(risks[0]-row.HalfRisk) > 1e-12 {
					t.Errorf("row %d: the rule of 1/2 says %v with risk %v, want %v with %v", i, half, risks[0], row.Half, row.HalfRisk)
				}
			}
		})
	}
}

// halves returns the nodes that are as likely as not, below parents that are.
func halves(g *taxonomy.Taxonomy, p []float64) []int {
	in := make([]bool, g.Len())
	var set []int
	for _, v := range g.Topological() {
		in[v] = p[v] >= 0.5
		for _, a := range g.Parents(v) {
			in[v] = in[v] && in[a]
		}
		if in[v] {
			set = append(set, v)
		}
	}
	slices.Sort(set)
	return set
}

// TestHLossIsBayes compares with the best of all closed sets, whose expected loss is a sum over all
// closed sets that may be true.
func TestHLossIsBayes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for range 60 {
		g := example.Random(r, 1+r.IntN(7), 1+r.IntN(3), 1)
		costs, p := make([]float64, g.Len()), make([]float64, g.Len())
		for n := range costs {
			costs[n], p[n] = r.Float64(), float64(r.IntN(11))/10
		}
		h, err := NewHLoss(g, costs)
		if err != nil {
			t.Fatal(err)
		}
		l, err := loss.HLoss(g, costs)
		if err != nil {
			t.Fatal(err)
		}
		var closed [][]int
		var likely []float64
		for bits := range 1 << g.Len() {
			var set []int
			probability := 1.0
			for n := range g.Len() {
				above := true
				for _, a := range g.Parents(n) {
					above = bits>>a&1 == 1
				}
				switch {
				case bits>>n&1 == 1:
					set = append(set, n)
					if above {
						probability *= p[n]
					} else {
						probability = -1
					}
				case above:
					probability *= 1 - p[n]
				}
				if probability < 0 {
					break
				}
			}
			if probability >= 0 {
				closed, likely = append(closed, set), append(likely, probability)
			}
		}
		probabilities := mat.NewDense(1, g.Len(), p)
		sets, risks, err := h.Decide(probabilities)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		for _, z := range closed {
			var risk float64
			for k, y := range closed {
				risk += likely[k] * l.SetCost(y, z)
			}
			best = min(best, risk)
			got, err := h.Risk(probabilities, [][]int{z})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got[0]-risk) > 1e-12 {
				t.Fatalf("risk of %v is %v, want %v", z, got[0], risk)
			}
		}
		got, err := h.Risk(probabilities, sets)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(risks[0]-best) > 1e-12 || math.Abs(got[0]-best) > 1e-12 {
			t.Fatalf("decision %v with risk %v, and %v, want %v", sets[0], risks[0], got[0], best)
		}
	}
}

// TestUniformCostsAreDegenerate has the case in which nothing is predicted of a certain root.
func TestUniformCostsAreDegenerate(t *testing.T) {
	g := example.Tree(6)
	p := mat.NewDense(1, g.Len(), nil)
	for n := range g.Len() {
		p.Set(0, n, 0.5)
	}
	p.Set(0, g.Roots()[0], 1)
	for _, c := range []struct {
		costs []float64
		size  int
		risk  float64
	}{{loss.UniformCosts(g), 0, 1}, {loss.SiblingCosts(g), 1, 0.5}} {
		h, err := NewHLoss(g, c.costs)
		if err != nil {
			t.Fatal(err)
		}
		sets, risks, err := h.Decide(p)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Closure(sets[0])) != c.size || math.Abs(risks[0]-c.risk) > 1e-12 {
			t.Errorf("decision %v with risk %v, want %d nodes with %v", sets[0], risks[0], c.size, c.risk)
		}
	}
}

// TestSiblingThresholds has the largest thresholds of nodes above leaves, and above those.
func TestSiblingThresholds(t *testing.T) {
	for height, branching := range [][]int{{}, {4}, {4, 4}} {
		g := example.Tree(branching...)
		h, err := NewHLoss(g, loss.SiblingCosts(g))
		if err != nil {
			t.Fatal(err)
		}
		root := g.Roots()[0]
		bound := float64(height+1) / float64(height+2)
		p := mat.NewDense(1, g.Len(), nil)
		for n := range g.Len() {
			height := 0
			for c := g.Children(n); len(c) > 0; c = g.Children(c[0]) {
				height++
			}
			p.Set(0, n, float64(height+1)/float64(height+2)) // doubtful at every node
		}
		for _, side := range []float64{-1e-6, 1e-6} {
			p.Set(0, root, bound+side)
			sets, _, err := h.Decide(p)
			if err != nil {
				t.Fatal(err)
			}
			if on := len(sets[0]) > 0; on != (side > 0) {
				t.Errorf("height %d: a root of probability %v, decision %v", height, bound+side, sets[0])
			}
		}
	}
}

func TestHLossRefuses(t *testing.T) {
	g := example.Tree(2)
	if _, err := NewHLoss(nil, nil); err == nil {
		t.Error("no taxonomy: no error")
	}
	if _, err := NewHLoss(g, []float64{1, 2}); err == nil {
		t.Error("two costs: no error")
	}
	graph := example.Graph(8, 1)
	if _, err := NewHLoss(graph, loss.UniformCosts(graph)); err == nil {
		t.Error("a graph: no error")
	}
	for _, h := range []*HLoss{nil, {}} {
		if _, _, err := h.Decide(new(mat.Dense)); err == nil || !strings.Contains(err.Error(), "create it with NewHLoss") {
			t.Errorf("without a taxonomy: error %v", err)
		}
		if _, err := h.Risk(new(mat.Dense), nil); err == nil {
			t.Error("a risk without a taxonomy")
		}
	}
	h, err := NewHLoss(g, loss.UniformCosts(g))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []mat.Matrix{nil, mat.NewDense(1, 2, nil), mat.NewDense(1, 3, []float64{0, 1, 1.5}), mat.NewDense(1, 3, []float64{0, 1, math.NaN()})} {
		if _, _, err := h.Decide(p); err == nil {
			t.Errorf("%v: no error", p)
		}
		if _, err := h.Risk(p, [][]int{nil}); err == nil {
			t.Errorf("%v: no error", p)
		}
	}
	p := mat.NewDense(1, 3, nil)
	if _, err := h.Risk(p, nil); err == nil {
		t.Error("no set: no error")
	}
	if _, err := h.Risk(p, [][]int{{3}}); err == nil {
		t.Error("label 3: no error")
	}
	if sets, risks, err := h.Decide(new(mat.Dense)); err != nil || len(sets)+len(risks) != 0 {
		t.Errorf("no rows: %v, %v, %v", sets, risks, err)
	}
}
