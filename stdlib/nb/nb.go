// Package nb is what cells call to show things, to ask the user, to talk to code in the front end,
// and to be interrupted. It is preloaded: nb.Display needs no import.
//
// The last value of a cell is shown anyway; [Display] shows more of them, and [HTML], [Markdown],
// [VegaLite] and the like what is made by hand. [Interact] steers a function by sliders and lists:
//
//	nb.Interact(func(n int, lambda float64) (any, error) { return plotOf(n, lambda) }, nb.IntSlider(1, 50, 10))
//
// A [Slider], a [Dropdown], a [Button] and other widgets stand for themselves, too, in rows and
// columns ([HBox], [VBox]) and with an [Output] for what they show:
//
//	size, out := nb.IntSlider(1, 9, 3, "size"), nb.Output()
//	size.OnChange(func(n int) { out.Show(strings.Repeat("*", n)) })
//	nb.VBox(size, out)
//
// It works in scripts and compiled programs, too: there, values are printed as text, and questions
// are asked on the terminal.
package nb

import (
	"context"
	"crypto/rand"
	"os"

	"golang.org/x/term"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// Context returns the context of the running cell. It ends when the user interrupts the cell, so
// code that heeds it stops.
//
// A training, a study, a clustering, a download and the like that is given it and lasts more than
// two seconds shows a bar while it lasts, unless it has a function for its progress. When it is
// over nothing is left of the bar, and a notebook that is saved does not tell that there was one.
// In a terminal the bar is of text; where output goes to a file there is none. A training that its
// bounds have ended far from the gap asked for says so in a line on standard error.
func Context() context.Context {
	h := host.Current()
	return progress.With(h.Context(), watcher{bars: h.Updates() || stderrIsTerminal()})
}

func stderrIsTerminal() bool { return term.IsTerminal(int(os.Stderr.Fd())) }

// A Handle stands for something shown, so that it can be replaced. As the value of a cell it shows
// nothing more.
type Handle struct{ id string }

// Display shows the values as the notebook shows the value of a cell.
func Display(values ...any) *Handle { return show(display.Of(values...)) }

func show(b *display.Bundle) *Handle {
	h := &Handle{id: rand.Text()}
	if b == nil {
		// There has to be something to replace.
		b = &display.Bundle{Data: map[string]any{display.Text: ""}}
	}
	host.Current().Display(b, h.id, false)
	return h
}

// Update replaces what is shown by the values. Where nothing can be replaced, as in a terminal, it
// shows them below.
func (h *Handle) Update(values ...any) {
	if b := display.Of(values...); b != nil {
		host.Current().Display(b, h.id, true)
	}
}

// MimeBundle returns nothing: a handle is not shown itself.
func (h *Handle) MimeBundle() map[string]any { return nil }

// Clear removes what the cell has shown so far. With wait it does so only when something new is
// shown, which avoids flicker.
func Clear(wait ...bool) { host.Current().Clear(len(wait) > 0 && wait[0]) }

// Page shows the values beside the notebook, where the front end has a place for what is read and
// put away. In a terminal it prints them.
func Page(values ...any) { host.Current().Page(display.Of(values...)) }

// NextInput puts a new cell with the source below the running one. A terminal has no cells; nothing
// happens there.
func NextInput(source string) { host.Current().NextInput(source, false) }

// ReplaceInput replaces the source of the running cell, whose run goes on as it was. A terminal has
// no cells; nothing happens there.
func ReplaceInput(source string) { host.Current().NextInput(source, true) }
