package norm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/norm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

var background = context.Background()

// norms are all norms of one matrix.
type norms struct {
	frobenius, trace, shared, structured, max *norm.Norm
}

func compute(t *testing.T, u mat.Matrix, g *taxonomy.Taxonomy) norms {
	t.Helper()
	n := norms{}
	var errs [5]error
	n.frobenius, errs[0] = norm.Frobenius(u)
	n.trace, errs[1] = norm.Trace(u)
	n.shared, errs[2] = norm.Shared(background, u)
	n.structured, errs[3] = norm.Structured(background, u, g)
	n.max, errs[4] = norm.Max(background, u)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*norm.Norm{n.frobenius, n.trace, n.shared, n.structured, n.max} {
		if !(math.Abs(c.Gap()) <= 1e-7) {
			t.Errorf("relative gap %v", c.Gap())
		}
		if c.Left == nil {
			continue
		}
		var product mat.Dense
		product.Mul(c.Left, c.Right)
		if !mat.EqualApprox(&product, u, 1e-9*(1+mat.Max(u)-mat.Min(u))) {
			t.Errorf("the factors' product is\n%v, want\n%v", mat.Formatted(&product), mat.Formatted(u))
		}
	}
	return n
}

func graph(t *testing.T, n int, edges ...[2]int) *taxonomy.Taxonomy {
	t.Helper()
	g, err := golden.Taxonomy{N: n, Edges: edges}.New()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// random returns a matrix of normal values of which a share is zero.
func random(rng *rand.Rand, rows, cols int, zeros float64) *mat.Dense {
	u := mat.NewDense(rows, cols, nil)
	u.Apply(func(_, _ int, _ float64) float64 {
		if rng.Float64() < zeros {
			return 0
		}
		return rng.NormFloat64()
	}, u)
	return u
}

// layered returns a random graph: every node has one or more parents among those before it, or
// none.
func layered(t *testing.T, rng *rand.Rand, nodes, parents int) *taxonomy.Taxonomy {
	t.Helper()
	var edges [][2]int
	for v := 1; v < nodes; v++ {
		from := rng.Perm(v)[:min(v, rng.IntN(parents+1))]
		for _, p := range from {
			edges = append(edges, [2]int{p, v})
		}
	}
	return graph(t, nodes, edges...)
}

// [CSS16, Theorem 2 and Lemma 3], the latter without the square.
func TestTheorem2(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		g := layered(t, rng, 2+rng.IntN(20), 1+i%4)
		r, c := len(g.Leaves()), 1+rng.IntN(12)
		u := random(rng, r, c, []float64{0, 0.3, 0.7}[i%3])
		if i%7 == 0 { // rank one
			u.Outer(1, random(rng, r, 1, 0).ColView(0), random(rng, c, 1, 0).ColView(0))
		}
		n := compute(t, u, g)
		var row float64
		for l := range r {
			row = max(row, mat.Norm(u.RowView(l), 2))
		}
		for _, w := range []struct {
			name            string
			smaller, larger float64
		}{
			{"trace and shared", n.trace.Lower / math.Sqrt(float64(r*c)), n.shared.Value / math.Sqrt(float64(c))},
			{"shared and max", n.shared.Lower / math.Sqrt(float64(c)), n.max.Value},
			{"shared and structured", n.shared.Lower, n.structured.Value},
			{"structured and Frobenius", n.structured.Lower, n.frobenius.Value},
			{"longest row and shared", row, n.shared.Value},
		} {
			if w.smaller > w.larger*(1+1e-9) {
				t.Errorf("matrix %d, %s: %.12g > %.12g", i, w.name, w.smaller, w.larger)
			}
		}
	}
}

