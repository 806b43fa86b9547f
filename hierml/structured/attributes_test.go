package structured

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// attributeCases are attributes of every kind on trees and DAGs.
func attributeCases(t *testing.T) map[string]*Attributes {
	t.Helper()
	tree, graph := example.Tree(2, 3, 2), example.Graph(25, 4)
	cases := map[string]*Attributes{
		"flat on a tree":       Flat(tree),
		"flat on a DAG":        Flat(graph),
		"ancestors on a tree":  Ancestors(tree),
		"ancestors on a DAG":   Ancestors(graph),
		"ancestors of a chain": Ancestors(example.Tree(1, 1, 2, 1, 2)),
		"one leaf":             Ancestors(example.Tree(1, 1)),
	}
	add := func(name string, a *Attributes, err error) {
		if err != nil {
			t.Fatal(err)
		}
		cases[name] = a
	}
	for name, g := range map[string]*taxonomy.Taxonomy{"tree": tree, "DAG": graph} {
		rng := rand.New(rand.NewPCG(5, 5))
		alpha := make([]float64, g.Len())
		for n := range alpha {
			alpha[n] = max(0, rng.Float64()-0.3)
		}
		a, err := SqrtAlpha(g, alpha)
		add("alpha with zeros on a "+name, a, err)
		a, err = NewAttributes(g, func(leaf int) ([]int, []float64) {
			nodes := g.Ancestors(leaf)
			values := make([]float64, len(nodes))
			for k := range values {
				values[k] = rng.NormFloat64()
			}
			return nodes, values
		})
		add("values a leaf on a "+name, a, err)
	}
	return cases
}

// random weights and one instance.
func randomWeights(a *Attributes, features int, seed uint64) (w *Weights, indices []int32, values []float32) {
	rng := rand.New(rand.NewPCG(seed, 9))
	w = NewWeights(a.Columns(), features)
	for f := range features {
		for c := range w.Columns {
			w.Data[f*w.Stride+c] = float32(rng.NormFloat64())
		}
		if rng.IntN(2) == 0 {
			indices, values = append(indices, int32(f)), append(values, float32(rng.NormFloat64()))
		}
	}
	return w, indices, values
}

func TestLeafScoresAreSumsOverNodes(t *testing.T) {
	for name, a := range attributeCases(t) {
		w, indices, values := randomWeights(a, 6, 1)
		q := len(a.Taxonomy().Leaves())
		got := make([]float64, q)
		scorer := NewScorer(a, w)
		scorer.Leaves(indices, values, got)
		nodeScores := make([]float64, a.Taxonomy().Len())
		scorer.Nodes(indices, values, nodeScores)
		for y := range q {
			var want float64
			nodes, lambda := a.Leaf(y)
			for k, n := range nodes {
				node, vector := 0.0, w.Node(n)
				for j, f := range indices {
					node += vector[f] * float64(values[j])
				}
				if math.Abs(node-nodeScores[n]) > 1e-12 {
					t.Errorf("%s: score of node %d is %v, want %v", name, n, nodeScores[n], node)
				}
				want += lambda[k] * node
			}
			if math.Abs(got[y]-want) > 1e-12 {
				t.Errorf("%s: score of leaf %d is %v, want %v", name, y, got[y], want)
			}
		}
	}
}

func TestTopDownOnlyWhereItHolds(t *testing.T) {
	want := map[string]bool{
		"flat on a tree": true, "ancestors on a tree": true, "ancestors of a chain": true, "alpha with zeros on a tree": true,
		"one leaf": true,
	}
	for name, a := range attributeCases(t) {
		if a.topDown != want[name] {
			t.Errorf("%s: top-down %v, want %v", name, a.topDown, want[name])
		}
	}
}

