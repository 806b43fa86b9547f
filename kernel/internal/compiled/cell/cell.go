// Package cell has the functions that the text of compiled cells calls, as package emit writes
// them: checks that stop a cell (check.go), channel operations, locks and coroutines that a stop
// ends (channels.go, locks.go, coroutine.go), goroutines that belong to the cell (goroutines.go),
// output (print.go), and the values and types of the cell (values.go, types.go, itabs.go). A
// [Host], which package compiled implements, does everything that takes more than a few lines.
// Nothing else uses this package.
//
// Wrong when a stopped cell goes on, or a value that a cell hands over is not the one shown.
package cell

import (
	"reflect"
	"sync"
)

// Code is the compiled form of a cell.
type Code struct {
	// Run runs the cell's statements; nil where it has none.
	Run func()
	// Variables holds pointers to the variables that the cell's package declares, by their names.
	Variables map[string]any
	// Moved holds pointers to pointers: the variables of earlier packages whose types were compiled
	// anew. The runner sets them before Run.
	Moved map[string]any
	// Types holds the types that the package declares, generic ones and constraints excepted, by
	// their lowered names: what the session calls them whatever executor has them.
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

// Register makes the code of a package known. Packages call it when they are initialized.
func Register(path string, code Code) {
	mu.Lock()
	defer mu.Unlock()
	cells[path] = code
	note(code)
}

// RegisterRun is Register for a package of which only the statements and variables matter. Most
// cells are such packages. The compiler would read much of package reflect for a Code.
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
