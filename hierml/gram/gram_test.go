package gram_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/memory"
)

// sparse returns a random matrix with about half of the entries, and the same as dense rows.
func sparse(rng *rand.Rand, rows, cols int) (*dataset.Matrix, [][]float64) {
	x := &dataset.Matrix{Rows: rows, Cols: cols, Indptr: []int{0}}
	dense := make([][]float64, rows)
	for i := range dense {
		dense[i] = make([]float64, cols)
		for f := range cols {
			if rng.IntN(2) == 0 {
				v := float32(rng.NormFloat64())
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, v)
				dense[i][f] = float64(v)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	return x, dense
}

func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		if i < len(b) {
			sum += v * b[i]
		}
	}
	return sum
}

func TestKernelsAgreeWithTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, dx := sparse(rng, 23, 9)
	z, dz := sparse(rng, 7, 12) // wider: features that x lacks
	for name, c := range map[string]struct {
		kernel gram.Kernel
		define func(a, b []float64) float64
	}{
		"linear": {gram.Linear{}, dot},
		"rbf":    {gram.RBF{Gamma: 0.3}, func(a, b []float64) float64 { return math.Exp(-0.3 * (dot(a, a) + dot(b, b) - 2*dot(a, b))) }},
		"rbf 1":  {gram.RBF{}, func(a, b []float64) float64 { return math.Exp(-(dot(a, a) + dot(b, b) - 2*dot(a, b))) }},
		"distance": {gram.Exponential{Gamma: 0.3}, func(a, b []float64) float64 {
			return math.Exp(-0.3 * math.Sqrt(max(0, dot(a, a)+dot(b, b)-2*dot(a, b))))
		}},
		"square":   {gram.Polynomial{}, func(a, b []float64) float64 { return dot(a, b) * dot(a, b) }},
		"cubic":    {gram.Polynomial{Degree: 3, Gamma: 0.5, Offset: 2}, func(a, b []float64) float64 { return math.Pow(0.5*dot(a, b)+2, 3) }},
		"function": {gram.Func(func(a, b gram.Vector) float64 { return 1 + a.Dot(b) }), func(a, b []float64) float64 { return 1 + dot(a, b) }},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{0, 1, 5} {
				set := &gram.Settings{Workers: workers}
				k, err := gram.Matrix(context.Background(), c.kernel, x, set)
				if err != nil {
					t.Fatal(err)
				}
				if err := gram.Check(k); err != nil {
					t.Error(err)
				}
				for i := range dx {
					for j := range dx {
						near(t, k.At(i, j), c.define(dx[i], dx[j]))
						near(t, c.kernel.Value(gram.Row(x, i), gram.Row(x, j)), c.define(dx[i], dx[j]))
					}
				}
				cross, err := gram.Cross(context.Background(), c.kernel, z, x, set)
				if err != nil {
					t.Fatal(err)
				}
				for i := range dz {
					for j := range dx {
						near(t, cross.At(i, j), c.define(dz[i], dx[j]))
					}
				}
			}
		})
	}
}

