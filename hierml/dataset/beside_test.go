package dataset

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestBesideIsSideBySide compares with dense matrices that are put side by side.
func TestBesideIsSideBySide(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		rows := rng.IntN(5)
		var parts []*Matrix
		for range 1 + rng.IntN(3) {
			p := &Matrix{Rows: rows, Cols: 1 + rng.IntN(4), Indptr: []int{0}}
			for range rows {
				for j := range p.Cols {
					if rng.IntN(2) == 0 {
						p.Indices, p.Values = append(p.Indices, int32(j)), append(p.Values, rng.Float32())
					}
				}
				p.Indptr = append(p.Indptr, len(p.Values))
			}
			parts = append(parts, p)
		}
		x, err := parts[0].Beside(parts[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			var got, want []float64
			for _, p := range parts {
				want = append(want, p.Dense().RawRowView(i)...)
			}
			if got = x.Dense().RawRowView(i); !slices.Equal(got, want) {
				t.Fatalf("row %d is %v, want %v", i, got, want)
			}
		}
	}
}

func TestBesideRefuses(t *testing.T) {
	table := shop(t)
	d := func(rows ...int) *Dataset {
		var b Builder
		for _, r := range rows {
			b.Add(Instance{Labels: table.Labels[r], Columns: []int32{0}, Values: []float32{1}})
		}
		d := b.Dataset("", table.Taxonomy, 1)
		d.Vocabulary = []string{"x"}
		return d
	}
	both, err := Beside(d(0, 1), d(0, 1), d(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"x", "x (2)", "x (3)"}; !slices.Equal(both.Vocabulary, want) || !slices.Equal(both.X.Vocabulary, want) {
		t.Errorf("the columns are called %q, want %q", both.Vocabulary, want)
	}
	for want, parts := range map[string][]*Dataset{
		"other labels":     {d(0, 1), d(0, 2)},
		"another taxonomy": {d(0, 1), shopDataset(t)},
		"data set is nil":  {d(0), nil},
	} {
		if _, err := Beside(parts...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := (&Matrix{Rows: 1, Indptr: []int{0, 0}}).Beside(&Matrix{Rows: 2, Indptr: []int{0, 0, 0}}); err == nil {
		t.Error("matrices of different numbers of rows are put side by side")
	}
}

// shopDataset returns instances under a taxonomy of their own.
func shopDataset(t *testing.T) *Dataset {
	var b Builder
	table := shop(t)
	b.Add(Instance{Labels: table.Labels[0], Columns: []int32{0}, Values: []float32{1}})
	return b.Dataset("", table.Taxonomy, 1)
}
