package orthogonal_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/taxonomy"
)

type reference struct {
	Taxonomy golden.Taxonomy `json:"taxonomy_without_root"`
	Alpha    *float64        `json:"K_alpha"`
	K        [][]float64
	Lambda   float64 `json:"lambda_min"`
	Largest  float64 `json:"alpha_max_psd"`
	Omega    []struct {
		W, Subgradient [][]float64
		Omega          float64
	} `json:"omega_tests"`
}

func dense(rows [][]float64) *mat.Dense {
	d := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		d.SetRow(i, row)
	}
	return d
}

func symmetric(rows [][]float64) *mat.SymDense {
	k := mat.NewSymDense(len(rows), nil)
	for i, row := range rows {
		for j := i; j < len(row); j++ {
			k.SetSym(i, j, row[j])
		}
	}
	return k
}

func TestGolden(t *testing.T) {
	cases, err := golden.Read("orthogonal")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want reference
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			if got := orthogonal.MaxAlpha(g); math.Abs(got-want.Largest) > 1e-9*want.Largest {
				t.Errorf("largest alpha %v, want %v", got, want.Largest)
			}
			given, err := orthogonal.New(symmetric(want.K))
			if err != nil {
				t.Fatal(err)
			}
			regularizers := []*orthogonal.Regularizer{given}
			if want.Alpha != nil {
				r, err := orthogonal.Descendants(g, *want.Alpha)
				if err != nil {
					t.Fatal(err)
				}
				if !mat.Equal(r.K(), symmetric(want.K)) {
					t.Errorf("K of equation 6 is\n%v, want\n%v", mat.Formatted(r.K()), want.K)
				}
				regularizers = append(regularizers, r)
			}
			for _, r := range regularizers {
				if math.Abs(r.LambdaMin()-want.Lambda) > 1e-9*(1+want.Lambda) {
					t.Errorf("lambda_min %v, want %v", r.LambdaMin(), want.Lambda)
				}
				for k, o := range want.Omega {
					w := dense(o.W)
					if got := r.Value(w); math.Abs(got-o.Omega) > 1e-9*o.Omega {
						t.Errorf("test %d: Omega %v, want %v", k, got, o.Omega)
					}
					products := r.NewProducts()
					for f := range w.RawMatrix().Cols {
						column := mat.Col(nil, f, w)
						products.Add(column, column)
					}
					if got := products.Value(); math.Abs(got-o.Omega) > 1e-9*o.Omega {
						t.Errorf("test %d: Omega of the products %v, want %v", k, got, o.Omega)
					}
					squares, half := r.NewProducts(), r.NewProducts()
					nodes := rand.New(rand.NewPCG(uint64(k), 0)).Perm(r.Len())
					for f := range w.RawMatrix().Cols {
						column := make([]float64, len(nodes))
						for k, n := range nodes {
							column[k] = w.At(n, f)
						}
						if f%2 == 0 {
							squares.AddSquare(nodes, column)
						} else {
							half.AddSquare(nodes, column)
						}
					}
					squares.Merge(half)
					if got := squares.Value(); math.Abs(got-o.Omega) > 1e-9*o.Omega {
						t.Errorf("test %d: Omega of the sum of squares %v, want %v", k, got, o.Omega)
					}
					subgradient := mat.NewDense(w.RawMatrix().Rows, w.RawMatrix().Cols, nil)
					r.Subgradient(subgradient, w)
					if !mat.EqualApprox(subgradient, dense(o.Subgradient), 1e-9) {
						t.Errorf("test %d: subgradient\n%v, want\n%v", k, mat.Formatted(subgradient), o.Subgradient)
					}
					column := make([]float64, r.Len())
					for f := range w.RawMatrix().Cols {
						products.Subgradient(column, mat.Col(nil, f, w))
						if !mat.EqualApprox(mat.NewVecDense(r.Len(), column), subgradient.ColView(f), 1e-9) {
							t.Errorf("test %d: feature %d of the subgradient is %v by the products", k, f, column)
						}
					}
				}
			}
		})
	}
}

