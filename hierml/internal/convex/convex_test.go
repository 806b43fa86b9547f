package convex_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/internal/convex"
)

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// TestKnown has programs whose optimum is known.
func TestKnown(t *testing.T) {
	for name, c := range map[string]struct {
		p    convex.Problem
		want []float64
	}{
		"linear": { // minimize -x-2y, x+y <= 4, y <= 3
			convex.Problem{Cost: []float64{-1, -2, 0, 0}, Power: ones(4), Rows: []convex.Row{convex.Sum(0, 1, 2), convex.Sum(1, 3)}, B: []float64{4, 3}},
			[]float64{1, 3, 0, 0},
		},
		"quadratic": { // minimize x^2+3y^2, x+y = 1
			convex.Problem{Cost: []float64{1, 3}, Power: []float64{2, 2}, Rows: []convex.Row{convex.Sum(0, 1)}, B: []float64{1}},
			[]float64{0.75, 0.25},
		},
		"inverse": { // minimize 1/x+4/y, x+y = 1
			convex.Problem{Cost: []float64{1, 4}, Power: []float64{-1, -1}, Rows: []convex.Row{convex.Sum(0, 1)}, B: []float64{1}},
			[]float64{1. / 3, 2. / 3},
		},
		"bound": { // minimize x^2-10z with z <= 2x, x <= 3
			convex.Problem{
				Cost: []float64{1, -10, 0, 0}, Power: []float64{2, 1, 1, 1},
				Rows: []convex.Row{{[]int{0, 1, 2}, []float64{2, -1, -1}}, convex.Sum(0, 3)}, B: []float64{0, 3},
			},
			[]float64{3, 6, 0, 0},
		},
	} {
		found, err := convex.Solve(t.Context(), &c.p, ones(len(c.want)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for j, x := range c.want {
			if math.Abs(found.X[j]-x) > 1e-9 {
				t.Errorf("%s: %v after %d iterations, want %v", name, found.X, found.Iterations, c.want)
				break
			}
		}
	}
}

// TestRandomLinear compares degenerate transport problems with the bound of their multipliers.
func TestRandomLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 2 + r.IntN(12)
		p := &convex.Problem{}
		for range n * n {
			p.Cost, p.Power = append(p.Cost, float64(r.IntN(4))), append(p.Power, 1)
		}
		for i := range n {
			var row, column []int
			for j := range n {
				row, column = append(row, i*n+j), append(column, j*n+i)
			}
			p.Rows, p.B = append(p.Rows, convex.Sum(row...)), append(p.B, 1)
			if i > 0 { // the last column follows from the others
				p.Rows, p.B = append(p.Rows, convex.Sum(column...)), append(p.B, 1)
			}
		}
		found, err := convex.Solve(t.Context(), p, ones(n*n))
		if err != nil {
			t.Fatal(err)
		}
		reduced := append([]float64(nil), p.Cost...)
		var dual float64
		for i, row := range p.Rows {
			dual += found.Y[i] * p.B[i]
			for _, j := range row.Columns {
				reduced[j] -= found.Y[i]
			}
		}
		for j, v := range reduced {
			if v < -1e-9 {
				t.Errorf("the reduced cost of variable %d is %v", j, v)
			}
		}
		value := p.Value(found.X)
		if math.Abs(value-dual) > 1e-7 || math.Abs(value-math.Round(value)) > 1e-7 {
			t.Errorf("value %v, bound %v, want the same integer", value, dual)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, p := range map[string]*convex.Problem{
		"powers": {Cost: ones(1)},
		"rows":   {Cost: ones(1), Power: ones(1), B: ones(1)},
		"row":    {Cost: ones(1), Power: ones(1), B: ones(1), Rows: []convex.Row{{Columns: []int{0}}}},
		"column": {Cost: ones(1), Power: ones(1), B: ones(1), Rows: []convex.Row{convex.Sum(1)}},
	} {
		if _, err := convex.Solve(t.Context(), p, ones(1)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	p := &convex.Problem{Cost: ones(1), Power: ones(1)}
	if _, err := convex.Solve(t.Context(), p, make([]float64, 1)); err == nil {
		t.Error("a start of 0: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := convex.Solve(ctx, p, ones(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
