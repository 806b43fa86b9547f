package compiled

import (
	"runtime"
	"strings"
)

// callOperation is the operation of a failed call, and panicOperation that of a call of the builtin
// function panic.
const callOperation, panicOperation = "call", "panic"

// operations maps the first words of run-time errors to their operations; see program.Frame.
var operations = []struct{ words, operation string }{
	{"runtime error: index out of range", "index"},
	{"runtime error: slice bounds out of range", "slice"},
	{"runtime error: invalid memory address or nil pointer dereference", "nil"},
	{"runtime error: integer divide by zero", "divide"},
	{"runtime error: negative shift amount", "shift"},
	{"runtime error: comparing uncomparable type", "compare"},
	{"runtime error: hash of unhashable type", "map"},
	{"runtime error: cannot convert slice", "conversion"},
	{"runtime error: makeslice", "make"},
	{"assignment to entry in nil map", "map"},
	{"send on closed channel", "send"},
	{"close of ", "close"},
	{"interface conversion: ", "assertion"},
}

// operationOf returns the operation that panicked with a value; empty if that is not known.
func operationOf(value any) string {
	err, ok := value.(runtime.Error)
	if !ok {
		return panicOperation
	}
	for _, o := range operations {
		if strings.HasPrefix(err.Error(), o.words) {
			return o.operation
		}
	}
	return ""
}

// failsFor reports whether a failing operation calls the function, or the function handles the
// panic.
func failsFor(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "internal/runtime/") ||
		strings.HasPrefix(function, packagePath+".") || strings.HasPrefix(function, packagePath+"/cell.")
}

const (
	module      = "github.com/hierml/notebook"
	packagePath = module + "/kernel/internal/compiled"
)
