package solver

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// If coordinate ascent takes many epochs, Newton's method takes over: conjugate gradients find the
// step of each iteration approximately, from products of the Hessian with vectors, followed by a
// line search [LWK08]. The derivatives of the losses at the margins are the coefficients of a dual
// point, whose value is below that of the weights by half the squared gradient, so each iteration
// begins with a certificate.
//
// The hinge has no second derivative at its edge, which is therefore smoothed over ever smaller
// intervals of the margins. The slopes of the smoothed hinge are feasible dual coefficients of the
// hinge itself; their duality gap comes only from the edge.

// A smoothLoss is a loss with two derivatives: the logistic one, the squared hinge, or the hinge
// with its edge rounded off for margins from 1-width to 1.
type smoothLoss struct {
	loss  MarginLoss
	width float64
}

// at returns the value of the loss at margin m, its negative derivative, and the second one.
func (s smoothLoss) at(m float64) (value, slope, curvature float64) {
	switch {
	case s.loss == Logistic:
		e := math.Exp(-math.Abs(m))
		p := e / (1 + e) // of the side that is less likely
		value, slope = math.Log1p(e), p
		if m < 0 {
			value, slope = value-m, 1-p
		}
		return value, slope, p * (1 - p)
	case m >= 1:
		return 0, 0, 0
	case s.loss == SquaredHinge:
		return (1 - m) * (1 - m), 2 * (1 - m), 2
	case m > 1-s.width:
		return (1 - m) * (1 - m) / (2 * s.width), (1 - m) / s.width, 1 / s.width
	}
	return 1 - m - s.width/2, 1, 0
}

// newtonScratch is the scratch space of Newton's method.
//
// With a scale, gradient and Hessian are divided by it.
type newtonScratch struct {
	loss smoothLoss

	// by position in the order: of the weights, of the step, and second derivatives times C
	margin, change, second []float64
	newtonStep
}

func (s *newtonScratch) size(examples, features int) {
	s.margin, s.change, s.second = zeros(s.margin, examples), zeros(s.change, examples), zeros(s.second, examples)
	s.newtonStep.size(features)
}

// newtonStep is a step of Newton's method, one entry a weight: minus the inverse of the Hessian,
// whose diagonal is known, times the gradient.
type newtonStep struct {
	gradient, diagonal, step                  []float64
	residual, product, direction, conditioned []float64
}

func (s *newtonStep) size(weights int) {
	for _, v := range []*[]float64{&s.gradient, &s.diagonal, &s.step, &s.residual, &s.product, &s.direction, &s.conditioned} {
		*v = zeros(*v, weights)
	}
}

// find finds the step approximately, by conjugate gradients. multiply sets dst to the product of
// the Hessian and a vector. Before each product, again reports whether to continue.
func (s *newtonStep) find(again func() bool, multiply func(v, dst []float64) error) error {
	clear(s.step)
	floats.ScaleTo(s.residual, -1, s.gradient)
	floats.DivTo(s.conditioned, s.residual, s.diagonal)
	copy(s.direction, s.conditioned)
	rho := floats.Dot(s.residual, s.conditioned)
	target := enoughOfGradient * enoughOfGradient * floats.Dot(s.gradient, s.gradient)
	for range mostOfGradient {
		if !again() {
			return nil
		}
		if err := multiply(s.direction, s.product); err != nil {
			return err
		}
		length := rho / floats.Dot(s.direction, s.product)
		if !(length > 0) || math.IsInf(length, 1) {
			return nil
		}
		floats.AddScaled(s.step, length, s.direction)
		floats.AddScaled(s.residual, -length, s.product)
		if floats.Dot(s.residual, s.residual) <= target {
			return nil
		}
		floats.DivTo(s.conditioned, s.residual, s.diagonal)
		next := floats.Dot(s.residual, s.conditioned)
		floats.Scale(next/rho, s.direction)
		floats.Add(s.direction, s.conditioned)
		rho = next
	}
	return nil
}

// Conjugate gradients stop at a share of the gradient's norm, or after some rounds.
const enoughOfGradient, mostOfGradient = 0.1, 100

// The initial width of the smoothed edge, the factor of its decrease, the share of the gap at which
// the smoothed problem is solved well enough to decrease it, and the final width.
const firstWidth, narrower, nearlyBest, leastWidth = 0.3, 0.3, 0.2, 1e-9

