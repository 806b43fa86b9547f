package solver

import "math"

// entropyStep solves the problem of one example in the dual of multinomial logistic regression, or
// maximum entropy [YHL11, section 4]. With scores z under weights that already include the
// contribution of p, it finds the distribution v that maximizes H(v) - <v-p, z> - sigma/2
// ||v-p||^2. There is a tau with
//
//	log v_k + sigma v_k = log u_k + sigma p_k + tau,
//
// where u is the softmax of z. Newton's method finds tau and delta_k, where v_k is u_k exp(tau +
// delta_k), together, which takes one or two rounds where p is near to u: delta_k is sigma (p_k -
// v_k), and so near to zero for classes that are not likely. It holds scratch space.
type entropyStep struct {
	u, logs []float64 // softmax of the scores, and its logarithms
	normal  float64   // logarithm of the sum of exp z

	delta       []float64
	move, slope []float64 // of the round
}

func newEntropyStep(classes int) *entropyStep {
	rows := make([][]float64, 5)
	for k := range rows {
		rows[k] = make([]float64, classes)
	}
	return &entropyStep{u: rows[0], logs: rows[1], delta: rows[2], move: rows[3], slope: rows[4]}
}

// load takes the scores.
func (e *entropyStep) load(z []float64) {
	u, logs := e.u[:len(z)], e.logs[:len(z)]
	top := z[0]
	for _, v := range z {
		if v > top {
			top = v
		}
	}
	sum := 0.0
	for k, v := range z {
		u[k] = math.Exp(v - top)
		sum += u[k]
	}
	share, normal := 1/sum, top+math.Log(sum)
	for k, v := range z {
		u[k] *= share
		logs[k] = v - normal
	}
	e.normal = normal
}

// A delta is found by Newton's method if it is not far from zero, and tau is not; near it exp is a
// polynomial. Otherwise, and if the sum of v has become large, or after some rounds, v_k is found
// exactly for each tau. Then the sum is a convex function of it, for which Newton's method
// converges from everywhere; mostSteps is never needed but where numbers overflow.
const (
	farDelta, nearDelta = 0.5, 0.02
	farTau, farSum      = 500, 10
	mostNear, mostSteps = 8, 100
)

// solve writes v into next and returns its entropy. The sum of what v is off is about the
// tolerance at most.
func (e *entropyStep) solve(sigma float64, p, next []float64, tolerance float64) float64 {
	u := e.u
	p, next, delta, move, slope := p[:len(u)], next[:len(u)], e.delta[:len(u)], e.move[:len(u)], e.slope[:len(u)]
	var sum, weight, tau float64
	for k, v := range u {
		g := 1 / (1 + sigma*v)
		delta[k], slope[k] = sigma*(p[k]-v), g
		sum += v * g * delta[k]
		weight += v * g
	}
	tau = -sum / weight
	for k, d := range delta {
		delta[k] = (d+tau)*slope[k] - tau
	}
	near := true
	for round := range mostSteps {

		var sum, weight, rest float64
		times, far := math.Exp(tau), farDelta
		if near = near && round < mostNear; !near || math.Abs(tau) > farTau {
			far = 0
		}
		for k, d := range delta {
			var v float64
			switch size := math.Abs(d); {
			case size < min(nearDelta, far):
				v = u[k] * times * (1 + d*(1+d*(1./2+d*(1./6+d*(1./24+d*(1./120+d*(1./720)))))))
			case size < far:
				v = u[k] * times * math.Exp(d)
			default:
				y := omega(e.logs[k] + math.Log(sigma) + sigma*p[k] + tau)
				v = y / sigma
				d = sigma*p[k] - y
				delta[k] = d
			}
			r := sigma*(p[k]-v) - d
			g := 1 / (1 + sigma*v)
			next[k], move[k], slope[k] = v, r*g, g
			sum += v
			weight += v * g
			rest += v * g * r
		}
		if !(sum < farSum) && near {
			near, tau = false, 0
			continue
		}
		change := (1 - sum - rest) / weight
		switch { // on the left of the solution, where steps would be too long, those for the logarithm
		case sum < 1e-300:
			change = farTau / 5
		case sum < 0.1:
			change = min(change, -math.Log(sum)*sum/weight)
		}
		moved := 0.0
		for k, v := range next {
			m := move[k] + change*slope[k]
			move[k] = m
			moved += v * m * m
		}
		tau += change
		for k, m := range move {
			delta[k] += m - change
		}
		if !(moved > tolerance) {
			break
		}
	}
	// v_k times exp of what the last round has moved, which is small, and a sum of 1
	sum = 0
	for k, m := range move {
		next[k] *= 1 + m + m*m/2
		sum += next[k]
	}
	share, entropy := 1/sum, math.Log(sum)
	for k, v := range next {
		v *= share
		next[k] = v
		if v > 0 {
			entropy -= v * (e.logs[k] + tau + delta[k])
		}
	}
	return entropy
}

// omega returns the y with y + log y = c, which is above zero: the Wright omega function. Each
// round is that of [FSC73], of fourth order.
func omega(c float64) float64 {
	var y float64
	switch {
	case c < -2:
		x := math.Exp(c)
		if y = x * (1 - x); c < -30 {
			return y
		}
	case c < 3:
		y = math.Exp(0.6 * (c - 1))
	default:
		y = c - math.Log(c)
	}
	for range 4 {
		r := c - y - math.Log(y)
		t := 2 * (1 + y) * (1 + y + 2./3*r)
		y *= 1 + r/(1+y)*(t-r)/(t-2*r)
		if math.Abs(r) < 1e-4*(1+y) {
			break
		}
	}
	return y
}
