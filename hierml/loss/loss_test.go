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
				Leaves    []int
				Alpha     []float64
				Pair      map[string][][]float64 `json:"pair_losses"`
				SqrtAlpha [][]float64            `json:"pair_sqrt_alpha"`
				Sets      []map[string]any       `json:"set_losses"`
				S         []float64
				Missed    float64 `json:"c_minus"`
				Added     float64 `json:"c_plus"`
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(g.Leaves(), want.Leaves) {
				t.Errorf("leaves %v, want %v", g.Leaves(), want.Leaves)
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
				compare(t, name, table(t, l, g), want.Pair[name])
				delete(want.Pair, name)
			}
			for name := range want.Pair {
				t.Errorf("%s: not a name", name)
			}
			l, err := loss.SqrtAlpha(g, want.Alpha)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "sqrt_alpha", table(t, l, g), want.SqrtAlpha)
			weighted, err := loss.Weighted(g, want.S, want.Missed, want.Added)
			if err != nil {
				t.Fatal(err)
			}
			given := map[string]loss.Loss{"sqrt_alpha": l, "weighted": weighted}
			if len(want.Sets) == 0 {
				t.Error("no losses of sets in the case")
			}
			for _, set := range want.Sets {
				compareSets(t, g, given, set)
			}
		})
	}
}

