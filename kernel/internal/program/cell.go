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
	// Number identifies the cell; it must be larger than that of each cell before it.
	Number int
	// Count is the execution count that the user sees, the n of In[n] and Out[n]; 0 means Number.
	Count int
	// Source is the text of the cell.
	Source string
	// Plain says that the source is plain Go, like that of a program, without magics.
	Plain bool
	// Name is the cell's name in error messages, such as the name of a script's file. Empty means
	// "Cell [Count]".
	Name string
	// File is the file on disk that holds the source, with its path. Empty means none.
	File string
	// Aside says that the cell is hidden: other cells cannot refer to its source and value.
	Aside bool
	// Passing says that the debugger does not stop in the cell.
	Passing bool
	// Next, if set, returns the sources of the cells that wait to run after this one, or the first
	// of them. They may be compiled together with it.
	Next func() []string
}

// ExecutionCount is the n of In[n] and Out[n].
func (c Cell) ExecutionCount() int {
	if c.Count != 0 {
		return c.Count
	}
	return c.Number
}

// Title is the name of the cell in errors.
func (c Cell) Title() string {
	if c.Name != "" {
		return c.Name
	}
	return fmt.Sprintf("Cell [%d]", c.ExecutionCount())
}

// CompiledFile is the file name of the source for the run time in compiled code: its own file, or
// one with the cell's number. It ends with the name that the user knows, since package log and
// others show the end.
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
