package child

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hierml/notebook/kernel/internal/worker/cells"
)

// A cell is a program in the child.
type cell struct {
	*cells.Cell
	began moment
	// shallow is closed when the deep stack is gone for which the cell was stopped; nil if it was
	// not.
	shallow atomic.Pointer[chan struct{}]
}

func newCell(number int) *cell {
	c := &cell{began: now()}
	c.Cell = cells.New(number, func() { go c.interruptProcesses() })
	return c
}

// awaitShallow waits, where the cell was stopped for a deep stack, until that is gone. A process
// that ends meanwhile takes the variables with it, so the cell must not have said before that they
// are kept.
func (c *cell) awaitShallow() {
	if shallow := c.shallow.Load(); shallow != nil {
		select {
		case <-*shallow:
		case <-time.After(time.Minute): // it neither grows nor ends
		}
	}
}

// interruptProcesses interrupts the processes that were started since the cell began. Those that
// keep the cell waiting all the same are killed.
func (c *cell) interruptProcesses() {
	signalProcesses(c.began, syscall.SIGINT)
	for {
		select {
		case <-c.Done():
			return
		case <-time.After(500 * time.Millisecond):
			signalProcesses(c.began, syscall.SIGKILL)
		}
	}
}