// chain returns a taxonomy of a single path.
func chain(t *testing.T, levels int) *taxonomy.Taxonomy {
	t.Helper()
	names := make([]string, levels)
	var edges [][2]int
	for n := range names {
		names[n] = fmt.Sprint(n)
		if n > 0 {
			edges = append(edges, [2]int{n - 1, n})
		}
	}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRefusal(t *testing.T) {
	for levels := 1; levels <= 6; levels++ {
		g := chain(t, levels)
		_, err := orthogonal.Descendants(g, 1)
		if levels <= 2 {
			if err != nil {
				t.Errorf("%d levels: %v", levels, err)
			}
			continue
		}
		var refused *orthogonal.ConvexityError
		if !errors.As(err, &refused) {
			t.Fatalf("%d levels: alpha = 1 gives %v, want a ConvexityError", levels, err)
		}
		if refused.LambdaMin >= 0 {
			t.Errorf("%d levels: lambda_min %v", levels, refused.LambdaMin)
		}
		if most := orthogonal.MaxAlpha(g); math.Abs(refused.MaxAlpha-most) > 1e-9 {
			t.Errorf("%d levels: the error says %v, MaxAlpha %v", levels, refused.MaxAlpha, most)
		}
		if _, err := orthogonal.Descendants(g, refused.MaxAlpha*1.001); !errors.As(err, &refused) {
			t.Errorf("%d levels: an alpha above the largest gives %v", levels, err)
		}
		r, err := orthogonal.Descendants(g, refused.MaxAlpha*0.999)
		if err != nil || r.LambdaMin() <= 0 || r.Strong() != nil {
			t.Errorf("%d levels: an alpha below the largest gives lambda_min %v, %v", levels, r.LambdaMin(), err)
		}
		edge, err := orthogonal.Descendants(g, refused.MaxAlpha)
		if err != nil {
			t.Errorf("%d levels: the largest alpha: %v", levels, err)
		} else if _, err := edge.NewSigns(); !errors.As(err, &refused) {
			t.Errorf("%d levels: the largest alpha is not strongly convex, but NewSigns gives %v", levels, err)
		}
		scaled := mat.NewSymDense(levels, nil)
		for i := range levels {
			scaled.SetSym(i, i, float64(levels-i))
			for j := range i {
				scaled.SetSym(i, j, 3)
			}
		}
		if _, err := orthogonal.New(scaled); !errors.As(err, &refused) || math.Abs(3*refused.MaxAlpha-orthogonal.MaxAlpha(g)) > 1e-9 {
			t.Errorf("%d levels: a given K with 3 beside the diagonal: %v", levels, err)
		}
	}
	// A root above two levels asks for nothing.
	g, err := taxonomy.New([]string{"root", "a", "b", "c", "d"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := orthogonal.Descendants(g, 1); err == nil || orthogonal.MaxAlpha(g) >= 1 {
		t.Errorf("three levels with alpha = 1: %v, largest alpha %v", err, orthogonal.MaxAlpha(g))
	}
	r, err := orthogonal.Descendants(g, 1, 0)
	if err != nil || orthogonal.MaxAlpha(g, 0) <= 1 || r.K().At(0, 1) != 0 || r.K().At(1, 3) != 1 {
		t.Errorf("with the root alone: %v, largest alpha %v", err, orthogonal.MaxAlpha(g, 0))
	}
	for _, k := range [][]float64{{1, -1, 1}, {1, math.NaN(), 1}, {1, math.Inf(1), 1}, {0, 0, 1}, {1, 0, math.Inf(1)}} {
		if _, err := orthogonal.New(symmetric([][]float64{{k[0], k[1]}, {k[1], k[2]}})); err == nil {
			t.Errorf("K of %v is accepted", k)
		}
	}
	for _, alpha := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := orthogonal.Descendants(chain(t, 2), alpha); err == nil {
			t.Errorf("alpha %v is accepted", alpha)
		}
	}
}

// TestSubgradient checks that the vector of [ZXW11, Theorem 4] is a subgradient, also where two
// weight vectors are orthogonal, and the constant of [ZXW11, Corollary 2].
func TestSubgradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for trial := range 200 {
		g := chain(t, 2+trial%4)
		r, err := orthogonal.Descendants(g, min(1, 0.95*orthogonal.MaxAlpha(g)))
		if err != nil {
			t.Fatal(err)
		}
		v, w, s := random(rng, g.Len(), 3), random(rng, g.Len(), 3), mat.NewDense(g.Len(), 3, nil)
		if trial%3 == 0 {
			v.SetRow(0, []float64{1, 0, 0})
			v.SetRow(1, []float64{0, 1, 0})
		}
		r.Subgradient(s, v)
		var step mat.Dense
		step.Sub(w, v)
		bound := r.Value(v) + inner(s, &step) + r.LambdaMin()/2*inner(&step, &step)
		if r.Value(w) < bound-1e-9 {
			t.Errorf("trial %d: Omega %v is below %v", trial, r.Value(w), bound)
		}
	}
}

func random(rng *rand.Rand, rows, columns int) *mat.Dense {
	d := mat.NewDense(rows, columns, nil)
	for i := range rows {
		for j := range columns {
			d.Set(i, j, rng.NormFloat64())
		}
	}
	return d
}

func inner(a, b *mat.Dense) float64 {
	var product mat.Dense
	product.MulElem(a, b)
	return mat.Sum(&product)
}

func Example() {
	// Three levels: animals over mammals over dogs, and plants.
	t, err := taxonomy.New([]string{"animal", "mammal", "dog", "plant"}, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		panic(err)
	}
	_, err = orthogonal.Descendants(t, 1)
	fmt.Println(err)
	r, err := orthogonal.Descendants(t, 0.5)
	fmt.Printf("%.4f %v\n", r.LambdaMin(), err)
	// Output:
	// orthogonal: alpha is 1; choose alpha below 0.879385. The regularizer is not convex: the smallest eigenvalue of the comparison matrix is -0.21432
	// 0.6108 <nil>
}
