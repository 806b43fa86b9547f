package cell

import "time"

// Check ends the calling goroutine, after its deferred calls, if its cell was stopped. Compiled
// cells call it where functions and the bodies of loops begin. Deferred calls that such an end is
// the reason for are not cut short by it.
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
// for a select without default, whose body is Stop. It is nil for a goroutine that no cell has
// started.
func Done() <-chan struct{} { return host().Done() }

// Stop ends the calling goroutine, after its deferred calls. It does not return; the result lets it
// stand where a value is wanted, as in a return statement.
func Stop() any {
	host().Stop()
	panic("the goroutine goes on")
}

// Sleep is time.Sleep. The stop of the cell ends it.
func Sleep(d time.Duration) {
	if d > 0 {
		host().Sleep(int64(d))
	}
}

// Waits returns a function like f, a compiled function that may wait without end for something
// outside the program, which ends with the cell: when that is stopped, f is left behind. If name is
// not empty, f goes on working then, and the user is told so.
func Waits[F any](name string, f F) F {
	return host().Waits(name, f).(F)
}
