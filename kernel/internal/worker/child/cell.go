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
	// shallow is closed when the deep stack for which the cell was stopped is gone. It is nil if
	// the cell was not stopped for one.
	shallow atomic.Pointer[chan struct{}]
}

func newCell(number int) *cell {
	c := &cell{began: now()}
	c.Cell = cells.New(number, func() { go c.interruptProcesses() })
	return c
}

// awaitShallow waits until the deep stack for which the cell was stopped is gone. If the process
// ends before that, the variables are lost, so the cell must not have said that they are kept.
func (c *cell) awaitShallow() {
	if shallow := c.shallow.Load(); shallow != nil {
		select {
		case <-*shallow:
		case <-time.After(time.Minute): // the stack neither grows nor goes away
		}
	}
}

// interruptProcesses interrupts the processes started since the cell began. It kills those that
// keep the cell waiting nevertheless.
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
