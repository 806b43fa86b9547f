package state

import (
	"go/types"
)

// An Output is what a cell showed.
type Output struct {
	Cell  int // its number
	Types []types.Type
	// Lost says what became of the values; empty while they are there.
	Lost string
}
