package cells

import (
	"context"
	"sync/atomic"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// A Cell is a running program, or one that has ended and has left goroutines.
type Cell struct {
	Number      int
	ctx         context.Context // done only when the cell is interrupted
	cancel      context.CancelFunc
	interrupted func()
	done        chan struct{}           // closed when the cell has ended
	sink        atomic.Pointer[capture] // takes what the cell shows; nil for none
}

// A capture is a sink inside another one, outer, which may be nil.
type capture struct {
	host.Sink
	outer *capture
	over  atomic.Bool
}

// New returns a cell that begins. interrupted, if not nil, is called when the cell is interrupted.
func New(number int, interrupted func()) *Cell {
	c := &Cell{Number: number, interrupted: interrupted, done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	c.ctx, c.cancel = program.CellContext(ctx, number), cancel
	return c
}

// Context returns a context that is done only when the cell is interrupted.
func (c *Cell) Context() context.Context { return c.ctx }

// Interrupt interrupts the cell.
func (c *Cell) Interrupt() {
	if c.ctx.Err() != nil {
		return
	}
	c.cancel()
	if c.interrupted != nil {
		c.interrupted()
	}
}

// End records that the cell has ended.
func (c *Cell) End() { close(c.done) }

// Done returns a channel that is closed when the cell has ended.
func (c *Cell) Done() <-chan struct{} { return c.done }

// Ended reports whether the cell has ended.
func (c *Cell) Ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// capture sends what the cell shows to s until end is called. If several goroutines of a cell
// capture at the same time, the last to begin gets the output of all of them.
func (c *Cell) capture(s host.Sink) (end func()) {
	for {
		outer := c.sink.Load()
		mine := &capture{Sink: s, outer: outer}
		if c.sink.CompareAndSwap(outer, mine) {
			return func() {
				mine.over.Store(true)
				for top := c.sink.Load(); top != nil && top.over.Load(); top = c.sink.Load() {
					c.sink.CompareAndSwap(top, top.outer)
				}
			}
		}
	}
}
