package interpreter

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/traefik/yaegi/interp"
)

// A task is a call that the interpreter supervises, with the goroutines that it
// starts. Its context ends when it is interrupted, and only then: goroutines
// that outlive the call keep it.
type task struct {
	ctx    context.Context
	cancel context.CancelFunc
	// finished is closed when the call has returned.
	finished chan struct{}
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

// interruptible are functions that stand in for compiled ones which an
// interrupt would not reach.
func (in *Interpreter) interruptible() interp.Exports {
	background := reflect.ValueOf(in.background)
	exports := in.blocking()
	exports["time/time"] = map[string]reflect.Value{"Sleep": reflect.ValueOf(in.sleep)}
	exports["context/context"] = map[string]reflect.Value{"Background": background, "TODO": background}
	return exports
}

// background returns a context that ends when the cell that calls it is
// interrupted, and only then.
func (in *Interpreter) background() context.Context {
	if t := in.task(); t != nil {
		return t.ctx
	}
	return context.Background()
}

// interrupted returns a channel that is closed when the cell of the calling
// goroutine is interrupted.
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

// lock locks a mutex, or returns without it when the cell is interrupted.
func (in *Interpreter) lock(l interface {
	sync.Locker
	TryLock() bool
}) {
	if !l.TryLock() {
		in.wait(l.Lock, l.Unlock)
	}
}

// rlock locks a mutex for reading, or returns without it when the cell is
// interrupted.
func (in *Interpreter) rlock(l *sync.RWMutex) {
	if !l.TryRLock() {
		in.wait(l.RLock, l.RUnlock)
	}
}

// await waits for a group, or until the cell is interrupted.
func (in *Interpreter) await(group *sync.WaitGroup) { in.wait(group.Wait, func() {}) }

// wait calls get in a goroutine of its own, and returns when it has or when the
// cell is interrupted. In that case undo is called after get, whenever that is.
// A panic of get goes on in the calling goroutine.
func (in *Interpreter) wait(get, undo func()) {
	got := make(chan any)
	interrupted := in.interrupted()
	go func() {
		failure := attempt(get)
		select {
		case got <- failure:
		case <-interrupted:
			if failure == nil {
				undo()
			}
		}
	}()
	select {
	case failure := <-got:
		if failure != nil {
			panic(failure)
		}
	case <-interrupted:
	}
}

// attempt returns the value with which f panics.
func attempt(f func()) (failure any) {
	defer func() { failure = recover() }()
	f()
	return nil
}
