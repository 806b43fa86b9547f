package labelset

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// enumerate returns the value of the best label set, by looking at all of them.
func enumerate(t *taxonomy.Taxonomy, rewards []float64) float64 {
	leaves := t.Leaves()
	best := math.Inf(-1)
	for set := 1; set < 1<<len(leaves); set++ {
		best = max(best, value(t, rewards, func(k int) bool { return set>>k&1 == 1 }))
	}
	return best
}

func value(t *taxonomy.Taxonomy, rewards []float64, has func(leaf int) bool) float64 {
	closed := make([]bool, t.Len())
	for k, l := range t.Leaves() {
		if has(k) {
			for _, a := range t.Ancestors(l) {
				closed[a] = true
			}
		}
	}
	var sum float64
	for n, c := range closed {
		if c {
			sum += rewards[n]
		}
	}
	return sum
}

func TestBestIsBestOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	branches := 0
	for k := range 3000 {
		n := 2 + rng.IntN(18)
		g := example.Random(rng, n, 1+rng.IntN(min(3, n)), 1+rng.IntN(4))
		if len(g.Leaves()) > 11 {
			continue
		}
		rewards := make([]float64, n)
		shift := []float64{0, -1, 1, -0.3}[k%4]
		for i := range rewards {
			rewards[i] = rng.NormFloat64() + shift
			if k%5 == 0 {
				rewards[i] = math.Round(rewards[i])
			}
		}
		space, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		want := enumerate(g, rewards)
		for _, space := range []*Space{space, bounding(space)} {
			got, err := space.NewSearcher().Best(rewards)
			if err != nil {
				t.Fatal(err)
			}
			branches += got.Branches
			if math.Abs(got.Value-want) > 1e-9 || got.Bound < want-1e-9 || got.Bound > want+1e-9 {
				t.Fatalf("%v, rewards %v: value %v with bound %v, want %v", g.Edges(), rewards, got.Value, got.Bound, want)
			}
			has := func(k int) bool { return slices.Contains(got.Leaves, g.Leaves()[k]) }
			if v := value(g, rewards, has); math.Abs(v-want) > 1e-9 {
				t.Fatalf("leaves %v are worth %v, want %v", got.Leaves, v, want)
			}
		}
	}
	t.Log(branches)
}

// bounding returns the space without its plan, so that branches are bounded on all graphs that are
// no forests.
func bounding(s *Space) *Space {
	b := *s
	b.plan = nil
	return &b
}

// nearlyTree draws a tree, and some further edges from nodes to later ones.
func nearlyTree(tb testing.TB, rng *rand.Rand, nodes, further int) *taxonomy.Taxonomy {
	var edges [][2]int
	for c := 1; c < nodes; c++ {
		edges = append(edges, [2]int{rng.IntN(min(c, 1+c/3)), c})
	}
	for range further {
		c := 2 + rng.IntN(nodes-2)
		if e := [2]int{rng.IntN(c), c}; !slices.Contains(edges, e) {
			edges = append(edges, e)
		}
	}
	names := make([]string, nodes)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// TestNearlyTrees compares the two ways to search graphs that are too large to look at all sets.
func TestNearlyTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	planned := 0
	for range 60 {
		n := 40 + rng.IntN(200)
		g := nearlyTree(t, rng, n, 1+rng.IntN(15))
		space, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		if space.plan == nil {
			continue
		}
		planned++
		exact, bounded := space.NewSearcher(), bounding(space).NewSearcher()
		for range 5 {
			rewards := make([]float64, n)
			for i := range rewards {
				rewards[i] = rng.NormFloat64() - 0.2
			}
			got, err := exact.Best(rewards)
			if err != nil {
				t.Fatal(err)
			}
			want, err := bounded.Best(rewards)
			if err != nil {
				t.Fatal(err)
			}
			has := func(k int) bool { return slices.Contains(got.Leaves, g.Leaves()[k]) }
			if got.Value < want.Value-1e-9 || got.Value > want.Bound+1e-9 || math.Abs(value(g, rewards, has)-got.Value) > 1e-9 {
				t.Errorf("value %v of leaves worth %v; by branches %v with bound %v", got.Value, value(g, rewards, has), want.Value, want.Bound)
			}
		}
	}
	if planned < 30 {
		t.Errorf("only %d of 60 graphs have a plan", planned)
	}
}

func TestRelaxBoundsBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	integral := 0
	for k := range 150 {
		g := example.Random(rng, 3+rng.IntN(60), 1+rng.IntN(3), 1+k%3)
		rewards := make([]float64, g.Len())
		for i := range rewards {
			rewards[i] = rng.NormFloat64() - 0.3
		}
		space, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		best, err := space.NewSearcher().Best(rewards)
		if err != nil {
			t.Fatal(err)
		}
		relaxed, err := space.Relax(t.Context(), rewards)
		if err != nil {
			t.Fatal(err)
		}
		if relaxed.Bound < best.Value-1e-9 || relaxed.Bound < relaxed.Value-1e-9 || relaxed.Bound-relaxed.Value > 1e-6 {
			t.Errorf("best value %v, relaxed %v with bound %v", best.Value, relaxed.Value, relaxed.Bound)
		}
		if got := relaxed.Value-best.Value <= 1e-7; got != relaxed.Integral {
			t.Errorf("best value %v, relaxed %v, integral %v", best.Value, relaxed.Value, relaxed.Integral)
		}
		if relaxed.Integral {
			integral++
		}
		checkFeasible(t, g, relaxed.Nodes)
	}
	if integral < 50 || integral > 145 {
		t.Errorf("%d of 150 relaxations are integral; the test is to have both kinds", integral)
	}
}

