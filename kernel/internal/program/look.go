package program

// An Aspect is the property that a Look asks for.
type Aspect string

// The aspects.
const (
	LookValue  Aspect = "value"  // as a cell shows it
	LookBrief  Aspect = "brief"  // in a line, cut if it gets long
	LookLength Aspect = "length" // what len returns
	LookNil    Aspect = "nil"    // whether it is: "true" or "false"
)

// A Look asks for the text of a variable.
type Look struct {
	// Unit and Variable are its place: in cell.Code's Variables or Moved.
	Unit, Variable string
	// Field is a field of a struct; empty for the variable itself.
	Field  string
	Aspect Aspect
	// Plain says that the value has a basic type, and is formatted by the rules of that type.
	Plain bool
	// Most is how much of a string or a slice counts; 0 for all.
	Most int
}
