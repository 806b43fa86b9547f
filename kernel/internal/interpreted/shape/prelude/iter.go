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

// The sequence runs in a goroutine of its own, which and whose caller wait for
// each other.
func Pull2[K, V any](seq iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	var key K
	var value V
	var started, yielded, done, failed bool
	var failure any
	goOn := make(chan bool)
	paused := make(chan bool)
	run := func() {
		defer func() {
			if failed {
				failure = recover()
			}
			done = true
			paused <- true
		}()
		if !<-goOn {
			return
		}
		failed = true
		seq(func(k K, v V) bool {
			if done {
				return false
			}
			key, value, yielded = k, v, true
			paused <- true
			return <-goOn
		})
		failed = false
	}
	resume := func(on bool) {
		if !started {
			started = true
			go run()
		}
		goOn <- on
		<-paused
		if failed && done {
			failed = false
			panic(failure)
		}
	}
	next = func() (k K, v V, ok bool) {
		if done {
			return k, v, false
		}
		yielded = false
		resume(true)
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
		if !started {
			done = true
			return
		}
		resume(false)
	}
	return next, stop
}
