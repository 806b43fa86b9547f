package magic

import "sync/atomic"

// MaxStops is how many hooks the cells of a session can have.
const MaxStops = 1 << 16

// stops says of each hook of a cell that is debugged whether the debugger is to hear of it.
var stops [MaxStops]atomic.Bool

// Stops reports whether the debugger is to hear of a hook. Hooks ask this before they do anything
// else.
func Stops(hook int) bool { return stops[hook].Load() }

// Switch returns what Stops reads, for the debugger to set.
func Switch(hook int) *atomic.Bool { return &stops[hook] }

// A Debugger hears of the hooks for which Stops is true.
type Debugger interface {
	// Stop is told that a statement is about to run, and given pointers to copies of the variables
	// in scope. It returns which it has changed, a bit of each.
	Stop(hook int, variables []any) (changed int)
	// Enter is told that a function is entered, and Leave what Enter returned when it is left.
	Enter(hook int) (call int)
	Leave(call int)
}

var debugger atomic.Pointer[Debugger]

// SetDebugger makes d the debugger of this process.
func SetDebugger(d Debugger) { debugger.Store(&d) }

// Stop is called by hooks before statements, where Stops says so. The debugger gets pointers to
// copies of variables, and a bit of the result says of each whether it was changed.
func Stop(hook int, variables ...any) (changed int) {
	if d := debugger.Load(); d != nil {
		return (*d).Stop(hook, variables)
	}
	return 0
}

// Enter is called where a function is entered, if Stops says so, and Leave with what it returns
// when that function is left.
func Enter(hook int) (call int) {
	if d := debugger.Load(); d != nil {
		return (*d).Enter(hook)
	}
	return 0
}

// Leave ends what Enter began.
func Leave(call int) {
	if d := debugger.Load(); d != nil && call != 0 {
		(*d).Leave(call)
	}
}