// compareSets checks the losses of one pair of sets, and of a ranking of the leaves.
func compareSets(t *testing.T, g *taxonomy.Taxonomy, given map[string]loss.Loss, want map[string]any) {
	t.Helper()
	truth, predicted := ints(want["Y"]), ints(want["Z"])
	losses := map[string]loss.SetLoss{}
	for name, l := range given {
		losses[name] = l.(loss.SetLoss)
	}
	for _, name := range loss.SetNames() {
		l, err := loss.NamedSet(name, g)
		if err == nil {
			losses[name] = l
		} else if _, exists := want[name]; exists {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, l := range losses {
		cost, exists := want[name].(float64)
		if name == "half" {
			cost, exists = want["symdiff"].(float64)/2, true
		}
		if got := l.SetCost(truth, predicted); !exists || math.Abs(got-cost) > 1e-12*max(1, cost) {
			t.Errorf("%s: cost of %v for %v is %v, want %v", name, predicted, truth, got, want[name])
		}
	}
	scores := make([]float64, len(g.Leaves()))
	for _, pair := range want["rank"].([]any) {
		rank := ints(pair)
		scores[g.LeafIndex(rank[0])] = float64(-rank[1])
	}
	if got := loss.Ranking(loss.Symdiff(g), g, truth, scores); got != want["ranking_symdiff"] {
		t.Errorf("ranking with scores %v for %v costs %v, want %v", scores, truth, got, want["ranking_symdiff"])
	}
}

func ints(list any) []int {
	var v []int
	for _, x := range list.([]any) {
		v = append(v, int(x.(float64)))
	}
	return v
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
	if _, err := loss.NamedSet("none", g); err == nil {
		t.Error("unknown name of a loss of sets: no error")
	}
	for _, alpha := range [][]float64{nil, {1, 1, 1, 1}, {1, 1, 1, 1, -1}, {1, 1, 1, 1, math.NaN()}, {1, 1, 1, 1, math.Inf(1)}} {
		if _, err := loss.SqrtAlpha(g, alpha); err == nil {
			t.Errorf("alpha %v: no error", alpha)
		}
		if _, err := loss.Weighted(g, alpha, 1, 1); err == nil {
			t.Errorf("weights %v: no error", alpha)
		}
	}
	for _, c := range [][2]float64{{-1, 1}, {1, math.NaN()}, {math.Inf(1), 1}} {
		if _, err := loss.Weighted(g, []float64{1, 1, 1, 1, 1}, c[0], c[1]); err == nil {
			t.Errorf("costs %v: no error", c)
		}
	}
	for _, bad := range []*mat.Dense{
		mat.NewDense(2, 3, nil), mat.NewDense(6, 6, nil), mat.NewDense(5, 5, slices.Repeat([]float64{1}, 25)),
		mat.NewDense(2, 2, []float64{0, -1, 1, 0}), mat.NewDense(2, 2, []float64{0, 1, math.NaN(), 0}),
	} {
		if _, err := loss.FromTable(twoLeaves(t), bad); err == nil {
			t.Errorf("table %v: no error", bad)
		}
	}
	if loss.Check(loss.Tree(example.Tree(3, 3)), g) == nil || loss.Check(loss.Tree(twoLeaves(t)), g) == nil || loss.Check(loss.Tree(g), g) != nil || loss.Check(loss.ZeroOne(), g) != nil {
		t.Error("Check refuses a loss of the taxonomy, or accepts one of another")
	}
	if loss.CheckSets(loss.LeafSymdiff(example.Tree(3, 3)), g) == nil || loss.CheckSets(loss.LeafSymdiff(g), g) != nil {
		t.Error("CheckSets refuses a loss of the taxonomy, or accepts one of another")
	}
}

// twoLeaves returns a chain of three nodes with a leaf beside the last: five nodes.
func twoLeaves(t *testing.T) *taxonomy.Taxonomy {
	t.Helper()
	g, err := taxonomy.New([]string{"a", "b", "c", "d", "e"}, [][2]int{{0, 1}, {1, 2}, {2, 3}, {2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGivenCosts(t *testing.T) {
	g := twoLeaves(t)
	ofLeaves, err := loss.FromTable(g, mat.NewDense(2, 2, []float64{0, 3, 4, 0}))
	if err != nil {
		t.Fatal(err)
	}
	if c := ofLeaves.Cost(3, 4); c != 3 {
		t.Errorf("cost of 4 for 3 is %v, want 3", c)
	}
	if c := ofLeaves.Cost(4, 3); c != 4 {
		t.Errorf("cost of 3 for 4 is %v, want 4", c)
	}
	if c := ofLeaves.Cost(4, 2); !math.IsNaN(c) {
		t.Errorf("cost of an inner node is %v, want not a number", c)
	}
	nodes := mat.NewDense(5, 5, nil)
	nodes.Set(3, 2, 7)
	ofNodes, err := loss.FromTable(g, nodes)
	if err != nil {
		t.Fatal(err)
	}
	double := loss.Func(func(truth, predicted int) float64 { return 2 * ofNodes.Cost(truth, predicted) })
	sizes := loss.SetFunc(func(truth, predicted []int) float64 { return math.Abs(float64(len(truth) - len(predicted))) })
	if c := loss.SetLoss(sizes).SetCost([]int{3}, []int{3, 4, 2}); c != 2 {
		t.Errorf("difference of sizes is %v, want 2", c)
	}
	row := make([]float64, 5)
	loss.NodeRow(double, g, 3, row)
	if !slices.Equal(row, []float64{0, 0, 14, 0, 0}) {
		t.Errorf("row %v, want 14 for node 2 alone", row)
	}
}

// TestSets compares losses of sets with their definitions, and with their sums over nodes.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n := 1 + r.IntN(25)
		g := example.Random(r, n, 1+r.IntN(min(n, 3)), 1+r.IntN(2))
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = r.Float64()
		}
		weighted, err := loss.Weighted(g, weight, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		losses := map[string]loss.SetLoss{"weighted": weighted.(loss.SetLoss)}
		for _, name := range loss.SetNames() {
			if l, err := loss.NamedSet(name, g); err == nil {
				losses[name] = l
			}
		}
		truth, predicted := r.Perm(n)[:r.IntN(n+1)], r.Perm(n)[:r.IntN(n+1)]
		above, below := g.Closure(truth), g.Closure(predicted)
		for name, l := range losses {
			got := l.SetCost(truth, predicted)
			if name != "weighted" && math.Abs(got-l.SetCost(predicted, truth)) > 1e-12 {
				t.Errorf("%s: not symmetric", name)
			}
			if pair, ok := l.(loss.Loss); ok {
				a, b := r.IntN(n), r.IntN(n)
				if single := l.SetCost([]int{a, a}, []int{b}); math.Abs(single-pair.Cost(a, b)) > 1e-12 {
					t.Errorf("%s: cost of %d for %d is %v, of their sets %v", name, b, a, pair.Cost(a, b), single)
				}
			}
			if d, ok := l.(loss.Decomposing); ok {
				part := make([]float64, n)
				sum := d.Decompose(truth, part)
				present := below
				if name == "leaf_symdiff" {
					present = predicted
				}
				for _, v := range present {
					sum += part[v]
				}
				if math.Abs(sum-got) > 1e-12 {
					t.Errorf("%s: cost of %v for %v is %v, the sum over nodes %v", name, predicted, truth, got, sum)
				}
			}
		}
		var want float64
		for v := range n {
			switch {
			case slices.Contains(above, v) && !slices.Contains(below, v):
				want += 2 * weight[v]
			case !slices.Contains(above, v) && slices.Contains(below, v):
				want += 3 * weight[v]
			}
		}
		if got := losses["weighted"].SetCost(truth, predicted); math.Abs(got-want) > 1e-12 {
			t.Errorf("weighted: %v, want %v", got, want)
		}
	}
}

// ExampleWeighted is a news service: missing a relevant item costs three times as much as
// delivering one without need, and twice as many ask for the topics as for all news.
func ExampleWeighted() {
	t, err := taxonomy.FromPaths([]string{"news/sport", "news/music"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := loss.Weighted(t, []float64{1, 2, 2}, 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	sport, _ := t.Node("news/sport")
	music, _ := t.Node("news/music")
	fmt.Println(l.Cost(sport, music))
	fmt.Println(l.(loss.SetLoss).SetCost([]int{sport, music}, []int{music}))
	// Output:
	// 8
	// 6
}

// table returns the costs between the leaves.
func table(t testing.TB, l loss.Loss, g *taxonomy.Taxonomy) *mat.Dense {
	t.Helper()
	costs, err := loss.Table(l, g)
	if err != nil {
		t.Fatal(err)
	}
	return costs
}

// TestTableRefuses gives losses that were made for a larger and for a smaller taxonomy, and for one
// with other names.
func TestTableRefuses(t *testing.T) {
	g, large := twoLeaves(t), example.Tree(7, 7)
	other, err := taxonomy.New([]string{"v", "w", "x", "y", "z"}, g.Edges())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range loss.Names() {
		for what, from := range map[string]*taxonomy.Taxonomy{"larger": large, "other": other} {
			l, err := loss.Named(name, from)
			if err != nil {
				continue // the loss is not one of such a taxonomy
			}
			if _, err := loss.Table(l, g); (err == nil) != (name == "zero_one") { // which is of every taxonomy
				t.Errorf("%s of a taxonomy that is %s: error %v", name, what, err)
			}
		}
		if l, err := loss.Named(name, g); err == nil && name != "zero_one" {
			if _, err := loss.Table(l, large); err == nil {
				t.Errorf("%s of a smaller taxonomy: no error", name)
			}
		}
	}
	if _, err := loss.Table(nil, g); err == nil {
		t.Error("no loss: no error")
	}
	if _, err := loss.Table(loss.ZeroOne(), nil); err == nil {
		t.Error("no taxonomy: no error")
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
	table, err := loss.Table(loss.Tree(t), t)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(table))
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
					table(b, l, g)
				}
			})
		}
	}
}
