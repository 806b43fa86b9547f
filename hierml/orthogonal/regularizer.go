// Package orthogonal implements the regularizer of orthogonal transfer [ZXW11, (5)], which
// encourages the weight vector of a node to be orthogonal to those of its ancestors:
//
//	Omega(w) = 1/2 sum_ij K_ij |<w_i, w_j>|
//
// It is convex if the comparison matrix of K, K_ii on the diagonal and -K_ij elsewhere, is positive
// semidefinite [ZXW11, Theorem 1], and strongly convex with the smallest eigenvalue lambda_min as
// constant if that is positive [ZXW11, Corollary 2]. For any other K, [New] and [Descendants]
// return a [*ConvexityError], which says how far the off-diagonal entries must shrink.
//
// # Saddle form
//
// Omega is the largest of the quadratic forms 1/2 w'((K o S) (x) I)w over the symmetric S with
// entries in [-1, 1] and ones on the diagonal. Each of them is positive definite if the comparison
// matrix is, so that for fixed S a problem with this regularizer is a ridge problem in other
// weights, V = L'w with K o S = LL'. The dual value of any such ridge problem is a lower bound of
// the problem with Omega, and the largest over S is its optimum. [Signs] holds an S and finds the
// best one for weights in the dual.
package orthogonal

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Regularizer is Omega for one K, which is symmetric and has no negative entry. It is immutable and
// safe for concurrent use.
type Regularizer struct {
	diagonal  []float64
	parts     []part
	part      []int // of each node
	position  []int // of each node within its part
	lambdaMin float64
}

// part is a connected component of the graph whose edges are the entries of K beside the diagonal.
// Nodes with few of them come first: if the entries are those between nodes of a tree and all their
// ancestors, then no others come up when K o S is factored in this order.
type part struct {
	nodes []int32
	pairs []pair
}

// pair is an entry of K beside the diagonal, i and j by position in part.nodes.
type pair struct {
	i, j int
	k    float64
}

// ConvexityError says that Omega is not convex, or, for a caller that needs it to be, not strongly
// convex.
type ConvexityError struct {
	// LambdaMin is the smallest eigenvalue of the comparison matrix.
	LambdaMin float64
	// MaxAlpha is the largest alpha of [ZXW11, (6)] that makes the comparison matrix positive
	// semidefinite; every smaller one makes it positive definite. For a given K it is the largest
	// such factor of its off-diagonal entries.
	MaxAlpha float64

	alpha float64 // 0 for a given K
}

func (e *ConvexityError) Error() string {
	state := "not convex"
	if e.LambdaMin >= 0 {
		state = "not strongly convex"
	}
	remedy := fmt.Sprintf("alpha is %v; choose alpha below %.6g", e.alpha, e.MaxAlpha)
	if e.alpha == 0 {
		remedy = fmt.Sprintf("multiply the entries of K off the diagonal by less than %.6g", e.MaxAlpha)
	}
	return fmt.Sprintf("orthogonal: %s. The regularizer is %s: the smallest eigenvalue of the comparison matrix is %.6g", remedy, state, e.LambdaMin)
}

// Descendants returns the regularizer of [ZXW11, (6)]: K_ii is the number of descendants of i,
// itself included, and K_ij is alpha if one of the two nodes is above the other. With alpha = 1 it
// is convex exactly if the taxonomy has at most two levels. alpha = 0 leaves a diagonal K.
//
// Nodes in alone are not coupled to others. Pass a single root there: it has no siblings, so zero
// weights are optimal for any K, and without it a larger alpha is possible. The paper has no root
// among its nodes.
func Descendants(t *taxonomy.Taxonomy, alpha float64, alone ...int) (*Regularizer, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if !(alpha >= 0) || math.IsInf(alpha, 1) {
		return nil, fmt.Errorf("orthogonal: alpha is %v; it must be finite and not negative", alpha)
	}
	r := descendants(t, alpha, alone)
	if err := r.check(alpha); err != nil {
		return nil, err
	}
	return r, nil
}

// MaxAlpha returns the largest alpha of [ZXW11, (6)] for which the comparison matrix is positive
// semidefinite: the inverse of the largest eigenvalue of D^-1/2 B D^-1/2 with the descendants
// counted in D and B adjacent for nodes above each other, but for the nodes in alone. It is
// infinite for a taxonomy of one level.
func MaxAlpha(t *taxonomy.Taxonomy, alone ...int) float64 {
	return descendants(t, 1, alone).maxScale()
}

