package definite

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// random returns a positive definite matrix of n rows, as X X' + I.
func random(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	const width = 7
	x := make([]float64, n*width)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = floats.Dot(x[i*width:(i+1)*width], x[j*width:(j+1)*width])
		}
		a[i*n+i]++
	}
	return a
}

// sizes have the borders of blocks, and beyond.
var sizes = []int{1, 2, 3, 4, 5, 8, 9, 31, block - 1, block, block + 1, 2*block + 5, 400}

// TestSolve multiplies the solutions, and the inverse, with the matrix.
func TestSolve(t *testing.T) {
	for _, n := range sizes {
		for _, q := range []int{1, 3, 8, 17, 150} {
			a, l := random(n, uint64(n)), random(n, uint64(n))
			for i := range n {
				for j := i + 1; j < n; j++ {
					l[i*n+j] = math.Inf(1) // above the diagonal nothing is read, or changed
				}
			}
			f, err := Factorize(t.Context(), l, n, 2)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := i + 1; j < n; j++ {
					if !math.IsInf(l[i*n+j], 1) {
						t.Fatalf("%d rows: row %d, column %d is %v", n, i, j, l[i*n+j])
					}
				}
			}
			rng := rand.New(rand.NewPCG(3, 3))
			b, x := make([]float64, n*q), make([]float64, n*q)
			for i := range b {
				b[i] = rng.NormFloat64()
			}
			copy(x, b)
			if err := f.Solve(t.Context(), x, q); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for c := range q {
					sum := 0.0
					for j := range n {
						sum += a[i*n+j] * x[j*q+c]
					}
					if !(math.Abs(sum-b[i*q+c]) < 1e-10) {
						t.Fatalf("%d rows, %d columns: row %d, column %d of A X is %v, not %v", n, q, i, c, sum, b[i*q+c])
					}
				}
			}
		}
	}
}

func TestMultiply(t *testing.T) {
	for _, n := range sizes {
		for _, q := range []int{1, 9} {
			a, diagonal := random(n, 2), make([]float64, n)
			x, want := make([]float64, n*q), make([]float64, n*q)
			for k := range x {
				x[k] = float64(k%7) - 3
			}
			for i := range n {
				for c := range q {
					for j := range n {
						want[i*q+c] += a[i*n+j] * x[j*q+c]
					}
				}
			}
			for i := range n {
				diagonal[i] = a[i*n+i]
				for j := range i + 1 {
					a[i*n+j] = math.NaN() // up to the diagonal nothing is read
				}
			}
			y, err := Multiply(t.Context(), a, diagonal, n, x, q, 2)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range y {
				if !(math.Abs(v-want[k]) < 1e-9) {
					t.Fatalf("%d rows, %d columns: number %d is %v, not %v", n, q, k, v, want[k])
				}
			}
		}
	}
}

func TestInverseBlocks(t *testing.T) {
	for _, n := range sizes {
		f, err := Factorize(t.Context(), random(n, 5), n, 3)
		if err != nil {
			t.Fatal(err)
		}
		identity := make([]float64, n*n)
		for i := range n {
			identity[i*n+i] = 1
		}
		if err := f.Solve(t.Context(), identity, n); err != nil {
			t.Fatal(err)
		}
		single := make([]int, n+1)
		for i := range single {
			single[i] = i
		}
		for _, border := range [][]int{single, {0, n}, {0, n / 3, n / 2, n}} {
			blocks, err := f.InverseBlocks(t.Context(), border)
			if err != nil {
				t.Fatal(err)
			}
			for k, block := range blocks {
				from, q := border[k], border[k+1]-border[k]
				for i := range q {
					for j := range q {
						if got, want := block[i*q+j], identity[(from+i)*n+from+j]; !(math.Abs(got-want) < 1e-12) {
							t.Fatalf("%d rows: row %d, column %d of block %d is %v, not %v", n, i, j, k, got, want)
						}
					}
				}
			}
		}
	}
}

// TestResultsDoNotDependOnWorkers has the same bits from one, two and five.
func TestResultsDoNotDependOnWorkers(t *testing.T) {
	const n, q = 300, 21
	var first []float64
	for _, workers := range []int{1, 2, 5} {
		f, err := Factorize(t.Context(), random(n, 5), n, workers)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, n*q)
		for i := range x {
			x[i] = float64(i % 13)
		}
		if err := f.Solve(t.Context(), x, q); err != nil {
			t.Fatal(err)
		}
		blocks, err := f.InverseBlocks(t.Context(), []int{0, 100, n})
		if err != nil {
			t.Fatal(err)
		}
		all := append(x, blocks[1]...)
		for i, v := range first {
			if all[i] != v {
				t.Fatalf("%d workers: number %d is %v, not %v", workers, i, all[i], v)
			}
		}
		first = all
	}
}

func TestFactorizeErrors(t *testing.T) {
	n := block + 3
	a := random(n, 1)
	a[(n-1)*n+n-1] = -1
	if _, err := Factorize(t.Context(), a, n, 1); !errors.Is(err, ErrNotDefinite) || !strings.Contains(err.Error(), "pivot 130") {
		t.Errorf("not definite: %v", err)
	}
	a = random(n, 1)
	a[5*n+5] = math.NaN()
	if _, err := Factorize(t.Context(), a, n, 1); !errors.Is(err, ErrNotDefinite) {
		t.Errorf("not a number: %v", err)
	}
	f, err := Factorize(t.Context(), random(n, 1), n, 1)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	if _, err := Factorize(ctx, random(n, 1), n, 1); err != enough {
		t.Errorf("cancelled: %v", err)
	}
	if err := f.Solve(ctx, make([]float64, n), 1); err != enough {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := f.InverseBlocks(ctx, []int{0, n}); err != enough {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkFactorize(b *testing.B) {
	const n = 2000
	a := make([]float64, n*n)
	for b.Loop() {
		for i := range n {
			for j := range i + 1 {
				a[i*n+j] = 1 / float64(1+i-j)
			}
			a[i*n+i] += n
		}
		f, err := Factorize(b.Context(), a, n, 0)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.InverseBlocks(b.Context(), []int{0, n / 4, n / 2, 3 * n / 4, n}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(2*n*n*n/3/1e9*float64(b.N)/b.Elapsed().Seconds(), "GFlop/s")
}
