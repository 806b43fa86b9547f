package solver

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// If the weights b of some columns are not penalized, the dual has the constraint that v_y sums to
// zero over the tasks that have the column: otherwise the minimum over b would be minus infinity.
// Sweeps instead solve the tasks with a penalty on the distance from a center,
//
//	1/2 ||p||^2  with b = center + reach p,
//
// so free columns are like others. Whenever that problem is solved better than the original one,
// the center moves to b. This is the proximal point method, in the dual the method of multipliers
// [Roc76]. The center moves further in the same direction while the gap falls [Gul92].
//
// The certificate is that of the original problem. Its primal value does not include the penalty.
// Its dual value is that of nearby coefficients that satisfy the constraint: a projection, which is
// a concave problem with one variable per feature, whose gradient is the residual of the
// constraint.

// free has the columns without a penalty.
type free struct {
	centers    [][]float64 // by column; nil for others
	placed     [][]float64 // b at the last certificate
	bestPlaced [][]float64 // b of the best weights
	members    [][]int     // tasks that have the column
	// by task, whether no other task has its free column; then the optimal weights of the task's
	// other columns are zeros, which are left out
	alone    []bool
	before   [][]float64 // b when the centers last moved
	momentum float64     // of the moves since the gap last rose
	moved    float64     // primal minus dual value when the centers last moved
	reach    []float64   // by column
}

// The reach is a compromise: with a larger reach the centers need fewer moves, and the tasks more
// sweeps for each. A column of a single task need not wait for others, so its reach doubles with
// each move. The centers move when the gap of the problem with the penalty is at most the share
// nearer of the gap without.
const firstReach, longestReach, nearer = 2, 1 << 20, 0.3

func (t *tasks) newFree() error {
	columns, candidates := len(t.Attributes.Columns()), len(t.alpha)
	t.free = free{
		centers: make([][]float64, columns), placed: make([][]float64, columns), bestPlaced: make([][]float64, columns),
		members: make([][]int, columns), before: make([][]float64, columns), reach: make([]float64, columns), alone: make([]bool, candidates), momentum: 1, moved: math.Inf(1),
	}
	for y := range candidates {
		nodes, values := t.Attributes.Leaf(y)
		found := false
		for k, n := range nodes {
			if _, is := slices.BinarySearch(t.Free, n); !is {
				continue
			}
			const rounding = 1e-9
			if found || math.Abs(values[k]-1) > rounding {
				return fmt.Errorf("solver: task %d has the attribute %v at the free node %d; it must have one free node, with an attribute of 1", y, values[k], n)
			}
			found = true
			c := t.Attributes.Column(n)
			t.members[c], t.reach[c] = append(t.members[c], y), firstReach
			if t.centers[c] == nil {
				t.centers[c], t.bestPlaced[c], t.before[c] = make([]float64, len(t.weights)), make([]float64, len(t.weights)), make([]float64, len(t.weights))
			}
		}
	}
	for _, members := range t.members {
		if len(members) == 1 {
			t.alone[members[0]] = true
		}
	}
	return nil
}

// place finds b.
func (t *tasks) place() {
	t.placed = make([][]float64, len(t.centers))
	for c, center := range t.centers {
		if center != nil {
			t.placed[c] = floats.AddScaledTo(make([]float64, len(center)), center, t.reach[c], t.shared[c])
		}
	}
}

// move moves the centers to b.
func (t *tasks) move() {
	gap := t.reached.Primal - t.reached.Dual
	if gap > t.moved {
		t.momentum = 1
	}
	next := (1 + math.Sqrt(1+4*t.momentum*t.momentum)) / 2
	further := (t.momentum - 1) / next
	t.momentum = next
	for c, center := range t.centers {
		if center != nil {
			floats.SubTo(center, t.placed[c], t.before[c])
			floats.Scale(further, center)
			floats.Add(center, t.placed[c])
			copy(t.before[c], t.placed[c])
			if len(t.members[c]) == 1 && t.reach[c] < longestReach {
				t.reach[c] *= 2
				floats.Scale(2, t.shared[c])
			}
		}
	}
	t.moved = gap
	for y := range t.gap { // those with the center before
		t.gap[y] = math.Inf(1)
	}
}

