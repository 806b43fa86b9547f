package weighting

import (
	"context"
	"math"

	"github.com/hierml/notebook/hierml/internal/convex"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// relaxed is [CSS16, (6)] with path sums from 1 to limit, (8), and the directional constraint if
// asked for.
type relaxed struct {
	t           *taxonomy.Taxonomy
	rho         float64
	limit       float64
	directional bool
}

func (r *relaxed) solve(ctx context.Context) (*Solution, error) {
	program, start := r.program()
	found, err := solvePowers(ctx, program, start, r.t.Len(), r.rho)
	if err != nil {
		return nil, err
	}
	return r.certify(found), nil
}

// program returns the problem and a point inside of its constraints. The variables are the weights;
// for every leaf what its path's sum is above 1, where limit is above 1, and below limit, where
// that is finite; for every edge by how much the child is above the parent.
func (r *relaxed) program() (*convex.Problem, []float64) {
	t := r.t
	n := t.Len()
	p := &convex.Problem{Cost: make([]float64, n), Power: make([]float64, n)}
	start := make([]float64, n)
	slack := func(at float64) int {
		p.Cost, p.Power, start = append(p.Cost, 0), append(p.Power, 1), append(start, at)
		return len(start) - 1
	}
	row := func(sum convex.Row, b float64) {
		p.Rows, p.B = append(p.Rows, sum), append(p.B, b)
	}
	longest, deepest := 0, 0
	for _, l := range t.Leaves() {
		longest = max(longest, len(t.Ancestors(l)))
		deepest = max(deepest, t.Depth(l))
	}
	// Weights grow by a little from parents to children, and leaves take the rest.
	smallest, grow := 0.5/float64(longest), 0.5/float64(longest*(deepest+1))
	for v := range n {
		p.Cost[v] = 1
		start[v] = smallest + grow*float64(t.Depth(v))/float64(deepest+1)
	}
	middle := 1 + (min(r.limit, 2)-1)/2
	for _, l := range t.Leaves() {
		path := t.Ancestors(l)
		start[l] = middle
		for _, v := range path {
			if v != l {
				start[l] -= start[v]
			}
		}
		sum := convex.Sum(append([]int{}, path...)...)
		if r.limit > 1 {
			above := slack(middle - 1)
			sum.Columns, sum.Values = append(sum.Columns, above), append(sum.Values, -1)
			if !math.IsInf(r.limit, 1) {
				row(convex.Sum(above, slack(r.limit-middle)), r.limit-1)
			}
		}
		row(sum, 1)
	}
	if r.directional {
		for _, e := range t.Edges() {
			d := slack(start[e[1]] - start[e[0]])
			row(convex.Row{Columns: []int{e[1], e[0], d}, Values: []float64{1, -1, -1}}, 0)
		}
	}
	return p, start
}

// certify makes weights that satisfy the constraints but for rounding, and computes the bound
//
//	sum_l min(nu_l, limit nu_l) - (rho-1) sum_n (g_n/rho)^(rho/(rho-1))
//
// from the multipliers nu of paths and eta >= 0 of edges, where g_n is the sum of nu over the
// leaves below n, and of eta over the edges to n, less that over the edges from n, if positive.
func (r *relaxed) certify(found *convex.Point) *Solution {
	t := r.t
	s := &Solution{Alpha: append([]float64(nil), found.X[:t.Len()]...)}
	if r.directional {
		for _, v := range t.Topological() {
			for _, p := range t.Parents(v) {
				s.Alpha[v] = max(s.Alpha[v], s.Alpha[p])
			}
		}
	}
	g := make([]float64, t.Len())
	row := 0
	for _, l := range t.Leaves() {
		if r.limit > 1 && !math.IsInf(r.limit, 1) {
			row++
		}
		nu := found.Y[row]
		row++
		switch {
		case nu >= 0 || r.limit == 1:
			s.Dual += nu
		case math.IsInf(r.limit, 1):
			nu = 0
		default:
			s.Dual += r.limit * nu
		}
		var sum float64
		for _, v := range t.Ancestors(l) {
			g[v] += nu
			sum += s.Alpha[v]
		}
		s.PathError = max(s.PathError, 1-sum, sum-r.limit)
	}
	if r.directional {
		for i, e := range t.Edges() {
			eta := max(found.Y[row+i], 0)
			g[e[1]] += eta
			g[e[0]] -= eta
		}
	}
	for v, a := range s.Alpha {
		s.Primal += math.Pow(a, r.rho)
		s.Dual -= (r.rho - 1) * math.Pow(max(g[v], 0)/r.rho, r.rho/(r.rho-1))
	}
	s.Gap = (s.Primal - s.Dual) / s.Primal
	return s
}
