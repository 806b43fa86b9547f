package labelset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestClosedIsBestOfAll compares with all closed sets of forests and graphs, among rewards of which
// many are equal or zero.
func TestClosedIsBestOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	for trial := range 300 {
		g := example.Random(r, 1+r.IntN(11), 1+r.IntN(3), 1+trial%3)
		space, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		search := space.NewClosed()
		for range 3 {
			rewards := make([]float64, g.Len())
			for n := range rewards {
				rewards[n] = float64(r.IntN(7) - 3)
				if trial%2 == 0 {
					rewards[n] = r.NormFloat64()
				}
			}
			var best float64
			smallest := g.Len()
			for bits := range 1 << g.Len() {
				var sum float64
				size, closed := 0, true
				for n := range g.Len() {
					if bits>>n&1 == 0 {
						continue
					}
					sum += rewards[n]
					size++
					for _, p := range g.Parents(n) {
						closed = closed && bits>>p&1 == 1
					}
				}
				if closed && (sum > best+1e-12 || sum > best-1e-12 && size < smallest) {
					best, smallest = max(best, sum), size
				}
			}
			nodes, value, err := search.Best(rewards)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(value-best) > 1e-9 || len(nodes) != smallest || !parentsFirst(g, nodes) {
				t.Fatalf("nodes %v of value %v, want %d with %v; edges %v, rewards %v", nodes, value, smallest, best, g.Edges(), rewards)
			}
		}
	}
}

// parentsFirst tells whether all parents of the nodes come before them.
func parentsFirst(g *taxonomy.Taxonomy, nodes []int) bool {
	for k, n := range nodes {
		for _, p := range g.Parents(n) {
			if !slices.Contains(nodes[:k], p) {
				return false
			}
		}
	}
	return true
}

// TestClosedGolden has the values of the best sets of leaves, the empty one too, which are closed
// sets among others.
func TestClosedGolden(t *testing.T) {
	cases, err := golden.Read("inference")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var want struct {
			Taxonomy golden.Taxonomy
			R        []float64
			Empty    float64 `json:"ip_value_allowing_empty"`
		}
		if err := c.Decode(&want); err != nil {
			t.Fatal(err)
		}
		g, err := want.Taxonomy.New()
		if err != nil {
			t.Fatal(err)
		}
		space, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		_, value, err := space.NewClosed().Best(want.R)
		if err != nil {
			t.Fatal(err)
		}
		if value < want.Empty-1e-9 {
			t.Errorf("%s: value %v, and that of sets of leaves is %v", c.ID, value, want.Empty)
		}
	}
}

// TestClosedLarge has a large random graph, where the value of a cut is also the bound of its flow.
func TestClosedLarge(t *testing.T) {
	g := example.Graph(3000, 4)
	space, err := New(g)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 0))
	rewards := make([]float64, g.Len())
	var positive float64
	for n := range rewards {
		rewards[n] = r.NormFloat64() - 0.2
		positive += max(0, rewards[n])
	}
	search := space.NewClosed()
	nodes, value, err := search.Best(rewards)
	if err != nil {
		t.Fatal(err)
	}
	var flow float64
	for v, w := range rewards {
		flow += max(0, w) - search.flow.left[2*v]
	}
	if bound := positive - flow; math.Abs(bound-value) > 1e-8*bound || !parentsFirst(g, nodes) || len(nodes) == 0 {
		t.Errorf("%d nodes of value %v, the flow says %v", len(nodes), value, bound)
	}
}

func TestClosedRefuses(t *testing.T) {
	space, err := New(example.Tree(2))
	if err != nil {
		t.Fatal(err)
	}
	for _, rewards := range [][]float64{{1}, {1, 2, math.NaN()}, {1, 2, math.Inf(1)}} {
		if _, _, err := space.NewClosed().Best(rewards); err == nil {
			t.Errorf("%v: no error", rewards)
		}
	}
}
