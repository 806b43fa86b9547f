package decision_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestSetF compares decisions with all closed sets, whose expected F1 is the sum over all closed
// sets that may be true.
func TestSetF(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	several := 0
	for round := range 80 {
		g := small(t, random, []string{"tree", "forest"}[round%2], 7)
		if g.Len() > 9 {
			continue
		}
		const rows = 6
		p := mat.NewDense(rows, g.Len(), nil)
		for i := range rows {
			for n := range g.Len() {
				v := random.Float64()
				switch {
				case i%3 == 0:
					v = math.Sqrt(v)
				case i%3 == 1 && random.IntN(4) == 0:
					v = float64(random.IntN(3)) / 2
				}
				p.Set(i, n, v)
			}
		}
		nodes, to := g.WithoutMiscellaneous()
		given := make([]int, nodes.Len())
		for n := range g.Len() {
			if g.Label(n) == n {
				given[to[n]] = n
			}
		}
		all, _ := closures(nodes)
		for _, rootless := range []bool{false, true} {
			sets, values, err := decision.SetF{Rootless: rootless}.Decide(context.Background(), g, p)
			if err != nil {
				t.Fatal(err)
			}
			for i, set := range sets {
				expect := func(z []int) (f float64) {
					for _, y := range all {
						in, chance := above(nodes, y), 1.0
						for n := range nodes.Len() {
							if parents := nodes.Parents(n); len(parents) > 0 && !in[parents[0]] {
								continue
							}
							if in[n] {
								chance *= p.At(i, given[n])
							} else {
								chance *= 1 - p.At(i, given[n])
							}
						}
						if chance > 0 {
							f += chance * f1(nodes, rootless, y, z)
						}
					}
					return f
				}
				most := 0.0
				for _, z := range all {
					most = max(most, expect(z))
				}
				mapped := []int{}
				for _, n := range set {
					mapped = append(mapped, to[n])
				}
				if own := expect(mapped); math.Abs(own-most) > 1e-12 || math.Abs(values[i]-most) > 1e-12 {
					t.Fatalf("%v, row %v, rootless %v: %v with %v, expected %v; the best has %v", g.Edges(), p.RawRowView(i), rootless, set, values[i], own, most)
				}
				if specific := nodes.MostSpecific(slices.Clone(mapped)); len(specific) != len(set) || !slices.IsSorted(set) {
					t.Fatalf("%v is not the most specific form", set)
				}
				if len(set) > 1 {
					several++
				}
			}
		}
	}
	if several < 50 {
		t.Errorf("%d decisions for several labels", several)
	}
	graph, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 2}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := taxonomy.New([]string{"a", "b"}, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		t *taxonomy.Taxonomy
		p *mat.Dense
	}{
		"needs a taxonomy":             {nil, mat.NewDense(1, 2, nil)},
		"needs a tree or forest":       {graph, mat.NewDense(1, 3, nil)},
		"probabilities of 3 nodes":     {tree, mat.NewDense(1, 3, nil)},
		`node "b": probability 1.5; p`: {tree, mat.NewDense(1, 2, []float64{1, 1.5})},
	} {
		if _, _, err := (decision.SetF{}).Decide(context.Background(), c.t, c.p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	if _, _, err := (decision.SetF{}).Decide(ctx, tree, mat.NewDense(1, 2, nil)); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}
