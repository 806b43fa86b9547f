// Package nb has functions for cells: to show things, to ask the user, to communicate with code in
// the front end, and to react to interrupts. It is preloaded: nb.Display needs no import.
//
// The last value of a cell is shown automatically. [Display] shows more values, and [HTML],
// [Markdown], [VegaLite] and similar functions show your own content. [Interact] controls a
// function with sliders and lists:
//
//	nb.Interact(func(n int, lambda float64) (any, error) { return plotOf(n, lambda) }, nb.IntSlider(1, 50, 10))
//
// You can also use a [Slider], a [Dropdown], a [Button] and other widgets alone, in rows and
// columns ([HBox], [VBox]), and with an [Output] for their results:
//
//	size, out := nb.IntSlider(1, 9, 3, "size"), nb.Output()
//	size.OnChange(func(n int) { out.Show(strings.Repeat("*", n)) })
//	nb.VBox(size, out)
//
// It also works in scripts and compiled programs: values are printed as text, and questions are
// asked on the terminal.
package nb

import (
	"context"
	"crypto/rand"
	"os"
	"slices"
	"sync"

	"golang.org/x/term"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// Context returns the context of the running cell. It is cancelled when the cell is interrupted, so
// pass it to code that should stop then. It is not cancelled at the end of the cell, so goroutines
// started by the cell may use it.
//
// A training, study, clustering or download that gets this context and lasts more than two seconds
// shows a progress bar, unless it has its own function for progress. The bar disappears at the end
// and leaves no trace in a saved notebook. In a terminal the bar is text; if output goes to a file
// there is none. A training that reaches a bound far from the requested gap prints a note on
// standard error.
func Context() context.Context {
	h := host.Current()
	return progress.With(h.Context(), watcher{bars: h.Updates() || stderrIsTerminal()})
}

func stderrIsTerminal() bool { return term.IsTerminal(int(os.Stderr.Fd())) }

// A Handle refers to something shown, so that it can be replaced. As the value of a cell it shows
// nothing, unless it comes from [Content], which is not shown yet.
type Handle struct {
	id string // empty for what is not shown yet

	pieces []*piece // what it shows
	// the display that shows it instead of its own, while it is part of a handle
	place *piece
}

// A piece is a value that a handle shows.
type piece struct {
	of     *Handle
	bundle *display.Bundle
	from   *Handle // whose content it is, nil if it is another value
}

// handles guards the contents of handles.
var handles sync.Mutex

// Display shows the values as the notebook shows the value of a cell. The content of a handle
// moves: it disappears at its old place, and the handle's Update replaces it at the new one.
func Display(values ...any) *Handle { return Content.Display(values...).show() }

func (h *Handle) show() *Handle {
	h.id = rand.Text()
	host.Current().Display(h.bundle(), h.id, false)
	return h
}

// Update replaces the content of the handle by the values. Results of functions of this package are
// used directly: in a cell, h.Update(nb.HTML(text)) does not show the text twice. Without values,
// or with nil, it removes the content. Where nothing can be replaced, as in a terminal, it shows
// the values below.
func (h *Handle) Update(values ...any) {
	pieces := piecesOf(values)
	h.setPieces(pieces)
	if len(pieces) > 0 || host.Current().Updates() {
		h.display()
	}
}

// display updates the display of the handle, if it is shown.
func (h *Handle) display() {
	handles.Lock()
	for h.holder() != nil {
		h = h.holder()
	}
	handles.Unlock()
	if h.id != "" {
		host.Current().Display(h.bundle(), h.id, true)
	}
}

// setPieces sets the pieces of the handle. Pieces of handles that are shown disappear at their old
// place.
func (h *Handle) setPieces(pieces []*piece) {
	handles.Lock()
	h.pieces = pieces
	var emptied, changed []*Handle
	for _, p := range pieces {
		p.of = h
		if p.from == nil || h.isPartOf(p.from) {
			continue
		}
		if old := p.from.holder(); old != nil {
			old.pieces = slices.DeleteFunc(old.pieces, func(q *piece) bool { return q == p.from.place })
			changed = append(changed, old)
		} else {
			emptied = append(emptied, p.from)
		}
		p.from.place = p
	}
	handles.Unlock()
	for _, from := range emptied {
		host.Current().Display(&display.Bundle{}, from.id, true)
	}
	for _, from := range changed {
		from.display()
	}
}

// holder returns the handle that shows the content of this one, or nil if this one has its own
// display. The caller holds the lock.
func (h *Handle) holder() *Handle {
	if h.place != nil && slices.Contains(h.place.of.pieces, h.place) {
		return h.place.of
	}
	return nil
}

// isPartOf reports whether the handle is another one, or shown by it. The lock is held.
func (h *Handle) isPartOf(other *Handle) bool {
	for ; h != nil; h = h.holder() {
		if h == other {
			return true
		}
	}
	return false
}

// bundle returns what the handle shows.
func (h *Handle) bundle() *display.Bundle {
	handles.Lock()
	defer handles.Unlock()
	return bundleOf(h.pieces)
}

// bundleOf returns the MIME bundle of pieces. The caller holds the lock.
func bundleOf(pieces []*piece) *display.Bundle {
	outputs := make([]output, len(pieces))
	for i, p := range pieces {
		if outputs[i].bundle = p.bundle; p.from != nil && p.from.place == p {
			outputs[i].bundle = bundleOf(p.from.pieces)
		}
	}
	switch len(outputs) {
	case 0:
		return &display.Bundle{}
	case 1:
		return outputs[0].bundle
	}
	return &display.Bundle{Data: still(outputs)}
}

// piecesOf returns the pieces of values, some of which may be handles. Content that cannot be moved
// is not shown again.
func piecesOf(values []any) (pieces []*piece) {
	if !slices.ContainsFunc(values, func(v any) bool { _, is := v.(*Handle); return is }) {
		if b := display.Of(values...); b != nil {
			pieces = append(pieces, &piece{bundle: b})
		}
		return pieces
	}
	for _, v := range values {
		if h, is := v.(*Handle); is && h != nil && h.id != "" {
			if host.Current().Updates() {
				pieces = append(pieces, &piece{bundle: h.bundle(), from: h})
			}
		} else if b := display.Of(v); b != nil {
			pieces = append(pieces, &piece{bundle: b})
		}
	}
	return pieces
}

// moved returns the pieces of values, or nil if there are none. The content of handles disappears
// at its old place.
func moved(values []any) *display.Bundle {
	h, pieces := &Handle{}, piecesOf(values)
	if len(pieces) == 0 {
		return nil
	}
	h.setPieces(pieces)
	b := h.bundle()
	h.setPieces(nil) // so that the handles have their own displays again
	return b
}

// MimeBundle returns the content if it is not shown yet, otherwise nothing.
func (h *Handle) MimeBundle() map[string]any {
	if h.id == "" {
		return h.bundle().Data
	}
	return nil
}

// Clear removes the output of the cell so far. With wait it waits until something new is shown,
// which avoids flicker.
func Clear(wait ...bool) { host.Current().Clear(len(wait) > 0 && wait[0]) }

// Page shows the values in the pager of the front end, next to the notebook. In a terminal it
// prints them.
func Page(values ...any) { host.Current().Page(moved(values)) }

// NextInput inserts a new cell with the source below the running one. In a terminal it does
// nothing.
func NextInput(source string) { host.Current().NextInput(source, false) }

// ReplaceInput replaces the source of the running cell, which continues to run unchanged. In a
// terminal it does nothing.
func ReplaceInput(source string) { host.Current().NextInput(source, true) }
