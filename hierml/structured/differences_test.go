package structured

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

// TestDifferences compares the norm of V with the regularizer of the node weights that it makes.
func TestDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	for trial := range 40 {
		g := example.Random(rng, 1+trial, 1+trial%4, 1+trial%3)
		a, err := Differences(g)
		if err != nil {
			t.Fatal(err)
		}
		v := make([]float64, g.Len())
		var ridge float64
		for n := range v {
			if a.Column(n) < 0 {
				t.Fatalf("trial %d: node %d has no column", trial, n)
			}
			v[n] = rng.NormFloat64()
			ridge += v[n] * v[n]
		}
		w := make([]float64, g.Len())
		entries, paths := 0, 0
		for n := range w {
			nodes, values := a.Leaf(a.Candidate(n))
			for k, c := range nodes {
				w[n] += values[k] * v[c]
			}
			entries, paths = entries+len(nodes), paths+len(g.Ancestors(n))
		}
		var want float64
		for n := range w {
			want += w[n] * w[n]
			for _, m := range g.Children(n) {
				want += (w[n] - w[m]) * (w[n] - w[m])
			}
		}
		if math.Abs(ridge-want) > 1e-9*want {
			t.Errorf("trial %d: ||V||^2 is %v, the regularizer %v", trial, ridge, want)
		}
		if g.IsTree() && entries != paths {
			t.Errorf("trial %d: %d attributes on a forest whose paths have %d nodes", trial, entries, paths)
		}
	}
}
