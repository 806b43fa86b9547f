package norm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Structured returns the structured shared norm, [CSS16, (16)]: min ||A||_2->inf ||V||_F over all A
// V = U where A has one row per leaf and one column per node, with the entry a_n for the ancestors
// n of the leaf and 0 for others. u has one row per leaf, in the order of Taxonomy.Leaves. Its
// square is the smallest regularization term of the shared SVM, [CSS16, (14)], for these weights of
// leaves, with alpha_n = a_n^2.
//
// A step takes cubic time in the number of nodes. On trees and forests with more than 300 nodes it
// takes time proportional to the number of nodes times the number of columns, but needs more steps,
// and the relative gap may stay above 1e-9. If ctx is cancelled, it returns ctx's error and the
// bounds so far.
func Structured(ctx context.Context, u mat.Matrix, t *taxonomy.Taxonomy) (*Norm, error) {
	largest, err := check(u)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("norm: the structured shared norm needs a taxonomy")
	}
	if rows, _ := u.Dims(); rows != len(t.Leaves()) {
		return nil, fmt.Errorf("norm: the matrix has %d rows and the taxonomy %d leaves; give every leaf a row", rows, len(t.Leaves()))
	}
	if largest == 0 {
		return &Norm{}, nil
	}
	whole := scaled(u, largest)
	work, turn, err := rotated(whole)
	if err != nil {
		return nil, err
	}
	p := newPaths(work, t)
	if t.IsTree() && t.Len() > manyNodes {
		err = p.alternate(ctx)
	} else {
		err = p.solve(ctx)
	}
	p.best.turn(whole, turn)
	return p.best.rescale(largest), err
}

// paths is the problem that the square of the structured shared norm is the optimum of,
//
//	minimize h(alpha) = tr(U' G^-1 U),  G = B diag(alpha) B',  B_ln = 1 for the ancestors n of leaf l,
//
// over all alpha >= 0 whose sum over the ancestors of each leaf is 1. That is no less than at most
// 1, because the leaf's own weight can take what is left; it is not a variable therefore.
//
// Every Z bounds the square from below by <Z,U>^2 / max_alpha sum_n alpha_n ||(B'Z)_n||^2, and the
// maximum is at most the sum of any nu >= 0 with (B'nu)_n >= ||(B'Z)_n||^2. An interior-point
// method minimizes h - mu sum_n log(alpha_n) for mu tending to 0. At its minimizers Z = G^-1 U and
// nu_l = ||Z_l||^2 + mu/alpha_l prove a relative gap of mu times the number of nodes.
type paths struct {
	u        *mat.Dense
	taxonomy *taxonomy.Taxonomy
	inner    []int   // nodes that are not leaves
	below    [][]int // of every node: the leaves, by their position
	best     *Norm
}

func newPaths(u *mat.Dense, t *taxonomy.Taxonomy) *paths {
	p := &paths{u: u, taxonomy: t, below: make([][]int, t.Len())}
	for l, leaf := range t.Leaves() {
		for _, n := range t.Ancestors(leaf) {
			p.below[n] = append(p.below[n], l)
		}
	}
	for n := range t.Len() {
		if !t.IsLeaf(n) {
			p.inner = append(p.inner, n)
		}
	}
	own := make([]float64, t.Len())
	right := mat.NewDense(t.Len(), u.RawMatrix().Cols, nil)
	for l, leaf := range t.Leaves() {
		own[leaf] = 1
		right.SetRow(leaf, u.RawRowView(l))
	}
	p.best = &Norm{Value: mat.Norm(u, 2), Lower: longest(u), Left: p.factor(own), Right: right}
	return p
}

// factor returns A: a row a leaf with the square roots of its ancestors' alpha.
func (p *paths) factor(alpha []float64) *mat.Dense {
	a := mat.NewDense(len(p.taxonomy.Leaves()), len(alpha), nil)
	for n, leaves := range p.below {
		for _, l := range leaves {
			a.Set(l, n, math.Sqrt(alpha[n]))
		}
	}
	return a
}

