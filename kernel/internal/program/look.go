package program

// An Aspect is what a Look asks for.
type Aspect string

// The aspects.
const (
	LookValue  Aspect = "value"  // as a cell shows it
	LookBrief  Aspect = "brief"  // in a line, which is cut where it gets long
	LookLength Aspect = "length" // what len returns
	LookNil    Aspect = "nil"    // whether it is: "true" or "false"
)

// A Look asks for what a variable looks like.
type Look struct {
	// Unit and Variable are where it is: cell.Code's Variables or Moved.
	Unit, Variable string
	// Field is that of a struct; empty for the variable itself.
	Field  string
	Aspect Aspect
	// Plain says that the value is of a basic type, by whose rules it is written.
	Plain bool
	// Most is how much of a string or a slice counts; 0 for all.
	Most int
}