// [CSS16, table 1], with the corrections: factor scaling has max |a_l|.
func TestTable1(t *testing.T) {
	tree := graph(t, 7, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 3}, [2]int{1, 4}, [2]int{2, 5}, [2]int{2, 6})
	apart := graph(t, 7, [2]int{4, 0}, [2]int{5, 1}, [2]int{6, 5}) // chains: 4 leaves without a common ancestor
	dag := graph(t, 6, [2]int{0, 2}, [2]int{0, 3}, [2]int{0, 4}, [2]int{0, 5}, [2]int{1, 2}, [2]int{1, 3})
	vector := []float64{3, -1, 0.5, 2}
	length := mat.Norm(mat.NewVecDense(4, vector), 2)
	times := func(a ...float64) *mat.Dense {
		u := mat.NewDense(4, 4, nil)
		u.Outer(1, mat.NewVecDense(4, a), mat.NewVecDense(4, vector))
		return u
	}
	diagonal := mat.NewDense(4, 4, []float64{3, 0, 0, 0, 0, 1, 0, 0, 0, 0, -2, 0, 0, 0, 0, 0.01})
	frobenius := math.Sqrt(9 + 1 + 4 + 1e-4)
	full := random(rand.New(rand.NewPCG(3, 3)), 4, 4, 0)
	unknown := math.NaN()
	for name, c := range map[string]struct {
		u                                         *mat.Dense
		g                                         *taxonomy.Taxonomy
		shared, structured, frobenius, trace, max float64
	}{
		"full sharing":             {times(1, 1, 1, 1), tree, length, length, 2 * length, 2 * length, 3},
		"full sharing, graph":      {times(1, 1, 1, 1), dag, length, length, 2 * length, 2 * length, 3},
		"no taxonomy":              {full, graph(t, 4), unknown, mat.Norm(full, 2), mat.Norm(full, 2), unknown, unknown},
		"no sharing":               {full, apart, unknown, mat.Norm(full, 2), mat.Norm(full, 2), unknown, unknown},
		"disjoint feature":         {diagonal, tree, frobenius, frobenius, frobenius, 6.01, 3},
		"disjoint feature, graph":  {diagonal, dag, frobenius, frobenius, frobenius, 6.01, 3},
		"factor scaling":           {times(1, -2, 0.5, 1), tree, 2 * length, unknown, 2.5 * length, 2.5 * length, 6},
		"lemma 3 is not of square": {mat.NewDense(4, 2, []float64{3, 0, 0, 1, 0, 0, 0, 0}), tree, math.Sqrt(10), math.Sqrt(10), math.Sqrt(10), 4, 3},
		"zero":                     {mat.NewDense(4, 2, nil), tree, 0, 0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			n := compute(t, c.u, c.g)
			for _, w := range []struct {
				name string
				got  *norm.Norm
				want float64
			}{{"shared", n.shared, c.shared}, {"structured", n.structured, c.structured}, {"Frobenius", n.frobenius, c.frobenius}, {"trace", n.trace, c.trace}, {"max", n.max, c.max}} {
				if math.IsNaN(w.want) {
					continue
				}
				if math.Abs(w.got.Value-w.want) > 1e-8*w.want || w.got.Lower > w.want*(1+1e-12) || w.got.Value < w.want*(1-1e-12) {
					t.Errorf("%s: %v from below %.12g, want %.12g", w.name, w.got, w.got.Lower, w.want)
				}
			}
		})
	}
}

// The columns of the factor belong to nodes as the taxonomy says, and [CSS16, (20)] finds no better
// alpha for the parts U_n = a_n V_n.
func TestStructuredFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for i := range 20 {
		g := layered(t, rng, 3+rng.IntN(15), 1+i%3)
		u := random(rng, len(g.Leaves()), 5, 0.2)
		n, err := norm.Structured(background, u, g)
		if err != nil {
			t.Fatal(err)
		}
		squares := make([]float64, g.Len())
		for l, leaf := range g.Leaves() {
			for v := range g.Len() {
				a := n.Left.At(l, v)
				if above := slices.Contains(g.Ancestors(leaf), v); !above && a != 0 || a < 0 {
					t.Errorf("leaf %d has factor %d with %v", leaf, v, a)
				}
				squares[v] = max(squares[v], math.Pow(a*mat.Norm(n.Right.RowView(v), 2), 2))
			}
		}
		alpha, err := weighting.Shared{Squares: squares}.Solve(background, g)
		if err != nil {
			t.Fatal(err)
		}
		if best := math.Sqrt(alpha.Primal); math.Abs(best-n.Value) > 1e-6*n.Value {
			t.Errorf("equation 20 gives %.12g, the norm is %.12g", best, n.Value)
		}
	}
}

func TestScaleAndOrderDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	g := graph(t, 7, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 3}, [2]int{1, 4}, [2]int{2, 5}, [2]int{2, 6})
	u := random(rng, 4, 6, 0)
	n := compute(t, u, g)
	for _, scale := range []float64{1e-200, 1e200, -3} {
		v := mat.DenseCopyOf(u)
		v.Scale(scale, v)
		m := compute(t, v, g)
		for k, pair := range [][2]*norm.Norm{{n.frobenius, m.frobenius}, {n.trace, m.trace}, {n.shared, m.shared}, {n.structured, m.structured}, {n.max, m.max}} {
			if want := pair[0].Value * math.Abs(scale); math.Abs(pair[1].Value-want) > 1e-8*want {
				t.Errorf("norm %d of the matrix times %v: %v, want %v", k, scale, pair[1].Value, want)
			}
		}
	}
}

func TestCancelledNormHasHonestBounds(t *testing.T) {
	u := random(rand.New(rand.NewPCG(8, 9)), 4, 6, 0)
	g := graph(t, 7, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 3}, [2]int{1, 4}, [2]int{2, 5}, [2]int{2, 6})
	full := compute(t, u, g)
	ctx, cancel := context.WithCancel(background)
	cancel()
	for name, c := range map[string]struct {
		compute func() (*norm.Norm, error)
		want    *norm.Norm
	}{
		"shared":     {func() (*norm.Norm, error) { return norm.Shared(ctx, u) }, full.shared},
		"max":        {func() (*norm.Norm, error) { return norm.Max(ctx, u) }, full.max},
		"structured": {func() (*norm.Norm, error) { return norm.Structured(ctx, u, g) }, full.structured},
	} {
		n, err := c.compute()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want the context's error", name, err)
			continue
		}
		if n.Lower > c.want.Value || n.Value < c.want.Lower || !(n.Lower > 0) {
			t.Errorf("%s: bounds %v and %v, the norm is %v", name, n.Lower, n.Value, c.want)
		}
	}
}

func TestBadMatrices(t *testing.T) {
	g := graph(t, 3, [2]int{0, 1}, [2]int{0, 2})
	for name, u := range map[string]mat.Matrix{
		"none": nil, "not a number": mat.NewDense(2, 1, []float64{1, math.NaN()}), "infinite": mat.NewDense(2, 1, []float64{1, math.Inf(-1)}),
	} {
		t.Run(name, func(t *testing.T) {
			_, e1 := norm.Frobenius(u)
			_, e2 := norm.Trace(u)
			_, e3 := norm.Shared(background, u)
			_, e4 := norm.Max(background, u)
			_, e5 := norm.Structured(background, u, g)
			for i, err := range []error{e1, e2, e3, e4, e5} {
				if err == nil || !strings.HasPrefix(err.Error(), "norm: ") {
					t.Errorf("norm %d: %v", i, err)
				}
			}
		})
	}
	if _, err := norm.Structured(background, mat.NewDense(3, 1, nil), g); err == nil {
		t.Error("3 rows for 2 leaves")
	}
	if _, err := norm.Structured(background, mat.NewDense(2, 1, nil), nil); err == nil {
		t.Error("no taxonomy")
	}
	if n, err := norm.Shared(background, &mat.Dense{}); err != nil || n.Value != 0 {
		t.Errorf("empty matrix: %v, %v", n, err)
	}
}

func ExampleStructured() {
	g, err := taxonomy.New([]string{"all", "animal", "cat", "dog", "stone"}, [][2]int{{0, 1}, {0, 4}, {1, 2}, {1, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	u := mat.NewDense(3, 3, []float64{
		1, 0.2, 0, // cat
		1, -0.2, 0, // dog
		0, 0, 1, // stone
	})
	shared, err := norm.Structured(context.Background(), u, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	frobenius, err := norm.Frobenius(u)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f of %.3f\n", shared.Value, frobenius.Value)
	// Output: 1.562 of 1.755
}
