package interpreted

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// control stops interpreted code.
//
// yaegi's own method, EvalWithContext, changes the interpreter's run number and closes a channel.
// After that every existing function value, of any cell, returns zero values when it is called.
// Here the number is changed only until the stopped cells have ended, and the channel is sent to
// instead of closed, so that functions of earlier cells still work. Other running cells are
// stopped, too: otherwise one of their functions could be cut short, and its caller would go on.
// Goroutines that take a step in between end.
//
// Both are unexported fields of yaegi; newControl fails if a version lacks them.
type control struct {
	run  *uint64
	done chan struct{}

	stopping atomic.Bool // a stop is in progress

	mu          sync.Mutex
	changed     *sync.Cond // signalled when one of the next two changes, and when a call ends
	stops       int        // stops in progress
	evaluations int        // evaluations of source in progress
	was         uint64     // the number to restore after the last stop
	calls       map[*task]bool
	postponed   []func()        // deferred calls of stopped functions
	waiting     map[uint64]bool // goroutines that were stopped while they waited for a lock
}

func newControl(i *interp.Interpreter) (*control, error) {
	// This makes yaegi create the channel, and use it in channel operations.
	if _, err := i.EvalWithContext(context.Background(), "1"); err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	v := reflect.ValueOf(i).Elem()
	run, done := v.FieldByName("id"), v.FieldByName("done")
	if !run.IsValid() || run.Kind() != reflect.Uint64 || !done.IsValid() || done.Type() != reflect.TypeFor[chan struct{}]() {
		return nil, fmt.Errorf("interpreter: this version of yaegi cannot be stopped: it lacks the fields id and done")
	}
	c := &control{
		run:     (*uint64)(unsafe.Pointer(run.UnsafeAddr())),
		done:    *(*chan struct{})(unsafe.Pointer(done.UnsafeAddr())),
		calls:   map[*task]bool{},
		waiting: map[uint64]bool{},
	}
	c.changed = sync.NewCond(&c.mu)
	return c, nil
}

// untilStep is how long goroutines of stopped calls may take until their next step, at which they
// end.
const untilStep = 100 * time.Millisecond

// stop ends all running interpreted code, and returns when t and all other calls have finished. It
// also gives their goroutines a moment to end; has reports whether a task has any.
func (c *control) stop(t *task, has func(*task) bool) {
	c.mu.Lock()
	for c.evaluations > 0 {
		c.changed.Wait()
	}
	if c.stops == 0 {
		c.was = atomic.LoadUint64(c.run)
		atomic.StoreUint64(c.run, c.was+1<<32)
	}
	c.stops++
	c.stopping.Store(true)
	stopped := []*task{t}
	t.contexts.End()
	for other := range c.calls {
		other.contexts.End()
		stopped = append(stopped, other)
	}
	c.changed.Broadcast()
	c.mu.Unlock()

	for _, t := range stopped {
		for finished := false; !finished; {
			select {
			case c.done <- struct{}{}:
			case <-t.finished:
				finished = true
			}
		}
	}
	patience := time.NewTimer(untilStep)
	defer patience.Stop()
	for waiting := true; waiting && slices.ContainsFunc(stopped, has); {
		select {
		case c.done <- struct{}{}:
		case <-time.After(time.Millisecond):
		case <-patience.C:
			waiting = false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops--
	if c.stops == 0 {
		c.stopping.Store(false)
		atomic.StoreUint64(c.run, c.was)
		c.changed.Broadcast()
	}
}

// postpone keeps the deferred calls of a function that is being stopped, which cannot run now. It
// reports false if no stop is in progress.
func (c *control) postpone(d *defers) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops == 0 {
		return false
	}
	if c.waiting[goroutineID()] {
		return true // unlocking an unlocked lock would end the process
	}
	for _, f := range slices.Backward(d.calls) {
		c.postponed = append(c.postponed, f.call)
	}
	return true
}

// leave records that a goroutine was stopped without the lock that it waited for: its deferred
// calls are omitted.
func (c *control) leave(goroutine uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[goroutine] = true
}

// takePostponed returns the deferred calls to make, if no stop is in progress.
func (c *control) takePostponed() []func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops > 0 {
		return nil // the last stop makes them
	}
	calls := c.postponed
	c.postponed = nil
	clear(c.waiting)
	return calls
}

// await returns when t is being stopped, so that its goroutines take no more steps, or has
// finished.
func (c *control) await(t *task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t.ctx.Err() == nil && c.calls[t] {
		c.changed.Wait()
	}
}

// stopped reports whether the task was stopped. It is accurate for code that has noticed the change
// of the run number.
func (c *control) stopped(t *task) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.ctx.Err() != nil
}

// evaluate calls f, which evaluates source, while no stop is in progress: source evaluated during a
// stop would get a run number that becomes invalid.
func (c *control) evaluate(f func()) {
	c.mu.Lock()
	for c.stops > 0 {
		c.changed.Wait()
	}
	c.evaluations++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.evaluations--
		c.changed.Broadcast()
	}()
	f()
}

// begin waits until no stop is in progress, and reports whether t may begin: it was not stopped
// before.
func (c *control) begin(t *task) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.stops > 0 && t.ctx.Err() == nil {
		c.changed.Wait()
	}
	if t.ctx.Err() != nil {
		return false
	}
	c.calls[t] = true
	return true
}

// end records that t has finished.
func (c *control) end(t *task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, t)
	close(t.finished)
	c.changed.Broadcast()
}
