package interpreter

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// control stops interpreted code.
//
// yaegi's own way, EvalWithContext, gives the interpreter a new run number and
// closes a channel, after which every function value made before, in whichever
// cell, returns zero values when it is called. Here the number is changed only
// until the stopped cell has ended, and the channel is sent to instead of
// closed, so that what earlier cells made goes on working. Goroutines that
// take a step in between end too.
//
// Both are fields that yaegi does not export; newControl fails if a version of
// it does not have them.
type control struct {
	run  *uint64
	done chan struct{}
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
	return &control{
		run:  (*uint64)(unsafe.Pointer(run.UnsafeAddr())),
		done: *(*chan struct{})(unsafe.Pointer(done.UnsafeAddr())),
	}, nil
}

// stop ends all interpreted code that runs, and returns when finished is
// closed.
func (c *control) stop(finished <-chan struct{}) {
	was := atomic.AddUint64(c.run, 1<<32) - 1<<32
	defer atomic.StoreUint64(c.run, was)
	for {
		select {
		case c.done <- struct{}{}:
		case <-finished:
			return
		}
	}
}
