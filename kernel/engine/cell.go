package engine

import "fmt"

// A Cell is a piece of Go that a user runs: declarations, statements and
// imports in any order.
type Cell struct {
	// Number is the cell's execution count; it must be larger than that of
	// every cell before it.
	Number int
	// Source is the text of the cell.
	Source string
	// Name is what error messages call the cell, such as the name of a
	// script's file. Empty means "Cell [Number]".
	Name string
}

func (c Cell) title() string {
	if c.Name != "" {
		return c.Name
	}
	return fmt.Sprintf("Cell [%d]", c.Number)
}
