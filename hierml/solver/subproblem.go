package solver

import (
	"cmp"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/structured"
)

// subproblem is the problem of one block on some of its competitors: maximise
// sum_k values[k] cost_k - 1/2 ||W||^2 over values >= 0 whose sum is at most
// limit, from the violations at the values it is given.
type subproblem struct {
	ids        []int32
	values     []float64
	violations []float64
	limit      float64

	// Directions of the competitors over the columns that any of them touches; those of competitor
	// k lie between border[k] and border[k+1].
	columns []int32 // of the problem
	slots   []int32 // by column of the problem, its position in columns; else -1
	border  []int
	entries []int32 // positions in columns
	weights []float64

	// scratch
	before     []float64
	dense      []float64
	products   []float64 // len(ids) rows
	thresholds []threshold
}

// threshold is the value at which the coefficient of a competitor becomes zero.
type threshold struct {
	at       float64
	inverse  float64 // 1/q, see divide
	position int
}

func newSubproblem(columns int) *subproblem {
	p := &subproblem{slots: make([]int32, columns)}
	for c := range p.slots {
		p.slots[c] = -1
	}
	return p
}

// load takes the competitors of block b and gathers their directions.
func (p *subproblem) load(o *structured.Oracle, b int, ids []int32, values []float64, step *structured.Step) {
	p.ids, p.values = append(p.ids[:0], ids...), append(p.values[:0], values...)
	p.limit = o.C(b)
	for _, c := range p.columns {
		p.slots[c] = -1
	}
	p.columns, p.entries, p.weights = p.columns[:0], p.entries[:0], p.weights[:0]
	p.border = append(p.border[:0], 0)
	for _, id := range ids {
		o.Direct(b, id, 1, step)
		columns, u := step.Take()
		for k, c := range columns {
			if p.slots[c] < 0 {
				p.slots[c] = int32(len(p.columns))
				p.columns = append(p.columns, c)
			}
			p.entries = append(p.entries, p.slots[c])
			p.weights = append(p.weights, u[k])
		}
		p.border = append(p.border, len(p.entries))
	}
	p.dense = zeros(p.dense, len(p.columns))
}

// zeros returns n zeros, in the space of v if there is enough.
func zeros(v []float64, n int) []float64 {
	v = slices.Grow(v[:0], n)[:n]
	clear(v)
	return v
}

// direction returns the direction of competitor k over the columns touched.
func (p *subproblem) direction(k int) (entries []int32, weights []float64) {
	lo, hi := p.border[k], p.border[k+1]
	return p.entries[lo:hi], p.weights[lo:hi]
}

// score finds the violations from the scores of the columns touched.
func (p *subproblem) score(o *structured.Oracle, b int, scores []float64) {
	p.violations = p.violations[:0]
	for k, id := range p.ids {
		v := o.Cost(b, id)
		entries, weights := p.direction(k)
		for j, e := range entries {
			v -= weights[j] * scores[e]
		}
		p.violations = append(p.violations, v)
	}
}

// spread returns how much the most violated competitor, or none, exceeds the least violated one, or
// none, with a coefficient to give away. It is zero at the optimum on these competitors (the KKT
// conditions).
func (p *subproblem) spread() float64 {
	most, least := 0.0, p.floor()
	for _, v := range p.violations {
		most = max(most, v)
	}
	return most - min(least, most)
}

// floor returns the smallest violation of a competitor with a coefficient, or of none if
// coefficients may grow at no other's cost.
func (p *subproblem) floor() float64 {
	least, rest := 0.0, p.limit
	first := true
	for k, a := range p.values {
		rest -= a
		if a > 0 && (first || p.violations[k] < least) {
			least, first = p.violations[k], false
		}
	}
	if rest > roundOff*p.limit || first {
		least = min(least, 0)
	}
	return least
}

// solve maximises until spread is at most tolerance, and exactly if the competitors have only one
// common column.
func (p *subproblem) solve(squaredNorm, tolerance float64) {
	p.before = append(p.before[:0], p.values...)
	switch {
	case squaredNorm == 0:
		p.jump()
	case p.separate():
		p.divide(squaredNorm)
	default:
		p.multiply()
		p.pairs(squaredNorm, tolerance)
	}
}

// change adds what solve has changed to a step and reports whether there is any.
func (p *subproblem) change(step *structured.Step) bool {
	changed := false
	for k, a := range p.values {
		if d := a - p.before[k]; d != 0 {
			changed = true
			entries, weights := p.direction(k)
			for j, e := range entries {
				step.Add(p.columns[e], d*weights[j])
			}
		}
	}
	return changed
}

// jump gives all to the most violated: the objective is linear.
func (p *subproblem) jump() {
	at := -1
	for k, v := range p.violations {
		p.values[k] = 0
		if v > 0 && (at < 0 || v > p.violations[at]) {
			at = k
		}
	}
	if at >= 0 {
		p.values[at] = p.limit
	}
}

