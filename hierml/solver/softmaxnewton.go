package solver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// softmaxNewton is Newton's method for multinomial logistic regression. Vectors have one entry per
// feature and class.
//
// The softmaxes at given weights are a dual point, whose value is lower by half the squared
// gradient, so each iteration begins with a certificate.
type softmaxNewton struct {
	*softmax
	newtonStep
	at, trial []float64
	primal    float64
	by, shift []float64 // of one example
}

// newtonVectors is the number of vectors.
const newtonVectors = 9

// fitsNewton reports whether there is memory for Newton's method.
func (s *softmax) fitsNewton(ctx context.Context) bool {
	if !s.noNewton {
		weights := int64(s.weights.Features) * int64(s.classes)
		vectors := newtonVectors * 8 * weights
		s.noNewton = s.settings.Fits(ctx, fmt.Sprintf("%d classes", s.classes), vectors, vectors, s.held+s.bytes()*weights) != nil
	}
	return !s.noNewton
}

// newton continues from the weights until there is a reason to end, or no step lowers the objective
// any more. Each pass over the examples is an epoch.
func (s *softmax) newton(ctx context.Context) error {
	s.newtonian = true
	features := s.weights.Features
	n := features * s.classes
	a := &softmaxNewton{softmax: s, at: make([]float64, n), trial: make([]float64, n), by: make([]float64, s.classes), shift: make([]float64, s.classes)}
	a.size(n)
	for f := range features {
		for c := range s.classes {
			a.at[f*s.classes+c] = s.weights.At(f, c)
		}
	}
	if err := a.pass(ctx, a.at); err != nil {
		return err
	}
	for {
		primal := a.primal
		if err := a.take(); err != nil {
			return err
		}
		if err := a.precondition(ctx); err != nil {
			return err
		}
		again := func() bool {
			s.result.Epochs++
			return s.result.Epochs < s.settings.MaxEpochs
		}
		if err := a.find(again, func(v, dst []float64) error { return a.multiply(ctx, v, dst) }); err != nil {
			return err
		}
		slope := floats.Dot(a.gradient, a.step)
		if !(slope < 0) {
			return errEpochs
		}
		const promised, halvings = 1e-4, 30
		fell := false
		for share, k := 1.0, 0; k < halvings && !fell; share, k = share/2, k+1 {
			floats.AddScaledTo(a.trial, a.at, share, a.step)
			if err := a.pass(ctx, a.trial); err != nil {
				return err
			}
			fell = a.primal <= primal+promised*share*slope
		}
		if !fell {
			return errEpochs
		}
		a.at, a.trial = a.trial, a.at
	}
}

// take certifies the weights.
func (a *softmaxNewton) take() error {
	for f := range a.weights.Features {
		for c := range a.classes {
			a.weights.Set(f, c, a.at[f*a.classes+c])
		}
	}
	return a.record(a.primal, a.primal-floats.Dot(a.gradient, a.gradient)/2)
}

// pass rounds weights to their stored form and finds their value and gradient, unless ctx is
// cancelled, the time is up, or the maximum number of passes is reached. The dual point becomes
// that of their softmaxes.
func (a *softmaxNewton) pass(ctx context.Context, weights []float64) error {
	if a.result.Epochs >= a.settings.MaxEpochs {
		return errEpochs
	}
	a.result.Epochs++
	if !a.settings.Wide() {
		for k, v := range weights {
			weights[k] = float64(float32(v))
		}
	}
	x, c, by := a.inputs.Matrix(), a.problem.C, a.by
	a.primal = floats.Dot(weights, weights)/2 + a.constant
	copy(a.gradient, weights)
	for k, i := range a.order {
		if k%a.every == 0 {
			if err := a.over(ctx); err != nil {
				return err
			}
		}
		features, values := x.Row(int(i))
		clear(by)
		addScores(weights, features, values, by)
		a.softmax.step.load(by)
		a.primal += a.cost[i] * a.softmax.step.normal
		for _, q := range a.problem.Shares[i] {
			a.primal -= c * q.Weight * by[q.Class]
		}
		for k, u := range a.softmax.step.u {
			by[k] = a.point.Set(int(i), k, a.cost[i]*u)
		}
		for _, q := range a.problem.Shares[i] {
			by[q.Class] -= c * q.Weight
		}
		addOuter(a.gradient, features, values, by)
	}
	if math.IsNaN(a.primal) || math.IsInf(a.primal, 0) {
		return errBeyond
	}
	return nil
}

// precondition finds the diagonal of the Hessian.
func (a *softmaxNewton) precondition(ctx context.Context) error {
	x, by, k := a.inputs.Matrix(), a.by, a.classes
	for f := range a.diagonal {
		a.diagonal[f] = 1
	}
	for n, i := range a.order {
		if n%a.every == 0 {
			if err := a.over(ctx); err != nil {
				return err
			}
		}
		features, values := x.Row(int(i))
		for c, v := range rowOf(a.point, i, by) {
			by[c] = v * (1 - v/a.cost[i])
		}
		for j, f := range features {
			floats.AddScaled(a.diagonal[int(f)*k:int(f)*k+k], float64(values[j])*float64(values[j]), by)
		}
	}
	return nil
}

// multiply sets dst to the product of the Hessian and a vector.
func (a *softmaxNewton) multiply(ctx context.Context, v, dst []float64) error {
	x, by, shift := a.inputs.Matrix(), a.by, a.shift
	copy(dst, v)
	for k, i := range a.order {
		if k%a.every == 0 {
			if err := a.over(ctx); err != nil {
				return err
			}
		}
		features, values := x.Row(int(i))
		clear(shift)
		addScores(v, features, values, shift)
		rowOf(a.point, i, by)
		mean := floats.Dot(by, shift) / a.cost[i]
		for c, u := range by {
			by[c] = u * (shift[c] - mean)
		}
		addOuter(dst, features, values, by)
	}
	return nil
}

// addScores adds the products of weights and a row to scores, one per class.
func addScores(w []float64, features []int32, values []float32, scores []float64) {
	k := len(scores)
	for j, f := range features {
		floats.AddScaled(scores, float64(values[j]), w[int(f)*k:int(f)*k+k])
	}
}

// addOuter adds the outer product of one value per class and a row to weights.
func addOuter(w []float64, features []int32, values []float32, by []float64) {
	k := len(by)
	for j, f := range features {
		floats.AddScaled(w[int(f)*k:int(f)*k+k], float64(values[j]), by)
	}
}
