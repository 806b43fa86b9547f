package weighting

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// overlap is the problem
//
//	minimize sum_k cost_k a_k^rho + sum_l own_l s_l^rho  subject to  s_l + sum_{k: l in sets_k} a_k = 1,  a, s >= 0
//
// over the shared weights a and each leaf's own weight s. Costs are positive and at most 1.
type overlap struct {
	rho  float64
	cost []float64
	sets [][]int
	own  []float64
}

// optimum of an overlap. x is a, followed by s.
type optimum struct {
	logX  []float64
	nu    []float64 // multipliers of the constraints
	value float64
}

// iterate is a point of the interior-point method: x and the multipliers z of x >= 0 are positive, x satisfies the
// constraints.
type iterate struct {
	x, z, nu []float64
}

const (
	maxIterations = 1000
	// A gap below enough is as good as rounding permits; the search goes on while it still shrinks.
	enough  = 1e-14
	patient = 30
)

// solve runs a primal-dual interior-point method with Mehrotra's choice of the centring parameter. It returns the best point it
// met; how good that is, is for the caller to check.
func (o *overlap) solve(ctx context.Context) (*optimum, error) {
	at, err := o.start(ctx)
	if err != nil {
		return nil, err
	}
	best, bestError := o.finish(at), o.error(at)
	for i, since := 0, 0; i < maxIterations && since < patient && !(bestError <= enough); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !o.step(at) {
			break
		}
		since++
		if e := o.error(at); e < bestError {
			best, bestError, since = o.finish(at), e, 0
		}
	}
	if math.IsNaN(bestError) || math.IsInf(bestError, 0) {
		return nil, fmt.Errorf("weighting: the node weights for Rho %v are out of the range of floating point; take a Rho nearer to 2", o.rho)
	}
	return best, nil
}

// start returns a point that leaves about half of each path to the leaf, or, where rho is so large that
// costs there have nothing to do with those at the optimum, one near the optimum for a smaller rho.
func (o *overlap) start(ctx context.Context) (*iterate, error) {
	const easy, factor, mix = 4, 1.5, 0.1
	k, m := len(o.cost), len(o.own)
	at := &iterate{make([]float64, k+m), make([]float64, k+m), make([]float64, m)}
	shared := make([]float64, m)
	for _, set := range o.sets {
		for _, l := range set {
			shared[l]++
		}
	}
	a := 0.5 / floats.Max(shared)
	for j := range o.cost {
		at.x[j] = a
	}
	for l := range o.own {
		at.x[k+l] = 1 - a*shared[l]
	}
	if o.rho > easy {
		easier := *o
		easier.rho = max(o.rho/factor, easy)
		near, err := easier.solve(ctx)
		if err != nil {
			return nil, err
		}
		for j := range at.x {
			at.x[j] = mix*at.x[j] + (1-mix)*math.Exp(near.logX[j])
		}
	}
	mu := 0.1 * o.value(at.x) / float64(k+m)
	for j, x := range at.x {
		at.z[j] = mu / x
	}
	for l := range at.nu {
		at.nu[l] = o.gradient(k+l, at.x[k+l]) - at.z[k+l]
	}
	return at, nil
}

func (o *overlap) weight(j int) float64 {
	if j < len(o.cost) {
		return o.cost[j]
	}
	return o.own[j-len(o.cost)]
}

func (o *overlap) value(x []float64) float64 {
	var sum float64
	for j, v := range x {
		sum += o.weight(j) * math.Pow(v, o.rho)
	}
	return sum
}

func (o *overlap) gradient(j int, x float64) float64 {
	return o.weight(j) * o.rho * math.Pow(x, o.rho-1)
}

// above returns the sum of the multipliers that variable j takes part in.
func (o *overlap) above(j int, nu []float64) float64 {
	if k := len(o.cost); j >= k {
		return nu[j-k]
	}
	var sum float64
	for _, l := range o.sets[j] {
		sum += nu[l]
	}
	return sum
}

// error returns the relative duality gap or the largest violation of a constraint, whichever is more.
func (o *overlap) error(at *iterate) float64 {
	primal := o.value(at.x)
	dual := floats.Sum(at.nu)
	for j := range at.x {
		if g := o.above(j, at.nu); g > 0 {
			c := o.weight(j)
			dual -= (o.rho - 1) * c * math.Pow(g/(o.rho*c), o.rho/(o.rho-1))
		}
	}
	return max(math.Abs(primal-dual)/primal, floats.Norm(o.residual(at.x), math.Inf(1)))
}

// finish returns the optimum at a point. Weights that the constraints' rounding hides are taken from the multipliers.
func (o *overlap) finish(at *iterate) *optimum {
	const small = 1e-6
	opt := &optimum{make([]float64, len(at.x)), append([]float64(nil), at.nu...), o.value(at.x)}
	for j, x := range at.x {
		opt.logX[j] = math.Log(x)
		if x > small {
			continue
		}
		logX := math.Inf(-1)
		if g := o.above(j, at.nu); g > 0 {
			logX = math.Log(g/(o.rho*o.weight(j))) / (o.rho - 1)
		}
		if math.Abs(math.Exp(logX)-x) < small*small {
			opt.logX[j] = logX
		}
	}
	return opt
}

