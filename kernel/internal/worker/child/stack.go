package child

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/hierml/notebook/kernel/internal/worker/pipe"
)

// Go ends a process one of whose stacks is to grow above a limit, which no code can prevent. Stacks
// double, so with Go's own limit the largest has half a gigabyte. Here one more doubling is
// allowed, and the cells are interrupted when it has happened: endless recursion is the likely
// cause, and what it needs to fill the new stack is time enough.
const deep = 1 << 30

// watchStacks tells the parent of a stack that Go would not have allowed, while cells run. The
// child's receiver calls it when a cell begins.
func (c *child) watchStacks() {
	const pause = 5 * time.Millisecond
	debug.SetMaxStack(2*deep - 1)
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	told := map[*cell]bool{}
	for {
		cells := c.cells()
		if len(cells) == 0 && c.rest() {
			return
		}
		metrics.Read(sample)
		if deepStack(sample[0].Value.Uint64(), runtime.NumGoroutine()) {
			for _, cell := range cells {
				if !told[cell] {
					told[cell] = true
					c.must(c.out.send(cell, &pipe.Deep{}))
				}
			}
		}
		time.Sleep(pause)
	}
}

// deepStack reports whether one of the stacks is deep, given the bytes of all. Those of many
// goroutines are no deep one.
func deepStack(bytes uint64, goroutines int) bool {
	const ordinary = 32 << 10
	return bytes >= deep+ordinary*uint64(goroutines)
}

// cells returns the cells that run.
func (c *child) cells() []*cell {
	c.mu.Lock()
	defer c.mu.Unlock()
	cells := make([]*cell, 0, len(c.running))
	for _, cell := range c.running {
		cells = append(cells, cell)
	}
	return cells
}

// rest ends the watch unless a cell has begun.
func (c *child) rest() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watching = len(c.running) > 0
	return !c.watching
}
