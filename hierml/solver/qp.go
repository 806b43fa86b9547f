package solver

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// quadratic is the problem
//
//	maximize g'a - 1/2 a'Qa  over a >= 0  with a given sum over each group of variables.
//
// A variable outside Q, with an index of at least its dimension, does not occur in the function:
// one in each group represents the slack of a bound.
type quadratic struct {
	q      *mat.SymDense
	groups [][]int
	a      []float64
	slope  []float64 // g - Qa
}

// exchanges bounds the steps of quadratic.solve for every variable.
const exchanges = 200

// solve improves a by exchanges in the group with the largest difference of slopes, between the
// variable with the largest slope and the positive variable with the smallest. It stops when the
// difference is at most the given share of the initial one. If ctx is cancelled, it returns its
// error.
func (p *quadratic) solve(ctx context.Context, share float64) error {
	enough := 0.0
	for k := range exchanges * len(p.a) {
		if k%1024 == 1023 && ctx.Err() != nil {
			return ctx.Err()
		}
		to, from, difference := p.pair()
		if difference <= enough {
			return nil
		}
		if k == 0 {
			enough = share * difference
		}
		curvature := p.at(to, to) + p.at(from, from) - 2*p.at(to, from)
		step := p.a[from]
		if curvature*step > difference {
			step = difference / curvature
		}
		p.a[from] -= step
		p.a[to] += step
		p.add(to, -step)
		p.add(from, step)
	}
	return nil
}

// pair returns the variables to exchange, to and from which.
func (p *quadratic) pair() (to, from int, difference float64) {
	for _, group := range p.groups {
		high, low := group[0], -1
		for _, k := range group {
			if p.slope[k] > p.slope[high] {
				high = k
			}
			if p.a[k] > 0 && (low < 0 || p.slope[k] < p.slope[low]) {
				low = k
			}
		}
		if low >= 0 && p.slope[high]-p.slope[low] > difference {
			to, from, difference = high, low, p.slope[high]-p.slope[low]
		}
	}
	return to, from, difference
}

func (p *quadratic) at(k, l int) float64 {
	if n := p.q.SymmetricDim(); k >= n || l >= n {
		return 0
	}
	return p.q.At(k, l)
}

// add adds a multiple of a row of Q to the slopes.
func (p *quadratic) add(k int, scale float64) {
	n := p.q.SymmetricDim()
	if k >= n {
		return
	}
	raw := p.q.RawSymmetric()
	for l := range k {
		p.slope[l] += scale * raw.Data[l*raw.Stride+k]
	}
	for l, v := range raw.Data[k*raw.Stride+k : k*raw.Stride+n] {
		p.slope[k+l] += scale * v
	}
}

// drop sets the variables of a group that are at most small to zero, and adds them to the largest.
// The sum does not change, so a tight bound stays tight.
func (p *quadratic) drop(group []int, small float64) {
	largest := group[0]
	for _, k := range group {
		if p.a[k] > p.a[largest] {
			largest = k
		}
	}
	for _, k := range group {
		if k != largest && p.a[k] <= small {
			p.a[largest] += p.a[k]
			p.a[k] = 0
		}
	}
}
