// Package program is the contract between the engine, which decides what a cell means, and those
// who carry it out: the programs that an [Executor] is given, where what they show goes ([Output]),
// and how they fail. A [Compiler] makes what is compiled.
//
// It knows neither how cells become programs, which is package engine's to know, nor in what
// process they run, which is package worker's.
//
// Wrong when a failure of one kind is told as another.
package program

// A Program is a cell after lowering: Go that the interpreter runs as the Go compiler would have.
type Program struct {
	// Cell is the number of the cell.
	Cell int
	// Title is what errors call the cell.
	Title string
	// Source holds units that are evaluated in order; each is complete by itself (import
	// declarations, or package-level declarations).
	Source []string
	// Call names the function that holds the cell's statements. It is empty when the cell only
	// declares.
	Call string
	// Variables names the variables at package level that the source declares.
	Variables []string
	// Recursive names the types that refer to each other. A unit of the source has these alone, and
	// what makes the interpreter lay them out.
	Recursive []string
	// Temporary names what no program after this one mentions, save this cell's Call.
	Temporary []string
	// Keep says that other programs may ask for the values which this one shows, if it ends well.
	Keep bool
	// Declared, if set, is called once what the source or the units declare is there and before the
	// function or the unit's statements are called; not if there are none.
	Declared func() `json:"-"`
	// Compiled, if set, is the cell in its compiled form. Source, Call, Variables, Recursive and
	// Temporary are empty then.
	Compiled *Compiled
	// Relocated is compiled code that the cell has the source of, and that was compiled before.
	Relocated []Relocation
	// Hooks are the places where the debugger can stop the program, and earlier ones that the
	// process does not know.
	Hooks []*Hooks
	// Passing says that the debugger does not stop the program: it belongs to a request of it.
	Passing bool
	// Begins says that the cell is a whole program, before which package flag begins anew.
	Begins bool
}

// Compiled is what an executor has to load and run for a compiled cell.
type Compiled struct {
	Units
	// Run is the import path of the unit whose statements are to be run; empty for none.
	Run string
	// Renews says that units compile types of earlier ones again. They must not be loaded before
	// cells that run before.
	Renews bool
}

// Units are compiled code to be loaded, and variables that it takes over.
type Units struct {
	// Plugin is the file to load, which the executor may remove when it has; empty where all units
	// are loaded already.
	Plugin string
	// Paths are the import paths of the plugin's units, in the order in which they have to be
	// initialized.
	Paths []string
	// Moved are variables to be carried over once the units are loaded.
	Moved []Moved
	// Files are the numbers of the cells in the units whose source is in a file of the machine, by
	// its name: the run time calls them by that.
	Files map[string]int
}
