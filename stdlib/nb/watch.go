package nb

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// patience is how long work lasts before a bar is shown of it that nobody asked for.
var patience = 2 * time.Second

// A watcher shows automatic bars, where possible, and writes notes.
type watcher struct{ bars bool }

// Functions without a context also report their notes.
func init() { progress.SetDefault(watcher{}) }

// Note implements progress.Watcher.
func (watcher) Note(text string) { host.Current().Here().Stream(host.Notes, text+"\n") }

// Begin implements progress.Watcher.
func (w watcher) Begin(what string) progress.Task {
	if !w.bars {
		return nil
	}
	return &watched{what: what, host: host.Current(), stderr: os.Stderr, begun: time.Now()}
}

// watched is work that may last long enough for a bar.
type watched struct {
	what   string
	host   host.Host
	stderr io.Writer
	begun  time.Time

	mu    sync.Mutex
	told  bool      // when the end is expected
	until time.Time // which is then, zero if not known
	id    string    // of the bar in a notebook, once it is shown
	drawn time.Time
	ended bool
}

// Report implements progress.Task.
func (w *watched) Report(done float64, state func() string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.ended || now.Sub(w.begun) < patience || now.Sub(w.drawn) < 2*drawInterval {
		return
	}
	w.drawn = now
	elapsed := now.Sub(w.begun).Seconds()
	text := state() + ", " + duration(elapsed)
	switch left := w.until.Sub(now).Seconds(); {
	case w.told && left > 0:
		text += fmt.Sprintf(", about %s left", roughly(left))
	case !w.told && done > 0 && done < 1:
		text += fmt.Sprintf(", about %s left", duration(elapsed*(1-done)/done))
	}
	line, page := picture(w.what, done, text)
	if !w.host.Updates() {
		fmt.Fprintf(w.stderr, "\r\x1b[K%s", line)
		return
	}
	page.Metadata = map[string]any{display.Transient: true}
	again := w.id != ""
	if !again {
		w.id, again = places.claim(w.host.Context())
	}
	w.host.Display(page, w.id, again)
}

// Expect implements progress.Task.
func (w *watched) Expect(left time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told, w.until = true, time.Time{}
	if left >= 0 {
		w.until = time.Now().Add(left)
	}
}

// roughly is a time that is no more than expected: in seconds to a minute and a half, in minutes to
// an hour and a half, and in hours.
func roughly(seconds float64) string {
	const longest = 90
	switch {
	case seconds < longest:
		return fmt.Sprintf("%.0f s", math.Ceil(seconds))
	case seconds < longest*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.0f h", seconds/3600)
}

// End implements progress.Task.
func (w *watched) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	switch {
	case w.drawn.IsZero():
	case !w.host.Updates():
		fmt.Fprint(w.stderr, "\r\x1b[K")
	default:
		w.host.Display(&display.Bundle{Data: map[string]any{}, Metadata: map[string]any{display.Transient: true}}, w.id, true)
		places.give(w.host.Context(), w.id)
	}
}

// places are where bars were in the cell that runs. One after the other takes the same, so that a
// loop over trainings does not leave a trace of each.
var places placeList

type placeList struct {
	mu   sync.Mutex
	cell context.Context
	free []string
}

// claim returns the id of a display for a bar, and whether it has been shown before.
func (p *placeList) claim(cell context.Context) (id string, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); p.cell == cell && n > 0 {
		id, p.free = p.free[n-1], p.free[:n-1]
		return id, true
	}
	return rand.Text(), false
}

// give takes back the display of a finished bar.
func (p *placeList) give(cell context.Context, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cell != cell {
		p.cell, p.free = cell, nil
	}
	p.free = append(p.free, id)
}