func TestNodeThatAllLeavesShareHasNoColumn(t *testing.T) {
	a := Ancestors(example.Tree(1, 2, 2)) // nodes 0 and 1 are above every leaf
	if got, want := a.columns, []int{2, 3, 4, 5, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("columns %v, want %v", got, want)
	}
	nodes, _ := a.Leaf(0)
	if want := []int{0, 1, 2, 4}; !slices.Equal(nodes, want) {
		t.Errorf("attributes of the first leaf at %v, want %v", nodes, want)
	}
}

func TestProductsAndDistances(t *testing.T) {
	for name, a := range attributeCases(t) {
		g := a.Taxonomy()
		q := len(g.Leaves())
		dense := make([][]float64, q)
		for y := range dense {
			dense[y] = make([]float64, g.Len())
			nodes, values := a.Leaf(y)
			for k, n := range nodes {
				dense[y][n] = values[k]
			}
		}
		for y := range q {
			for z := range q {
				var product, square float64
				for n := range g.Len() {
					if a.column[n] >= 0 {
						product += dense[y][n] * dense[z][n]
					}
					square += (dense[y][n] - dense[z][n]) * (dense[y][n] - dense[z][n])
				}
				if got := a.product(int32(y), int32(z)); math.Abs(got-product) > 1e-12 {
					t.Errorf("%s: product of %d and %d is %v, want %v", name, y, z, got, product)
				}
				if got := a.NormDifference(y, z); math.Abs(got-math.Sqrt(square)) > 1e-12 {
					t.Errorf("%s: distance of %d and %d is %v, want %v", name, y, z, got, math.Sqrt(square))
				}
			}
		}
	}
}

func TestAttributesRefuse(t *testing.T) {
	tree := example.Tree(2)
	for name, build := range map[string]func() (*Attributes, error){
		"alpha too short": func() (*Attributes, error) { return SqrtAlpha(tree, []float64{1}) },
		"alpha negative":  func() (*Attributes, error) { return SqrtAlpha(tree, []float64{0, -1, 1}) },
		"alpha not a number": func() (*Attributes, error) {
			return SqrtAlpha(tree, []float64{math.NaN(), 1, 1})
		},
		"lengths differ": func() (*Attributes, error) {
			return NewAttributes(tree, func(int) ([]int, []float64) { return []int{1}, nil })
		},
		"node outside": func() (*Attributes, error) {
			return NewAttributes(tree, func(int) ([]int, []float64) { return []int{3}, []float64{1} })
		},
		"nodes descend": func() (*Attributes, error) {
			return NewAttributes(tree, func(int) ([]int, []float64) { return []int{1, 0}, []float64{1, 1} })
		},
		"infinite value": func() (*Attributes, error) {
			return NewAttributes(tree, func(int) ([]int, []float64) { return []int{1}, []float64{math.Inf(1)} })
		},
	} {
		if _, err := build(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAxpyWaysAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 8; n <= 72; n += 8 {
		rows := [4][]float32{}
		var r fourRows
		for k := range rows {
			rows[k] = make([]float32, n)
			for j := range rows[k] {
				rows[k][j] = rng.Float32() - 0.5
			}
			r.x[k], r.row[k], r.next[k] = rng.NormFloat64(), &rows[k][0], &rows[k][0]
		}
		a, b, c := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range a {
			a[j] = rng.NormFloat64()
		}
		copy(b, a)
		copy(c, a)
		axpy4(a, &r)
		axpy4Go(b, &r)
		for k, x := range r.x {
			for j := range c {
				c[j] += x * float64(rows[k][j])
			}
		}
		if !slices.Equal(a, b) || !slices.Equal(a, c) {
			t.Errorf("%d entries: %v, %v and %v", n, a, b, c)
		}
	}
}

func TestNarrowWaysAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const stride, features = 40, 9
	base := make([]float32, stride*features)
	for k := range base {
		base[k] = rng.Float32() - 0.5
	}
	for n := range features {
		indices, values := make([]int32, n), make([]float32, n)
		for k := range indices {
			indices[k], values[k] = int32(rng.IntN(features)), rng.Float32()-0.5
		}
		for width := 8; width <= 32; width += 8 {
			for lo := 0; lo+width <= stride; lo += 8 {
				a, b := make([]float64, width), make([]float64, width)
				a[0] = 7
				narrow(a, indices, values, base[lo:], stride)
				narrowGo(b, indices, values, base[lo:], stride)
				if !slices.Equal(a, b) {
					t.Errorf("%d rows, %d columns: %v and %v", n, width, a, b)
				}
			}
		}
	}
}

func TestWideWaysAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for n := range 70 {
		row, a, b := make([]float64, n), make([]float64, n+1), make([]float64, n+1)
		for j := range row {
			row[j], a[j] = rng.NormFloat64(), rng.NormFloat64()
		}
		copy(b, a)
		x := rng.NormFloat64()
		axpyWide(a, x, row)
		axpyWideGo(b, x, row)
		if !slices.Equal(a, b) {
			t.Errorf("%d entries: %v and %v", n, a, b)
		}
	}
}

