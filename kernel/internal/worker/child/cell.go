package child

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hierml/notebook/stdlib/host"
)

// A cell is a program in the child: one that runs, or one that has ended and has left goroutines.
type cell struct {
	number int
	ctx    context.Context // ends when the cell is interrupted, and only then
	cancel context.CancelFunc
	done   chan struct{} // closed when the cell has ended
	began  moment
	sink   atomic.Pointer[capture] // takes what the cell shows; nil for none
	// shallow is closed when the deep stack is gone for which the cell was stopped; nil if it was not.
	shallow atomic.Pointer[chan struct{}]
}

// A capture is a sink within that of outer, which may be nil.
type capture struct {
	host.Sink
	outer *capture
	over  atomic.Bool
}

func newCell(number int) *cell {
	c := &cell{number: number, done: make(chan struct{}), began: now()}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

func (c *cell) end() { close(c.done) }

func (c *cell) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// awaitShallow waits, where the cell was stopped for a deep stack, until that is gone. A process that
// ends meanwhile takes the variables with it, so the cell must not have said before that they are
// kept.
func (c *cell) awaitShallow() {
	if shallow := c.shallow.Load(); shallow != nil {
		select {
		case <-*shallow:
		case <-time.After(time.Minute): // it neither grows nor ends
		}
	}
}

// interrupt asks the cell to end, and the processes that were started since it began. Processes
// that keep the cell waiting all the same are killed.
func (c *cell) interrupt() {
	if c.ctx.Err() != nil {
		return
	}
	c.cancel()
	go func() {
		signalProcesses(c.began, unix.SIGINT)
		for {
			select {
			case <-c.done:
				return
			case <-time.After(500 * time.Millisecond):
				signalProcesses(c.began, unix.SIGKILL)
			}
		}
	}()
}
