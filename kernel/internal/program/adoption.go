package program

import "fmt"

// An Adoption is what a new process has to load for all that is declared, and the variables that it
// takes over from the process before.
type Adoption struct {
	// Cell is the number of the cell that it is for, and Title what errors call that one.
	Cell  int
	Title string
	Units
	// Shown are the numbers of cells whose values another process takes over, too. Their keys are
	// those of ShownKey.
	Shown []int
}

// LeftBehind tells of variables, by their keys, why they could not be carried over, in a few words
// such as "a function value". They have the zero values of their types
// now.
type LeftBehind struct {
	// Whole tells of variables, and InPart of those of which a part could not, and which:
	// "h.list[2]: a function value".
	Whole, InPart map[string]string
}

// Moved is a variable that a unit takes over from an older unit.
type Moved struct {
	Name string // the user's
	// Unit and Variable are where it goes: cell.Code's Variables, or its Moved where the unit only
	// refers to the older one.
	Unit, Variable string
	// FromUnit and FromVariable are where it is.
	FromUnit, FromVariable string
}

// Key names the variable that m goes to.
func (m Moved) Key() string { return m.Unit + "." + m.Variable }

// ShownKey names what a cell has shown among the keys of variables.
func ShownKey(cell int) string { return fmt.Sprintf("Out.%d", cell) }
