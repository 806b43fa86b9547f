package weighting

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestDecomposerOnTrees compares the decomposition, given every node of a tree, with the closed
// form.
func TestDecomposerOnTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n := 1 + r.IntN(60)
		names := make([]string, n)
		var edges [][2]int
		for i := range names {
			names[i] = strconv.Itoa(i)
			if i > 0 && r.IntN(20) > 0 {
				edges = append(edges, [2]int{r.IntN(i), i})
			}
		}
		g, err := taxonomy.New(names, edges)
		if err != nil {
			t.Fatal(err)
		}
		for _, rho := range []float64{1.01, 2, 7} {
			trees := newSubtrees(g, rho)
			a := &allotment{make([]float64, n), make([]float64, n)}
			want := trees.spread(g, a)

			all := make([]column, n)
			for v := range n {
				all[v].part = &part{kind: single, node: v}
			}
			for i, l := range g.Leaves() {
				for _, v := range g.Ancestors(l) {
					all[v].members = append(all[v].members, i)
				}
			}
			whole, err := (&decomposer{t.Context(), rho}).solve(len(g.Leaves()), all)
			if err != nil {
				t.Fatal(err)
			}
			got := &allotment{make([]float64, n), make([]float64, n)}
			got.divide(whole.part, 0, 1)
			for v := range n {
				if math.Abs(got.amount[v]-want[v]) > 1e-10*max(1, -want[v]) {
					t.Errorf("rho %v: logarithm of the weight of node %d is %v, want %v", rho, v, got.amount[v], want[v])
				}
			}
		}
	}
}
