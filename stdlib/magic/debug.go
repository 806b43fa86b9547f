package magic

import "sync/atomic"

// MaxStops is how many hooks the cells of a session can have.
const MaxStops = 1 << 16

// stops says for each hook of a debugged cell whether it calls the debugger.
var stops [MaxStops]atomic.Bool

// Stops reports whether a hook must call the debugger. Hooks call it first.
func Stops(hook int) bool { return stops[hook].Load() }

// Switch returns the value behind Stops, for the debugger to set.
func Switch(hook int) *atomic.Bool { return &stops[hook] }

// A Debugger handles the hooks for which Stops is true.
type Debugger interface {
	// Stop is called before a statement runs, with pointers to copies of the variables in scope. It
	// returns one bit per variable: whether it has changed that.
	Stop(hook int, variables []any) (changed int)
	// Enter is called when a function is entered, and Leave with the result of Enter when it is
	// left.
	Enter(hook int) (call int)
	Leave(call int)
}

var debugger atomic.Pointer[Debugger]

// SetDebugger makes d the debugger of this process.
func SetDebugger(d Debugger) { debugger.Store(&d) }

// Stop is called by hooks before statements, if Stops is true. The debugger gets pointers to copies
// of variables, and each bit of the result says whether a variable was changed.
func Stop(hook int, variables ...any) (changed int) {
	if d := debugger.Load(); d != nil {
		return (*d).Stop(hook, variables)
	}
	return 0
}

// Enter is called when a function is entered, if Stops is true, and Leave with its result when that
// function is left.
func Enter(hook int) (call int) {
	if d := debugger.Load(); d != nil {
		return (*d).Enter(hook)
	}
	return 0
}

// Leave ends the call that Enter began.
func Leave(call int) {
	if d := debugger.Load(); d != nil && call != 0 {
		(*d).Leave(call)
	}
}
