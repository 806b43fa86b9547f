// Package cell has the functions that compiled cells call, as package emit writes them: checks that
// stop a cell (check.go), channel operations, locks and coroutines that a stop ends (channels.go,
// locks.go, coroutine.go), goroutines that belong to the cell (goroutines.go), output (print.go),
// and the values and types of the cell (values.go, types.go, itabs.go). A [Host], which package
// compiled implements, does everything that takes more than a few lines. Nothing else uses this
// package.
//
// Wrong when a stopped cell goes on, or the shown value is not the one that the cell passed.
package cell

import (
	"reflect"
	"sync"
)

// Code is the compiled form of a cell.
type Code struct {
	// Run runs the cell's statements; nil if it has none.
	Run func()
	// Variables holds pointers to the variables that the cell's package declares, by their names.
	Variables map[string]any
	// Moved holds pointers to pointers: the variables of earlier packages whose types were compiled
	// again. The runner sets them before Run.
	Moved map[string]any
	// Types holds the types that the package declares, except generic ones and constraints, by
	// their lowered names, which the session uses for both executors.
	Types map[string]reflect.Type
	// Generics names the generic types that the package declares for the first time, and Instances
	// are those of generic types that it compiles again.
	Generics  []string
	Instances []reflect.Type
}

var (
	mu    sync.Mutex
	cells = map[string]Code{}
)

// Register registers the code of a package. Packages call it when they are initialized.
func Register(path string, code Code) {
	mu.Lock()
	defer mu.Unlock()
	cells[path] = code
	note(code)
}

// RegisterRun is Register for a package with only statements and variables, as most cells are. For
// a Code, the compiler would read much of package reflect.
//
//go:noinline
func RegisterRun(path string, run func(), variables map[string]any) {
	Register(path, Code{Run: run, Variables: variables})
}

// Lookup returns the code of a package.
func Lookup(path string) (Code, bool) {
	mu.Lock()
	defer mu.Unlock()
	code, ok := cells[path]
	return code, ok
}