// checkFeasible checks the constraints of [CSS16, (19)].
func checkFeasible(t *testing.T, g *taxonomy.Taxonomy, z []float64) {
	t.Helper()
	leaves := 0.0
	for n := range z {
		if z[n] < 0 || z[n] > 1 {
			t.Errorf("z of node %d is %v", n, z[n])
		}
		if g.IsLeaf(n) {
			leaves += z[n]
			continue
		}
		sum := 0.0
		for _, c := range g.Children(n) {
			sum += z[c]
			if z[c] > z[n]+1e-7 {
				t.Errorf("z of node %d is %v, of its parent %v", c, z[c], z[n])
			}
		}
		if sum < z[n]-1e-7 {
			t.Errorf("z of node %d is %v, the sum of its children %v", n, z[n], sum)
		}
	}
	if leaves < 1-1e-7 {
		t.Errorf("the sum of the leaves is %v", leaves)
	}
}

func TestLimitedSearchBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	open := 0
	for range 40 {
		g := example.Random(rng, 150, 3, 3)
		space, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		rewards := make([]float64, g.Len())
		for i := range rewards {
			rewards[i] = rng.NormFloat64()
		}
		space = bounding(space)
		full, limited := space.NewSearcher(), space.NewSearcher()
		limited.Branches = 1
		exact, err := full.Best(rewards)
		if err != nil {
			t.Fatal(err)
		}
		early, err := limited.Best(rewards)
		if err != nil {
			t.Fatal(err)
		}
		if exact.Bound > exact.Value+1e-9 || early.Value > exact.Value+1e-9 || early.Bound < exact.Value-1e-9 {
			t.Errorf("best %v, bound %v; with one branch %v, bound %v", exact.Value, exact.Bound, early.Value, early.Bound)
		}
		if early.Bound > early.Value+1e-9 {
			open++
		}
	}
	if open == 0 {
		t.Error("no search was ended by its limit")
	}
}

func TestShareAndHintsKeepBoundsValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	fewer := 0
	for range 10 {
		g := example.Random(rng, 90, 2, 3)
		space, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		space = bounding(space)
		exact, near := space.NewSearcher(), space.NewSearcher()
		near.Share, near.Offset = 0.05, 3
		var hints Hints
		rewards := make([]float64, g.Len())
		for range 8 {
			for i := range rewards {
				rewards[i] = 0.7*rewards[i] + rng.NormFloat64()
			}
			want, err := exact.BestFrom(rewards, &hints)
			if err != nil {
				t.Fatal(err)
			}
			branches := want.Branches
			cold, err := exact.Best(rewards)
			if err != nil {
				t.Fatal(err)
			}
			value := cold.Value
			if math.Abs(want.Value-value) > 1e-9 || want.Bound > value+1e-9 {
				t.Errorf("best %v with bound %v from hints, %v without", want.Value, want.Bound, value)
			}
			got, err := near.Best(rewards)
			if err != nil {
				t.Fatal(err)
			}
			if got.Bound < value-1e-9 || got.Value > value+1e-9 || got.Bound-got.Value > 0.05*max(0, got.Value+3)+1e-9 {
				t.Errorf("value %v with bound %v, the best is %v", got.Value, got.Bound, value)
			}
			if got.Branches < branches {
				fewer++
			}
		}
	}
	if fewer == 0 {
		t.Error("no search ended sooner for its share")
	}
}

func TestRefuses(t *testing.T) {
	empty, err := taxonomy.New(nil, nil)
	if err == nil {
		if _, err := New(empty); err == nil {
			t.Error("no error for a taxonomy without nodes")
		}
	}
	space, err := New(example.Tree(2))
	if err != nil {
		t.Fatal(err)
	}
	for _, rewards := range [][]float64{nil, {1, 2}, {1, math.NaN(), 2}, {1, math.Inf(1), 2}} {
		if _, err := space.NewSearcher().Best(rewards); err == nil {
			t.Errorf("no error for rewards %v", rewards)
		}
		if _, err := space.Relax(t.Context(), rewards); err == nil {
			t.Errorf("relaxed: no error for rewards %v", rewards)
		}
	}
}

func BenchmarkBest(b *testing.B) {
	for name, g := range map[string]*taxonomy.Taxonomy{
		"tree":          example.Tree(10, 10, 10),
		"nearly a tree": nearlyTree(b, rand.New(rand.NewPCG(8, 8)), 1200, 20),
		"graph":         example.Graph(1200, 1),
	} {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			space, err := New(g)
			if err != nil {
				b.Fatal(err)
			}
			b.Log("exact:", space.Exact())
			s := space.NewSearcher()
			rewards := make([]float64, g.Len())
			for i := range rewards {
				rewards[i] = rng.NormFloat64() - 0.5
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Best(rewards); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
