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
// yaegi's own way, EvalWithContext, gives the interpreter a new run number and closes a channel,
// after which every function value made before, in whichever cell, returns zero values when it is
// called. Here the number is changed only until the stopped cells have ended, and the channel is
// sent to instead of closed, so that what earlier cells made goes on working. Other cells that run
// are stopped too: else a function of theirs could be cut short, and its caller go on. Goroutines
// that take a step in between end.
//
// Both are fields that yaegi does not export; newControl fails if a version of it does not have
// them.
type control struct {
	run  *uint64
	done chan struct{}

	stopping atomic.Bool // stops are under way

	mu          sync.Mutex
	changed     *sync.Cond // signalled when one of the next two changes, and when a call ends
	stops       int        // how many stops are under way
	evaluations int        // how many evaluations of source are
	was         uint64     // the number to return to after the last stop
	calls       map[*task]bool
	postponed   []func()        // deferred calls of what was stopped
	waiting     map[uint64]bool // goroutines that were stopped while they waited for a lock
}

func newControl(i *interp.Interpreter) (*control, error) {
	// This makes the channel, and operations on channels attend to it.
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

// untilStep is how long goroutines of stopped calls have to take a step, by which they end.
const untilStep = 100 * time.Millisecond

// stop ends all interpreted code that runs, and returns when t and all other calls have finished.
// It gives the goroutines that they have started a moment to end, too; has reports whether a task
// has some.
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
// reports false if no stop is under way.
func (c *control) postpone(d *defers) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops == 0 {
		return false
	}
	if c.waiting[goroutineID()] {
		return true // to unlock what is not locked would end the process
	}
	for _, f := range slices.Backward(d.calls) {
		c.postponed = append(c.postponed, f.call)
	}
	return true
}

// leave notes that a goroutine is stopped which does not hold the lock that it waited for: its
// deferred calls are left out.
func (c *control) leave(goroutine uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[goroutine] = true
}

// takePostponed returns the deferred calls to be made when no stop is under way.
func (c *control) takePostponed() []func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops > 0 {
		return nil // the last stop has them made
	}
	calls := c.postponed
	c.postponed = nil
	clear(c.waiting)
	return calls
}

// await returns when t is being stopped, so that its goroutines take no step any more, or has
// finished.
func (c *control) await(t *task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t.ctx.Err() == nil && c.calls[t] {
		c.changed.Wait()
	}
}

// stopped reports whether the task was stopped. Whoever has noticed the change of the run number
// finds it so.
func (c *control) stopped(t *task) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.ctx.Err() != nil
}

// evaluate calls f, which evaluates source, while no stop is under way: what is evaluated during
// one would take its run number, which is over when it ends.
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

// begin returns when no stop is under way, and reports whether t may begin: it was not stopped
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

// end says that t has finished.
func (c *control) end(t *task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, t)
	close(t.finished)
	c.changed.Broadcast()
}
