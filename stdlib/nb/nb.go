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
	"slices"
	"sync"

	"golang.org/x/term"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// Context returns the context of the running cell. An interrupt of its cell ends it, so code that
// heeds it stops. The end of the cell's statements does not, so goroutines that it starts may use
// it.
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
// nothing more, unless it is of [Content], which is not shown yet.
type Handle struct {
	id string // empty for what is not shown yet

	pieces []*piece // what it shows
	// what shows it in place of its own display, as long as that is part of a handle
	place *piece
}

// A piece is a value that a handle shows.
type piece struct {
	of     *Handle
	bundle *display.Bundle
	from   *Handle // whose content it is, nil if it is another value
}

// handles guards what handles show.
var handles sync.Mutex

// Display shows the values as the notebook shows the value of a cell. What a handle shows moves: it
// disappears where it was, and the handle's Update replaces it where it is then.
func Display(values ...any) *Handle { return Content.Display(values...).show() }

func (h *Handle) show() *Handle {
	h.id = rand.Text()
	host.Current().Display(h.bundle(), h.id, false)
	return h
}

// Update replaces what is shown by the values. What a function of this package shows it takes as it
// is, and in a cell h.Update(nb.HTML(text)) does not show the text twice. Of no values, and of nil,
// nothing remains. Where nothing can be replaced, as in a terminal, it shows the values below.
func (h *Handle) Update(values ...any) {
	pieces := piecesOf(values)
	h.setPieces(pieces)
	if len(pieces) > 0 || host.Current().Updates() {
		h.display()
	}
}

// display shows what the handle shows, where it is, if it is shown.
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

// setPieces makes pieces what the handle shows. Those of handles that are shown disappear where
// they are.
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

// holder returns the handle that shows what this one stands for, nil if that has its own display.
// The lock is held.
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

// bundleOf returns what pieces show. The lock is held.
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

// piecesOf returns what values show, some of which may be handles. What cannot be moved is not
// shown again.
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

// moved returns what values show, nil if that is nothing. What handles show disappears where it
// was.
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

// MimeBundle returns what is not shown yet, and otherwise nothing.
func (h *Handle) MimeBundle() map[string]any {
	if h.id == "" {
		return h.bundle().Data
	}
	return nil
}

// Clear removes what the cell has shown so far. With wait it does so only when something new is
// shown, which avoids flicker.
func Clear(wait ...bool) { host.Current().Clear(len(wait) > 0 && wait[0]) }

// Page shows the values beside the notebook, where the front end has a place for what is read and
// put away. In a terminal it prints them.
func Page(values ...any) { host.Current().Page(moved(values)) }

// NextInput puts a new cell with the source below the running one. A terminal has no cells; nothing
// happens there.
func NextInput(source string) { host.Current().NextInput(source, false) }

// ReplaceInput replaces the source of the running cell, whose run goes on as it was. A terminal has
// no cells; nothing happens there.
func ReplaceInput(source string) { host.Current().NextInput(source, true) }
