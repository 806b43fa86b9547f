//go:build ignore

// Package atomic is what the engine runs in place of the generic types of the
// standard package of this name.
package atomic

import "sync"

type Pointer[T any] struct {
	mu sync.Mutex
	p  *T
}

func (x *Pointer[T]) Load() *T {
	x.mu.Lock()
	p := x.p
	x.mu.Unlock()
	return p
}

func (x *Pointer[T]) Store(val *T) {
	x.mu.Lock()
	x.p = val
	x.mu.Unlock()
}

func (x *Pointer[T]) Swap(new *T) (old *T) {
	x.mu.Lock()
	old = x.p
	x.p = new
	x.mu.Unlock()
	return old
}

func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	x.mu.Lock()
	if x.p == old {
		x.p = new
		swapped = true
	}
	x.mu.Unlock()
	return swapped
}
