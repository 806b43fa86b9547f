package quantized

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

// SetSums sets the sums of the vectors given, whichever form features have before.
func TestSetSums(t *testing.T) {
	const columns = 1500
	x := example.Texts(example.Tree(3, 4), 400, 200, 25, 1).X
	byFeature := x.Transposed()
	w := New(columns, x.Cols)
	rng := rand.New(rand.NewPCG(5, 6))
	forms := make(map[[2]bool]bool) // before and after
	for _, most := range []int{2, 40, 3, 0, 200, 1} {
		border, at, values := []int{0}, []int32(nil), []float64(nil)
		for range x.Rows {
			for _, c := range rng.Perm(columns)[:rng.IntN(most+1)] {
				at, values = append(at, int32(c)), append(values, rng.NormFloat64())
			}
			border = append(border, len(at))
		}
		vector := func(i int) ([]int32, []float64) {
			return at[border[i]:border[i+1]], values[border[i]:border[i+1]]
		}
		plain := zeros(x.Cols, columns)
		for i := range x.Rows {
			features, entries := x.Row(i)
			changed, u := vector(i)
			for k, f := range features {
				for j, c := range changed {
					plain[f][c] += float64(entries[k]) * u[j]
				}
			}
		}
		before := slices.Clone(w.rows)
		exact, stored, err := w.SetSums(context.Background(), byFeature, vector, 1+most%3, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		var norm, wantExact float64
		squares := make([]float64, columns)
		for f := range x.Cols {
			forms[[2]bool{before[f] != nil, w.rows[f] != nil}] = true
			var largest float64
			for c, want := range plain[f] {
				got := w.At(f, c)
				if !(math.Abs(got-want) <= 0.501*float64(w.units[f])) {
					t.Fatalf("up to %d columns: weight %d of feature %d is %v, want %v", most, c, f, got, want)
				}
				largest, norm, wantExact = max(largest, math.Abs(want)), norm+got*got, wantExact+want*want
				squares[c] += got * got
			}
			if u := float64(w.units[f]); u > largest/8000 {
				t.Errorf("up to %d columns: the unit of feature %d is %v, and its largest weight %v", most, f, u, largest)
			}
		}
		want := math.Sqrt(slices.Max(squares))
		known := w.MaxColumnNorm(2)
		w.forgetNorm()
		for _, got := range []float64{known, w.MaxColumnNorm(2)} {
			if math.Abs(got-want) > 1e-8*want {
				t.Errorf("up to %d columns: the longest column has the norm %v, want %v", most, got, want)
			}
		}
		if math.Abs(exact-wantExact) > 1e-10*wantExact || math.Abs(stored-norm) > 1e-10*norm {
			t.Errorf("up to %d columns: squared norms %v and %v, want %v and %v", most, exact, stored, wantExact, norm)
		}
	}
	if len(forms) != 4 {
		t.Errorf("features changed their form as in %v; want all of before and after", forms)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := w.SetSums(ctx, byFeature, nil, 1, func(int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of a context: %v", err)
	}
}

// A change of any kind is seen by the next MaxColumnNorm.
func TestMaxColumnNormFollowsChanges(t *testing.T) {
	w := New(100, 2)
	for k, change := range []func(){
		func() { w.Set(0, 3, 3) },
		func() { w.AddRow(1, 2, []int32{3}, []float64{2}) },
		func() { w.AddRow(1, 1, []int32{4}, []float64{12}) },
	} {
		change()
		if got, want := w.MaxColumnNorm(1), []float64{3, 5, 12}[k]; math.Abs(got-want) > 1e-2 {
			t.Errorf("after change %d: %v, want %v", k, got, want)
		}
	}
}
