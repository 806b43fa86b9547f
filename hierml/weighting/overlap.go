package weighting

import (
	"context"
	"math"

	"github.com/hierml/notebook/hierml/internal/convex"
)

// overlap is the problem
//
//	minimize sum_k cost_k a_k^rho + sum_l own_l s_l^rho  subject to  s_l + sum_{k: l in sets_k} a_k = 1,  a, s >= 0
//
// over the shared weights a and each leaf's own weight s. Costs are positive and at most 1.
type overlap struct {
	rho  float64
	cost []float64
	sets [][]int
	own  []float64
}

// optimum of an overlap. x is a, followed by s.
type optimum struct {
	logX  []float64
	nu    []float64 // multipliers of the constraints
	value float64
}

// solve runs the interior-point method; how good its optimum is, is for the caller to check.
func (o *overlap) solve(ctx context.Context) (*optimum, error) {
	program, start := o.program()
	found, err := solvePowers(ctx, program, start, len(start), o.rho)
	if err != nil {
		return nil, err
	}
	return o.finish(program, found), nil
}

// solvePowers solves a program whose first n variables have the exponent rho. Where rho is large it
// starts near the optimum for a smaller one, as costs elsewhere have nothing to do with those at
// the optimum. It changes the program and the start.
func solvePowers(ctx context.Context, p *convex.Problem, start []float64, n int, rho float64) (*convex.Point, error) {
	const easy, factor, mix = 4, 1.5, 0.1
	for at := min(rho, easy); ; at = min(rho, factor*at) {
		for j := range n {
			p.Power[j] = at
		}
		found, err := convex.Solve(ctx, p, start)
		if err != nil || at == rho {
			return found, err
		}
		for j, x := range found.X {
			start[j] = mix*start[j] + (1-mix)*x
		}
	}
}

// program returns the problem in a, followed by s, and a point that leaves about half of each path
// to the leaf.
func (o *overlap) program() (*convex.Problem, []float64) {
	k, m := len(o.cost), len(o.own)
	p := &convex.Problem{Cost: append(append([]float64(nil), o.cost...), o.own...), Power: make([]float64, k+m), B: make([]float64, m)}
	paths := make([][]int, m)
	for j, set := range o.sets {
		for _, l := range set {
			paths[l] = append(paths[l], j)
		}
	}
	longest := 0
	for _, path := range paths {
		longest = max(longest, len(path))
	}
	start := make([]float64, k+m)
	for j := range k {
		start[j] = 0.5 / float64(longest)
	}
	for l, path := range paths {
		start[k+l] = 1 - 0.5*float64(len(path))/float64(longest)
		p.Rows, p.B[l] = append(p.Rows, convex.Sum(append(path, k+l)...)), 1
	}
	return p, start
}

// finish makes the leaves' own weights complete their paths, and takes the weights that the
// constraints' rounding hides from the multipliers.
func (o *overlap) finish(p *convex.Problem, found *convex.Point) *optimum {
	const small = 1e-6
	above := make([]float64, len(found.X))
	for l, row := range p.Rows {
		rest := 1.0
		for _, j := range row.Columns {
			above[j] += found.Y[l]
			rest -= found.X[j]
		}
		if own := len(o.cost) + l; found.X[own] > small {
			found.X[own] += rest
		}
	}
	opt := &optimum{make([]float64, len(found.X)), found.Y, p.Value(found.X)}
	for j, x := range found.X {
		opt.logX[j] = math.Log(x)
		if x > small {
			continue
		}
		logX := math.Inf(-1)
		if g := above[j]; g > 0 {
			logX = math.Log(g/(o.rho*p.Cost[j])) / (o.rho - 1)
		}
		if math.Abs(math.Exp(logX)-x) < small*small {
			opt.logX[j] = logX
		}
	}
	return opt
}
