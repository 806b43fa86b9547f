package child

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/hierml/notebook/kernel/internal/worker/pipe"
)

// Go ends a process when one of its stacks would grow above a limit, and no code can prevent that.
// Stacks double, so the largest under Go's default limit has half a gigabyte. The child allows one
// more doubling, and ends the goroutine when it has happened. If it cannot find the goroutine, it
// interrupts all cells. Endless recursion is the likely cause, and filling the new stack takes long
// enough for that.
const deep = 1 << 30

// watchStacks looks for a stack above Go's default limit, while cells or their goroutines run. The
// child's receiver calls it when a cell begins.
func (c *child) watchStacks(r Runner) {
	const pause, longPause = 5 * time.Millisecond, 50 * time.Millisecond
	debug.SetMaxStack(2*deep - 1)
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	var shallow chan struct{} // not nil while a stack is deep
	ends := false             // the runner ends its goroutine
	for {
		cells := c.cells()
		if len(cells) == 0 && shallow == nil && c.endWatch() {
			return
		}
		metrics.Read(sample)
		is := deepStack(sample[0].Value.Uint64(), runtime.NumGoroutine())
		if is && shallow == nil {
			until := make(chan struct{})
			shallow = until
			ends = r.EndDeep(deep, func(number int) {
				if cell := c.cell(number); cell != nil {
					c.stopDeep(cell, until)
				}
			})
		}
		if is && !ends {
			for _, cell := range cells {
				c.stopDeep(cell, shallow)
			}
		}
		if !is && shallow != nil {
			close(shallow)
			shallow = nil
			r.EndDeep(0, nil)
		}
		if len(cells) > 0 || shallow != nil {
			time.Sleep(pause)
		} else {
			time.Sleep(longPause)
		}
	}
}

// stopDeep tells the parent, once, that a cell must stop because of a deep stack.
func (c *child) stopDeep(cell *cell, shallow chan struct{}) {
	if cell.shallow.CompareAndSwap(nil, &shallow) {
		c.must(c.out.send(cell.Cell, &pipe.Deep{}))
	}
}

// deepStack reports whether one of the stacks is deep, given the bytes of all of them. Many small
// stacks do not count.
func deepStack(bytes uint64, goroutines int) bool {
	const ordinary = 32 << 10
	return bytes >= deep+ordinary*uint64(goroutines)
}

// cells returns the running cells.
func (c *child) cells() []*cell {
	c.mu.Lock()
	defer c.mu.Unlock()
	cells := make([]*cell, 0, len(c.running))
	for _, cell := range c.running {
		cells = append(cells, cell)
	}
	return cells
}

// cell returns the running cell with a number, or nil.
func (c *child) cell(number int) *cell {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running[number]
}

// endWatch ends the watch unless a cell has begun, or goroutines are left apart from that of the
// watch.
func (c *child) endWatch() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watching = len(c.running) > 0 || runtime.NumGoroutine() > c.atRest+1
	return !c.watching
}
