package loss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// all returns the losses that exist on the taxonomy, by name.
func all(t *testing.T, r *rand.Rand, g *taxonomy.Taxonomy) map[string]loss.Loss {
	t.Helper()
	losses := make(map[string]loss.Loss)
	for _, name := range loss.Names() {
		if l, err := loss.Named(name, g); err == nil {
			losses[name] = l
		}
	}
	alpha := make([]float64, g.Len())
	for n := range alpha {
		if r.IntN(4) > 0 {
			alpha[n] = r.Float64()
		}
	}
	l, err := loss.SqrtAlpha(g, alpha)
	if err != nil {
		t.Fatal(err)
	}
	losses["sqrt_alpha"] = l
	if losses["weighted"], err = loss.Weighted(g, alpha, 0.5, 3); err != nil {
		t.Fatal(err)
	}
	losses["func"] = loss.Func(func(truth, predicted int) float64 { return float64(truth-predicted) * float64(truth-predicted) })
	return losses
}

// TestRow compares rows with single costs.
func TestRow(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		n := 1 + r.IntN(25)
		g := example.Random(r, n, 1+r.IntN(min(n, 3)), 1+r.IntN(2))
		nodes, leaves := make([]float64, n), make([]float64, len(g.Leaves()))
		for name, l := range all(t, r, g) {
			for a := range n {
				if name == "normalized" && len(g.Parents(a)) == 0 {
					continue
				}
				loss.NodeRow(l, g, a, nodes)
				loss.Row(l, g, a, leaves)
				for b, got := range nodes {
					if name == "normalized" && len(g.Parents(b)) == 0 {
						continue
					}
					if want := l.Cost(a, b); !(math.Abs(got-want) <= 1e-12) {
						t.Errorf("%s: cost of %d for %d is %v in the row, want %v", name, b, a, got, want)
					}
					if y := g.LeafIndex(b); y >= 0 && !(math.Abs(leaves[y]-got) <= 1e-15*max(1, got)) {
						t.Errorf("%s: cost of leaf %d for %d is %v among leaves, %v among nodes", name, b, a, leaves[y], got)
					}
				}
			}
		}
	}
}

func BenchmarkRow(b *testing.B) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, most := range []int{1, 2} {
		g := example.Random(r, 17000, 1, most)
		dst := make([]float64, len(g.Leaves()))
		for _, name := range []string{"symdiff", "normalized", "tree"} {
			l, err := loss.Named(name, g)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+map[int]string{1: "/tree", 2: "/dag"}[most], func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					loss.Row(l, g, g.Leaves()[i%len(dst)], dst)
					i++
				}
			})
		}
	}
}
