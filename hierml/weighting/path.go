package weighting

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Path chooses the weights of [CSS16, (6)]: among all alpha >= 0 whose sum over the ancestors of
// every leaf, the leaf included, is 1, those with the smallest sum of alpha^Rho over all nodes.
// They are unique.
//
// With Rho near 1 nearly all weight goes to the nodes shared by many leaves: on a tree with one
// root the root's weight tends to 1, and at 1.1 little remains for the rest. As Rho grows the
// largest weights shrink. Directional prevents this concentration.
type Path struct {
	// Rho is the exponent, above 1. The default value is 2.
	Rho float64

	// T relaxes the sums of the paths to values from 1 to T: [CSS16, (8)], where T is 1.5. On
	// graphs in which a leaf has several parents with large weights, the other leaves of these
	// parents can then share more. On trees it changes nothing unless Directional is set. It must
	// be at least 1 and may be infinite; the default value is 1.
	T float64

	// Directional requires every node to have at least the weight of each of its parents, the last
	// constraint of [CSS16, (7)].
	Directional bool
}

// Solution has weights with their certificate.
type Solution struct {
	// Alpha has the weight of every node.
	Alpha []float64
	// Primal is the value of Alpha: the sum of Alpha^Rho, or that of [CSS16, (20)].
	Primal float64
	// Dual is a lower bound of the value of all feasible weights.
	Dual float64
	// Gap is (Primal-Dual)/Primal. Rounding may make it negative.
	Gap float64
	// PathError is the largest violation of the constraint on the sum of a path.
	PathError float64
}

// What Weights accepts.
const (
	maxGap       = 1e-8
	maxPathError = 1e-9
)

// Weights returns the weight of every node. It returns an error if Rho is at most 1 or T is less
// than 1. It also returns an error on a graph with several parents per node, or with Directional,
// if Rho is so large or so near to 1 that the weights cannot be computed to a relative gap of 1e-8.
// Trees and forests without Directional support all Rho above 1; weights below the range of float64
// are 0.
func (p Path) Weights(t *taxonomy.Taxonomy) ([]float64, error) {
	s, err := p.Solve(context.Background(), t)
	if err != nil {
		return nil, err
	}
	if (p.Directional || !t.IsTree()) && !s.accepted() {
		return nil, fmt.Errorf("weighting: the node weights for Rho %v have a relative gap of %.1e, more than %.0e, or path sums off by %.1e, more than %.0e; set a Rho nearer to 2",
			p.Rho, s.Gap, maxGap, s.PathError, maxPathError)
	}
	return s.Alpha, nil
}

// Solve returns the weights with their certificate. [CSS16, (6)] is solved in closed form on trees
// and tree-like parts. On graphs in which nodes overlap without one containing the other, it uses
// an interior-point method on the overlapping nodes. Their weights are accurate to about 1e-11 of
// the largest, less for a Rho of 10 and more; all others are accurate to nearly all digits. With
// Directional, and with T on graphs, all nodes are in the interior-point method. If ctx is
// cancelled, it returns ctx's error.
func (p Path) Solve(ctx context.Context, t *taxonomy.Taxonomy) (*Solution, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	rho, err := p.rho()
	if err != nil {
		return nil, err
	}
	limit, err := pathLimit(p.T)
	if err != nil {
		return nil, err
	}
	if p.Directional || limit > 1 && !t.IsTree() {
		return (&relaxed{t, rho, limit, p.Directional}).solve(ctx)
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
	s := certify(t, rho, whole.cost, logAlpha, a.nu)
	if t.IsTree() || s.accepted() {
		return s, nil
	}
	// Some graphs that defeat the method of overlapping nodes do not defeat the one of all nodes.
	other, err := (&relaxed{t, rho, 1, false}).solve(ctx)
	if err != nil {
		return nil, err
	}
	if other.accepted() {
		return other, nil
	}
	return s, nil
}

// accepted reports whether the weights are good enough for Weights.
func (s *Solution) accepted() bool { return math.Abs(s.Gap) <= maxGap && s.PathError <= maxPathError }

// rho returns the exponent or what is wrong with it.
func (p Path) rho() (float64, error) {
	if p.Rho == 0 {
		return 2, nil
	}
	if !(p.Rho > 1) || math.IsInf(p.Rho, 1) {
		return 0, fmt.Errorf("weighting: Rho is %v; it must be a finite number above 1, or 0 for the default value of 2", p.Rho)
	}
	return p.Rho, nil
}

// pathLimit returns the largest sum of a path that the field T stands for, or what is wrong with
// it.
func pathLimit(t float64) (float64, error) {
	if t == 0 {
		return 1, nil
	}
	if !(t >= 1) {
		return 0, fmt.Errorf("weighting: T is %v; it must be at least 1, or 0 for the default value of 1", t)
	}
	return t, nil
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
