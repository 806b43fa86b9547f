package state

import (
	"go/types"
)

// Shown is what a cell showed.
type Shown struct {
	Cell  int // its number
	Types []types.Type
	// Lost says what became of the values; empty while they are there.
	Lost string
}
