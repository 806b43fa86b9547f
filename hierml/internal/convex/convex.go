// Package convex solves the small separable convex programs behind the node weights,
//
//	minimize sum_j Cost_j x_j^Power_j  subject to  A x = b, x >= 0,
//
// by a primal-dual interior-point method on sparse matrices. Terms with a Power of 1 make it a
// linear program, those with a Cost of 0 are slacks, which turn equations into inequalities.
package convex

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Problem is a program. A term is convex where its Power is at least 1 and its Cost not negative,
// where its Power is negative and its Cost positive, and for any Cost where its Power is 1. Rows
// are linearly independent.
type Problem struct {
	Cost, Power []float64
	Rows        []Row
	B           []float64
}

// Row is an equation: the sum of Value_k x_{Column_k}. Columns are distinct.
type Row struct {
	Columns []int
	Values  []float64
}

// Sum returns the row of the sum of the columns.
func Sum(columns ...int) Row {
	r := Row{columns, make([]float64, len(columns))}
	for k := range r.Values {
		r.Values[k] = 1
	}
	return r
}

// Point is what Solve found: the variables X, which are positive, and the multipliers Y of the
// rows. At the optimum Cost_j Power_j X_j^(Power_j-1) is at least the sum of the multipliers times
// column j, and equal to it where X_j is not 0.
type Point struct {
	X, Y []float64
	// Error is the largest of the relative complementarity and the residuals. Rounding limits it to
	// about 1e-14 times the condition of the problem; a caller that needs a proof takes the dual
	// bound of Y.
	Error      float64
	Iterations int
}

const (
	maxIterations = 400
	enough        = 1e-14 // an error as good as rounding permits
	// Iterations without progress, after which the best point is taken: at first, and when it is
	// good already.
	patience, content = 60, 10
	good              = 1e-8
)

// Solve returns the best point it met, of which the caller is to judge whether it is good enough.
// The start has a positive value for each variable; it converges sooner from one that satisfies the
// rows. It returns an error only if ctx ends, if the problem is malformed, or if the start is so
// far out of range that no step is possible.
func Solve(ctx context.Context, p *Problem, start []float64) (*Point, error) {
	if err := p.check(start); err != nil {
		return nil, err
	}
	s := newState(p, start)
	best := &Point{Error: math.Inf(1)}
	for i, since := 0, 0; ; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e := s.error(); e < best.Error {
			if e < 0.9*best.Error {
				since = 0
			}
			best = &Point{append([]float64(nil), s.x...), append([]float64(nil), s.y...), e, i}
			floats.Scale(1/s.scale, best.Y)
		}
		if best.Error <= enough || i >= maxIterations || since >= patience || since >= content && best.Error < good || !s.step() {
			break
		}
		since++
	}
	if math.IsInf(best.Error, 1) {
		return nil, errors.New("convex: the terms are out of the range of floating point at the start")
	}
	return best, nil
}

func (p *Problem) check(start []float64) error {
	n := len(p.Cost)
	if len(p.Power) != n || len(start) != n || len(p.B) != len(p.Rows) {
		return fmt.Errorf("convex: %d costs, %d powers, %d starting values; %d rows, %d right-hand sides", n, len(p.Power), len(start), len(p.Rows), len(p.B))
	}
	for j, x := range start {
		if !(x > 0) || math.IsInf(x, 1) {
			return fmt.Errorf("convex: the starting value of variable %d is %v; it must be positive", j, x)
		}
	}
	for i, r := range p.Rows {
		if len(r.Columns) != len(r.Values) {
			return fmt.Errorf("convex: row %d has %d columns and %d values", i, len(r.Columns), len(r.Values))
		}
		for _, j := range r.Columns {
			if j < 0 || j >= n {
				return fmt.Errorf("convex: row %d has the column %d of %d", i, j, n)
			}
		}
	}
	return nil
}

// Value returns the objective at x.
func (p *Problem) Value(x []float64) float64 {
	var sum float64
	for j, c := range p.Cost {
		if c != 0 {
			sum += c * math.Pow(x[j], p.Power[j])
		}
	}
	return sum
}
