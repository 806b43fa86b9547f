package svm

import (
	"context"
	"slices"
	"time"

	"github.com/hierml/notebook/hierml/solver"
)

// solveTogether solves the parts of an order that share a family with others, in groups side by
// side. It returns the remaining parts: the others, and those that a group gave up, which continue
// from there. If the time is bounded, groups get half of it.
func (p *parts) solveTogether(ctx context.Context, order []int) (rest []int) {
	sizes := make(map[int]int) // of the families, including parts not solved here
	for _, part := range p.parts {
		if part.class != nil && part.solve == nil {
			sizes[part.class.family]++
		}
	}
	families := make(map[int][]int)
	var names []int // of the families, by their first part
	total := 0
	for _, k := range order {
		c := p.parts[k].class
		if c == nil || p.parts[k].solve != nil || sizes[c.family] == 1 || !solver.Grouped(c.of.loss, p.settings) {
			rest = append(rest, k)
			continue
		}
		if families[c.family] == nil {
			names = append(names, c.family)
		}
		families[c.family] = append(families[c.family], k)
		total += p.parts[k].size
	}
	if len(names) == 0 {
		return order
	}
	workers := min(p.workers, len(order))
	var items []beside
	for _, name := range names {
		ks := families[name]
		several := min(solver.GroupSize, (len(ks)+workers-1)/workers)
		for some := range slices.Chunk(ks, several) {
			items = append(items, beside{some, min(solver.GroupSize, sizes[name])})
		}
	}
	deal(p, workers, items, func(worker int, some beside) {
		given := p.solveGroup(ctx, some, worker, workers, total)
		p.mu.Lock()
		rest = append(rest, given...)
		p.mu.Unlock()
	})
	return p.sorted(rest)
}

// beside has some parts of a family that are solved side by side.
type beside struct {
	parts []int
	size  int // of the group; it must not depend on the number of workers
}

// solveGroup solves some classes of a family side by side and returns the unsolved ones. total is
// the sum of the sizes of all classes solved this way.
func (p *parts) solveGroup(ctx context.Context, some beside, worker, workers, total int) (rest []int) {
	ks := some.parts
	if ctx.Err() != nil {
		return ks
	}
	o, err := p.open(ks[0], worker)
	if err != nil {
		p.fail(err)
		return nil
	}
	if o.group == nil {
		if o.group = solver.NewGroup(o.inputs, some.size); o.group == nil {
			return ks
		}
	}
	problems, settings := make([]solver.BinaryProblem, len(ks)), make([]solver.Settings, len(ks))
	own := 0
	for _, k := range ks {
		own += p.parts[k].size
	}
	for j, k := range ks {
		problems[j], settings[j] = o.problem(p.parts[k].class), p.settings
		settings[j].Workers, settings[j].Start = 1, p.start(k)
		if p.settings.Time > 0 {
			share := float64(p.settings.Time) / 2 * float64(workers*own) / float64(total)
			settings[j] = settings[j].Share(max(1, min(p.settings.Left()/2, time.Duration(share))))
		}
		settings[j].Progress = func(s solver.Progress) error { return p.report(k, s) }
	}
	err = o.group.Solve(ctx, problems, settings, func(j int, r *solver.BinaryResult, c *solver.Coefficients) {
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
			p.weights.setNode(k, p.parts[k].nodes[0], r.Weights, o.features)
		}
		p.note(k, &outcome{r.Primal, r.Dual, r.Epochs, r.Status, last}, ctx.Err() == nil)
	})
	if err != nil && ctx.Err() == nil {
		p.fail(err)
	}
	return rest
}
