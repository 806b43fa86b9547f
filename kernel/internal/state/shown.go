package state

import (
	"go/types"
	"maps"
)

// A Transcript is what the cells of a session said and showed, by their execution counts, for cells
// that mention it.
type Transcript struct {
	Inputs map[int]string
	Shown  map[int]*Shown
	Last   *Shown // what was shown last
}

// Shown is what a cell showed.
type Shown struct {
	Cell  int // its number
	Types []types.Type
	// Lost says what became of the values; empty while they are there.
	Lost string
}

// NewTranscript returns a transcript of no cells.
func NewTranscript() *Transcript {
	return &Transcript{Inputs: map[int]string{}, Shown: map[int]*Shown{}}
}

// Show notes the types of what a cell has shown.
func (t *Transcript) Show(count, cell int, shown []types.Type) {
	t.Last = &Shown{Cell: cell, Types: shown}
	t.Shown[count] = t.Last
}

// Lose says of the values that are there that they are gone. Why returns the reason by the number
// of the cell, empty for what stays.
func (t *Transcript) Lose(why func(cell int) string) {
	for _, out := range t.Shown {
		if out.Lost == "" {
			out.Lost = why(out.Cell)
		}
	}
}

// Snapshot returns a function that makes the transcript what it is now.
func (t *Transcript) Snapshot() (restore func()) {
	was := Transcript{maps.Clone(t.Inputs), maps.Clone(t.Shown), t.Last}
	return func() { *t = was }
}
