package labelset

import (
	"context"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/internal/convex"
)

// Relaxation is a solution of the linear relaxation.
type Relaxation struct {
	Nodes []float64 // z by node, between 0 and 1
	Value float64   // the sum of z times the rewards
	// Bound is an upper bound on the value of the relaxation and of every label set, for any
	// precision of the solution: the value of its Lagrange multipliers.
	Bound float64
	// Integral reports whether a label set attains the value; it is then the best one.
	Integral bool
}

// Relax solves the linear relaxation of the search for the best label set, [CSS16, (19)] with three
// corrections: it is a maximum; the first constraint holds for inner nodes only, since a leaf has
// no child that could be in the set; and the last one is part of the integer program too, which
// without it would have the empty set among its solutions:
//
//	max sum_n r_n z_n   subject to  sum_{c child of n} z_c >= z_n  for inner nodes n,
//	z_c <= z_n  for children c of n,   sum_{leaves} z_l >= 1,   0 <= z <= 1
//
// The optimum is above that of the label sets even on some trees, where Best has the better answer
// in less time. The solution is found by an interior-point method on sparse matrices to about ten
// digits. It returns ctx's error, or an error if the solution does not have even half of them.
func (s *Space) Relax(ctx context.Context, rewards []float64) (*Relaxation, error) {
	if err := s.check(rewards); err != nil {
		return nil, err
	}
	p := s.graph.program(true)
	return p.solve(ctx, rewards)
}

const (
	digits   = 1e-5 // error at which a solution is none
	integral = 1e-7 // relative difference between values that count as equal
)

// program is the relaxation over classes of nodes that are in a label set together or not at all:
// an inner node whose children are all of one class is of that class. Without that the constraints
// of a node with one child would leave no interior.
type program struct {
	g      *graph
	class  []int32 // by node
	height []float64
	last   bool

	linear  convex.Problem
	columns []int32 // variable of a class, by node that names the class
	edges   []int32 // row of an edge, -1 within a class and for the root's
	covers  []int32 // row of an inner node, -1 if its class is that of its children
	some    int     // row of the last constraint
}

func (g *graph) program(last bool) *program {
	n := len(g.order)
	p := &program{g: g, class: make([]int32, n), height: make([]float64, n), last: last, columns: make([]int32, n), edges: make([]int32, len(g.child)), covers: make([]int32, n)}
	highest := 1.0
	for i := n - 1; i > 0; i-- {
		v := g.order[i]
		p.class[v] = v
		p.covers[v] = -1
		from, to := g.edges(v)
		one := from < to
		for e := from; e < to; e++ {
			c := p.class[g.child[e]]
			one = one && c == p.class[g.child[from]]
			p.height[v] = max(p.height[v], p.height[c]+1)
		}
		if one {
			p.class[v] = p.class[g.child[from]]
			p.height[p.class[v]] = max(p.height[p.class[v]], p.height[v])
		}
		highest = max(highest, p.height[v])
	}
	variables := 0
	for _, v := range g.order[1:] {
		if p.class[v] == v {
			p.columns[v] = int32(variables)
			variables++
		}
	}
	l := &p.linear
	l.Cost = make([]float64, variables)
	row := func(b float64, slack float64, columns []int, values []float64) int32 {
		l.Cost = append(l.Cost, 0)
		l.Rows = append(l.Rows, convex.Row{Columns: append(columns, len(l.Cost)-1), Values: append(values, slack)})
		l.B = append(l.B, b)
		return int32(len(l.Rows) - 1)
	}
	var leaves []int
	var ones []float64
	seen := make(map[[2]int32]int32)
	for _, v := range g.order {
		from, to := g.edges(v)
		if g.leaf[v] {
			leaves, ones = append(leaves, int(p.column(v))), append(ones, 1)
		}
		var columns []int
		var values []float64
		for e := from; e < to; e++ {
			p.edges[e] = -1
			c := p.class[g.child[e]]
			if v == g.root {
				if key := [2]int32{-1, c}; seen[key] == 0 {
					seen[key] = row(1, 1, []int{int(p.column(c))}, []float64{1}) + 1
				}
				continue
			}
			if c == p.class[v] {
				continue
			}
			key := [2]int32{p.class[v], c}
			if seen[key] == 0 {
				seen[key] = row(0, -1, []int{int(p.column(v)), int(p.column(c))}, []float64{1, -1}) + 1
			}
			p.edges[e] = seen[key] - 1
			columns, values = append(columns, int(p.column(c))), append(values, 1)
		}
		if v != g.root && p.class[v] == v && from < to {
			columns, values = sumColumns(append(columns, int(p.column(v))), append(values, -1))
			p.covers[v] = row(0, -1, columns, values)
		}
	}
	if last {
		columns, values := sumColumns(leaves, ones)
		p.some = int(row(1, -1, columns, values))
	}
	l.Power = make([]float64, len(l.Cost))
	for j := range l.Power {
		l.Power[j] = 1
	}
	for v := range p.height {
		p.height[v] /= highest
	}
	return p
}

