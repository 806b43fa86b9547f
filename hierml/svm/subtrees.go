package svm

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// This file cuts the problem of [HR] on a tree into subtrees, and finds the weights above the cut.
//
// With the weights above as they are, each subtree is a problem of its own, of the distance of its
// weights from those of the node it hangs from. With the weights w_r of the roots of the subtrees as
// they are, those above are the solution of a linear system: each is the mean of its neighbours', roots
// having zero for one. Gopal and Yang [GY13] go from one to the other and back. That is a map whose
// fixed point is the optimum, and a step of gradient descent, with the matrix of that system, of a
// smooth convex function of the weights above; where a node has many subtrees and the data tell little
// it goes on for hundreds of rounds. So a step takes the ones before into account (Anderson [WN11]).
//
// The coefficients of all subtrees are a point of the dual of the whole. It has for the nodes above
// S_n, the sum of u_r of the subtrees below n, and the gap of the whole is the gaps of the subtrees and
//
//	1/2 sum_n ||S_n - u_n||^2  over the nodes above.

// cut is a tree in subtrees.
type cut struct {
	tree   *taxonomy.Taxonomy
	above  []int       // nodes, parents first
	index  map[int]int // of a node above
	groups [][]int     // roots of subtrees, ascending, of groups with about as many leaves
}

// over returns the index of the node above that a node is a child of, -1 for a root.
func (c *cut) over(n int) int {
	if parents := c.tree.Parents(n); len(parents) > 0 {
		return c.index[parents[0]]
	}
	return -1
}

// hooks returns the nodes above that subtrees of a group hang from, by index, ascending.
func (c *cut) hooks(group int) []int {
	var hooks []int
	for _, r := range c.groups[group] {
		if k := c.over(r); k >= 0 {
			hooks = append(hooks, k)
		}
	}
	slices.Sort(hooks)
	return slices.Compact(hooks)
}

// cutTree cuts a tree, or several, into subtrees for so many groups, or for fewer where it has not so
// many leaves. A subtree has at most a half of a group's share of the leaves, if it is no leaf.
func cutTree(t *taxonomy.Taxonomy, groups int) *cut {
	leaves := make([]int, t.Len())
	order := t.Topological()
	for _, n := range slices.Backward(order) {
		if t.IsLeaf(n) {
			leaves[n] = 1
		}
		for _, p := range t.Parents(n) {
			leaves[p] += leaves[n]
		}
	}
	c := &cut{tree: t, index: make(map[int]int)}
	var roots []int
	whole := len(t.Leaves())
	for _, n := range order {
		if parents := t.Parents(n); len(parents) > 0 {
			if _, cut := c.index[parents[0]]; !cut {
				continue // in a subtree
			}
		}
		if groups > 1 && !t.IsLeaf(n) && 2*groups*leaves[n] > whole {
			c.index[n] = len(c.above)
			c.above = append(c.above, n)
		} else {
			roots = append(roots, n)
		}
	}
	slices.SortStableFunc(roots, func(a, b int) int { return cmp.Compare(leaves[b], leaves[a]) })
	c.groups = make([][]int, min(groups, len(roots)))
	loads := make([]int, len(c.groups))
	for _, r := range roots {
		least := slices.Index(loads, slices.Min(loads))
		c.groups[least], loads[least] = append(c.groups[least], r), loads[least]+leaves[r]
	}
	for _, g := range c.groups {
		slices.Sort(g)
	}
	return c
}

// remembered is the number of steps that a step takes into account.
const remembered = 5

// above are the weights of the nodes above the cut.
type above struct {
	parent []int // its index, -1 for a root
	wide   bool  // weights are kept in float64

	w [][]float64 // by index
	u [][]float64 // w less that of the parent, as it is kept

	system   mat.Cholesky
	couplets *mat.SymDense // of the edges among them, and of roots with zero

	taken []taken // the last steps
}

// taken is a step of the map, of the weights one after the other.
type taken struct {
	from, step []float64
	pull       []float64 // the system times the step
}

// newAbove returns zero weights.
func newAbove(c *cut, features int, wide bool) (*above, error) {
	n := len(c.above)
	a := &above{parent: make([]int, n), wide: wide, w: make([][]float64, n), u: make([][]float64, n)}
	if n == 0 {
		return a, nil
	}
	a.couplets = mat.NewSymDense(n, nil)
	add := func(i, j int, v float64) { a.couplets.SetSym(i, j, a.couplets.At(i, j)+v) }
	for k, node := range c.above {
		p := c.over(node)
		a.parent[k], a.w[k], a.u[k] = p, make([]float64, features), make([]float64, features)
		add(k, k, 1)
		if p >= 0 {
			add(p, p, 1)
			add(p, k, -1)
		}
	}
	whole := mat.NewSymDense(n, nil)
	whole.CopySym(a.couplets)
	for _, group := range c.groups {
		for _, r := range group {
			if p := c.over(r); p >= 0 {
				whole.SetSym(p, p, whole.At(p, p)+1)
			}
		}
	}
	if !a.system.Factorize(whole) {
		return nil, errors.New("the system of the weights above the subtrees is singular") // it dominates its diagonal
	}
	return a, nil
}

