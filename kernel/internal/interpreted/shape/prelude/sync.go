//go:build ignore

// Package sync is what the engine runs in place of the generic functions of
// the standard package of this name.
package sync

import "sync"

func OnceValue[T any](f func() T) func() T {
	var once sync.Once
	var result T
	var failure any
	failed := true
	run := func() {
		defer func() {
			if failed {
				failure = recover()
			}
		}()
		result = f()
		failed = false
	}
	return func() T {
		once.Do(run)
		if failed {
			panic(failure)
		}
		return result
	}
}

func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var once sync.Once
	var r1 T1
	var r2 T2
	var failure any
	failed := true
	run := func() {
		defer func() {
			if failed {
				failure = recover()
			}
		}()
		r1, r2 = f()
		failed = false
	}
	return func() (T1, T2) {
		once.Do(run)
		if failed {
			panic(failure)
		}
		return r1, r2
	}
}
