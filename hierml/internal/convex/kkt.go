package convex

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// kkt is the linear system of a Newton step,
//
//	| D  A' | | dx |   | e |
//	| A  0  | |-dy | = | r |
//
// with D diagonal and positive, as a sparse factorization L diag(d) L' in an order found once. It
// is quasi-definite up to rounding: every order has pivots, if a row comes after at least one of
// its variables.
type kkt struct {
	p        *Problem
	n, m     int
	position []int32 // of every variable, then every row, in the order of elimination
	node     []int32 // the inverse

	// The permuted matrix's upper triangle without the diagonal, by columns.
	start  []int
	index  []int32
	values []float64

	// The factor: strictly lower triangle by columns, and the pivots.
	parent       []int32
	lstart, used []int
	lindex       []int32
	lvalues      []float64
	diagonal     []float64
	pivot        []float64

	work          []float64
	pattern, mark []int32
	rhs, residual []float64
}

func newKKT(p *Problem) *kkt {
	n, m := len(p.Cost), len(p.Rows)
	size := n + m
	k := &kkt{p: p, n: n, m: m, position: make([]int32, size)}
	neighbours := make([][]int32, size)
	for i, r := range p.Rows {
		for _, j := range r.Columns {
			neighbours[j] = append(neighbours[j], int32(n+i))
			neighbours[n+i] = append(neighbours[n+i], int32(j))
		}
		slices.Sort(neighbours[n+i])
	}
	k.node = order(neighbours, n)
	for at, v := range k.node {
		k.position[v] = int32(at)
	}
	k.arrange()
	k.analyse()
	k.diagonal, k.pivot = make([]float64, size), make([]float64, size)
	k.work, k.rhs, k.residual = make([]float64, size), make([]float64, size), make([]float64, size)
	k.pattern = make([]int32, size)
	return k
}

// arrange stores the permuted upper triangle.
func (k *kkt) arrange() {
	size := k.n + k.m
	k.start = make([]int, size+1)
	each := func(do func(row, column int32, v float64)) {
		for i, r := range k.p.Rows {
			for c, j := range r.Columns {
				a, b := k.position[j], k.position[k.n+i]
				do(min(a, b), max(a, b), r.Values[c])
			}
		}
	}
	each(func(_, column int32, _ float64) { k.start[column+1]++ })
	for c := range size {
		k.start[c+1] += k.start[c]
	}
	k.index, k.values = make([]int32, k.start[size]), make([]float64, k.start[size])
	next := slices.Clone(k.start)
	each(func(row, column int32, v float64) {
		k.index[next[column]], k.values[next[column]] = row, v
		next[column]++
	})
}

// analyse finds the elimination tree and the sizes of the factor's columns.
func (k *kkt) analyse() {
	size := k.n + k.m
	k.parent, k.mark = make([]int32, size), make([]int32, size)
	count := make([]int, size)
	for c := range size {
		k.parent[c], k.mark[c] = -1, int32(c)
		for _, i := range k.index[k.start[c]:k.start[c+1]] {
			for ; k.mark[i] != int32(c); i = k.parent[i] {
				if k.parent[i] < 0 {
					k.parent[i] = int32(c)
				}
				count[i]++
				k.mark[i] = int32(c)
			}
		}
	}
	k.lstart, k.used = make([]int, size+1), make([]int, size)
	for c := range size {
		k.lstart[c+1] = k.lstart[c] + count[c]
	}
	k.lindex, k.lvalues = make([]int32, k.lstart[size]), make([]float64, k.lstart[size])
}

// factorize computes the factor for the diagonal d of the variables. It returns false for a matrix
// that is not finite.
func (k *kkt) factorize(d []float64) bool {
	for c, v := range k.node {
		k.diagonal[c] = 0
		if int(v) < k.n {
			k.diagonal[c] = d[v]
		}
	}
	y := k.work
	for c := range k.node {
		top := len(k.pattern)
		k.mark[c] = int32(c)
		k.used[c] = 0
		for e := k.start[c]; e < k.start[c+1]; e++ {
			i := k.index[e]
			y[i] += k.values[e]
			length := 0
			for ; k.mark[i] != int32(c); i = k.parent[i] {
				k.pattern[length] = i
				length++
				k.mark[i] = int32(c)
			}
			for length > 0 {
				length--
				top--
				k.pattern[top] = k.pattern[length]
			}
		}
		pivot := k.diagonal[c]
		for ; top < len(k.pattern); top++ {
			i := k.pattern[top]
			v := y[i]
			y[i] = 0
			from, to := k.lstart[i], k.lstart[i]+k.used[i]
			for e := from; e < to; e++ {
				y[k.lindex[e]] -= k.lvalues[e] * v
			}
			l := v / k.pivot[i]
			pivot -= l * v
			k.lindex[to], k.lvalues[to] = int32(c), l
			k.used[i]++
		}
		// A pivot that rounding left without its sign, or at nothing, is replaced by one that makes
		// the direction stay put.
		if variable := int(k.node[c]) < k.n; variable && !(pivot > 0) {
			pivot = math.MaxFloat32
		} else if !variable && !(pivot < 0) {
			pivot = -math.MaxFloat32
		}
		k.pivot[c] = pivot
	}
	for _, v := range k.pivot {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// solve computes dx and dy with one step of refinement. It returns false for a result that is not
// finite.
func (k *kkt) solve(e, r, dx, dy []float64) bool {
	clear(dx)
	clear(dy)
	last := math.Inf(1)
	for range 3 {
		for j, v := range e {
			at := k.position[j]
			k.residual[at] = v - k.diagonal[at]*dx[j]
		}
		for i, row := range k.p.Rows {
			sum := r[i]
			for c, j := range row.Columns {
				sum -= row.Values[c] * dx[j]
				k.residual[k.position[j]] += row.Values[c] * dy[i]
			}
			k.residual[k.position[k.n+i]] = sum
		}
		if size := floats.Norm(k.residual, 2); !(size < 0.5*last) {
			break
		} else {
			last = size
		}
		copy(k.rhs, k.residual)
		k.substitute(k.rhs)
		for j := range dx {
			dx[j] += k.rhs[k.position[j]]
		}
		for i := range dy {
			dy[i] -= k.rhs[k.position[k.n+i]]
		}
	}
	return !math.IsNaN(floats.Sum(dx)+floats.Sum(dy)) && !math.IsInf(last, 0)
}

func (k *kkt) substitute(x []float64) {
	for c := range x {
		v := x[c]
		for e := k.lstart[c]; e < k.lstart[c+1]; e++ {
			x[k.lindex[e]] -= k.lvalues[e] * v
		}
	}
	for c := range x {
		x[c] /= k.pivot[c]
	}
	for c := len(x) - 1; c >= 0; c-- {
		v := x[c]
		for e := k.lstart[c]; e < k.lstart[c+1]; e++ {
			v -= k.lvalues[e] * x[k.lindex[e]]
		}
		x[c] = v
	}
}