// dual returns a lower bound of the optimum, from a point or one near it, and whether the centers
// are the reason for its distance from the primal value.
func (t *tasks) dual(ctx context.Context, p dualPoint, primal float64) (value float64, near bool) {
	value, sums := t.penalized(p)
	if !slices.ContainsFunc(t.centers, func(center []float64) bool { return center != nil }) {
		return value, false
	}
	gap := primal - value // of the problem with the penalty
	alpha := slices.Clone(t.alpha)
	for c, center := range t.centers {
		if center != nil {
			gap += (floats.Dot(t.shared[c], t.shared[c])+floats.Dot(sums[c], sums[c]))/2 + floats.Dot(center, sums[c])/t.reach[c]
		}
	}
	found := make([]float64, len(t.centers)) // residual of the constraint
	guarded.Each(len(t.centers), t.settings.Workers, func(c int) {
		if t.centers[c] != nil {
			found[c] = t.balance(ctx, c, alpha)
		}
	})
	balanced := t.dualPoint(ctx, alpha)
	if ctx.Err() != nil { // of all tasks, or of none
		balanced = dualPoint{make([][]float64, len(alpha)), make([]float64, len(alpha))}
		clear(found)
	}
	value, _ = t.penalized(balanced)
	for c, left := range found {
		if left > 0 { // by rounding
			value -= left * floats.Norm(t.placed[c], 2)
		}
	}
	return value, gap <= nearer*(primal-value)
}

// balance replaces the coefficients of the tasks that have a free column by nearby ones whose v sum
// to zero, and returns the norm of the sum. It moves those between the bounds, if that is not
// enough all; if that also fails, it sets them to zero.
func (t *tasks) balance(ctx context.Context, c int, alpha []*Coefficients) float64 {
	for _, floor := range []float64{0, 1} {
		b := newBalance(t, t.members[c], floor)
		if b.solve(ctx) {
			for k, y := range b.members {
				alpha[y] = newCoefficients(t.C, b.coefficients(k))
			}
			return floats.Norm(b.sum, 2)
		}
	}
	for _, y := range t.members[c] {
		alpha[y] = &Coefficients{C: t.C}
	}
	return 0
}

// balance is a projection on the dual points whose v sum to zero over some tasks:
//
//	min sum_iy (a_iy - alpha_iy)^2 / (2 weight_iy)  subject to  sum_iy a_iy s_iy x_i = 0,  0 <= a_iy <= bound
//
// With a Lagrange multiplier z per feature, a_iy is alpha_iy - weight_iy s_iy <z, x_i>, clipped to
// the bounds, and Newton's method maximizes the dual, whose gradient is the sum. The weights follow
// from the curvature of the loss: coefficients at a bound stay there, unless a floor is given.
type balance struct {
	t       *tasks
	members []int
	floor   float64
	mass    float64 // sum of the norms of the summands

	z, sum []float64
	score  []float64 // <z, x_i>
	move   []float64 // by example, sum_y a_iy s_iy
	second []float64 // by example, sum of the weights of unclipped coefficients
	newton newtonStep
}

// The sum counts as zero below a share of the norms of its terms, or a larger share if rounding
// prevents that; the features themselves are in float32.
const exact, nearlyExact = 1e-13, 1e-10

func newBalance(t *tasks, members []int, floor float64) *balance {
	n := t.Inputs.Len()
	b := &balance{
		t: t, members: members, floor: floor, z: make([]float64, len(t.weights)), sum: make([]float64, len(t.weights)),
		score: make([]float64, n), move: make([]float64, n), second: make([]float64, n),
	}
	b.newton.size(len(t.weights))
	for _, y := range members {
		for k, i := range t.alpha[y].Examples {
			b.mass += t.alpha[y].Values[k] * math.Sqrt(t.Inputs.SquaredNorm(int(i)))
		}
	}
	return b
}

// weight returns the weight of a coefficient.
func (b *balance) weight(i int, alpha float64) float64 {
	c := b.t.cost(int32(i))
	switch {
	case b.t.Loss == Logistic:
		return max(alpha*(c-alpha)/c, b.floor*c/4)
	case alpha > 0 && alpha < b.t.Loss.bound(c):
		return 1
	}
	return b.floor
}

// each calls do for the examples whose coefficients of a task can move or are not zero.
func (b *balance) each(y int, do func(i int, sign, alpha float64)) {
	positive, own := b.t.Positive[y], b.t.alpha[y]
	at := 0
	visit := func(i int, alpha float64) {
		for at < len(positive) && int(positive[at]) < i {
			at++
		}
		sign := -1.0
		if at < len(positive) && int(positive[at]) == i {
			sign = 1
		}
		do(i, sign, alpha)
	}
	k := 0
	if b.floor == 0 {
		for ; k < len(own.Examples); k++ {
			visit(int(own.Examples[k]), own.Values[k])
		}
		return
	}
	for i := range b.t.Inputs.Len() {
		alpha := 0.0
		if k < len(own.Examples) && int(own.Examples[k]) == i {
			alpha = own.Values[k]
			k++
		}
		visit(i, alpha)
	}
}

// moved returns a coefficient under the current multipliers, and whether it is between the bounds.
func (b *balance) moved(i int, sign, alpha, weight float64) (a float64, between bool) {
	bound := b.t.Loss.bound(b.t.cost(int32(i)))
	a = alpha - weight*sign*b.score[i]
	return min(max(a, 0), bound), a > 0 && a < bound
}

