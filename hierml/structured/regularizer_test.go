package structured_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/structured"
)

// [Cai08, (4.47)]: for two perfect trees of depth 2 with the attribute lambda at all ancestors,
// what is taken from sum_y ||W_y||^2/lambda^2 is (||W_1 + ... + W_4||^2 / 21 + ||W_1 + W_2||^2 / 3
// + ||W_3 + W_4||^2 / 3 + the same of the second tree) / lambda^2.
func TestClassRegularizerOfTwoPerfectTrees(t *testing.T) {
	var edges [][2]int
	for root := range 2 {
		for child := range 2 {
			inner := 2 + 2*root + child
			edges = append(edges, [2]int{root, inner}, [2]int{inner, 4 + 2*inner - 2}, [2]int{inner, 4 + 2*inner - 1})
		}
	}
	g, err := golden.Taxonomy{N: 14, Edges: edges}.New()
	if err != nil {
		t.Fatal(err)
	}
	const lambda = 0.8
	values := make([]float64, g.Len())
	for n := range values {
		values[n] = lambda
	}
	a, err := structured.Given(g, values)
	if err != nil {
		t.Fatal(err)
	}
	r, err := structured.NewClassRegularizer(a)
	if err != nil {
		t.Fatal(err)
	}
	// A depends on lambda through its ratios, which are 1.
	rng := rand.New(rand.NewPCG(1, 2))
	w := mat.NewDense(8, 5, nil)
	w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, w)
	sum := func(lo, hi int) float64 {
		var square float64
		for f := range 5 {
			var v float64
			for y := lo; y < hi; y++ {
				v += w.At(y, f)
			}
			square += v * v
		}
		return square
	}
	want := math.Pow(mat.Norm(w, 2), 2)
	for tree := range 2 {
		want -= sum(4*tree, 4*tree+4)/21 + sum(4*tree, 4*tree+2)/3 + sum(4*tree+2, 4*tree+4)/3
	}
	want /= 2 * lambda * lambda
	var products mat.SymDense
	products.SymOuterK(1, w)
	if got := r.Evaluate(&products); math.Abs(got-want) > 1e-12*want {
		t.Errorf("regularizer %v, want %v", got, want)
	}
}

// Q is the inverse of the attributes' inner products, and no node weights that give the same class
// weights are smaller than Nodes'.
func TestClassRegularizerIsTheSmallestNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range 20 {
		n := 2 + rng.IntN(14)
		g := example.Random(rng, n, 1+rng.IntN(min(n, 2)), 1+k%2)
		values := make([]float64, n)
		for v := range values {
			values[v] = 0.2 + rng.Float64()
			if !g.IsLeaf(v) && rng.IntN(4) == 0 {
				values[v] = 0
			}
		}
		a, err := structured.Given(g, values)
		if err != nil {
			t.Fatal(err)
		}
		r, err := structured.NewClassRegularizer(a)
		if err != nil {
			t.Fatal(err)
		}
		q := len(g.Leaves())
		lambda := mat.NewDense(q, n, nil)
		for y := range q {
			nodes, values := a.Leaf(y)
			for k, v := range nodes {
				lambda.Set(y, v, values[k])
			}
		}
		var gram, one mat.Dense
		gram.Mul(lambda, lambda.T())
		one.Mul(&gram, r.Q)
		for y := range q {
			for z := range q {
				want := 0.0
				if y == z {
					want = 1
				}
				if math.Abs(one.At(y, z)-want) > 1e-9 {
					t.Errorf("Q times the inner products of the attributes is %v at %d, %d", one.At(y, z), y, z)
				}
			}
		}
		w := mat.NewDense(q, 3, nil)
		w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, w)
		nodes, err := r.Nodes(w)
		if err != nil {
			t.Fatal(err)
		}
		var back mat.Dense
		back.Mul(lambda, nodes)
		var products mat.SymDense
		products.SymOuterK(1, w)
		if value := math.Pow(mat.Norm(nodes, 2), 2) / 2; !mat.EqualApprox(&back, w, 1e-9) || math.Abs(value-r.Evaluate(&products)) > 1e-9*(1+value) {
			t.Errorf("node weights have the value %v and the class weights\n%v\nwant %v and\n%v", value, mat.Formatted(&back), r.Evaluate(&products), mat.Formatted(w))
		}
	}
}

func TestClassRegularizerRefuses(t *testing.T) {
	g := example.Tree(2)
	leaves := g.Leaves()
	for want, row := range map[string]func(leaf int) ([]int, []float64){
		"no attribute of its own": func(int) ([]int, []float64) { return []int{g.Roots()[0]}, []float64{1} },
		"an attribute at class":   func(int) ([]int, []float64) { return leaves, []float64{1, 2} },
	} {
		a, err := structured.NewAttributes(g, row)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := structured.NewClassRegularizer(a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	r, err := structured.NewClassRegularizer(structured.Flat(g))
	if err != nil {
		t.Fatal(err)
	}
	if r.Q.At(0, 0) != 1 || r.Q.At(0, 1) != 0 {
		t.Errorf("Q of flat attributes is %v", mat.Formatted(r.Q))
	}
	if _, err := r.Nodes(mat.NewDense(3, 1, nil)); err == nil {
		t.Error("class weights of three classes for two leaves")
	}
}