func TestScoresIgnoreForeignFeatures(t *testing.T) {
	a := Ancestors(example.Tree(2, 2))
	w, _, _ := randomWeights(a, 3, 2)
	s := NewScorer(a, w)
	want, got := make([]float64, 4), make([]float64, 4)
	s.Leaves([]int32{1}, []float32{2}, want)
	s.Leaves([]int32{1, 3, 700}, []float32{2, 5, 5}, got)
	if !slices.Equal(got, want) {
		t.Errorf("scores %v with features the weights do not have, %v without", got, want)
	}
	s.Leaves([]int32{3}, []float32{2}, got)
	if !slices.Equal(got, make([]float64, 4)) {
		t.Errorf("scores %v of an instance without known features", got)
	}
}

func TestArgmax(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, c := range []struct {
		scores []float64
		want   int
	}{{nil, -1}, {[]float64{1, 3, 3}, 1}, {[]float64{nan, inf}, 1}, {[]float64{nan, -1, nan}, 1}, {[]float64{nan}, -1}} {
		if got := Argmax(c.scores); got != c.want {
			t.Errorf("Argmax(%v) = %d, want %d", c.scores, got, c.want)
		}
	}
}

func sumOfAbsolute(values []float32) (sum float64) {
	for _, v := range values {
		sum += math.Abs(float64(v))
	}
	return sum
}

// Scores of a batch are those of its examples, in all widths.
func TestBatchesScoreLikeExamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := example.Texts(example.Tree(3, 4), 70, 300, 20, 1).X
	inputs, err := NewLinear(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range []int{5, 100, 200, tile, tile + 100, quantizedColumns + 1} {
		for _, p := range []Precision{Half, Single, Double} {
			state := inputs.NewState(make([]int, columns), p)
			w := LinearWeights(state)
			for f := range w.Features {
				for c := range columns {
					w.Set(f, c, rng.NormFloat64())
				}
			}
			batch := state.NewBatch()
			want := make([]float64, state.Width())
			for lo := 0; lo < x.Rows; lo += batch.Size() {
				var examples []int
				for i := lo; i < min(lo+batch.Size(), x.Rows); i++ {
					examples = append(examples, i)
				}
				batch.Load(examples, 1+lo%3)
				batch.Multiply()
				for k, i := range examples {
					state.Scores(i, want)
					var bound float64 // of sums in float32
					if w.quantized != nil {
						features, values := x.Row(i)
						bound = 5 * sumOfAbsolute(values) * float64(len(features)+3) / (1 << 24)
					}
					if !floats.EqualApprox(batch.Scores(k), want, bound) {
						t.Fatalf("%d columns, precision %v: example %d has other scores in a batch", columns, p, i)
					}
					for j, product := range batch.Products(k) {
						if v := inputs.Product(i, examples[j]); math.Abs(product-v) > 1e-12 {
							t.Fatalf("product of examples %d and %d: %v, want %v", i, examples[j], product, v)
						}
					}
				}
			}
		}
	}
}