func descendants(t *taxonomy.Taxonomy, alpha float64, alone []int) *Regularizer {
	uncoupled := make([]bool, t.Len())
	for _, n := range alone {
		uncoupled[n] = true
	}
	diagonal := make([]float64, t.Len())
	var entries []entry
	for n := range diagonal {
		below := t.Descendants(n)
		diagonal[n] = float64(len(below))
		for _, m := range below {
			if m != n && alpha > 0 && !uncoupled[n] && !uncoupled[m] {
				entries = append(entries, entry{min(n, m), max(n, m), alpha})
			}
		}
	}
	return compose(diagonal, entries)
}

// New returns the regularizer of a given K, one row a node. K must be finite, nowhere negative, and
// positive on the diagonal.
func New(k mat.Symmetric) (*Regularizer, error) {
	n := k.SymmetricDim()
	diagonal := make([]float64, n)
	var entries []entry
	for i := range n {
		for j := i; j < n; j++ {
			v := k.At(i, j)
			if !(v >= 0) || math.IsInf(v, 1) || i == j && v == 0 {
				return nil, fmt.Errorf("orthogonal: K has %v in row %d, column %d; entries must be finite and not negative, and positive on the diagonal", v, i, j)
			}
			switch {
			case i == j:
				diagonal[i] = v
			case v > 0:
				entries = append(entries, entry{i, j, v})
			}
		}
	}
	r := compose(diagonal, entries)
	if err := r.check(0); err != nil {
		return nil, err
	}
	return r, nil
}

// rounding is the share of the largest K_ii that an eigenvalue may be below zero.
const rounding = 1e-12

// check measures convexity and returns a *ConvexityError if there is none. alpha is 0 for a given
// K; otherwise, the entries off the diagonal are alpha times those that the error's MaxAlpha is
// about.
func (r *Regularizer) check(alpha float64) error {
	r.lambdaMin = math.Inf(1)
	for _, p := range r.parts {
		r.lambdaMin = min(r.lambdaMin, p.lambdaMin(r.diagonal))
	}
	if !(r.lambdaMin >= -rounding*slices.Max(r.diagonal)) {
		return &ConvexityError{LambdaMin: r.lambdaMin, MaxAlpha: cmp.Or(alpha, 1) * r.maxScale(), alpha: alpha}
	}
	return nil
}

// entry is an entry of K beside the diagonal, i < j.
type entry struct {
	i, j int
	k    float64
}

// compose sorts the entries into connected components.
func compose(diagonal []float64, entries []entry) *Regularizer {
	root := make([]int, len(diagonal))
	for n := range root {
		root[n] = n
	}
	find := func(n int) int {
		for root[n] != n {
			root[n] = root[root[n]]
			n = root[n]
		}
		return n
	}
	degree := make([]int, len(diagonal))
	for _, e := range entries {
		a, b := find(e.i), find(e.j)
		root[max(a, b)] = min(a, b)
		degree[e.i]++
		degree[e.j]++
	}
	r := &Regularizer{diagonal: diagonal}
	r.part, r.position = make([]int, len(diagonal)), make([]int, len(diagonal))
	for n := range diagonal {
		if first := find(n); first == n {
			r.part[n] = len(r.parts)
			r.parts = append(r.parts, part{})
		} else {
			r.part[n] = r.part[first]
		}
		p := &r.parts[r.part[n]]
		p.nodes = append(p.nodes, int32(n))
	}
	for _, p := range r.parts {
		slices.SortStableFunc(p.nodes, func(n, m int32) int { return degree[n] - degree[m] })
		for k, n := range p.nodes {
			r.position[n] = k
		}
	}
	for _, e := range entries {
		p := &r.parts[r.part[e.i]]
		p.pairs = append(p.pairs, pair{r.position[e.i], r.position[e.j], e.k})
	}
	return r
}

// lambdaMin returns the smallest eigenvalue of the part's comparison matrix.
func (p *part) lambdaMin(diagonal []float64) float64 {
	if len(p.nodes) == 1 {
		return diagonal[p.nodes[0]]
	}
	comparison := mat.NewSymDense(len(p.nodes), nil)
	for i, node := range p.nodes {
		comparison.SetSym(i, i, diagonal[node])
	}
	for _, e := range p.pairs {
		comparison.SetSym(e.i, e.j, -e.k)
	}
	return eigenvalues(comparison)[0]
}

