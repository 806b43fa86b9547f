package structured

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

func TestDotWaysAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for n := 0; n <= 72; n += lanes {
		x := make([]float32, n)
		for j := range x {
			x[j] = rng.Float32() - 0.5
		}
		for _, columns := range []int{0, 4, 8, 12} {
			w := make([]float64, columns*n)
			for j := range w {
				w[j] = rng.NormFloat64()
			}
			a, b := make([]float64, columns), make([]float64, columns)
			for c := range a {
				a[c] = 7
			}
			dotColumns(a, x, w)
			dotColumnsGo(b, x, w)
			if !slices.Equal(a, b) {
				t.Errorf("%d features, %d columns: %v and %v", n, columns, a, b)
			}
			for c := range columns {
				column := w[c*n : (c+1)*n]
				if one := dotColumn(x, column); one != b[c] {
					t.Errorf("%d features, column %d: %v alone, %v with others", n, c, one, b[c])
				}
				var sum float64
				for j, v := range x {
					sum += float64(v) * column[j]
				}
				if math.Abs(sum-b[c]) > 1e-12 {
					t.Errorf("%d features, column %d: %v, want %v", n, c, b[c], sum)
				}
				same, want := slices.Clone(column), slices.Clone(column)
				addColumn(same, 0.3, x)
				addColumnGo(want, 0.3, x)
				if !slices.Equal(same, want) {
					t.Errorf("%d features: %v and %v", n, same, want)
				}
				for j, v := range x {
					if sum := column[j] + 0.3*float64(v); math.Abs(want[j]-sum) > 1e-12 {
						t.Errorf("%d features: %v at feature %d, want %v", n, want[j], j, sum)
					}
				}
			}
		}
	}
}

// denseCase returns examples with few zeros, and rows that change weights.
func denseCase(t *testing.T, columns int) (*Linear, *Rows) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, uint64(columns)))
	x := &dataset.Matrix{Rows: 70, Cols: 13, Indptr: []int{0}}
	u := &Rows{Border: []int{0}}
	for range x.Rows {
		for f := range x.Cols {
			if rng.IntN(4) > 0 {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, rng.Float32()-0.5)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
		for c := range columns {
			if rng.IntN(columns) < 3 {
				u.Columns, u.Values = append(u.Columns, int32(c)), append(u.Values, rng.NormFloat64())
			}
		}
		u.Border = append(u.Border, len(u.Columns))
	}
	l, err := NewLinear(x)
	if err != nil {
		t.Fatal(err)
	}
	return l, u
}

