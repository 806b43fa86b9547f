package state

import (
	"go/types"
	"maps"
)

// A Transcript holds the sources and values of the cells of a session, by execution count, for
// cells that refer to them.
type Transcript struct {
	Inputs map[int]string
	Shown  map[int]*Shown
	Last   *Shown // what was shown last
}

// Shown is what a cell showed.
type Shown struct {
	Cell  int // its number
	Types []types.Type
	// Lost says what happened to the values; empty while they exist.
	Lost string
}

// NewTranscript returns an empty transcript.
func NewTranscript() *Transcript {
	return &Transcript{Inputs: map[int]string{}, Shown: map[int]*Shown{}}
}

// Show records the types of a cell's values.
func (t *Transcript) Show(count, cell int, shown []types.Type) {
	t.Last = &Shown{Cell: cell, Types: shown}
	t.Shown[count] = t.Last
}

// Lose records that the existing values are gone. Why returns the reason by the number of the cell,
// or empty for values that stay.
func (t *Transcript) Lose(why func(cell int) string) {
	for _, out := range t.Shown {
		if out.Lost == "" {
			out.Lost = why(out.Cell)
		}
	}
}

// Snapshot returns a function that restores the current state of the transcript.
func (t *Transcript) Snapshot() (restore func()) {
	was := Transcript{maps.Clone(t.Inputs), maps.Clone(t.Shown), t.Last}
	return func() { *t = was }
}
