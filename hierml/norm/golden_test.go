package norm_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/norm"
)

func dense(rows [][]float64) *mat.Dense {
	u := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		u.SetRow(i, row)
	}
	return u
}

func TestGolden(t *testing.T) {
	cases, err := golden.Read("norms")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy                                  golden.Taxonomy
				U                                         [][]float64
				Frobenius, Trace, Shared, Max, Structured float64
				Tolerance                                 map[string]float64
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			u := dense(want.U)
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []struct {
				name    string
				compute func() (*norm.Norm, error)
				want    float64
			}{
				{"frobenius", func() (*norm.Norm, error) { return norm.Frobenius(u) }, want.Frobenius},
				{"trace", func() (*norm.Norm, error) { return norm.Trace(u) }, want.Trace},
				{"shared", func() (*norm.Norm, error) { return norm.Shared(context.Background(), u) }, want.Shared},
				{"max", func() (*norm.Norm, error) { return norm.Max(context.Background(), u) }, want.Max},
				{"structured", func() (*norm.Norm, error) { return norm.Structured(context.Background(), u, g) }, want.Structured},
			} {
				got, err := n.compute()
				if err != nil {
					t.Fatal(err)
				}
				tolerance := want.Tolerance[n.name]
				if tolerance == 0 {
					tolerance = 1e-10
				}
				t.Logf("%s: %v, reference %.12g (off by %.1e)", n.name, got, n.want, got.Value/n.want-1)
				if !(math.Abs(got.Value-n.want) <= tolerance*n.want) {
					t.Errorf("%s: %.12g, want %.12g", n.name, got.Value, n.want)
				}
				if !(got.Gap() <= 1e-9) {
					t.Errorf("%s: relative gap %v", n.name, got.Gap())
				}
				if got.Lower > got.Value*(1+1e-15) {
					t.Errorf("%s: lower bound %.16g above the value %.16g", n.name, got.Lower, got.Value)
				}
			}
		})
	}
}