// separate reports whether all directions have one and the same entry, the first, in common and one
// more of their own.
func (p *subproblem) separate() bool {
	if len(p.entries) != 2*len(p.ids) || len(p.columns) != len(p.ids)+1 {
		return false
	}
	for k := range p.ids {
		if p.border[k] != 2*k || p.entries[2*k] != p.entries[0] || p.weights[2*k] != p.weights[0] {
			return false
		}
	}
	return true
}

// divide solves the problem of separate competitors, whose directions have the inner products p,
// and p+q_k of one with itself [KSCHL08, section 3]. With A = ||x||^2, the sum s of the
// coefficients before and S after, the optimum has
//
//	a_k = max(0, (h_k - theta) / (A q_k)),  h_k = violation_k + A q_k a_k
//
// with theta = A p (S-s) if that makes S at most the limit, and otherwise the theta for which S is
// the limit.
func (p *subproblem) divide(squaredNorm float64) {
	shared := p.weights[0] * p.weights[0]
	var sum float64
	p.thresholds = p.thresholds[:0]
	for k, a := range p.values {
		own := p.weights[2*k+1] * p.weights[2*k+1]
		sum += a
		p.thresholds = append(p.thresholds, threshold{at: p.violations[k] + squaredNorm*own*a, inverse: 1 / own, position: k})
	}
	slices.SortFunc(p.thresholds, func(a, b threshold) int { return cmp.Compare(b.at, a.at) })
	theta := sweep(p.thresholds, shared, squaredNorm*sum)
	if total := p.distribute(theta, squaredNorm); total > p.limit {
		theta = sweep(p.thresholds, math.Inf(1), squaredNorm*p.limit)
		total = p.distribute(theta, squaredNorm)
		if !(total > 0) || math.IsInf(total, 1) { // A times the limit is lost in h: the objective is linear, up to rounding
			p.jump()
			return
		}
		for k := range p.values { // total is the limit up to rounding, which a small A magnifies
			p.values[k] *= p.limit / total
		}
	}
}

// sweep returns the theta for which theta = shared (sum over the competitors above it of
// (h_k-theta)/q_k - from), or, where shared is infinite, for which that sum is from.
func sweep(thresholds []threshold, shared, from float64) (theta float64) {
	var h, k float64
	for r, t := range thresholds {
		h += t.at * t.inverse
		k += t.inverse
		theta = (h - from) / (1/shared + k)
		if r+1 < len(thresholds) && thresholds[r+1].at <= theta {
			break
		}
	}
	return theta
}

// distribute sets the coefficients for theta and returns their sum.
func (p *subproblem) distribute(theta, squaredNorm float64) float64 {
	var sum float64
	for _, t := range p.thresholds {
		a := max(0, (t.at-theta)*t.inverse/squaredNorm)
		p.values[t.position] = a
		sum += a
	}
	return sum
}

// multiply computes the inner products of the directions.
func (p *subproblem) multiply() {
	n := len(p.ids)
	if cap(p.products) < n*n {
		p.products = make([]float64, 2*n*n)
	}
	p.products = p.products[:n*n]
	for k := range n {
		entries, weights := p.direction(k)
		for j, e := range entries {
			p.dense[e] = weights[j]
		}
		for l := range k + 1 {
			var sum float64
			others, theirs := p.direction(l)
			for j, e := range others {
				sum += theirs[j] * p.dense[e]
			}
			p.products[k*n+l], p.products[l*n+k] = sum, sum
		}
		for _, e := range entries {
			p.dense[e] = 0
		}
	}
}

// none stands for the part of the limit that no competitor has.
const none = -1

// pairs moves coefficients from the least violated to the most violated competitor, each by as much
// as is best, until the difference is at most tolerance.
func (p *subproblem) pairs(squaredNorm, tolerance float64) {
	n := len(p.ids)
	rest := p.limit
	for _, a := range p.values {
		rest -= a
	}
	const most = 30 // steps a competitor
	for range most * (n + 1) {
		to, from := none, none
		high, low := 0.0, 0.0
		found := rest > roundOff*p.limit
		for k, v := range p.violations {
			if v > high {
				to, high = k, v
			}
			if p.values[k] > 0 && (!found || v < low) {
				from, low, found = k, v, true
			}
		}
		if !found || high-low <= tolerance || to == from {
			break
		}
		var curvature float64
		if to != none {
			curvature += p.products[to*n+to]
		}
		if from != none {
			curvature += p.products[from*n+from]
		}
		available := rest
		if from != none {
			available = p.values[from]
			if to != none {
				curvature -= 2 * p.products[to*n+from]
			}
		}
		t := available
		if curvature *= squaredNorm; curvature*t > high-low {
			t = (high - low) / curvature
		}
		if to != none {
			p.values[to] += t
		} else {
			rest += t
		}
		if from != none {
			if p.values[from] -= t; t == available {
				p.values[from] = 0
			}
		} else if rest -= t; t == available {
			rest = 0
		}
		t *= squaredNorm
		for k := range p.violations {
			var d float64
			if to != none {
				d += p.products[to*n+k]
			}
			if from != none {
				d -= p.products[from*n+k]
			}
			p.violations[k] -= t * d
		}
	}
}
