package structured_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
)

// TestColumnSquares compares the norms of columns, for rows of a matrix and for their inner
// products, with the matrix written out.
func TestColumnSquares(t *testing.T) {
	const n, features, columns = 300, 170, 5
	r := rand.New(rand.NewPCG(1, 2))
	x := &dataset.Matrix{Rows: n, Cols: features, Indptr: []int{0}}
	u := &structured.Rows{Border: []int{0}}
	want := mat.NewDense(columns, features, nil)
	for range n {
		var at []int32
		var row []float32
		for f := range features {
			if r.IntN(10) == 0 {
				at, row = append(at, int32(f)), append(row, float32(r.NormFloat64()))
			}
		}
		for c := range columns {
			if r.IntN(2) == 0 {
				v := r.NormFloat64()
				u.Columns, u.Values = append(u.Columns, int32(c)), append(u.Values, v)
				for k, f := range at {
					want.Set(c, int(f), want.At(c, int(f))+v*float64(row[k]))
				}
			}
		}
		u.Border = append(u.Border, len(u.Columns))
		x.Indices, x.Values = append(x.Indices, at...), append(x.Values, row...)
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	linear, err := structured.NewLinear(x)
	if err != nil {
		t.Fatal(err)
	}
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, linear.Product(i, j))
		}
	}
	kernel, err := structured.NewKernel(gram)
	if err != nil {
		t.Fatal(err)
	}
	one := structured.ColumnSquares(linear, u, columns, 1)
	two := structured.ColumnSquares(linear, u, columns, 2)
	other := structured.ColumnSquares(kernel, u, columns, 1)
	for c := range columns {
		norm := floats.Norm(want.RawRowView(c), 2)
		if math.Abs(one[c]-norm*norm) > 1e-9*norm*norm || math.Abs(other[c]-norm*norm) > 1e-6*norm*norm || one[c] != two[c] {
			t.Errorf("column %d: %v, with two workers %v, from inner products %v, want %v", c, one[c], two[c], other[c], norm*norm)
		}
	}
}
