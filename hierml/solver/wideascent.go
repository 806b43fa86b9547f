package solver

import (
	"context"
	"math"
)

// wideAscent is the state of DualAscent for weights with so many columns that scoring all of them
// for an example costs more than several visits on the columns touched by its active competitors.
// Only certificates, which score many examples at a time, find active competitors; in the first
// epoch they are found for parts of the examples, each with the weights made by the previous parts.
type wideAscent struct{ *ascent }

// Examples of the first part and the largest, and passes over a part.
const firstPart, largestPart, partPasses = 256, 8192, 2

// firstRate is the tolerance of the first epoch, as a share of the mean value of a block for C = 1.
const firstRate = 0.1

func newWideAscent(a *ascent) *wideAscent {
	a.found, a.recruits = a.activate, wideRecruits
	for b := range a.active {
		ids, _ := a.dual.Row(b)
		a.active[b] = append(a.active[b], ids...)
	}
	return &wideAscent{a}
}

// estimate returns no estimate: every epoch has a certificate.
func (a *wideAscent) estimate() float64 { return 0 }

func (a *wideAscent) epoch(ctx context.Context) parts {
	return func(yield func(float64, error) bool) {
		goal := a.settings.Gap * a.certificate.Primal
		gap := a.ascent.estimate()
		if math.IsInf(gap, 1) {
			a.tolerance = firstRate * a.certificate.Primal / a.weight
			a.first(ctx, yield)
			return
		}
		a.tolerance = max(toleranceRate*gap, goal/4) / a.weight
		a.orderUnsolved(goal)
		for pass := 0; pass < passes && len(a.order) > a.oracle.Blocks()/50; pass++ {
			share := math.Pow(0.5, float64(pass+1))
			a.shuffle()
			if !a.pass(ctx, true, 1-2*share, share, yield) {
				return
			}
		}
	}
}

// first visits the examples once, part by part.
func (a *wideAscent) first(ctx context.Context, yield func(float64, error) bool) {
	all := a.rng.Perm(a.oracle.Blocks())
	size := firstPart
	for rest := all; len(rest) > 0; size = min(largestPart, 2*size) {
		part := rest[:min(size, len(rest))]
		rest = rest[len(part):]
		examples := make([]int, len(part))
		for k, b := range part {
			examples[k] = a.oracle.Example(b)
		}
		a.oracle.Search(ctx, a.weights, examples, a.settings.Workers, a.activate)
		if ctx.Err() != nil {
			yield(0, ctx.Err())
			return
		}
		a.order = append(a.order[:0], part...)
		for pass := 0; pass < partPasses && len(a.order) > 0; pass++ {
			a.shuffle()
			if !a.pass(ctx, true, 1-float64(len(rest)+len(part))/float64(len(all)), float64(len(part))/float64(len(all)*partPasses), yield) {
				return
			}
		}
	}
}
