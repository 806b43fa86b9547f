package structured

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
)

// The search for pairs of equal loss finds what the search of all pairs finds.
func TestExtremesAreTheWorstPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for k := range 200 {
		g := example.Random(r, 2+r.IntN(30), 1, 1)
		for len(g.Leaves()) < 3 {
			g = example.Random(r, 2+r.IntN(30), 1, 1)
		}
		a := Flat(g)
		c, err := NewRanking(a, [][]int{g.Leaves()[:1+r.IntN(len(g.Leaves())-1)]}, loss.ZeroOne(), []Rescaling{Margin, Slack}[k%2], 1)
		if err != nil {
			t.Fatal(err)
		}
		fast, ok := c.NewSearch().(*extremes)
		if !ok {
			t.Fatal("pairs of the 0/1 loss have the same loss")
		}
		c.same = 0
		slow := c.NewSearch()
		c.same = 1
		scores := make([]float64, scoreWidth(len(a.Columns())))
		for j := range scores {
			scores[j] = float64(r.IntN(40)) / 20
		}
		if u, v := fast.Load(0, scores), slow.Load(0, scores); u != v {
			t.Errorf("largest violation %v, want %v", u, v)
		}
		var known []int32
		for range 4 {
			n, floor := 1+r.IntN(5), r.Float64()/2
			got, want := fast.Worst(n, floor, known, []int32{-1}), slow.Worst(n, floor, known, []int32{-1})
			violations := func(s Search, ids []int32) []float64 {
				var v []float64
				for _, id := range ids[1:] {
					v = append(v, s.Violation(id))
				}
				return v
			}
			if got[0] != -1 || !slices.Equal(violations(fast, got), violations(slow, want)) {
				t.Fatalf("violations %v of %v, want %v of %v", violations(fast, got), got, violations(slow, want), want)
			}
			for k, id := range got[1:] {
				if slices.Contains(known, id) || slices.Contains(got[1:1+k], id) {
					t.Errorf("pair %d is known", id)
				}
			}
			known = append(known, got[1:]...)
			r.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
		}
	}
}

func BenchmarkRanking(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	g := example.Tree(20, 20)
	labels := g.Leaves()[:10]
	for name, l := range map[string]loss.Loss{"same": loss.ZeroOne(), "differs": loss.Symdiff(g)} {
		b.Run(name, func(b *testing.B) {
			a := Flat(g)
			c, err := NewRanking(a, [][]int{labels}, l, Slack, 1)
			if err != nil {
				b.Fatal(err)
			}
			scores := make([]float64, scoreWidth(len(a.Columns())))
			for j := range scores {
				scores[j] = r.NormFloat64()
			}
			s, dst := c.NewSearch(), make([]int32, 0, 16)
			b.ReportAllocs()
			for b.Loop() {
				s.Load(0, scores)
				dst = s.Worst(8, 0, nil, dst[:0])
			}
		})
	}
}