// solve follows the minimizers until the gap is small enough or rounding permits no progress.
func (p *paths) solve(ctx context.Context) error {
	alpha := make([]float64, p.taxonomy.Len())
	depth := 1
	for _, leaf := range p.taxonomy.Leaves() {
		depth = max(depth, len(p.taxonomy.Ancestors(leaf)))
	}
	for _, n := range p.inner {
		alpha[n] = 1 / float64(depth)
	}
	p.fill(alpha)
	at, ok := p.at(alpha)
	if !ok {
		return nil
	}
	mu := at.value / float64(len(alpha))
	p.bound(at, mu)
	for ; mu > smallestMu*at.value; mu *= reduction {
		// Near the end the bound needs the multipliers, which are right at the centre only: the
		// centre then is found as well as rounding permits.
		last := mu*float64(len(alpha)) <= enough*at.value
		before := math.Inf(1)
		for range maxCentre {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.bound(at, mu)
			if p.best.Gap() <= enough {
				return nil
			}
			next, decrement, ok := p.step(at, mu)
			if !ok {
				break
			}
			at = next
			if decrement <= centred*mu && (!last || decrement > before/2) {
				break
			}
			before = decrement
		}
	}
	p.bound(at, mu)
	return nil
}

// fill gives every leaf the weight that its ancestors leave.
func (p *paths) fill(alpha []float64) {
	leaves := p.taxonomy.Leaves()
	for _, leaf := range leaves {
		alpha[leaf] = 1
	}
	for _, n := range p.inner {
		for _, l := range p.below[n] {
			alpha[leaves[l]] -= alpha[n]
		}
	}
}

// weights are a choice of alpha > 0 with what belongs to it.
type weights struct {
	alpha  []float64
	left   *mat.Dense // A
	root   mat.QR     // of A'; its triangle R has G = R'R
	right  *mat.Dense // R^-T U; h is its squared length
	value  float64    // h
	z      *mat.Dense // G^-1 U
	sums   *mat.Dense // B'Z
	lifted []float64  // ||(B'Z)_n||^2
}

func (p *paths) at(alpha []float64) (*weights, bool) {
	w := &weights{alpha: alpha, left: p.factor(alpha)}
	w.root.Factorize(w.left.T())
	r := p.triangle(w)
	w.right, w.z = new(mat.Dense), new(mat.Dense)
	if !solved(w.right.Solve(r.T(), p.u)) || !solved(w.z.Solve(r, w.right)) {
		return nil, false
	}
	w.value = inner(w.right, w.right)
	_, d := p.u.Dims()
	w.sums = mat.NewDense(len(alpha), d, nil)
	w.lifted = make([]float64, len(alpha))
	for n, leaves := range p.below {
		row := w.sums.RawRowView(n)
		for _, l := range leaves {
			floats.Add(row, w.z.RawRowView(l))
		}
		w.lifted[n] = floats.Dot(row, row)
	}
	return w, !math.IsNaN(w.value) && !math.IsInf(w.value, 0)
}

// triangle returns R.
func (p *paths) triangle(w *weights) *mat.TriDense {
	var r mat.Dense
	w.root.RTo(&r)
	q := p.u.RawMatrix().Rows
	t := mat.NewTriDense(q, mat.Upper, nil)
	for i := range q {
		for j := i; j < q; j++ {
			t.SetTri(i, j, r.At(i, j))
		}
	}
	return t
}

// solved reports whether a linear system has a solution, if only an inaccurate one.
func solved(err error) bool {
	var condition mat.Condition
	return err == nil || errors.As(err, &condition) && !math.IsInf(float64(condition), 1)
}

// bound improves the bounds by those of a point.
func (p *paths) bound(w *weights, mu float64) {
	if bound := inner(w.z, p.u) / math.Sqrt(p.largest(w, mu)); bound > p.best.Lower {
		p.best.Lower = bound
	}
	right := mat.DenseCopyOf(w.sums)
	for n, a := range w.alpha {
		floats.Scale(math.Sqrt(a), right.RawRowView(n))
	}
	if value := longest(w.left)*mat.Norm(right, 2) + residual(p.u, w.left, right); value < p.best.Value {
		p.best.Value, p.best.Left, p.best.Right = value, w.left, right
	}
}

// largest returns a bound of sum_n alpha_n lifted_n for all alpha; on trees, of which every node
// gives a path's weight to itself or to its children, the maximum.
func (p *paths) largest(w *weights, mu float64) float64 {
	t := p.taxonomy
	if t.IsTree() {
		best := make([]float64, t.Len())
		for _, n := range slices.Backward(t.Topological()) {
			for _, c := range t.Children(n) {
				best[n] += best[c]
			}
			best[n] = max(best[n], w.lifted[n])
		}
		var sum float64
		for _, r := range t.Roots() {
			sum += best[r]
		}
		return sum
	}
	var total, scale float64
	above := make([]float64, t.Len())
	nu := make([]float64, len(t.Leaves()))
	for l, leaf := range t.Leaves() {
		nu[l] = w.lifted[leaf] + mu/w.alpha[leaf]
		total += nu[l]
	}
	for n, leaves := range p.below {
		for _, l := range leaves {
			above[n] += nu[l]
		}
		scale = max(scale, w.lifted[n]/above[n])
	}
	return scale * total
}

