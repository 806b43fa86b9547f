package weighting

import (
	"context"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/internal/convex"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Heaviest maximizes sum_n Values_n alpha_n over alpha >= 0 with sums of at most 1 on every path:
// the linear program of the dual bound of the shared SVM, [CSS16, (14)].
type Heaviest struct {
	// Values has a number for every node, 0 or more.
	Values []float64
}

// Solve returns weights with the value Primal, and an upper bound, Dual, of the optimum; Gap is
// (Dual-Primal)/Dual. On trees and forests both are equal: a node worth more than everything below
// it takes everything. On graphs the same is done where possible, and a linear program is solved
// for overlapping nodes, whose bound is
//
//	sum_l nu_l  for nu >= 0 whose sum over the leaves below n is at least Values_n, for every n.
func (p Heaviest) Solve(ctx context.Context, t *taxonomy.Taxonomy) (*Solution, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if len(p.Values) != t.Len() {
		return nil, fmt.Errorf("weighting: %d values for %d nodes; give one per node", len(p.Values), t.Len())
	}
	for v, g := range p.Values {
		if !(g >= 0) || math.IsInf(g, 1) {
			return nil, fmt.Errorf("weighting: the value of node %q is %v; it must be a finite number, 0 or more", t.Name(v), g)
		}
	}
	n := t.Len()
	best := make([]float64, n) // largest value of a tree
	itself := make([]bool, n)  // attained by the root of the tree alone
	f := newSharing(t)
	order := t.Topological()
	for i := n - 1; i >= 0; i-- {
		v := order[i]
		f.pure[v] = true
		for _, c := range t.Children(v) {
			f.pure[v] = f.pure[v] && f.pure[c] && len(t.Parents(c)) == 1
			best[v] += best[c]
		}
		if !f.pure[v] {
			best[v] = 0
		}
		if itself[v] = p.Values[v] >= best[v]; itself[v] {
			best[v] = p.Values[v]
		}
	}
	left := make([]float64, n) // of the sum, for the node and all below it
	s := &Solution{}
	if err := p.overlap(ctx, f, best, left, s); err != nil {
		return nil, err
	}
	s.Alpha = make([]float64, n)
	for _, v := range order {
		if f.pure[v] {
			if !f.top(v) {
				left[v] = left[t.Parents(v)[0]]
			}
			if itself[v] {
				s.Alpha[v], left[v] = left[v], 0
			}
		} else {
			s.Alpha[v] = left[v]
		}
		s.Primal += s.Alpha[v] * p.Values[v]
	}
	if s.Dual > 0 {
		s.Gap = (s.Dual - s.Primal) / s.Dual
	}
	return s, nil
}

// overlap computes the bound, and in left the weights of the nodes that are not in trees and the
// amounts of the roots of trees.
func (p Heaviest) overlap(ctx context.Context, f *sharing, best, left []float64, s *Solution) error {
	t := f.t
	program := &convex.Problem{}
	column := make([]int, t.Len())
	value := make([]float64, 0, t.Len())
	node := make([]int, 0, t.Len())
	var tops []int
	var largest float64
	taken := false
	for v := range column {
		column[v] = -1
		switch {
		case f.top(v):
			tops = append(tops, v)
			taken = taken || len(t.Parents(v)) > 0
		case f.pure[v]:
			continue
		}
		column[v] = len(node)
		node, value = append(node, v), append(value, best[v])
		largest = max(largest, best[v])
	}
	if !taken || largest == 0 {
		for _, v := range tops {
			left[v] = 1
			s.Dual += best[v]
		}
		return nil
	}
	longest := 0
	for _, v := range tops {
		longest = max(longest, len(t.Ancestors(v)))
	}
	var start []float64
	for _, g := range value {
		program.Cost, program.Power = append(program.Cost, -g/largest), append(program.Power, 1)
		start = append(start, 0.5/float64(longest))
	}
	for _, v := range tops {
		var sum []int
		for _, u := range t.Ancestors(v) {
			sum = append(sum, column[u])
		}
		slack := len(start)
		program.Cost, program.Power = append(program.Cost, 0), append(program.Power, 1)
		start = append(start, 1-0.5*float64(len(sum))/float64(longest))
		program.Rows, program.B = append(program.Rows, convex.Sum(append(sum, slack)...)), append(program.B, 1)
	}
	found, err := convex.Solve(ctx, program, start)
	if err != nil {
		return err
	}
	below := make([]float64, len(node))
	var longer, nu float64
	for i := range tops {
		row := program.Rows[i].Columns
		row = row[:len(row)-1]
		y := max(-found.Y[i], 0) * largest
		nu += y
		var sum float64
		for _, j := range row {
			below[j] += y
			sum += found.X[j]
		}
		longer = max(longer, sum)
	}
	// A node whose value the multipliers do not quite cover gets what is missing at one of the
	// leaves below it.
	for j, v := range node {
		nu += max(value[j]-below[j], 0)
		left[v] = found.X[j] / max(longer, 1)
	}
	s.Dual = nu
	return nil
}
