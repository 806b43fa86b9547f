package program

import "unsafe"

// Label returns the labels for Go's profiler that the calling goroutine bears. Goroutines inherit
// them, so their address tells to which cell a goroutine belongs; their content is not looked at.
// Go keeps this function of its own for others to use, see the run time's proflabel.go.
//
//go:linkname Label runtime/pprof.runtime_getProfLabel
func Label() unsafe.Pointer

// SetLabel gives labels to the calling goroutine.
//
//go:linkname SetLabel runtime/pprof.runtime_setProfLabel
func SetLabel(unsafe.Pointer)

// A Coroutine passes the label of the goroutine that resumes a coroutine, as that of iter.Pull, on
// to the coroutine, which otherwise keeps the label of the one that made it.
type Coroutine struct{ label unsafe.Pointer }

// Resume notes the label of the calling goroutine, which is about to resume the coroutine.
func (c *Coroutine) Resume() { c.label = Label() }

// Resumed gives the coroutine that calls it the label of the goroutine that has resumed it.
func (c *Coroutine) Resumed() { SetLabel(c.label) }

// Body calls what the coroutine does. If that panics or ends the coroutine, the goroutine that has
// resumed it does the same, and bears the label of the coroutine then.
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

// Paused is called by the goroutine that has resumed the coroutine when that does not run any more.
func (c *Coroutine) Paused() { SetLabel(c.label) }
