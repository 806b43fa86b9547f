package engine

import (
	"context"
	"sync"
	"time"
)

// This process prepares a cell before it runs, and holds the session meanwhile. The preparation
// stops when the cell's context is done where it can (check.Checker.StopIfCancelled), but parts of
// go/types cannot be stopped. Such work is abandoned: only cells that need the session wait for it,
// and not for long.

const (
	// leaveAfter is how long attend waits for work whose context is done.
	leaveAfter = time.Second
	// waitForLeft is how long a cell waits for abandoned work.
	waitForLeft = 5 * time.Second
	// askFor bounds the time for completion and inspection, and maxAsked the size of the text in
	// bytes.
	askFor   = 3 * time.Second
	maxAsked = 1 << 20
)

// left is the abandoned work.
type left struct {
	mu   sync.Mutex
	last *leftWork // nil for none
}

// A leftWork is finished when its channel is closed.
type leftWork struct {
	title string
	done  chan struct{}
}

// work returns the work that was abandoned last and is still running, or nil.
func (l *left) work() *leftWork {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// attend works on a cell, or on something that title names, until its context is done. The error is
// that of the work, or a *checkError; then undo, if not nil, reverts the work once it has finished.
func attend[T any](ctx context.Context, e *Engine, title string, do func() (T, error), undo func(T)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		value, err := do()
		ended <- outcome{value, err}
	}()
	select {
	case o := <-ended:
		return o.value, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-ended:
		return o.value, o.err
	case <-time.After(leaveAfter):
	}
	w := &leftWork{title, make(chan struct{})}
	e.left.mu.Lock()
	e.left.last = w
	e.left.mu.Unlock()
	go func() {
		if o := <-ended; o.err == nil && undo != nil {
			undo(o.value)
		}
		e.left.mu.Lock()
		if e.left.last == w {
			e.left.last = nil
		}
		e.left.mu.Unlock()
		close(w.done)
	}()
	var none T
	return none, &checkError{"Interrupted", title, "interrupted, but its check cannot be stopped; until it ends, other cells fail", context.Cause(ctx)}
}

// waitUntilFree waits until no abandoned work holds the session. If some still does, the error is a
// *checkError.
func (e *Engine) waitUntilFree(ctx context.Context) error {
	for deadline := time.After(waitForLeft); ; {
		w := e.left.work()
		if w == nil {
			return nil
		}
		select {
		case <-w.done:
			continue
		case <-ctx.Done():
		case <-deadline:
		}
		return &checkError{"Refused", "", "the check of " + w.title + ", which was interrupted, has not ended yet: wait for it, or restart the kernel", context.Cause(ctx)}
	}
}

// ask answers a question about a cell that is being edited. It returns none if the answer takes too
// long.
func ask[T any](e *Engine, source string, none T, answer func() T) T {
	if len(source) > maxAsked || e.left.work() != nil {
		return none
	}
	ctx, cancel := context.WithTimeout(context.Background(), askFor)
	defer cancel()
	found, err := attend(ctx, e, "what is being written", func() (T, error) { return answer(), nil }, nil)
	if err != nil {
		return none
	}
	return found
}

// ended returns a context that is done.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