func (p *program) column(v int32) int32 { return p.columns[p.class[v]] }

// sumColumns adds up the values of equal columns.
func sumColumns(columns []int, values []float64) ([]int, []float64) {
	at := make(map[int]int)
	var c []int
	var v []float64
	for k, j := range columns {
		if i, ok := at[j]; ok {
			v[i] += values[k]
			continue
		}
		at[j] = len(c)
		c, v = append(c, j), append(v, values[k])
	}
	return c, v
}

func (p *program) solve(ctx context.Context, rewards []float64) (*Relaxation, error) {
	g, l := p.g, &p.linear
	clear(l.Cost)
	var size float64
	for v, r := range rewards {
		l.Cost[p.column(int32(v))] -= r
		size += math.Abs(r)
	}
	if size == 0 {
		size = 1
	}
	start := make([]float64, len(l.Cost))
	for _, v := range g.order[1:] {
		if p.class[v] == v {
			start[p.columns[v]] = 0.6 + 0.3*p.height[v]
		}
	}
	for i, row := range l.Rows {
		slack := len(row.Columns) - 1
		sum := l.B[i]
		for k, j := range row.Columns[:slack] {
			sum -= row.Values[k] * start[j]
		}
		start[row.Columns[slack]] = max(1e-3, sum/row.Values[slack])
	}
	point, err := convex.Solve(ctx, l, start)
	if err != nil {
		return nil, fmt.Errorf("labelset: relaxation: %w", err)
	}
	r := &Relaxation{Nodes: make([]float64, len(rewards)), Bound: p.bound(rewards, point.Y)}
	for v := range rewards {
		z := min(1, max(0, point.X[p.column(int32(v))]))
		r.Nodes[v] = z
		r.Value += z * rewards[v]
	}
	if math.IsNaN(r.Value) || r.Bound-r.Value > digits*size {
		return nil, fmt.Errorf("labelset: relaxation solved to %.2g only: between %v and %v", point.Error, r.Value, r.Bound)
	}
	rounded := newRounding(g)
	for k, leaf := range g.leaves {
		if r.Nodes[leaf] > 0.5 {
			rounded.add(k)
		}
	}
	r.Integral = (rounded.size > 0 || !p.last) && math.Abs(rounded.value(rewards)-r.Value) <= integral*size
	return r, nil
}

// bound returns the value of multipliers, which bounds the program: for any that are not negative,
// the maximum over 0 <= z <= 1 of the rewards and the multiplied constraints.
func (p *program) bound(rewards, y []float64) float64 {
	g := p.g
	price := make([]float64, len(p.linear.Cost))
	for v, r := range rewards {
		price[p.column(int32(v))] += r
	}
	for i, row := range p.linear.Rows {
		slack := len(row.Columns) - 1
		if row.Values[slack] > 0 {
			continue // z <= 1
		}
		for k, j := range row.Columns[:slack] {
			price[j] += max(0, y[i]) * row.Values[k]
		}
	}
	var sum float64
	if p.last {
		sum = -max(0, y[p.some])
	}
	for _, v := range g.order[1:] {
		if p.class[v] == v {
			sum += max(0, price[p.columns[v]])
		}
	}
	return sum
}
