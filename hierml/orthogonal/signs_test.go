package orthogonal_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// coupled returns a random regularizer whose comparison matrix is positive definite, with several
// parts.
func coupled(t *testing.T, rng *rand.Rand, n int) *orthogonal.Regularizer {
	t.Helper()
	k := mat.NewSymDense(n, nil)
	for i := range n {
		sum := 0.1 + rng.Float64()
		for j := range n {
			if j < i && (i+j)%2 == 0 && rng.IntN(3) > 0 {
				k.SetSym(i, j, 2*rng.Float64())
			}
		}
		k.SetSym(i, i, sum)
	}
	for i := range n {
		sum := k.At(i, i)
		for j := range n {
			if j != i {
				sum += k.At(i, j)
			}
		}
		k.SetSym(i, i, sum)
	}
	r, err := orthogonal.New(k)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func products(r *orthogonal.Regularizer, w *mat.Dense) *orthogonal.Products {
	p := r.NewProducts()
	_, features := w.Dims()
	for f := range features {
		column := mat.Col(nil, f, w)
		p.Add(column, column)
	}
	return p
}

// TestAscend compares the conjugate of Omega that the saddle form gives with the
// definition: for vectors g, w = (K o S)^-1 g maximises <g, w> - Omega(w).
func TestAscend(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for trial := range 100 {
		n, features := 2+trial%7, 1+trial%5
		r := coupled(t, rng, n)
		s, err := r.NewSigns()
		if err != nil {
			t.Fatal(err)
		}
		g := random(rng, n, features)
		for range 20 { // a call ends after some sweeps
			if err := s.Ascend(context.Background(), products(r, g), 1e-13); err != nil {
				t.Fatal(err)
			}
		}
		// v = L^-1 g and w = L'^-1 v, the latter by Row.
		back := mat.NewDense(n, n, nil)
		for i := range n {
			columns, values := s.Row(i)
			for k, c := range columns {
				back.Set(i, c, values[k])
			}
		}
		var v, w mat.Dense
		v.Mul(back.T(), g)
		w.Mul(back, &v)
		value := r.Value(&w)
		if quadratic := inner(&v, &v) / 2; math.Abs(value-quadratic) > 1e-9*value {
			t.Errorf("trial %d: Omega %v, the quadratic form %v", trial, value, quadratic)
		}
		if twice := inner(g, &w); math.Abs(twice-2*value) > 1e-9*value {
			t.Errorf("trial %d: <g, w> is %v, Omega %v", trial, twice, value)
		}
		for range 50 {
			other := random(rng, n, features)
			other.Scale(math.Pow(10, -rng.Float64()*4), other)
			other.Add(other, &w)
			if better := inner(g, other) - r.Value(other); better > inner(g, &w)-value+1e-9*value {
				t.Errorf("trial %d: another w gives %v, more than %v", trial, better, inner(g, &w)-value)
			}
		}
		if trace := products(r, g).Trace(); math.Abs(trace-inner(g, g)) > 1e-9*trace {
			t.Errorf("trial %d: trace %v, want %v", trial, trace, inner(g, g))
		}
		got := r.NewProducts()
		s.Weights(got, products(r, &v))
		if math.Abs(got.Value()-value) > 1e-9*value {
			t.Errorf("trial %d: Omega of the products %v, want %v", trial, got.Value(), value)
		}
		s.Dual(got, products(r, &v))
		if want := products(r, g).Value(); math.Abs(got.Value()-want) > 1e-9*want {
			t.Errorf("trial %d: Omega of g by its products %v, want %v", trial, got.Value(), want)
		}
	}
}

// TestTree checks that the ridge problem of a tree is as sparse as the paths: the weights of a node
// depend on those of its ancestors alone.
func TestTree(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}
	edges := [][2]int{{9, 3}, {9, 1}, {9, 0}, {3, 10}, {3, 2}, {2, 4}, {4, 5}, {4, 6}, {7, 8}}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	r, err := orthogonal.Descendants(g, 0.9*orthogonal.MaxAlpha(g))
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.NewSigns()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ascend(context.Background(), products(r, random(rand.New(rand.NewPCG(4, 0)), len(names), 3)), 1e-12); err != nil {
		t.Fatal(err)
	}
	before := s.Clone()
	coupled, paths := 0, 0
	for n := range names {
		columns, _ := s.Row(n)
		coupled += len(columns)
		paths += len(g.Ancestors(n))
		for _, c := range columns {
			if !slices.Contains(g.Ancestors(n), c) && !slices.Contains(g.Descendants(n), c) {
				t.Errorf("the weights of %q depend on %q", names[n], names[c])
			}
		}
	}
	if coupled > paths {
		t.Errorf("%d entries, expected at most the %d of all paths", coupled, paths)
	}
	if err := s.Ascend(context.Background(), products(r, random(rand.New(rand.NewPCG(5, 0)), len(names), 3)), 1e-12); err != nil {
		t.Fatal(err)
	}
	_, changed := s.Row(0)
	if _, kept := before.Row(0); slices.Equal(kept, changed) {
		t.Errorf("a clone changes with the original: %v", kept)
	}
}

func TestAscendZero(t *testing.T) {
	r := coupled(t, rand.New(rand.NewPCG(3, 0)), 6)
	s, err := r.NewSigns()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ascend(context.Background(), r.NewProducts(), 1e-12); err != nil {
		t.Fatal(err)
	}
	g := mat.NewDense(6, 1, []float64{0, 0, 1, 0, 0, 0})
	if err := s.Ascend(context.Background(), products(r, g), 1e-12); err != nil {
		t.Fatal(err)
	}
}

func TestAscendIsInterrupted(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	r := coupled(t, rng, 5)
	s, err := r.NewSigns()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	before, _ := s.Row(0)
	if err := s.Ascend(ctx, products(r, random(rng, 5, 3)), 1e-12); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if after, _ := s.Row(0); !slices.Equal(before, after) {
		t.Errorf("row %v, before %v", after, before)
	}
}