// values returns what the nodes above add to the value of the primal and to that of the dual, where
// those of the subtrees are added up with the weights above as they are. hanging has by index the sums
// of u_r of the subtrees that hang from it, at the point of the dual.
func (a *above) values(hanging [][]float64) (primal, dual float64) {
	sums := make([][]float64, len(a.w))
	for k := len(sums) - 1; k >= 0; k-- { // children first
		dual += floats.Dot(hanging[k], a.w[k])
		if sums[k] == nil {
			sums[k] = slices.Clone(hanging[k])
		} else {
			floats.Add(sums[k], hanging[k])
		}
		dual -= floats.Dot(sums[k], sums[k]) / 2
		primal += floats.Dot(a.u[k], a.u[k]) / 2
		if p := a.parent[k]; p >= 0 {
			if sums[p] == nil {
				sums[p] = make([]float64, len(sums[k]))
			}
			floats.Add(sums[p], sums[k])
		}
	}
	return primal, dual
}

// move moves the weights. pulled has by index the sums of u_r of the subtrees that hang from it. Where
// they are worse than those before, by the value of the whole, what the steps tell has led astray: it goes
// on from those that were not, by their step alone, which makes no weights worse.
func (a *above) move(pulled [][]float64, worse bool) error {
	n := len(a.w)
	if n == 0 {
		return nil
	}
	features := len(a.w[0])
	if worse {
		last := a.taken[len(a.taken)-1]
		a.taken = []taken{last}
		a.set(floats.AddTo(make([]float64, len(last.from)), last.from, last.step))
		return nil
	}
	// The step of the map is the solution with what pulls at the nodes.
	pull, w, step := mat.NewDense(n, features, nil), mat.NewDense(n, features, nil), mat.NewDense(n, features, nil)
	for k := range n {
		w.SetRow(k, a.w[k])
	}
	pull.Mul(a.couplets, w)
	for k := range n {
		floats.SubTo(pull.RawRowView(k), pulled[k], pull.RawRowView(k))
	}
	if err := a.system.SolveTo(step, pull); err != nil {
		return err
	}
	now := taken{w.RawMatrix().Data, step.RawMatrix().Data, pull.RawMatrix().Data}
	next := floats.AddTo(make([]float64, len(now.from)), now.from, now.step)
	for k, gamma := range a.combine(now) {
		for f := range next {
			next[f] -= gamma * (now.from[f] - a.taken[k].from[f] + now.step[f] - a.taken[k].step[f])
		}
	}
	if len(a.taken) == remembered {
		a.taken = a.taken[1:]
	}
	a.taken = append(a.taken, now)
	a.set(next)
	return nil
}

// combine returns the weights of what has changed since each of the steps before, with which the step
// that is now would be shortest, by the system; nil for none.
func (a *above) combine(now taken) []float64 {
	m := len(a.taken)
	if m == 0 {
		return nil
	}
	products, right := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	own := floats.Dot(now.step, now.pull)
	with := make([]float64, m) // the products with those before
	for i, t := range a.taken {
		with[i] = floats.Dot(t.step, now.pull)
	}
	var largest float64
	for i, t := range a.taken {
		right.SetVec(i, own-with[i])
		for j := i; j < m; j++ {
			products.SetSym(i, j, own-with[i]-with[j]+floats.Dot(t.step, a.taken[j].pull))
		}
		largest = max(largest, products.At(i, i))
	}
	const ridge = 1e-10
	for i := range m {
		products.SetSym(i, i, products.At(i, i)+ridge*largest)
	}
	var c mat.Cholesky
	var weights mat.VecDense
	if !c.Factorize(products) || c.SolveVecTo(&weights, right) != nil {
		return nil
	}
	if slices.ContainsFunc(weights.RawVector().Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		return nil
	}
	return weights.RawVector().Data
}

// set sets the weights, given one node after the other, to what they are as they are kept: by what they
// differ from the parent's.
func (a *above) set(w []float64) {
	for k := range a.w {
		for f := range a.w[k] {
			var base float64
			if p := a.parent[k]; p >= 0 {
				base = a.w[p][f]
			}
			u := w[k*len(a.w[k])+f] - base
			if !a.wide {
				u = float64(float32(u))
			}
			a.u[k][f], a.w[k][f] = u, base+u
		}
	}
}