func near(t *testing.T, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestGivenIsTheMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, _ := sparse(rng, 12, 5)
	all, err := gram.Matrix(context.Background(), gram.RBF{}, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	given, err := gram.NewGiven(all)
	if err != nil {
		t.Fatal(err)
	}
	train, test := []int{3, 1, 7, 7}, []int{0, 11}
	numbers := gram.Numbers(12)
	cross, err := gram.Cross(context.Background(), given, numbers.Subset(test), numbers.Subset(train), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range test {
		for j, c := range train {
			near(t, cross.At(i, j), all.At(r, c))
		}
	}
	if _, err := gram.Matrix(context.Background(), given, x, nil); err == nil {
		t.Error("rows that are no numbers have no value")
	}
	if _, err := gram.Matrix(context.Background(), given, gram.Numbers(13), nil); err == nil {
		t.Error("a number outside the matrix has no value")
	}
}

func TestCheckNamesTheFault(t *testing.T) {
	for name, c := range map[string]struct {
		k    mat.Matrix
		want string // part of the error, "" for none
	}{
		"identity":       {mat.NewDense(2, 2, []float64{1, 0, 0, 1}), ""},
		"zero":           {mat.NewDense(2, 2, nil), ""},
		"rank one":       {mat.NewDense(3, 3, []float64{1, 2, 3, 2, 4, 6, 3, 6, 9}), ""},
		"rounded":        {mat.NewDense(2, 2, []float64{1, 1 + 1e-12, 1 - 1e-12, 1}), ""},
		"none":           {nil, "no Gram matrix"},
		"empty":          {&mat.Dense{}, "empty"},
		"oblong":         {mat.NewDense(2, 3, nil), "2 x 3"},
		"not a number":   {mat.NewDense(2, 2, []float64{1, math.NaN(), 0, 1}), "row 0, column 1"},
		"infinite":       {mat.NewDense(1, 1, []float64{math.Inf(1)}), "+Inf"},
		"not symmetric":  {mat.NewDense(2, 2, []float64{1, 0.5, 0.4, 1}), "not symmetric"},
		"negative":       {mat.NewDense(2, 2, []float64{1, 0, 0, -1}), "instance 1"},
		"indefinite":     {mat.NewDense(2, 2, []float64{1, 2, 2, 1}), "eigenvalues go from -1 to 3"},
		"zero diagonal":  {mat.NewDense(2, 2, []float64{0, 1, 1, 0}), "eigenvalues go from -1 to 1"},
		"slightly wrong": {mat.NewDense(2, 2, []float64{1, 1.001, 1.001, 1}), "not positive semidefinite"},
	} {
		t.Run(name, func(t *testing.T) {
			err := gram.Check(c.k)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestParametersAreChecked(t *testing.T) {
	x, _ := sparse(rand.New(rand.NewPCG(5, 6)), 3, 3)
	bad := *x
	bad.Indices = []int32{0, 1, 2, 9, 9, 9, 9, 9, 9}[:len(x.Indices)]
	for name, c := range map[string]struct {
		kernel gram.Kernel
		x      *dataset.Matrix
	}{
		"no kernel":       {nil, x},
		"no matrix":       {gram.Linear{}, nil},
		"no rows":         {gram.Linear{}, &dataset.Matrix{Indptr: []int{0}}},
		"bad matrix":      {gram.Linear{}, &bad},
		"gamma":           {gram.RBF{Gamma: -1}, x},
		"gamma of 1/2":    {gram.Exponential{Gamma: -1}, x},
		"degree":          {gram.Polynomial{Degree: -2}, x},
		"offset":          {gram.Polynomial{Offset: -1}, x},
		"gamma not there": {gram.Polynomial{Gamma: math.NaN()}, x},
		"no function":     {gram.Func(nil), x},
		"nothing given":   {gram.Given{}, x},
		"not finite":      {gram.Func(func(a, b gram.Vector) float64 { return math.Log(-1) }), x},
	} {
		t.Run(name, func(t *testing.T) {
			if k, err := gram.Matrix(context.Background(), c.kernel, c.x, nil); err == nil {
				t.Errorf("no error, but %v", mat.Formatted(k))
			}
		})
	}
	for _, k := range []gram.Subsequence{{Length: -1}, {Decay: 1.5}, {Decay: -0.1}} {
		if _, err := gram.Sequences(context.Background(), k, [][]rune{[]rune("a")}, nil); err == nil {
			t.Errorf("%+v: no error", k)
		}
	}
}

func TestComputationEnds(t *testing.T) {
	x, _ := sparse(rand.New(rand.NewPCG(7, 8)), 50, 4)
	ctx, cancel := context.WithCancel(context.Background())
	kernel := gram.Func(func(a, b gram.Vector) float64 { cancel(); return a.Dot(b) })
	if _, err := gram.Matrix(ctx, kernel, x, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	enough := errors.New("enough")
	var calls int
	_, err := gram.Matrix(context.Background(), gram.Linear{}, x, &gram.Settings{Progress: func(done, total int) error {
		if calls++; done > total/2 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || calls < 2 {
		t.Errorf("%v after %d calls, want %v", err, calls, enough)
	}
	var last, total int
	if _, err := gram.Cross(context.Background(), gram.Linear{}, x, x, &gram.Settings{Progress: func(d, n int) error { last, total = d, n; return nil }}); err != nil || last != 2500 || total != 2500 {
		t.Errorf("%v, progress ended at %d of %d", err, last, total)
	}
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	long := [][]rune{[]rune(strings.Repeat("ab", 5000)), []rune(strings.Repeat("ba", 5000))}
	if _, err := gram.Sequences(ctx, gram.Subsequence{}, long, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
}

// Values that have no room are refused before they are computed.
func TestNoRoomForValues(t *testing.T) {
	before := memory.Machine
	memory.Machine = func() int64 { return 100 }
	t.Cleanup(func() { memory.Machine = before })
	x, _ := sparse(rand.New(rand.NewPCG(1, 1)), 4, 3)
	words := [][]rune{[]rune("one"), []rune("two"), []rune("three"), []rune("four")}
	for name, compute := range map[string]func(k gram.Func) error{
		"matrix":       func(k gram.Func) error { _, err := gram.Matrix(t.Context(), k, x, nil); return err },
		"cross matrix": func(k gram.Func) error { _, err := gram.Cross(t.Context(), k, x, x, nil); return err },
		"sequences": func(gram.Func) error {
			_, err := gram.Sequences(t.Context(), gram.Subsequence{}, words, nil)
			return err
		},
		"cross": func(gram.Func) error {
			_, err := gram.CrossSequences(t.Context(), gram.Subsequence{}, words, words, nil)
			return err
		},
	} {
		called := false
		err := compute(func(gram.Vector, gram.Vector) float64 { called = true; return 1 })
		if err == nil || called || !strings.Contains(err.Error(), "gram: the kernel values of 4 by 4 instances take at least 1.28e-07 GB") {
			t.Errorf("%s: %v, called %v", name, err, called)
		}
	}
}
