// Package cell is what the text of compiled cells calls. The worker's runner of compiled cells
// stands behind it (package compiled); nothing else uses it.
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
	// their lowered names: what the session calls them whatever executor has them. Types of all
	// kinds that were described to the interpreter, instances and composite types among them, can
	// also be there by the numbers that they have in it, in decimal: by these the types of values
	// in interfaces are found when variables are carried over.
	Types map[string]reflect.Type
	// Generics names the generic types that the package declares for the first time, and Instances are
	// those of generic types that it compiles again.
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

// Lookup returns the code of a package.
func Lookup(path string) (Code, bool) {
	mu.Lock()
	defer mu.Unlock()
	code, ok := cells[path]
	return code, ok
}