// maxScale returns the largest factor of the entries beside the diagonal that leaves the comparison
// matrix positive semidefinite.
func (r *Regularizer) maxScale() float64 {
	most := math.Inf(1)
	for _, p := range r.parts {
		if len(p.pairs) == 0 {
			continue
		}
		scaled := mat.NewSymDense(len(p.nodes), nil)
		for _, e := range p.pairs {
			scaled.SetSym(e.i, e.j, e.k/math.Sqrt(r.diagonal[p.nodes[e.i]]*r.diagonal[p.nodes[e.j]]))
		}
		most = min(most, 1/eigenvalues(scaled)[len(p.nodes)-1])
	}
	return most
}

// eigenvalues returns the eigenvalues, ascending; NaN if they can't be found.
func eigenvalues(a *mat.SymDense) []float64 {
	var e mat.EigenSym
	if !e.Factorize(a, false) {
		values := make([]float64, a.SymmetricDim())
		for i := range values {
			values[i] = math.NaN()
		}
		return values
	}
	return e.Values(nil)
}

// Len returns the number of nodes.
func (r *Regularizer) Len() int { return len(r.diagonal) }

// Parts returns the number of parts in which K couples nodes, directly or over others; a node alone
// is one.
func (r *Regularizer) Parts() int { return len(r.parts) }

// LambdaMin returns the smallest eigenvalue of the comparison matrix, the constant of strong
// convexity of Omega.
func (r *Regularizer) LambdaMin() float64 { return r.lambdaMin }

// Strong returns a *ConvexityError if Omega is not strongly convex.
func (r *Regularizer) Strong() error {
	if r.lambdaMin > 1e3*rounding*slices.Max(r.diagonal) {
		return nil
	}
	return &ConvexityError{LambdaMin: max(r.lambdaMin, 0), MaxAlpha: r.maxScale()}
}

// K returns the matrix.
func (r *Regularizer) K() *mat.SymDense {
	k := mat.NewSymDense(len(r.diagonal), nil)
	for n, v := range r.diagonal {
		k.SetSym(n, n, v)
	}
	for _, p := range r.parts {
		for _, e := range p.pairs {
			k.SetSym(int(p.nodes[e.i]), int(p.nodes[e.j]), e.k)
		}
	}
	return k
}

// Value returns Omega at w, which has a row a node.
func (r *Regularizer) Value(w *mat.Dense) float64 {
	var sum float64
	for n, k := range r.diagonal {
		sum += k * dot(w.RawRowView(n), w.RawRowView(n)) / 2
	}
	for _, p := range r.parts {
		for _, e := range p.pairs {
			sum += e.k * math.Abs(dot(w.RawRowView(int(p.nodes[e.i])), w.RawRowView(int(p.nodes[e.j]))))
		}
	}
	return sum
}

// Subgradient sets dst to the subgradient of Omega at w that [ZXW11, Theorem 4] gives: in row i,
// K_ii w_i plus K_ij w_j times the sign of <w_i, w_j> over all j, where the sign of zero is zero.
func (r *Regularizer) Subgradient(dst, w *mat.Dense) {
	for n, k := range r.diagonal {
		row := dst.RawRowView(n)
		for f, v := range w.RawRowView(n) {
			row[f] = k * v
		}
	}
	for _, p := range r.parts {
		for _, e := range p.pairs {
			i, j := int(p.nodes[e.i]), int(p.nodes[e.j])
			wi, wj := w.RawRowView(i), w.RawRowView(j)
			k := e.k
			switch product := dot(wi, wj); {
			case product == 0:
				continue
			case product < 0:
				k = -k
			}
			add(dst.RawRowView(i), k, wj)
			add(dst.RawRowView(j), k, wi)
		}
	}
}

func dot(a, b []float64) float64 {
	var sum float64
	b = b[:len(a)]
	for k, v := range a {
		sum += v * b[k]
	}
	return sum
}

func add(dst []float64, scale float64, a []float64) {
	dst = dst[:len(a)]
	for k, v := range a {
		dst[k] += scale * v
	}
}
