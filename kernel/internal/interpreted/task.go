package interpreted

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A task is a call that the interpreter supervises, with the goroutines that it starts. Its context
// ends when it is interrupted, and only then: goroutines that outlive the call keep it.
type task struct {
	ctx    context.Context
	cancel context.CancelFunc
	// finished is closed when the call has returned.
	finished chan struct{}

	// The interpreter's mu guards what a cell shows, and how many of its statements are done.
	bundle  *program.Bundle
	values  []any // of the bundle
	reached int
}

func newTask() *task {
	t := &task{finished: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
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
	background := reflect.ValueOf(in.background)
	exports := in.blocking()
	exports["time/time"] = map[string]reflect.Value{"Sleep": reflect.ValueOf(in.sleep)}
	exports["context/context"] = map[string]reflect.Value{"Background": background, "TODO": background}
	return exports
}

// background returns a context that ends when the cell that calls it is interrupted, and only then.
func (in *Interpreter) background() context.Context {
	if t := in.task(); t != nil {
		return t.ctx
	}
	return context.Background()
}

// interrupted returns a channel that is closed when the cell of the calling goroutine is
// interrupted.
func (in *Interpreter) interrupted() <-chan struct{} { return in.background().Done() }

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
func (in *Interpreter) await(group *sync.WaitGroup) { in.apart("", group.Wait, func() {}) }

// awaitCond waits for a condition. When the cell is interrupted, the lock is not held.
func (in *Interpreter) awaitCond(c *sync.Cond) { in.apart("", c.Wait, c.L.Unlock) }