// barrier returns h - mu sum log(alpha).
func (w *weights) barrier(mu float64) float64 {
	sum := w.value
	for _, a := range w.alpha {
		sum -= mu * math.Log(a)
	}
	return sum
}

// step takes a damped Newton step and returns the squared decrement at the point where it began.
// The variables are relative changes of the inner nodes' weights.
func (p *paths) step(w *weights, mu float64) (next *weights, decrement float64, ok bool) {
	direction, decrement, ok := p.newton(w, mu)
	if !ok || !(decrement > 0) {
		return nil, 0, false
	}
	change := make([]float64, len(w.alpha))
	leaves := p.taxonomy.Leaves()
	for k, n := range p.inner {
		change[n] = direction[k] * w.alpha[n]
		for _, l := range p.below[n] {
			change[leaves[l]] -= change[n]
		}
	}
	length := 1.0
	for n, c := range change {
		if c < 0 {
			length = min(length, -0.95*w.alpha[n]/c)
		}
	}
	before := w.barrier(mu)
	for range 30 {
		alpha := make([]float64, len(w.alpha))
		floats.AddScaledTo(alpha, w.alpha, length, change)
		if floats.Min(alpha) > 0 {
			if next, ok = p.at(alpha); ok && before-next.barrier(mu) >= 0.1*length*decrement-1e-13*math.Abs(before) {
				return next, decrement, true
			}
		}
		length /= 2
	}
	return nil, 0, false
}

// newton returns the relative change of the inner nodes' weights to the minimizer of the quadratic
// model. The derivatives of h by the weights of all nodes are -lifted and 2 (B'G^-1B o B'ZZ'B); a
// change of a node's weight changes those of the leaves below the other way.
func (p *paths) newton(w *weights, mu float64) (direction []float64, decrement float64, ok bool) {
	nodes, m := len(w.alpha), len(p.inner)
	if m == 0 {
		return nil, 0, false
	}
	leaves := p.taxonomy.Leaves()
	b := mat.NewDense(len(leaves), nodes, nil)
	for n, below := range p.below {
		for _, l := range below {
			b.Set(l, n, 1)
		}
	}
	var t, k, c mat.Dense
	if !solved(t.Solve(p.triangle(w).T(), b)) {
		return nil, 0, false
	}
	k.Mul(t.T(), &t)
	c.Mul(w.sums, w.sums.T())
	k.MulElem(&k, &c)
	k.Scale(2, &k)
	slope := make([]float64, nodes)
	for n, a := range w.alpha {
		k.Set(n, n, k.At(n, n)+mu/a/a)
		slope[n] = -w.lifted[n] - mu/a
	}
	reduce := func(dst, v []float64) {
		for i, n := range p.inner {
			dst[i] = v[n]
			for _, l := range p.below[n] {
				dst[i] -= v[leaves[l]]
			}
			dst[i] *= w.alpha[n]
		}
	}
	half := mat.NewDense(nodes, m, nil)
	for n := range nodes {
		reduce(half.RawRowView(n), k.RawRowView(n))
	}
	full := make([]float64, m)
	h := mat.NewSymDense(m, nil)
	for j := range m {
		reduce(full, mat.Col(nil, j, half))
		for i := 0; i <= j; i++ {
			h.SetSym(i, j, full[i])
		}
	}
	gradient := make([]float64, m)
	reduce(gradient, slope)
	var factor mat.Cholesky
	for raise := 1e-15; !factor.Factorize(h); raise *= 10 {
		if raise > 1e-3 {
			return nil, 0, false
		}
		for i := range m {
			h.SetSym(i, i, h.At(i, i)*(1+raise))
		}
	}
	step := mat.NewVecDense(m, nil)
	if !solved(factor.SolveVecTo(step, mat.NewVecDense(m, gradient))) {
		return nil, 0, false
	}
	step.ScaleVec(-1, step)
	direction = step.RawVector().Data
	return direction, -floats.Dot(direction, gradient), true
}
