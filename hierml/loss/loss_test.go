package loss_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestGolden(t *testing.T) {
	cases, err := golden.Read("attributes_losses")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy  golden.Taxonomy
				Alpha     []float64
				Pair      map[string][][]float64 `json:"pair_losses"`
				SqrtAlpha [][]float64            `json:"pair_sqrt_alpha"`
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Pair) < 4 {
				t.Errorf("only %d losses in the case", len(want.Pair))
			}
			for _, name := range loss.Names() {
				l, err := loss.Named(name, g)
				if _, exists := want.Pair[name]; !exists {
					if err == nil {
						t.Errorf("%s: no error where the loss does not exist", name)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				compare(t, name, loss.Table(l, g), want.Pair[name])
				delete(want.Pair, name)
			}
			for name := range want.Pair {
				t.Errorf("%s: not a name", name)
			}
			l, err := loss.SqrtAlpha(g, want.Alpha)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "sqrt_alpha", loss.Table(l, g), want.SqrtAlpha)
		})
	}
}

func compare(t *testing.T, name string, got *mat.Dense, want [][]float64) {
	t.Helper()
	for i, row := range want {
		for j, v := range row {
			if math.Abs(got.At(i, j)-v) > 1e-12*max(1, v) {
				t.Errorf("%s: cost of leaf %d for leaf %d is %v, want %v", name, j, i, got.At(i, j), v)
			}
		}
	}
}

// TestProperties checks what the papers state of the losses, and the charged losses against their
// definition, for all pairs of nodes.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n := 2 + r.IntN(25)
		g := example.Random(r, n, 1+r.IntN(2), 1+r.IntN(2))
		for _, name := range loss.Names() {
			l, err := loss.Named(name, g)
			if err != nil {
				continue
			}
			for _, a := range g.Leaves() {
				for _, b := range g.Leaves() {
					c := l.Cost(a, b)
					if (c == 0) != (a == b) || !(c >= 0) || c != l.Cost(b, a) {
						t.Errorf("%s: cost %v of %d and %d, reversed %v", name, c, a, b, l.Cost(b, a))
					}
				}
			}
		}
		symdiff, tree := loss.Symdiff(g), loss.Tree(g)
		for a := range n {
			for b := range n {
				if g.IsTree() && symdiff.Cost(a, b) != tree.Cost(a, b) {
					t.Errorf("symdiff %v, path %v of %d and %d", symdiff.Cost(a, b), tree.Cost(a, b), a, b)
				}
				if loss.Half(g).Cost(a, b)*2 != symdiff.Cost(a, b) || loss.HalfGraph(g).Cost(a, b)*2 != tree.Cost(a, b) {
					t.Errorf("a half is not a half for %d and %d", a, b)
				}
			}
		}
		if g.IsTree() {
			checkCharged(t, g)
		}
	}
}

func checkCharged(t *testing.T, g *taxonomy.Taxonomy) {
	t.Helper()
	uni, err := loss.Uni(g)
	if err != nil {
		t.Fatal(err)
	}
	sib, err := loss.Sib(g)
	if err != nil {
		t.Fatal(err)
	}
	for a := range g.Len() {
		for b := range g.Len() {
			var wantUni, wantSib float64
			differs := func(j int) bool {
				return slices.Contains(g.Ancestors(a), j) != slices.Contains(g.Ancestors(b), j)
			}
			for j := range g.Len() {
				if !differs(j) || len(g.Parents(j)) > 0 && differs(g.Parents(j)[0]) {
					continue
				}
				c := 1.0
				for p := g.Parents(j); len(p) > 0; p = g.Parents(p[0]) {
					c /= float64(len(g.Children(p[0])))
				}
				wantUni++
				wantSib += c
			}
			if uni.Cost(a, b) != wantUni || math.Abs(sib.Cost(a, b)-wantSib) > 1e-12 {
				t.Errorf("uni %v and sib %v of %d and %d, want %v and %v", uni.Cost(a, b), sib.Cost(a, b), a, b, wantUni, wantSib)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	g := example.Random(rand.New(rand.NewPCG(3, 4)), 5, 1, 1)
	if _, err := loss.Named("none", g); err == nil {
		t.Error("unknown name: no error")
	}
	for _, alpha := range [][]float64{nil, {1, 1, 1, 1}, {1, 1, 1, 1, -1}, {1, 1, 1, 1, math.NaN()}, {1, 1, 1, 1, math.Inf(1)}} {
		if _, err := loss.SqrtAlpha(g, alpha); err == nil {
			t.Errorf("alpha %v: no error", alpha)
		}
	}
}

func ExampleTable() {
	t, err := taxonomy.FromPaths([]string{"net/http", "net/url", "fmt"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, l := range t.Leaves() {
		fmt.Println(i, t.Name(l))
	}
	fmt.Println(mat.Formatted(loss.Table(loss.Tree(t), t)))
	// Output:
	// 0 net/http
	// 1 net/url
	// 2 fmt
	// ⎡0  2  3⎤
	// ⎢2  0  3⎥
	// ⎣3  3  0⎦
}

func BenchmarkTable(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, most := range []int{1, 2} {
		g := example.Random(r, 600, 1, most)
		for _, name := range []string{"symdiff", "tree"} {
			l, err := loss.Named(name, g)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/parents=%d", name, most), func(b *testing.B) {
				for b.Loop() {
					loss.Table(l, g)
				}
			})
		}
	}
}
