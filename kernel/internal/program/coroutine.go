package program

import "unsafe"

// Label returns the profiler labels of the calling goroutine. Goroutines inherit them, so their
// address identifies the cell of a goroutine; their content does not matter. Go keeps this internal
// function accessible for others, see the run time's proflabel.go.
//
//go:linkname Label runtime/pprof.runtime_getProfLabel
func Label() unsafe.Pointer

// SetLabel gives labels to the calling goroutine.
//
//go:linkname SetLabel runtime/pprof.runtime_setProfLabel
func SetLabel(unsafe.Pointer)

// A Coroutine passes on the label of the goroutine that resumes a coroutine, such as that of
// iter.Pull. Otherwise the coroutine would keep the label of its creator.
type Coroutine struct{ label unsafe.Pointer }

// Resume records the label of the calling goroutine, which is about to resume the coroutine.
func (c *Coroutine) Resume() { c.label = Label() }

// Resumed gives the calling coroutine the label of the goroutine that has resumed it.
func (c *Coroutine) Resumed() { SetLabel(c.label) }

// Body runs the coroutine's function. If that panics or ends the coroutine, the resuming goroutine
// does the same, and has the label of the coroutine then.
func (c *Coroutine) Body(f func()) {
	returned := false
	defer func() {
		if !returned {
			c.label = Label()
		}
	}()
	c.Resumed()
	f()
	returned = true
}

// Paused must be called by the resuming goroutine when the coroutine has stopped running.
func (c *Coroutine) Paused() { SetLabel(c.label) }
