//go:build ignore

// Package iter is what the engine runs in place of the generic functions of
// the standard package of this name.
package iter

import "iter"

func Pull[V any](seq iter.Seq[V]) (next func() (V, bool), stop func()) {
	next2, stop := Pull2(func(yield func(V, struct{}) bool) {
		seq(func(v V) bool { return yield(v, struct{}{}) })
	})
	return func() (V, bool) {
		v, _, ok := next2()
		return v, ok
	}, stop
}

// coroutine returns what resumes a coroutine, in which run is called and waits in pause.
func coroutine(run func(pause func())) (resume func())

func Pull2[K, V any](seq iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	var key K
	var value V
	var started, yielded, done, failed bool
	var failure any
	sequence := coroutine(func(pause func()) {
		defer func() {
			if failed {
				failure = recover()
			}
			done = true
		}()
		failed = true
		seq(func(k K, v V) bool {
			if done {
				return false
			}
			key, value, yielded = k, v, true
			pause()
			return !done
		})
		failed = false
	})
	resume := func() {
		started = true
		sequence()
		if failure != nil {
			f := failure
			failure = nil
			panic(f)
		}
	}
	next = func() (k K, v V, ok bool) {
		if done {
			return k, v, false
		}
		yielded = false
		resume()
		if !yielded {
			return k, v, false
		}
		k, v = key, value
		return k, v, true
	}
	stop = func() {
		if done {
			return
		}
		done = true
		if started {
			resume()
		}
	}
	return next, stop
}
