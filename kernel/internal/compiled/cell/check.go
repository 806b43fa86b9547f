package cell

import "time"

// Check ends the calling goroutine, after its deferred calls, if its cell was stopped. Compiled
// cells call it at the beginning of functions and loop bodies. It does not interrupt deferred calls
// that run because of such an end.
func Check() {
	if stopping.Load() != 0 {
		check()
	}
}

// CheckApart is Check as a call that is not inlined.
//
//go:noinline
func CheckApart() { Check() }

//go:noinline
func check() { host().Check() }

// Done returns a channel that is closed when the cell of the calling goroutine is stopped: a case
// for a select without default, whose body is Stop. It is nil for a goroutine without a cell.
func Done() <-chan struct{} { return host().Done() }

// Stop ends the calling goroutine, after its deferred calls. It does not return; the result allows
// it in place of a value, as in a return statement.
func Stop() any {
	host().Stop()
	panic("the goroutine goes on")
}

// Sleep is time.Sleep, and ends when the cell is stopped.
func Sleep(d time.Duration) {
	if d > 0 {
		host().Sleep(int64(d))
	}
}

// Waits wraps f, a compiled function that may wait forever for something outside the program. The
// returned function ends when the cell is stopped, and abandons f. If name is not empty, f goes on
// working then, and the user is told so.
func Waits[F any](name string, f F) F {
	return host().Waits(name, f).(F)
}
