package program

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/hierml/notebook/internal/toolchain"
)

// A Cell is a piece of Go that a user runs: declarations, statements and imports in any order.
type Cell struct {
	// Number tells the cell from all others; it must be larger than that of every cell before it.
	Number int
	// Count is the execution count that the user sees, the n of In[n] and Out[n]; 0 means Number.
	Count int
	// Source is the text of the cell.
	Source string
	// Plain says that the source is Go, as that of a program, and has no magics.
	Plain bool
	// Name is what error messages call the cell, such as the name of a script's file. Empty means
	// "Cell [Count]".
	Name string
	// File is the file of the machine that holds the source, with its folder. Empty means none.
	File string
	// Aside says that other cells know nothing of the cell's source and of what it shows.
	Aside bool
	// Passing says that the debugger does not stop the cell.
	Passing bool
	// Next, if set, returns the sources of the cells that wait to run after this one, or the first
	// of them. They may be compiled with it.
	Next func() []string
}

// ExecutionCount is the n of In[n] and Out[n].
func (c Cell) ExecutionCount() int {
	if c.Count != 0 {
		return c.Count
	}
	return c.Number
}

// Title is what errors call the cell.
func (c Cell) Title() string {
	if c.Name != "" {
		return c.Name
	}
	return fmt.Sprintf("Cell [%d]", c.ExecutionCount())
}

// CompiledFile is the file that the run time takes the source for, where it is compiled: its own,
// or one that says the cell's number, and ends with what the user knows the cell by, for package
// log and others that show the end.
func (c Cell) CompiledFile() string {
	name := c.File
	if name == "" {
		name = fmt.Sprintf("/%s%d/%s", toolchain.Prefix, c.Number, filepath.Base(c.Title()))
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
}
