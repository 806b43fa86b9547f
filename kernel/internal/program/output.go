package program

import (
	"context"

	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// A Bundle is one value in several representations.
type Bundle = display.Bundle

// A CommMessage is a message of a comm, to or from the front end.
type CommMessage = host.CommMessage

// Output receives what a running cell writes and shows. Its methods are called from one goroutine
// at a time, but others may be called while Input waits.
type Output interface {
	// Stream receives a piece of text for "stdout" or "stderr", or lines for [host.Notes]. A piece
	// never ends inside a UTF-8 sequence that continues later.
	Stream(name string, text string)
	// Display shows a bundle. A non-empty id names it, so that a later call with update set
	// replaces what was shown under that id.
	Display(bundle *Bundle, id string, update bool)
	// Clear removes what the cell has shown so far, or with wait only when something new arrives.
	Clear(wait bool)
	// Input asks the user for a line. It fails if there is nobody to ask.
	Input(ctx context.Context, prompt string, password bool) (string, error)
	// Comm sends a message to the front end. The error is host.ErrNoFrontEnd if there is none.
	Comm(m *CommMessage) error
	// Page shows a bundle beside the notebook.
	Page(bundle *Bundle)
	// NextInput proposes the source of the next cell, or with replace a new source for this one.
	NextInput(source string, replace bool)
}
