// Package program is the contract between the engine, which decides what a cell means, and the code
// that runs it: the programs for an [Executor], the receiver of their output ([Output]), and their
// failures. A [Compiler] builds compiled code.
//
// It does not know how cells become programs, which package engine does, nor in which process they
// run, which package worker decides.
//
// Wrong when one kind of failure is reported as another.
package program

// A Program is a cell after lowering: Go that the interpreter runs as the Go compiler would have.
type Program struct {
	// Cell is the number of the cell.
	Cell int
	// Title is the name of the cell in errors.
	Title string
	// Source holds units to evaluate in order. Each is complete (import declarations, or
	// package-level declarations).
	Source []string
	// Call names the function that holds the cell's statements. It is empty when the cell only
	// declares.
	Call string
	// Variables names the variables at package level that the source declares.
	Variables []string
	// Recursive names the types that refer to each other. A unit of the source has only these, and
	// code that makes the interpreter lay them out.
	Recursive []string
	// Temporary holds names that no later program mentions, except this cell's Call.
	Temporary []string
	// Keep says that other programs may ask for the value of this one, if it succeeds.
	Keep bool
	// Declared, if set, is called when the declarations of the source or the units are in place,
	// before the function or the unit's statements are called; not if there are none.
	Declared func() `json:"-"`
	// Compiled, if set, is the cell in its compiled form. Source, Call, Variables, Recursive and
	// Temporary are empty then.
	Compiled *Compiled
	// Relocated is compiled code whose source is in the cell, and that was compiled before.
	Relocated []Relocation
	// Hooks are the places where the debugger can stop the program, and earlier ones that the
	// process does not know.
	Hooks []*Hooks
	// Passing says that the debugger does not stop the program, because it belongs to a request of
	// the debugger.
	Passing bool
	// Begins says that the cell is a whole program, before which package flag is reset.
	Begins bool
}

// Compiled is the code that an executor loads and runs for a compiled cell.
type Compiled struct {
	Units
	// Run is the import path of the unit with the statements to run; empty for none.
	Run string
	// Renews says that units compile types of earlier ones again. They must not be loaded before
	// earlier cells have run.
	Renews bool
}

// Units are compiled code to load, and variables that it takes over.
type Units struct {
	// Plugin is the file to load, which the executor may remove afterwards; empty if all units are
	// already loaded.
	Plugin string
	// Paths are the import paths of the plugin's units, in the order of initialization.
	Paths []string
	// Moved are variables to carry over once the units are loaded.
	Moved []Moved
	// Files maps the names of source files on disk to the numbers of their cells in the units: the
	// run time uses these names.
	Files map[string]int
}