// newton continues until the gap is reached, or no step lowers the objective any more. Each pass
// over the examples is an epoch.
func (a *ascentOfOne) newton(ctx context.Context, r *BinaryResult) error {
	s := &a.smooth
	a.smoothed = true
	s.size(len(a.order), len(a.weights))
	s.loss = smoothLoss{a.loss, firstWidth}
	for {
		gap, err := a.differentiate(r)
		if err != nil {
			return err
		}
		if a.reached(r) {
			r.Status = Converged
			return nil
		}
		if best := a.scale*floats.Dot(s.gradient, s.gradient)/2 <= nearlyBest*gap; a.loss == Hinge && best {
			if s.loss.width *= narrower; s.loss.width < leastWidth {
				return nil
			}
			continue
		}
		if err := a.direct(ctx, r); err != nil {
			return err
		}
		if r.Epochs >= a.settings.MaxEpochs || !a.descend() {
			return nil
		}
	}
}

// differentiate certifies the weights, finds the gradient there, and returns the gap.
func (a *ascentOfOne) differentiate(r *BinaryResult) (float64, error) {
	s, x := &a.smooth, a.inputs.Matrix()
	if !a.settings.Wide() {
		for f, w := range a.weights {
			a.weights[f] = float64(float32(w)) // as they are kept
		}
	}
	primal, terms := a.constant, a.constant
	point := zeros(s.gradient, len(a.weights)) // the weights of the point of the dual
	for k, i := range a.order {
		features, values := x.Row(int(i))
		m := a.margin(i, features, values)
		s.margin[k] = m
		value, slope, curvature := s.loss.at(m)
		if a.loss == Hinge {
			value = max(0, 1-m)
		}
		c := a.cost(i)
		primal += c * value
		alpha := c * slope
		a.alpha[i] = alpha
		if alpha != 0 {
			terms += a.loss.term(alpha, c) - alpha*a.sign[i]*a.offsetOf(i)
			add(point, alpha*a.sign[i], features, values)
		}
		s.second[k] = c * a.scale * curvature
	}
	a.norm = floats.Dot(a.weights, a.weights)
	dual := terms - a.scale*floats.Dot(point, point)/2
	for f, w := range a.weights {
		s.gradient[f] = w - point[f]
	}
	primal += a.scale * a.norm / 2
	return primal - dual, a.record(r, primal, dual)
}

// direct finds the step: approximately minus the inverse of the Hessian times the gradient.
func (a *ascentOfOne) direct(ctx context.Context, r *BinaryResult) error {
	s, x := &a.smooth, a.inputs.Matrix()
	for f := range s.diagonal {
		s.diagonal[f] = 1
	}
	for k, i := range a.order {
		if s.second[k] > 0 {
			features, values := x.Row(int(i))
			for j, f := range features {
				s.diagonal[f] += s.second[k] * float64(values[j]) * float64(values[j])
			}
		}
	}
	again := func() bool {
		r.Epochs++
		return r.Epochs < a.settings.MaxEpochs
	}
	return s.find(again, func(v, dst []float64) error { return a.multiply(ctx, v, dst) })
}

// multiply sets dst to the product of the Hessian and a vector.
func (a *ascentOfOne) multiply(ctx context.Context, v, dst []float64) error {
	s, x := &a.smooth, a.inputs.Matrix()
	copy(dst, v)
	for k, i := range a.order {
		if k%visits == 0 {
			if err := a.over(ctx); err != nil {
				return err
			}
		}
		if s.second[k] > 0 {
			features, values := x.Row(int(i))
			add(dst, s.second[k]*dot(v, features, values), features, values)
		}
	}
	return nil
}

// descend searches along the step until the objective falls by a share of the decrease predicted by
// the gradient, and reports whether it does.
func (a *ascentOfOne) descend() bool {
	s, x := &a.smooth, a.inputs.Matrix()
	before := 0.0
	for k, i := range a.order {
		features, values := x.Row(int(i))
		s.change[k] = a.sign[i] * a.scale * dot(s.step, features, values)
		value, _, _ := s.loss.at(s.margin[k])
		before += a.cost(i) * value
	}
	slope := a.scale * floats.Dot(s.gradient, s.step)
	product, square := a.scale*floats.Dot(a.weights, s.step), a.scale*floats.Dot(s.step, s.step)
	const promised, halvings = 1e-4, 30
	for share, k := 1.0, 0; k < halvings; share, k = share/2, k+1 {
		after := 0.0
		for k, m := range s.margin {
			value, _, _ := s.loss.at(m + share*s.change[k])
			after += a.cost(a.order[k]) * value
		}
		if after-before+share*product+share*share*square/2 <= promised*share*slope {
			floats.AddScaled(a.weights, share, s.step)
			return slope < 0
		}
	}
	return false
}
