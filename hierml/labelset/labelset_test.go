package labelset

import (
	"math"
	"math/rand/v2"
	"slices"
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
		got, err := space.NewSearcher().Best(rewards)
		if err != nil {
			t.Fatal(err)
		}
		branches += got.Branches
		want := enumerate(g, rewards)
		if math.Abs(got.Value-want) > 1e-9 || got.Bound < want-1e-9 || got.Bound > want+1e-9 {
			t.Fatalf("%v, rewards %v: value %v with bound %v, want %v", g.Edges(), rewards, got.Value, got.Bound, want)
		}
		has := func(k int) bool { return slices.Contains(got.Leaves, g.Leaves()[k]) }
		if v := value(g, rewards, has); math.Abs(v-want) > 1e-9 {
			t.Fatalf("leaves %v are worth %v, want %v", got.Leaves, v, want)
		}
	}
	t.Log(branches)
}