// Weights of dense examples are those that the form of others gives, whatever is done with them.
func TestDenseWeightsAreThoseOfOthers(t *testing.T) {
	for _, columns := range []int{1, 5, 64, 200} {
		l, u := denseCase(t, columns)
		for _, wide := range []bool{false, true} {
			nodes := make([]int, columns)
			state, ok := l.NewState(nodes, precision(wide)).(*denseState)
			if !ok {
				t.Fatalf("%d columns: %T", columns, l.NewState(nodes, precision(wide)))
			}
			plain := &linearState{Weights: NewWideWeights(nodes, l.x.Cols), linear: l}
			within := 1e-12
			if !wide {
				within = 1e-5
			}
			same := func(what string) {
				t.Helper()
				got, want := make([]float64, state.Width()), make([]float64, plain.Width())
				some := []int32{int32(columns - 1), 0}
				at := make([]float64, len(some))
				for i := range l.x.Rows {
					state.Scores(i, got)
					plain.Scores(i, want)
					for c := range want {
						if math.Abs(got[c]-want[c]) > within {
							t.Fatalf("%d columns, wide %v, %s: example %d scores %v in column %d, want %v", columns, wide, what, i, got[c], c, want[c])
						}
					}
					state.ScoresAt(i, some, at)
					for k, c := range some {
						if at[k] != got[c] {
							t.Fatalf("%d columns, %s: example %d scores %v alone in column %d, and %v", columns, what, i, at[k], c, got[c])
						}
					}
				}
				w := LinearWeights(state)
				for f := range l.x.Cols {
					for c := range columns {
						if math.Abs(w.At(f, c)-plain.At(f, c)) > within {
							t.Fatalf("%d columns, %s: weight %v of feature %d in column %d, want %v", columns, what, w.At(f, c), f, c, plain.At(f, c))
						}
					}
				}
			}
			var first [2]float64
			for _, workers := range []int{1, 2, 5} {
				exact, stored, err := state.Set(context.Background(), u, workers)
				if err != nil {
					t.Fatal(err)
				}
				if workers == 1 {
					first = [2]float64{exact, stored}
				}
				if first != [2]float64{exact, stored} {
					t.Errorf("%d columns: norms %v and %v with %d workers, %v with one", columns, exact, stored, workers, first)
				}
			}
			exact, _, err := plain.Set(context.Background(), u, 1)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(first[0]-exact) > 1e-10*exact {
				t.Errorf("%d columns: squared norm %v, want %v", columns, first[0], exact)
			}
			if got := LinearWeights(state); !wide && math.Abs(squared(got)-first[1]) > 1e-10*exact {
				t.Errorf("%d columns: squared norm %v as stored, and of what is stored %v", columns, first[1], squared(got))
			}
			same("Set")

			other, plainOther := l.NewState(nodes, precision(wide)), &linearState{Weights: NewWideWeights(nodes, l.x.Cols), linear: l}
			columnsOf, values := u.Row(3)
			other.Add(3, columnsOf, values)
			plainOther.Add(3, columnsOf, values)
			if got, want := state.Dot(other), plain.Dot(plainOther); math.Abs(got-want) > 10*within {
				t.Errorf("%d columns: inner product %v, want %v", columns, got, want)
			}
			state.AddScaled(0.7, other)
			plain.AddScaled(0.7, plainOther)
			same("AddScaled")

			for _, s := range []State{state, plain} {
				batch := s.NewBatch()
				for lo := 0; lo < l.x.Rows; lo += batch.Size() {
					var examples []int
					changes := &Rows{Border: []int{0}}
					for i := lo; i < min(lo+batch.Size(), l.x.Rows); i++ {
						examples = append(examples, i)
						columns, values := u.Row(i)
						changes.Columns, changes.Values = append(changes.Columns, columns...), append(changes.Values, values...)
						changes.Border = append(changes.Border, len(changes.Columns))
					}
					batch.Load(examples, 1+lo%3)
					batch.Multiply()
					want := make([]float64, s.Width())
					for k, i := range examples {
						s.Scores(i, want)
						if !slices.Equal(batch.Scores(k), want) {
							t.Fatalf("%d columns: example %d has other scores in a batch", columns, i)
						}
						for j, product := range batch.Products(k) {
							if v := l.Product(i, examples[j]); math.Abs(product-v) > 1e-12 {
								t.Fatalf("product of examples %d and %d: %v, want %v", i, examples[j], product, v)
							}
						}
					}
					batch.Add(changes, 2)
				}
			}
			same("batches")
		}
	}
}

func squared(w *Weights) (sum float64) {
	for f := range w.Features {
		for c := range w.Columns {
			sum += w.At(f, c) * w.At(f, c)
		}
	}
	return sum
}

// Sparse examples, and many weights, are kept feature by feature.
func TestFewAreDense(t *testing.T) {
	texts, err := NewLinear(example.Texts(example.Tree(3, 4), 20, 300, 20, 1).X)
	if err != nil {
		t.Fatal(err)
	}
	dense, _ := denseCase(t, 1)
	for _, s := range []State{texts.NewState(make([]int, 5), Single), dense.NewState(make([]int, maxCombined/dense.depth+8), Single)} {
		if _, ok := s.(*linearState); !ok {
			t.Errorf("%T of %d columns", s, s.Width())
		}
	}
}

func precision(wide bool) Precision {
	if wide {
		return Double
	}
	return Single
}
