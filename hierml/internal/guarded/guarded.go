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

// ChunkSize is the number of items in a chunk of [Chunks]. It is fixed, so that results that depend
// on the borders of chunks do not depend on the number of workers.
const ChunkSize = 128

// Chunks calls do for each chunk lo..hi-1 of 0..n-1, on the given number of goroutines, numbered
// from 0; 0 for one a processor.
func Chunks(n, workers int, do func(worker, lo, hi int)) {
	workers = min(Workers(workers), (n+ChunkSize-1)/ChunkSize)
	if workers <= 1 {
		for lo := 0; lo < n; lo += ChunkSize {
			do(0, lo, min(lo+ChunkSize, n))
		}
		return
	}
	var next atomic.Int64
	var wait Group
	for worker := range workers {
		wait.Go(func() {
			for {
				lo := int(next.Add(ChunkSize)) - ChunkSize
				if lo >= n {
					return
				}
				do(worker, lo, min(lo+ChunkSize, n))
			}
		})
	}
	wait.Wait()
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
