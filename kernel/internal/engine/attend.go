package engine

import (
	"context"
	"sync"
	"time"
)

// What is done to a cell before it runs is work of this process, which holds the session meanwhile.
// It heeds the end of the cell's context where it can (check.Checker.Heed), but go/types has parts
// that hear of nothing. Work that does not end is left to itself: nobody waits for it but cells
// that need the session, and these not for long.

const (
	// leaveAfter is how long work is waited for when its context has ended.
	leaveAfter = time.Second
	// waitForLeft is how long a cell waits for work that was left.
	waitForLeft = 5 * time.Second
	// askFor bounds completion and inspection, and maxAsked the text that they look at, in bytes.
	askFor   = 3 * time.Second
	maxAsked = 1 << 20
)

// left is the work that was left to itself.
type left struct {
	mu   sync.Mutex
	last *leftWork // nil for none
}

// A leftWork is done when its channel is closed.
type leftWork struct {
	title string
	done  chan struct{}
}

// work returns what was left last and is not done, nil for nothing.
func (l *left) work() *leftWork {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// attend does some work on a cell, or on what a title says, for as long as its context lasts. The
// error is that of the work, or a *checkError; then undo, if not nil, takes back what comes of the
// work.
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
	return none, &checkError{"Interrupted", title, "interrupted; its check cannot be stopped and goes on: cells that come before it has ended fail", context.Cause(ctx)}
}

// waitUntilFree waits until the session is not held by work that was left. The error is a
// *checkError, which says that it still is.
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

// ask answers a question about a cell that is being written. What takes too long is not answered.
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

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
