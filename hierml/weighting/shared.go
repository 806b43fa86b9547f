package weighting

import (
	"context"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/internal/convex"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Shared chooses the weights of the shared SVM for given predictors, [CSS16, (20)], which minimize
//
//	sum_n Squares_n / alpha_n  with alpha >= 0 and a sum of at most 1 on every path,
//
// where Squares has ||U_n||^2 for every node and 0/0 is 0. Weights are unique where Squares is not
// 0. Elsewhere inner nodes get 0, and leaves what their path has left.
type Shared struct {
	// Squares has a number for every node, 0 or more.
	Squares []float64
}

// Weights returns the weight of every node. It returns an error if Squares has a wrong length or a
// number that is negative or not finite, or if the weights cannot be computed to a relative gap of
// 1e-8.
func (p Shared) Weights(t *taxonomy.Taxonomy) ([]float64, error) {
	s, err := p.Solve(context.Background(), t)
	if err != nil {
		return nil, err
	}
	if !(s.Gap <= maxGap) {
		return nil, fmt.Errorf("weighting: the shared weights have a relative gap of %.1e, more than %.0e", s.Gap, maxGap)
	}
	return s.Alpha, nil
}

// Solve returns the weights, whose Primal is the value of [CSS16, (20)], with their certificate.
// Trees, forests and tree parts of graphs are solved in closed form, with a corrected [CSS16,
// Algorithm 1]; the rest of a graph is solved by an interior-point method. The bound is, for any nu
// >= 0 of leaves,
//
//	(sum_n sqrt(Squares_n g_n))^2 / sum_l nu_l,  g_n the sum of nu_l over the leaves below n.
func (p Shared) Solve(ctx context.Context, t *taxonomy.Taxonomy) (*Solution, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if len(p.Squares) != t.Len() {
		return nil, fmt.Errorf("weighting: %d squared norms for %d nodes; give one per node", len(p.Squares), t.Len())
	}
	f := newSharing(t)
	var largest float64
	for v, c := range p.Squares {
		if !(c >= 0) || math.IsInf(c, 1) {
			return nil, fmt.Errorf("weighting: the squared norm of node %q is %v; it must be a finite number, 0 or more", t.Name(v), c)
		}
		f.norm[v] = math.Sqrt(c)
		largest = max(largest, f.norm[v])
	}
	if largest > 0 {
		for v := range f.norm {
			f.norm[v] /= largest
		}
	}
	f.collapse()
	if err := f.overlap(ctx); err != nil {
		return nil, err
	}
	f.spread()
	s := f.certify()
	if !(s.Gap <= 1e-12) {
		f.blend()
		s = f.certify()
	}
	s.Primal *= largest * largest
	s.Dual *= largest * largest
	return s, nil
}

// sharing is a problem of Shared. Below a node whose descendants all have one parent, and which
// leaves the weight r to share between itself and them, the smallest value is total^2/r; the node
// takes the fraction norm/total.
type sharing struct {
	t     *taxonomy.Taxonomy
	norm  []float64
	total []float64
	// the node and all below it form a tree in which only the node's own parents may be several
	pure  []bool
	alpha []float64 // weights
	rest  []float64 // what a node leaves to its children, in trees
	nu    []float64 // multipliers of the paths below, in trees
}

func newSharing(t *taxonomy.Taxonomy) *sharing {
	n := t.Len()
	return &sharing{t, make([]float64, n), make([]float64, n), make([]bool, n), make([]float64, n), make([]float64, n), make([]float64, n)}
}

// collapse computes the totals of trees, children before parents.
func (f *sharing) collapse() {
	order := f.t.Topological()
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		f.pure[v] = true
		var below float64
		for _, c := range f.t.Children(v) {
			f.pure[v] = f.pure[v] && f.pure[c] && len(f.t.Parents(c)) == 1
			below += f.total[c] * f.total[c]
		}
		f.total[v] = f.norm[v] + math.Sqrt(below)
	}
}

// top reports whether v is the root of such a tree that is not part of a larger one.
func (f *sharing) top(v int) bool {
	return f.pure[v] && (len(f.t.Parents(v)) != 1 || !f.pure[f.t.Parents(v)[0]])
}

