package child

import (
	"fmt"
	"time"
)

// sleepPause is for how long a cell has run, and runs on, before all goroutines may be said to be
// asleep.
const sleepPause = 2 * time.Second

// watchSleep tells the user once if all goroutines wait for each other while the cell runs, until
// awake is called. Go ends a program then. Here it cannot be known that nothing wakes them: timers
// may call functions, and a signal may come.
func (c *child) watchSleep(r Runner, cell *cell) (awake func()) {
	begun := make(chan struct{})
	var timer *time.Timer
	timer = time.AfterFunc(sleepPause, func() {
		<-begun // timer is set
		switch {
		case cell.ctx.Err() != nil: // it ends
		case r.Asleep():
			// A pipe that cannot be written to has lost its reader, the parent.
			_, _ = c.stderr.write(cell, fmt.Appendf(nil, "note: all goroutines are asleep, as they wait for each other: interrupt the cell, unless the function of a timer or a signal is to wake them\n"))
		default:
			timer.Reset(sleepPause)
		}
	})
	close(begun)
	return func() { timer.Stop() }
}
