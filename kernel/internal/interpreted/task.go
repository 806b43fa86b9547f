package interpreted

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A task is a call that the interpreter supervises, with the goroutines that it starts. Its context
// ends when it is interrupted, and only then: goroutines that outlive the call keep it.
type task struct {
	cell     int
	ctx      context.Context // of contexts
	contexts *program.Ending
	// finished is closed when the call has returned.
	finished chan struct{}

	// The interpreter's mu guards what a cell shows, and how many of its statements are done.
	bundle  *program.Bundle
	values  []any // of the bundle
	reached int

	// told says that compiled code which called a function of the session was told of the
	// interrupt.
	told atomic.Bool

	// keeps says that compiled code is under way whose results the cell keeps though it is
	// interrupted, and until when it may go on then, in nanoseconds of Unix time.
	keeps atomic.Bool
	until atomic.Int64

	// deferred says that this makes a deferred call of a task that was stopped.
	deferred bool

	// failed is closed when a goroutine has failed while the call went on.
	failed chan struct{}

	mu      sync.Mutex
	failure error // of the goroutine that failed first
	over    bool  // the call has ended
	// raised holds the goroutines that panic and whose deferred calls have not recovered so far,
	// with what is closed when they do, or are over.
	raised map[uint64]chan struct{}
}

func newTask(cell int) *task {
	t := &task{cell: cell, contexts: program.NewEnding(cell), finished: make(chan struct{}), failed: make(chan struct{}), raised: map[uint64]chan struct{}{}}
	t.ctx = t.contexts.Cell()
	return t
}

// fail ends the call because a goroutine of it has failed, and reports whether it was not over. The
// first failure counts.
func (t *task) fail(err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over && t.failure == nil {
		t.failure = err
		close(t.failed)
	}
	return !t.over
}

// end says that the call has ended, with that error unless a goroutine has failed before, and
// returns the error that counts. A goroutine whose deferred calls are done, and which nothing has
// recovered, has failed a moment before the others could know of these calls: it is waited for.
func (t *task) end(err error) error {
	if raising := t.raising(); len(raising) > 0 {
		patience := time.NewTimer(time.Second)
		defer patience.Stop()
		for _, settled := range raising {
			select {
			case <-settled:
			case <-t.failed:
			case <-patience.C: // compiled code has recovered it
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.failure != nil {
		return t.failure
	}
	return err
}

func (t *task) raising() []chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.raised))
}

// raise notes that a goroutine goes on to panic when its deferred calls are done, and settle that
// it does not any more.
func (t *task) raise(goroutine uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.raised[goroutine] == nil {
		t.raised[goroutine] = make(chan struct{})
	}
}

func (t *task) settle(goroutine uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if settled := t.raised[goroutine]; settled != nil {
		close(settled)
		delete(t.raised, goroutine)
	}
}

func (in *Interpreter) join(goroutine uint64, t *task) {
	if t == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.tasks[goroutine] = t
}

func (in *Interpreter) leave(goroutine uint64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.tasks, goroutine)
	if in.lingering.Load() {
		in.linger()
	}
}

// task returns the task of the calling goroutine, nil if it has none.
func (in *Interpreter) task() *task {
	id := goroutineID()
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.tasks[id]
}

// interruptible are functions that stand in for compiled ones which an interrupt would not reach.
func (in *Interpreter) interruptible() interp.Exports {
	exports := in.blocking()
	maps.Copy(exports, in.elsewhere())
	exports["time/time"] = map[string]reflect.Value{"Sleep": reflect.ValueOf(in.sleep), "AfterFunc": reflect.ValueOf(in.afterFunc)}
	exports["context/context"] = map[string]reflect.Value{"AfterFunc": reflect.ValueOf(in.contextAfterFunc)}
	signals := &program.CellSignals
	exports["os/signal/signal"] = map[string]reflect.Value{
		"Notify": reflect.ValueOf(signals.Notify), "NotifyContext": reflect.ValueOf(signals.NotifyContext), "Stop": reflect.ValueOf(signals.Stop),
		"Ignore": reflect.ValueOf(signals.Ignore), "Reset": reflect.ValueOf(signals.Reset),
	}
	return exports
}

// What follows calls functions of the session in goroutines that compiled code starts.

// afterFunc calls f by the time.AfterFunc of the symbols, which may know more of goroutines.
func (in *Interpreter) afterFunc(d time.Duration, f func()) *time.Timer {
	after := time.AfterFunc
	if given, ok := in.config.Symbols["time/time"]["AfterFunc"]; ok {
		after = given.Interface().(func(time.Duration, func()) *time.Timer)
	}
	return after(d, in.aside(f))
}

func (in *Interpreter) contextAfterFunc(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, in.aside(f))
}

func (in *Interpreter) groupGo(group *sync.WaitGroup, f func()) { group.Go(in.aside(f)) }

// endsWithCell returns a context that is given to a compiled function as one that also ends when
// the cell that calls it is interrupted.
func (in *Interpreter) endsWithCell(ctx context.Context) context.Context {
	if t := in.task(); t != nil {
		return t.contexts.Context(ctx)
	}
	return ctx
}

// interrupted returns a channel that is closed when the cell of the calling goroutine is
// interrupted; nil if it has none.
func (in *Interpreter) interrupted() <-chan struct{} {
	if t := in.task(); t != nil {
		return t.ctx.Done()
	}
	return nil
}

func (in *Interpreter) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-in.interrupted():
	}
}

// lock takes a lock. When the cell is interrupted first, it is not held.
func (in *Interpreter) lock(l sync.Locker) {
	if try, ok := l.(interface{ TryLock() bool }); ok && try.TryLock() {
		return
	}
	in.apart("", l.Lock, l.Unlock)
}

// rlock locks a mutex for reading. When the cell is interrupted first, it is not held.
func (in *Interpreter) rlock(l *sync.RWMutex) {
	if !l.TryRLock() {
		in.apart("", l.RLock, l.RUnlock)
	}
}

// await waits for a group.
func (in *Interpreter) await(group *sync.WaitGroup) { in.apart("", group.Wait, nil) }

// awaitCond waits for a condition. When the cell is interrupted, the lock is not held.
func (in *Interpreter) awaitCond(c *sync.Cond) { in.apart("", c.Wait, c.L.Unlock) }
