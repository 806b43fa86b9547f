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
// nothing more, unless it is of [Content], which is not shown yet.
type Handle struct {
	id string // empty for what is not shown yet

	mu      sync.Mutex
	content *display.Bundle
}

// Display shows the values as the notebook shows the value of a cell.
func Display(values ...any) *Handle { return Content.Display(values...).show() }

func (h *Handle) show() *Handle {
	h.id = rand.Text()
	host.Current().Display(h.bundle(), h.id, false)
	return h
}

// Update replaces what is shown by the values. What a function of this package shows it takes as it
// is, and in a cell h.Update(nb.HTML(text)) does not show the text twice. Where nothing can be
// replaced, as in a terminal, it shows the values below.
func (h *Handle) Update(values ...any) {
	b := bundleOf(values)
	if b == nil {
		return
	}
	h.mu.Lock()
	h.content = b
	h.mu.Unlock()
	if h.id != "" {
		host.Current().Display(b, h.id, true)
	}
}

func (h *Handle) bundle() *display.Bundle {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.content
}

// bundleOf is display.Of for values some of which may be handles. What was shown for itself moves: it
// disappears there, or if it cannot it is not shown again.
func bundleOf(values []any) *display.Bundle {
	if !slices.ContainsFunc(values, func(v any) bool { _, is := v.(*Handle); return is }) {
		return display.Of(values...)
	}
	var outputs []output
	for _, v := range values {
		b := display.Of(v)
		if h, is := v.(*Handle); is && h != nil && h.id != "" {
			if b = nil; host.Current().Updates() {
				b = h.bundle()
				host.Current().Display(&display.Bundle{}, h.id, true)
			}
		}
		if b != nil {
			outputs = append(outputs, output{bundle: b})
		}
	}
	switch len(outputs) {
	case 0:
		return nil
	case 1:
		return outputs[0].bundle
	}
	return &display.Bundle{Data: still(outputs)}
}

// MimeBundle returns what is not shown yet, and otherwise nothing.
func (h *Handle) MimeBundle() map[string]any {
	if b := h.bundle(); b != nil && h.id == "" {
		return b.Data
	}
	return nil
}

// Clear removes what the cell has shown so far. With wait it does so only when something new is
// shown, which avoids flicker.
func Clear(wait ...bool) { host.Current().Clear(len(wait) > 0 && wait[0]) }

// Page shows the values beside the notebook, where the front end has a place for what is read and
// put away. In a terminal it prints them.
func Page(values ...any) { host.Current().Page(bundleOf(values)) }

// NextInput puts a new cell with the source below the running one. A terminal has no cells; nothing
// happens there.
func NextInput(source string) { host.Current().NextInput(source, false) }

// ReplaceInput replaces the source of the running cell, whose run goes on as it was. A terminal has
// no cells; nothing happens there.
func ReplaceInput(source string) { host.Current().NextInput(source, true) }
