package gram_test

import (
	"math"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
)

// TestValuesFrom compares with Values, for a kernel of inner products and one that is asked pair by
// pair.
func TestValuesFrom(t *testing.T) {
	x := &dataset.Matrix{Rows: 4, Cols: 3, Indptr: []int{0, 2, 3, 5, 6}, Indices: []int32{0, 2, 1, 0, 1, 2}, Values: []float32{1, 2, 3, -1, 2, 0.5}}
	for name, k := range map[string]gram.Kernel{"RBF": gram.RBF{Gamma: 0.1}, "pairs": gram.Func(gram.Vector.Dot)} {
		against, err := gram.NewAgainst(k, x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			want := make([]float64, x.Rows)
			against.Values(gram.Row(x, i), want)
			for from := range x.Rows + 1 {
				got := make([]float64, x.Rows)
				for j := range got {
					got[j] = math.Inf(1)
				}
				against.ValuesFrom(gram.Row(x, i), from, got)
				for j, v := range got {
					if j < from && !math.IsInf(v, 1) || j >= from && v != want[j] {
						t.Errorf("%s: row %d from %d on: %v, want those of %v", name, i, from, got, want)
						break
					}
				}
			}
		}
	}
}
