package program

// Hooks are the places where the debugger can stop a program, as package hooks has written them
// into a cell.
type Hooks struct {
	// Cell is the number of the cell, Title its name in errors, and Source its text.
	Cell          int
	Title, Source string
	// Functions are the functions that contain the sites.
	Functions []HookedFunction
	// First is the number of the first site; the others follow.
	First int
	Sites []Site
}

// A HookedFunction is one with sites.
type HookedFunction struct {
	// Name is the function's name for the user, with "func" for a literal; empty for the statements
	// of the cell.
	Name string
	// Leaf says that it calls nothing that could stop, so its entry is not recorded.
	Leaf bool
}

// A Site is a place before a statement, or the entry of a function.
type Site struct {
	Function int // the index of the function
	// Line and Column are those of the statement, or of the function that is entered, and End the
	// last line of the statement without the blocks in it.
	Line, Column, End int
	Entry             bool
	// Calls says that the statement calls something that could stop.
	Calls bool
	// Variables are the variables that the hook passes, the innermost first.
	Variables []HookedVariable
}

// A HookedVariable is a variable in the scope of a site.
type HookedVariable struct {
	Name string
	Type string // as the cell would write it
}

// A Global is a variable of the session: that of a unit, or the interpreter's by its lowered name.
type Global struct {
	Name, Type     string
	Unit, Variable string // Unit is empty for the interpreter's
}
