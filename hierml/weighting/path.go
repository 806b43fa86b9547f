package weighting

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Solution is a choice of weights with the proof of how good it is.
type Solution struct {
	// Alpha has the weight of every node.
	Alpha []float64
	// Primal is the sum of Alpha^Rho.
	Primal float64
	// Dual is a lower bound of the sum for all weights that Path admits.
	Dual float64
	// Gap is (Primal-Dual)/Primal. Rounding may make it negative.
	Gap float64
	// PathError is the largest difference of a path's sum from 1.
	PathError float64
}

// What Weights accepts.
const (
	maxGap       = 1e-8
	maxPathError = 1e-9
)

// Weights returns the weight of every node. It is an error if Rho is 1 or less, or if it is so large or so near to 1 that, on a
// graph with several parents a node, the weights cannot be computed to a relative gap of 1e-8. Trees
// and forests admit all Rho above 1; weights below the range of float64 are 0.
func (p Path) Weights(t *taxonomy.Taxonomy) ([]float64, error) {
	s, err := p.Solve(context.Background(), t)
	if err != nil {
		return nil, err
	}
	if !t.IsTree() && !(math.Abs(s.Gap) <= maxGap && s.PathError <= maxPathError) {
		return nil, fmt.Errorf("weighting: the node weights for Rho %v have a relative gap of %.1e, more than %.0e, or path sums off by %.1e, more than %.0e; take a Rho nearer to 2",
			p.Rho, s.Gap, maxGap, s.PathError, maxPathError)
	}
	return s.Alpha, nil
}

// Solve returns the weights with their certificate. Where the closed form of trees does not reach, which is on graphs in which
// nodes overlap without one containing the other, it takes an interior-point method on the overlapping nodes,
// whose weights then are right to about 1e-12 of the largest; all others are right to nearly all digits. An end of ctx ends it with ctx's error.
func (p Path) Solve(ctx context.Context, t *taxonomy.Taxonomy) (*Solution, error) {
	rho, err := p.rho()
	if err != nil {
		return nil, err
	}
	trees := newSubtrees(t, rho)
	d := &decomposer{ctx, rho}
	whole, err := d.solve(columns(t, trees))
	if err != nil {
		return nil, err
	}
	// Multipliers are scaled as if the smallest sum were 1, so that no Rho takes them out of range.
	a := &allotment{make([]float64, t.Len()), make([]float64, t.Len())}
	a.divide(whole.part, 0, rho*math.Exp(whole.cost/rho))
	logAlpha := trees.spread(t, a)
	return certify(t, rho, whole.cost, logAlpha, a.nu), nil
}

// columns returns the nodes that are not inside a tree; the roots of such trees stand for leaves.
func columns(t *taxonomy.Taxonomy, trees *subtrees) (m int, all []column) {
	members := make([][]int, t.Len())
	for v := range t.Len() {
		if !trees.top(t, v) {
			continue
		}
		for _, u := range t.Ancestors(v) {
			members[u] = append(members[u], m)
		}
		m++
	}
	for v, leaves := range members {
		if len(leaves) > 0 {
			all = append(all, column{leaves, trees.cost[v], &part{kind: single, node: v}})
		}
	}
	return m, all
}

// certify computes the value of the weights and, from the multipliers nu, the bound
//
//	sum_l nu_l - (rho-1) sum_n (g_n/rho)^(rho/(rho-1)),  g_n the sum of nu_l over the leaves below n, if positive.
//
// nu is scaled by exp(-cost (rho-1)/rho), where cost is about the logarithm of the value.
func certify(t *taxonomy.Taxonomy, rho, cost float64, logAlpha, nu []float64) *Solution {
	s := &Solution{Alpha: make([]float64, t.Len())}
	values := make([]float64, t.Len())
	for v, a := range logAlpha {
		s.Alpha[v] = math.Exp(a)
		values[v] = math.Exp(rho*a - cost)
	}
	g := make([]float64, t.Len())
	var total float64
	for _, l := range t.Leaves() {
		total += nu[l]
		var sum float64
		for _, v := range t.Ancestors(l) {
			g[v] += nu[l]
			sum += s.Alpha[v]
		}
		s.PathError = max(s.PathError, math.Abs(sum-1))
	}
	for v := range g {
		g[v] = math.Pow(max(g[v], 0)/rho, rho/(rho-1))
	}
	primal := floats.Sum(values)
	dual := total*math.Exp(-cost/rho) - (rho-1)*floats.Sum(g)
	s.Gap = (primal - dual) / primal
	s.Primal, s.Dual = primal*math.Exp(cost), dual*math.Exp(cost)
	return s
}
