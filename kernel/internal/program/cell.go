package program

import "fmt"

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
	// Aside says that other cells know nothing of the cell's source and of what it shows.
	Aside bool
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
