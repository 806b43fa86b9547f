// Package guarded runs goroutines whose panics reach the caller: a function that the user gave, a
// loss or a kernel, is then an error of the call that used it, and not the end of the process.
package guarded

import (
	"sync"
	"sync/atomic"

	"github.com/hierml/notebook/internal/machine"
)

// Group is a sync.WaitGroup that keeps panics. The zero value is ready to use.
type Group struct {
	wait  sync.WaitGroup
	mu    sync.Mutex
	value any // of the first panic
}

// Go runs f in a goroutine.
func (g *Group) Go(f func()) {
	g.wait.Go(func() { g.Guard(f) })
}

// Guard runs f in the caller's goroutine. It keeps a panic of f for Wait, and reports whether f
// returned.
func (g *Group) Guard(f func()) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.value == nil {
				g.value = v
			}
		}
	}()
	f()
	return true
}

// Wait waits for the goroutines, and then panics with the value of the first panic, if there was
// any.
func (g *Group) Wait() {
	g.wait.Wait()
	if g.value != nil {
		panic(g.value)
	}
}

// Workers returns the number of goroutines for work: that asked for, or, if that is none, one for
// each processor that this process may use.
func Workers(asked int) int {
	if asked > 0 {
		return asked
	}
	return machine.Processors()
}

// Each calls do for every item of 0..n-1, on the given number of goroutines, 0 for one a processor.
func Each(n, workers int, do func(item int)) {
	workers = min(Workers(workers), n)
	if workers <= 1 {
		for item := range n {
			do(item)
		}
		return
	}
	var next atomic.Int64
	var wait Group
	work := func() {
		for {
			item := int(next.Add(1)) - 1
			if item >= n {
				return
			}
			do(item)
		}
	}
	for range workers - 1 {
		wait.Go(work)
	}
	wait.Guard(work)
	wait.Wait()
}
