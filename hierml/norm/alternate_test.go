package norm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// grown returns a random tree.
func grown(t *testing.T, rng *rand.Rand, nodes int) *taxonomy.Taxonomy {
	t.Helper()
	names := []string{"0"}
	var edges [][2]int
	for v := 1; v < nodes; v++ {
		names = append(names, strconv.Itoa(v))
		if rng.IntN(nodes) > 0 {
			edges = append(edges, [2]int{rng.IntN(v), v})
		}
	}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// summed returns sums over the nodes above each leaf, without the leaf itself if it is all shared.
func summed(rng *rand.Rand, g *taxonomy.Taxonomy, shared bool) *mat.Dense {
	u := mat.NewDense(len(g.Leaves()), 4, nil)
	for n := range g.Len() {
		for f := range 4 {
			v := rng.NormFloat64()
			for l, leaf := range g.Leaves() {
				for _, a := range g.Ancestors(leaf) {
					if a == n && !(shared && a == leaf && len(g.Parents(leaf)) > 0) {
						u.Set(l, f, u.At(l, f)+v)
					}
				}
			}
		}
	}
	return u
}

func TestTurnsAgreeWithTheInteriorPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for k := range 20 {
		g := grown(t, rng, 2+rng.IntN(50))
		u, _, err := rotated(summed(rng, g, k%3 == 0))
		if err != nil {
			t.Fatal(err)
		}
		inside, turns := newPaths(u, g), newPaths(u, g)
		if err := errors.Join(inside.solve(context.Background()), turns.alternate(context.Background())); err != nil {
			t.Fatal(err)
		}
		a, b := inside.best, turns.best
		if a.Gap() > 1e-8 || b.Gap() > 1e-6 || a.Lower > b.Value*(1+1e-12) || b.Lower > a.Value*(1+1e-12) {
			t.Errorf("by turns %v above %v, inside %v above %v", b, b.Lower, a, a.Lower)
		}
		var product mat.Dense
		product.Mul(b.Left, b.Right)
		if !mat.EqualApprox(&product, u, 1e-6) || math.Abs(longest(b.Left)*mat.Norm(b.Right, 2)-b.Value) > 1e-9*b.Value {
			t.Error("the factors do not attain the value")
		}
	}
}

func TestLargeTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	g := grown(t, rng, 2*manyNodes)
	u := summed(rng, g, false)
	n, err := Structured(context.Background(), u, g)
	if err != nil || n.Gap() > 1e-7 {
		t.Errorf("%v, %v", n, err)
	}
	frobenius, err := Frobenius(u)
	if err != nil || n.Value >= frobenius.Value {
		t.Errorf("%v, Frobenius %v, %v", n, frobenius, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if early, err := Structured(ctx, u, g); !errors.Is(err, context.Canceled) || early.Lower > n.Value || early.Value < n.Lower {
		t.Errorf("cancelled: %v, %v", early, err)
	}
}
