package program

import (
	"slices"
	"strings"
)

// A Relocation says that a later cell has the source of code that was not compiled again.
type Relocation struct {
	// Function is the name of the function in frames, empty for the statements of a cell.
	Function string
	// Cell, Line and End are the cell and the lines that the code was compiled from.
	Cell, Line, End int
	// Now is the later cell, Lines are how far the lines are from the old ones there, and Columns
	// how far the columns of the first line are.
	Now, Lines, Columns int
}

// Relocations holds relocations by the cell that the code was compiled from.
type Relocations map[int][]Relocation

// Add adds a relocation, which replaces an older one of the same code.
func (r Relocations) Add(add Relocation) (undo func()) {
	before := r[add.Cell]
	others := slices.DeleteFunc(slices.Clone(before), func(old Relocation) bool { return old.Function == add.Function && old.Line == add.Line })
	r[add.Cell] = append(others, add)
	return func() { r[add.Cell] = before }
}

// Newest returns a frame with the place that its code has in the newest cell.
func (r Relocations) Newest(f Frame) Frame {
	for {
		i := slices.IndexFunc(r[f.Cell], func(to Relocation) bool {
			return to.Line <= f.Line && f.Line <= to.End && f.Cell < to.Now && f.belongsTo(to.Function)
		})
		if i < 0 {
			return f
		}
		to := r[f.Cell][i]
		if f.Column > 0 && f.Line == to.Line {
			f.Column += to.Columns
		}
		f.Cell, f.Line = to.Now, f.Line+to.Lines
	}
}

// belongsTo reports whether a frame is of a function or of a literal in it. The name of a literal
// whose function was inlined begins with that of the function it was inlined in.
func (f Frame) belongsTo(function string) bool {
	name := f.Function
	for literal := true; literal; {
		name, literal = strings.CutSuffix("."+name, ".func")
		name = strings.TrimPrefix(name, ".")
	}
	return name == function || function != "" && name != f.Function && strings.HasSuffix(name, "."+function)
}