// evaluate finds the sum, and returns the value of the dual.
func (b *balance) evaluate() (value float64) {
	x := b.t.Inputs.Matrix()
	for i := range x.Rows {
		features, values := x.Row(i)
		b.score[i] = dot(b.z, features, values)
	}
	clear(b.move)
	clear(b.second)
	for _, y := range b.members {
		b.each(y, func(i int, sign, alpha float64) {
			weight := b.weight(i, alpha)
			if weight == 0 {
				b.move[i] += sign * alpha
				value += alpha * sign * b.score[i]
				return
			}
			a, between := b.moved(i, sign, alpha, weight)
			if between {
				b.second[i] += weight
			}
			b.move[i] += sign * a
			value += (a-alpha)*(a-alpha)/(2*weight) + a*sign*b.score[i]
		})
	}
	clear(b.sum)
	for i, m := range b.move {
		if m != 0 {
			features, values := x.Row(i)
			add(b.sum, m, features, values)
		}
	}
	return value
}

// solve finds the multipliers, and reports whether the sum is zero up to rounding.
func (b *balance) solve(ctx context.Context) bool {
	const rounds, halvings, promised, falls = 200, 10, 1e-4, 0.9
	const leastRidge, mostRidge, more = 1e-10, 1e6, 1000
	if ctx.Err() != nil {
		return false
	}
	value, ridge := b.evaluate(), leastRidge
	before := make([]float64, len(b.z))
	for range rounds {
		norm := floats.Norm(b.sum, 2)
		if norm <= exact*b.mass {
			break
		}
		if ctx.Err() != nil || !b.direct(ridge) {
			return false
		}
		copy(before, b.z)
		slope := floats.Dot(b.sum, b.newton.step)
		rises := false
		for length, k := 1.0, 0; k < halvings && !rises && ctx.Err() == nil; length, k = length/2, k+1 {
			floats.AddScaledTo(b.z, before, length, b.newton.step)
			after := b.evaluate()
			if rises = after-value >= promised*length*slope && after > value || floats.Norm(b.sum, 2) < falls*norm; rises {
				value = after
			}
		}
		switch {
		case rises:
			ridge = max(ridge/more, leastRidge)
		case ridge < mostRidge:
			ridge *= more
			copy(b.z, before)
			b.evaluate()
		default:
			copy(b.z, before)
			b.evaluate()
			return floats.Norm(b.sum, 2) <= nearlyExact*b.mass
		}
	}
	return floats.Norm(b.sum, 2) <= nearlyExact*b.mass
}

// direct finds the step that makes the sum vanish if no coefficient reaches or leaves a bound. The
// ridge, of the largest curvature, keeps it short in features that no coefficient moves.
func (b *balance) direct(ridge float64) bool {
	s, x := &b.newton, b.t.Inputs.Matrix()
	clear(s.diagonal)
	for i, h := range b.second {
		if h > 0 {
			features, values := x.Row(i)
			for k, f := range features {
				s.diagonal[f] += h * float64(values[k]) * float64(values[k])
			}
		}
	}
	least := ridge * floats.Max(s.diagonal)
	if !(least > 0) {
		return false
	}
	floats.AddConst(least, s.diagonal)
	floats.ScaleTo(s.gradient, -1, b.sum)
	_ = s.find(func() bool { return true }, func(v, dst []float64) error {
		floats.ScaleTo(dst, least, v)
		for i, h := range b.second {
			if h > 0 {
				features, values := x.Row(i)
				add(dst, h*dot(v, features, values), features, values)
			}
		}
		return nil
	})
	return true
}

// coefficients returns the coefficients of a member, by example.
func (b *balance) coefficients(member int) []float64 {
	a := make([]float64, b.t.Inputs.Len())
	b.each(b.members[member], func(i int, sign, alpha float64) {
		if a[i] = alpha; b.weight(i, alpha) > 0 {
			a[i], _ = b.moved(i, sign, alpha, b.weight(i, alpha))
		}
	})
	return a
}

// stretch returns the multiple of the weights at which no example has a loss, by the least margin
// of each task and by the norms of the columns, and reports whether there is one. If examples can
// be separated without any penalty, the optimum is zero, and sweeps alone would approach it for
// ever.
func (t *tasks) stretch(values []taskValues, norms []float64) (factor float64, ok bool) {
	if len(t.Free) == 0 || t.Loss == Logistic {
		return 0, false
	}
	const rounding = 4 * 0x1p-24 // of scores of weights in float32
	factor = 1
	for y, v := range values {
		var norm float64
		t.columns(y, func(c int, value float64) {
			switch {
			case t.centers[c] != nil:
				norm += norms[c]
			case t.shared[c] != nil:
				norm += math.Abs(value) * norms[c]
			default:
				norm += t.norm(t.parts[y], value)
			}
		})
		least := v.least - rounding*norm*t.longestRow
		if !(least > 0) {
			return 0, false
		}
		factor = max(factor, 1/least)
	}
	return factor, true
}
