package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/progress"
)

// Run runs the cells that are not yet in the directory, and returns the results of all cells.
//
// If ctx is cancelled, or the progress function returns an error, Run returns that error with the
// results so far. A failed cell does not end the study. Data that cannot be opened, and a directory
// that cannot be written, do; if another run writes to the directory, the error is a *BusyError.
//
// With a Farm Run submits those cells and waits for them; several processes may wait. If ctx is
// cancelled, only the waiting ends: call Run again, on this or another machine, to wait for the
// same job, or [Stop] to end it. Missing cells are submitted again, at most three times. A cell
// whose process was killed three times, for example for lack of memory, counts as failed. If a farm
// starts a program or a script, it is a part of its own study: its Run computes that part, and ends
// the process.
func (s *Study) Run(ctx context.Context) (*Results, error) {
	c, err := s.checked()
	if err != nil {
		return nil, err
	}
	if _, is := c.Farm.(fileFarm); is {
		return nil, errFileFarm
	}
	if assigned, err := assignedRole(); err != nil || assigned != nil {
		return c.elsewhere(ctx, assigned, err)
	}
	if c.Farm != nil {
		return c.onFarm(ctx)
	}
	return c.inProcess(ctx)
}

// inProcess runs the study, which is checked, in this process.
func (s *Study) inProcess(ctx context.Context) (*Results, error) {
	p, err := s.plan(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := openStore(s.Directory)
	if err != nil {
		return nil, err
	}
	if err := requireNoFarm(ctx, s.Directory); err != nil {
		return nil, errors.Join(err, kept.close())
	}
	o := p.outline(kept.cells)
	if s.Directory != "" {
		err = p.write(o)
	}
	if err == nil {
		err = newRun(p, kept).all(ctx)
	}
	err = errors.Join(err, kept.close())
	results := newResults(o, kept.cells)
	results.ran = s
	study, failed := s.MarshalJSON()
	results.study = study
	return results, errors.Join(err, failed)
}

// RunCell repeats the cell with the given key, or unique prefix of a key, and returns it. The
// result is the same as in the run of the whole study. It writes nothing. The inner cells of a cell
// with a chosen point are read from the directory, and missing ones are run.
func (s *Study) RunCell(ctx context.Context, key string) (*Cell, error) {
	c, err := s.checked()
	if err != nil {
		return nil, err
	}
	p, err := c.plan(ctx)
	if err != nil {
		return nil, err
	}
	j, err := p.find(key)
	if err != nil {
		return nil, err
	}
	kept := &store{cells: make(map[string]*Cell)}
	if c.Directory != "" {
		if kept.cells, _, err = readCells(c.Directory); err != nil {
			return nil, err
		}
	}
	delete(kept.cells, j.key)
	if j.outerJob != nil {
		delete(kept.cells, j.outerJob.key) // which would make its inner cells needless
	}
	c.Progress = nil
	p.cells = append(append([]*job(nil), j.inner...), j)
	if err := newRun(p, kept).all(ctx); err != nil {
		return nil, err
	}
	return kept.cells[j.key], nil
}

// find returns the cell with a key, or whose key alone begins so.
func (p *plan) find(key string) (*job, error) {
	if j, ok := p.byKey[key]; ok {
		return j, nil
	}
	var found *job
	for _, j := range p.cells {
		if len(key) > 0 && len(key) < len(j.key) && j.key[:len(key)] == key {
			if found != nil {
				return nil, fmt.Errorf("experiment: several cells have keys that begin with %q, %s and %s", key, found.key, j.key)
			}
			found = j
		}
	}
	if found == nil {
		return nil, fmt.Errorf("experiment: the study has no cell with the key %q; if the study or its data have changed since, its cells have other keys", key)
	}
	return found, nil
}

// run is a plan at work.
type run struct {
	*plan
	kept    *store
	parts   *parts
	cores   int
	started time.Time
	// progress is the study's function, or that of who watches; nil if nobody does.
	progress func(done float64, state string) error
	// before, if not nil, is called before a cell begins. An error ends the run.
	before func(*job) error

	mu      sync.Mutex
	ready   *sync.Cond // when a job may have become ready, or the run has ended
	waiting []*job     // not begun, in order
	running map[*job]time.Time
	done    int   // of all cells of the plan
	failed  int   // of those
	err     error // of keeping cells
	timing  timing
}

func newRun(p *plan, kept *store) *run {
	r := &run{plan: p, kept: kept, cores: p.study.Workers, running: make(map[*job]time.Time), timing: newTiming()}
	r.cores = guarded.Workers(r.cores)
	r.ready = sync.NewCond(&r.mu)
	for _, j := range p.cells {
		c, ok := kept.cells[j.key]
		if ok && c.Error != "" && p.study.Retry {
			delete(kept.cells, j.key)
			ok = false
		}
		if !ok {
			r.waiting = append(r.waiting, j)
		}
	}
	needed := r.waiting[:0:0]
	for _, j := range r.waiting {
		if j.outerJob == nil || kept.cells[j.outerJob.key] == nil {
			needed = append(needed, j)
		}
	}
	r.waiting = needed
	r.timing.begin(r.waiting)
	r.parts = newParts(p, r.waiting)
	for _, j := range p.cells {
		if c, ok := kept.cells[j.key]; ok {
			r.count(j, c)
		}
	}
	return r
}

// count counts a finished cell. The caller holds r.mu, or is alone.
func (r *run) count(j *job, c *Cell) {
	r.done++
	r.timing.finished(j, c)
	if c.Error != "" {
		r.failed++
	}
	if j.outerJob != nil {
		j.outerJob.waits--
	}
}

// all runs the waiting cells.
func (r *run) all(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ready.Broadcast()
	})
	defer stop()
	r.started = time.Now()
	ctx, report, end := progress.Follow(ctx, "study", r.study.Progress)
	defer end()
	r.progress = report
	if err := r.report(); err != nil && len(r.waiting) > 0 {
		return r.stopped(err)
	}
	var workers guarded.Group
	for range min(r.cores, len(r.waiting)) {
		workers.Go(func() {
			for {
				j, share := r.next(ctx)
				if j == nil {
					return
				}
				c := r.cell(ctx, j, share)
				if err := r.finish(ctx, j, c); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	if r.err == nil && len(r.waiting)+len(r.running) > 0 {
		return r.stopped(context.Cause(ctx))
	}
	return r.err
}

// next returns a job that can be run, with the number of workers for its training, and nil when
// there is none any more.
func (r *run) next(ctx context.Context) (*job, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if ctx.Err() != nil || r.err != nil || len(r.waiting) == 0 {
			return nil, 0
		}
		for i, j := range r.waiting {
			if j.waits > 0 {
				continue
			}
			if r.before != nil {
				if r.err = r.before(j); r.err != nil {
					r.ready.Broadcast()
					return nil, 0
				}
			}
			share := max(1, r.cores/(len(r.waiting)+len(r.running)))
			r.waiting = slices.Delete(r.waiting, i, i+1)
			r.running[j] = time.Now()
			return j, share
		}
		r.ready.Wait()
	}
}

// finish keeps a cell, and reports; an error ends the study. A cell that did not end because the
// study did is not one, and still running when all is over.
func (r *run) finish(ctx context.Context, j *job, c *Cell) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.ready.Broadcast()
	if c.Error != "" && ctx.Err() != nil {
		return nil
	}
	delete(r.running, j)
	if err := r.parts.faulty(); err != nil {
		r.err = cmp.Or(r.err, err)
		return err
	}
	if err := r.kept.add(c); err != nil {
		r.err = cmp.Or(r.err, err)
		return err
	}
	r.parts.release(j)
	r.timing.end(j)
	r.count(j, c)
	return r.report()
}

// stopped is the error of a study that ends before its cells do.
func (r *run) stopped(why error) error {
	return fmt.Errorf("experiment: stopped after %d of %d cells: %w", r.done, len(r.cells), why)
}

// report calls the progress function. The caller holds r.mu, or is alone.
func (r *run) report() error {
	if r.progress == nil {
		return nil
	}
	state := fmt.Sprintf("%d of %s", r.done, plural(len(r.cells), "cell"))
	if r.failed > 0 {
		state += fmt.Sprintf(", %d failed", r.failed)
	}
	done := float64(r.done) / float64(max(len(r.cells), 1))
	if r.study.Progress == nil { // who watches says the time
		return r.progress(done, state)
	}
	if elapsed := time.Since(r.started); elapsed >= time.Second {
		state += ", " + elapsed.Round(time.Second).String()
	}
	running := make(map[sameness][]float64)
	for j, since := range r.running {
		running[nearest(j)] = append(running[nearest(j)], time.Since(since).Seconds())
	}
	left, known := r.timing.remaining(running, r.cores)
	if known && left >= 1 {
		state += fmt.Sprintf(", about %s left", time.Duration(left*float64(time.Second)).Round(time.Second))
	}
	return r.progress(done, state)
}
