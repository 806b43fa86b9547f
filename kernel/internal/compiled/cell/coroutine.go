package cell

import "iter"

// A Coroutine is a *program.Coroutine.
type Coroutine interface {
	// Resume and Paused are called by the goroutine that resumes the coroutine, before and after.
	Resume()
	Paused()
	// The coroutine calls Body with its function, and Resumed when it is resumed.
	Body(f func())
	Resumed()
}

// Pull is iter.Pull. The coroutine belongs to the cell of the goroutine that resumes it.
func Pull[V any](seq iter.Seq[V]) (next func() (V, bool), stop func()) {
	c := host().Coroutine()
	resume, end := iter.Pull(func(yield func(V) bool) {
		c.Body(func() {
			seq(func(v V) bool {
				more := yield(v)
				c.Resumed()
				return more
			})
		})
	})
	return func() (V, bool) {
		c.Resume()
		defer c.Paused()
		return resume()
	}, resuming(c, end)
}

// Pull2 is iter.Pull2. The coroutine belongs to the cell of the goroutine that resumes it.
func Pull2[K, V any](seq iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	c := host().Coroutine()
	resume, end := iter.Pull2(func(yield func(K, V) bool) {
		c.Body(func() {
			seq(func(k K, v V) bool {
				more := yield(k, v)
				c.Resumed()
				return more
			})
		})
	})
	return func() (K, V, bool) {
		c.Resume()
		defer c.Paused()
		return resume()
	}, resuming(c, end)
}

// resuming returns a function that calls end, which resumes the coroutine for the last time.
func resuming(c Coroutine, end func()) func() {
	return func() {
		c.Resume()
		defer c.Paused()
		end()
	}
}
