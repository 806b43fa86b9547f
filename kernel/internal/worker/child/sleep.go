package child

import (
	"fmt"
	"github.com/hierml/notebook/stdlib/host"
	"time"
)

// sleepPause is for how long a cell has run, and runs on, before all goroutines may be said to be
// asleep.
const sleepPause = 2 * time.Second

// watchSleep tells the user once if all goroutines wait for each other while the cell runs. Go ends a
// program then. Here it cannot be known that nothing wakes them: timers may call functions, and a
// signal may come.
func (c *child) watchSleep(r Runner, cell *cell) {
	time.AfterFunc(sleepPause, func() {
		switch {
		case cell.Ended(), cell.Context().Err() != nil:
		case r.Asleep():
			// A pipe that cannot be written to has lost its reader, the parent.
			_, _ = c.out.write(cell.Cell, host.Notes, fmt.Appendf(nil, "note: all goroutines are asleep, as they wait for each other: interrupt the cell, unless the function of a timer or a signal is to wake them\n"))
		default:
			c.watchSleep(r, cell)
		}
	})
}
