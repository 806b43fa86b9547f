package svm

import (
	"context"
	"time"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/solver"
)

// solveTogether solves those parts of an order that are classes, as many side by side as a group
// takes, and returns the parts that are left: the others, and those that a group has given up, which
// go on from there. Where there is a bound of the time, groups have half of it.
func (p *parts) solveTogether(ctx context.Context, order []int) (rest []int) {
	var classes []int
	for _, k := range order {
		if p.parts[k].class != nil {
			classes = append(classes, k)
		} else {
			rest = append(rest, k)
		}
	}
	if len(classes) == 0 {
		return order
	}
	first := p.parts[classes[0]]
	workers := min(p.workers, len(classes))
	groups := make([]*solver.Group, workers)
	if groups[0] = solver.NewGroup(first.inputs, first.class.Loss, p.settings); groups[0] == nil {
		return order
	}
	size := min(groups[0].Size(), (len(classes)+workers-1)/workers)
	next := make(chan []int)
	var wait guarded.Group
	for worker := range workers {
		wait.Go(func() {
			for ks := range next {
				ok := wait.Guard(func() {
					if groups[worker] == nil {
						groups[worker] = solver.NewGroup(first.inputs, first.class.Loss, p.settings)
					}
					given := p.solveGroup(ctx, groups[worker], ks, workers, len(classes))
					p.mu.Lock()
					rest = append(rest, given...)
					p.mu.Unlock()
				})
				if !ok {
					p.cancel(errStopped)
				}
			}
		})
	}
	for lo := 0; lo < len(classes); lo += size {
		next <- classes[lo:min(lo+size, len(classes))]
	}
	close(next)
	wait.Wait()
	return p.sorted(rest)
}

// solveGroup solves some classes side by side, of so many, and returns those that are left.
func (p *parts) solveGroup(ctx context.Context, g *solver.Group, ks []int, workers, classes int) (rest []int) {
	if ctx.Err() != nil {
		return ks
	}
	problems, settings := make([]solver.BinaryProblem, len(ks)), make([]solver.Settings, len(ks))
	for j, k := range ks {
		problems[j], settings[j] = *p.parts[k].class, p.settings
		settings[j].Workers, settings[j].Start = 1, p.start(k)
		if p.settings.Time > 0 {
			share := float64(p.settings.Time) / 2 * float64(workers*len(ks)) / float64(classes)
			settings[j] = settings[j].Share(max(1, min(p.settings.Left()/2, time.Duration(share))))
		}
		settings[j].Progress = func(s solver.Progress) error { return p.report(k, s) }
	}
	err := g.Solve(ctx, problems, settings, func(j int, r *solver.BinaryResult, c *solver.Coefficients) {
		k := ks[j]
		last := &solver.Result{Coefficients: c}
		if r.Weights == nil {
			p.mu.Lock()
			p.dual[k] = max(p.dual[k], r.Dual)
			p.epochs[k] += r.Epochs
			p.result.Parts[k] = last
			p.mu.Unlock()
			rest = append(rest, k)
			return
		}
		if p.takes(k, r.Primal) {
			p.weights.setNode(k, p.parts[k].nodes[0], r.Weights, nil)
		}
		p.note(k, &outcome{r.Primal, r.Dual, r.Epochs, r.Status, last}, ctx.Err() == nil)
	})
	if err != nil && ctx.Err() == nil {
		p.fail(err)
	}
	return rest
}