// overlap gives the nodes that are not in trees their weights, and the roots of trees the amounts
// and the multipliers for all below them, in rest and nu.
func (f *sharing) overlap(ctx context.Context) error {
	var tops []int
	taken := false
	for v := range f.t.Len() {
		if f.top(v) {
			tops = append(tops, v)
			f.rest[v], f.nu[v] = 1, f.total[v]*f.total[v]
			taken = taken || len(f.t.Parents(v)) > 0
		}
	}
	if !taken {
		return nil
	}
	p := &convex.Problem{}
	var start []float64
	variable := func(cost float64) int {
		p.Cost, p.Power, start = append(p.Cost, cost), append(p.Power, -1), append(start, 0)
		return len(start) - 1
	}
	// A node that has no share in anything has no variable.
	column := make([]int, f.t.Len())
	longest := 0
	for v := range column {
		size := f.norm[v]
		if f.top(v) {
			size = f.total[v]
		} else if f.pure[v] {
			size = 0
		}
		column[v] = -1
		if size > 0 {
			column[v] = variable(size * size)
		}
	}
	shared := len(start)
	rows := make(map[string]int)
	at := make([]int, len(tops))
	for i, v := range tops {
		var columns []int
		for _, u := range f.t.Ancestors(v) {
			if column[u] >= 0 {
				columns = append(columns, column[u])
			}
		}
		at[i] = -1
		if len(columns) == 0 {
			continue
		}
		longest = max(longest, len(columns))
		key := fmt.Sprint(columns)
		if _, ok := rows[key]; !ok {
			rows[key] = len(p.Rows)
			p.Rows, p.B = append(p.Rows, convex.Sum(append(columns, variable(0))...)), append(p.B, 1)
		} else {
			continue
		}
		at[i] = rows[key]
	}
	if shared == 0 {
		return nil
	}
	for j := range shared {
		start[j] = 0.5 / float64(longest)
	}
	for _, r := range p.Rows {
		left := 1.0
		for _, j := range r.Columns[:len(r.Columns)-1] {
			left -= start[j]
		}
		start[r.Columns[len(r.Columns)-1]] = left
	}
	found, err := convex.Solve(ctx, p, start)
	if err != nil {
		return err
	}
	for v, j := range column {
		if j >= 0 && !f.top(v) {
			f.alpha[v] = found.X[j]
		}
	}
	for i, v := range tops {
		f.rest[v] = 1
		for _, u := range f.t.Ancestors(v) {
			if u != v {
				f.rest[v] -= f.alpha[u]
			}
		}
		f.rest[v], f.nu[v] = max(f.rest[v], 0), 0
		if at[i] >= 0 {
			f.nu[v] = max(-found.Y[at[i]], 0)
		}
		if j := column[v]; j >= 0 && !(f.rest[v] > 0) {
			f.rest[v] = found.X[j]
		}
	}
	return nil
}

// spread divides the amounts and multipliers of the roots of trees among the trees.
func (f *sharing) spread() {
	for _, v := range f.t.Topological() {
		if !f.pure[v] {
			continue
		}
		if !f.top(v) {
			p := f.t.Parents(v)[0]
			f.rest[v] = f.rest[p]
			if below := f.total[p] - f.norm[p]; below > 0 {
				f.nu[v] = f.nu[p] * (f.total[v] / below) * (f.total[v] / below)
			} else {
				f.nu[v] = f.nu[p] / float64(len(f.t.Children(p)))
			}
		}
		switch {
		case f.t.IsLeaf(v):
			f.alpha[v] = f.rest[v]
			continue
		case f.total[v] > 0:
			f.alpha[v] = f.rest[v] * (f.norm[v] / f.total[v])
		}
		f.rest[v] -= f.alpha[v]
	}
}

// blend takes a little from all weights for those of nodes that rounding left without any.
func (f *sharing) blend() {
	const little = 1e-13
	var longest float64
	for _, l := range f.t.Leaves() {
		longest = max(longest, float64(len(f.t.Ancestors(l))))
	}
	for v, n := range f.norm {
		if n > 0 {
			f.alpha[v] = (1-little)*f.alpha[v] + little/longest
		}
	}
}

// certify scales weights whose paths are longer than 1 by rounding, and computes value and bound.
func (f *sharing) certify() *Solution {
	s := &Solution{Alpha: f.alpha}
	below := make([]float64, f.t.Len())
	var longest, multipliers, roots float64
	for _, l := range f.t.Leaves() {
		var sum float64
		for _, v := range f.t.Ancestors(l) {
			below[v] += f.nu[l]
			sum += f.alpha[v]
		}
		longest = max(longest, sum)
		multipliers += f.nu[l]
	}
	for v, n := range f.norm {
		if longest > 1 {
			f.alpha[v] /= longest
		}
		if n > 0 {
			s.Primal += n * n / f.alpha[v]
			roots += n * math.Sqrt(below[v])
		}
	}
	if s.Primal > 0 {
		if multipliers > 0 {
			s.Dual = roots * roots / multipliers
		}
		s.Gap = (s.Primal - s.Dual) / s.Primal
	}
	return s
}

// Split returns the weights that divide each of the amounts equally among a class of nodes, for n
// nodes. If the weights of a minimal graph are divided in this way among the duplicates of its
// nodes, the normalized SVM is that on the minimal graph: the same predictor with the same
// objective. This part of [CSS16, Theorem 1] holds for any weights. Its claim that the weights of
// Path tend to these as Rho tends to 1 does not hold, because Path gives a class of several nodes
// more than a single node.
func Split(n int, classes [][]int, amounts []float64) ([]float64, error) {
	if len(classes) != len(amounts) {
		return nil, fmt.Errorf("weighting: %d classes and %d amounts; give one for each", len(classes), len(amounts))
	}
	alpha := make([]float64, n)
	taken := make([]bool, n)
	for i, class := range classes {
		for _, v := range class {
			if v < 0 || v >= n || taken[v] {
				return nil, fmt.Errorf("weighting: class %d has node %d, which is not one of 0 to %d, or is in two classes", i, v, n-1)
			}
			taken[v] = true
			alpha[v] = amounts[i] / float64(len(class))
		}
	}
	return alpha, nil
}
