package program

import "fmt"

// An Adoption is everything that a new process must load for the current declarations, and the
// variables that it takes over from the old process.
type Adoption struct {
	// Cell is the number of the cell that needs it, and Title the title of that cell in errors.
	Cell  int
	Title string
	Units
	// Shown are the numbers of cells whose values are taken over, too. Their keys are those of
	// ShownKey.
	Shown []int
}

// LeftBehind says why variables could not be carried over, by their keys, in a few words such as "a
// function value". They now have the zero values of their types.
type LeftBehind struct {
	// Whole is about whole variables, and InPart about those that lost a part, and which:
	// "h.list[2]: a function value".
	Whole, InPart map[string]string
}

// Moved is a variable that a unit takes over from an older unit.
type Moved struct {
	Name string // the user's
	// Unit and Variable are its destination: in cell.Code's Variables, or in its Moved if the unit
	// only refers to the older one.
	Unit, Variable string
	// FromUnit and FromVariable are its source.
	FromUnit, FromVariable string
}

// Key identifies the variable that m goes to.
func (m Moved) Key() string { return m.Unit + "." + m.Variable }

// ShownKey is the key for the value of a cell among the keys of variables.
func ShownKey(cell int) string { return fmt.Sprintf("Out.%d", cell) }