// step moves to the next point, or returns false where rounding permits none.
func (o *overlap) step(at *iterate) bool {
	n := len(at.x)
	h := make([]float64, n)  // Hessian with the barrier's part
	rd := make([]float64, n) // residual of the dual constraints
	rp := o.residual(at.x)
	for j, x := range at.x {
		g := o.gradient(j, x)
		h[j] = (o.rho-1)*g/x + at.z[j]/x
		rd[j] = g - o.above(j, at.nu) - at.z[j]
	}
	system, ok := o.factorize(h)
	if !ok {
		return false
	}
	mu := floats.Dot(at.x, at.z) / float64(n)
	e := make([]float64, n)
	for j := range e {
		e[j] = -rd[j] - at.z[j]
	}
	dx, _, ok := system.solve(e, rp)
	if !ok {
		return false
	}
	dz := make([]float64, n)
	for j := range dz {
		dz[j] = -at.z[j] - at.z[j]/at.x[j]*dx[j]
	}
	t := min(1, longest(at.x, dx), longest(at.z, dz))
	var affine float64
	for j := range dx {
		affine += (at.x[j] + t*dx[j]) * (at.z[j] + t*dz[j])
	}
	sigma := math.Pow(max(affine, 0)/float64(n)/mu, 3)
	target := make([]float64, n)
	for j := range e {
		target[j] = sigma*mu - t*t*dx[j]*dz[j]
		e[j] = -rd[j] - at.z[j] + target[j]/at.x[j]
	}
	dx, dnu, ok := system.solve(e, rp)
	if !ok {
		return false
	}
	for j := range dz {
		dz[j] = (target[j]-at.z[j]*dx[j])/at.x[j] - at.z[j]
	}
	t = min(1, 0.99*longest(at.x, dx), 0.99*longest(at.z, dz))
	floats.AddScaled(at.x, t, dx)
	floats.AddScaled(at.z, t, dz)
	floats.AddScaled(at.nu, t, dnu)
	return true
}

// longest returns the largest step along d that keeps v from being negative.
func longest(v, d []float64) float64 {
	t := math.Inf(1)
	for j := range v {
		if d[j] < 0 {
			t = min(t, -v[j]/d[j])
		}
	}
	return t
}

// residual returns by how much the path sums of x exceed 1.
func (o *overlap) residual(x []float64) []float64 {
	k := len(o.cost)
	r := make([]float64, len(o.own))
	for l := range r {
		r[l] = x[k+l] - 1
	}
	for j, set := range o.sets {
		for _, l := range set {
			r[l] += x[j]
		}
	}
	return r
}

// system is the linear system of a Newton step,
//
//	h_j dx_j - (sum of dnu above j) = e_j,  ds_l + sum_{k: l in sets_k} da_k = -rp_l,
//
// reduced to dnu. That stays accurate as weights tend to 0 and their h to infinity; reduced to da it would not.
type system struct {
	o      *overlap
	h      []float64
	factor mat.Cholesky
}

func (o *overlap) factorize(h []float64) (*system, bool) {
	k, m := len(o.cost), len(o.own)
	s := &system{o: o, h: h}
	a := mat.NewSymDense(m, nil)
	for l := range m {
		a.SetSym(l, l, 1/h[k+l])
	}
	for j, set := range o.sets {
		for p, l := range set {
			for _, r := range set[p:] {
				a.SetSym(l, r, a.At(l, r)+1/h[j])
			}
		}
	}
	for l := range m {
		if v := a.At(l, l); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
	}
	// Where rounding makes the matrix indefinite, a little more on the diagonal gives a worse step, which later ones correct.
	for raise := 1e-15; !s.factor.Factorize(a); raise *= 10 {
		if raise > 1e-6 {
			return nil, false
		}
		for l := range m {
			a.SetSym(l, l, a.At(l, l)*(1+raise))
		}
	}
	return s, true
}

func (s *system) solve(e, rp []float64) (dx, dnu []float64, ok bool) {
	k, m := len(s.o.cost), len(s.o.own)
	dx, dnu = make([]float64, k+m), make([]float64, m)
	rhs := mat.NewVecDense(m, nil)
	for l := range m {
		rhs.SetVec(l, -rp[l]-e[k+l]/s.h[k+l])
	}
	for j, set := range s.o.sets {
		for _, l := range set {
			rhs.SetVec(l, rhs.AtVec(l)-e[j]/s.h[j])
		}
	}
	// A system that is badly conditioned still gives a step.
	var condition mat.Condition
	if err := s.factor.SolveVecTo(mat.NewVecDense(m, dnu), rhs); err != nil && !errors.As(err, &condition) {
		return nil, nil, false
	}
	for j := range dx {
		dx[j] = (e[j] + s.o.above(j, dnu)) / s.h[j]
	}
	return dx, dnu, true
}
