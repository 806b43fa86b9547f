package nb

import (
	"context"
	"crypto/rand"
	"fmt"
	"html"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// Progress returns a function for the Progress field of a solver or an estimator. It draws a bar
// that is full when the gap reaches solver.DefaultGap, with the epoch, the gap, epochs per second
// and the remaining time at this pace. In a notebook the bar updates in place, so one line remains.
// It also stops the training when the cell is interrupted, for any context of the training.
//
//	svm.Normalized{Settings: solver.Settings{Progress: nb.Progress("normalized")}}
func Progress(label ...string) func(solver.Progress) error {
	return training{newBar(label)}.progress
}

// Bar is Progress for work with a known share done: an experiment, a download, a loop in a cell.
// Call the returned function with the share, from 0 to 1, and a text to show after the bar.
//
//	study.Progress = nb.Bar("study")
//
// You may call it as often as you like, also concurrently: only few of the calls draw.
func Bar(label ...string) func(done float64, state string) error {
	return newBar(label).progress
}

// How often a bar is drawn, and how often a line is written if nothing can be replaced.
const (
	drawInterval = 50 * time.Millisecond
	lineInterval = 10 * time.Second
)

type bar struct {
	label    string
	ctx      context.Context
	stderr   io.Writer
	terminal bool

	mu    sync.Mutex
	id    string
	drawn time.Time
}

func newBar(label []string) *bar {
	return &bar{
		label:    strings.Join(label, " "),
		ctx:      Context(),
		stderr:   os.Stderr,
		terminal: stderrIsTerminal(),
	}
}

func (b *bar) progress(done float64, state string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.show(done, done >= 1, func() string { return state })
}

// show draws the bar if it is due. If the cell is interrupted, it returns the cause. The caller
// holds b.mu.
func (b *bar) show(done float64, finished bool, state func() string) error {
	interval := drawInterval
	if !b.terminal && !host.Current().Updates() {
		interval = lineInterval
		if b.drawn.IsZero() {
			b.drawn = time.Now()
		}
	}
	if finished || time.Since(b.drawn) >= interval {
		b.drawn = time.Now()
		b.draw(done, finished, state())
	}
	return context.Cause(b.ctx)
}

func (b *bar) draw(done float64, finished bool, state string) {
	line, page := picture(b.label, done, state)
	switch h := host.Current(); {
	case h.Updates():
		again := b.id != ""
		if !again {
			b.id = rand.Text()
		}
		h.Display(page, b.id, again)
	case !b.terminal:
		fmt.Fprintln(b.stderr, line)
	case finished:
		fmt.Fprintf(b.stderr, "\r\x1b[K%s\n", line)
	default:
		fmt.Fprintf(b.stderr, "\r\x1b[K%s", line)
	}
}

// picture returns a bar as text and for a notebook.
func picture(label string, done float64, state string) (line string, page *display.Bundle) {
	if label != "" {
		label += " "
	}
	const width = 24
	if !(done >= 0) { // NaN, too
		done = 0
	}
	done = min(done, 1)
	full := int(done * width)
	line = fmt.Sprintf("%s[%s%s] %s", label, strings.Repeat("█", full), strings.Repeat("·", width-full), state)
	return line, &display.Bundle{Data: map[string]any{
		display.Text: line,
		display.HTML: fmt.Sprintf(`<div>%s<progress value="%.3f" max="1"></progress> %s</div>`,
			html.EscapeString(label), done, html.EscapeString(state)),
	}}
}

// leastDone is the part of a training from which on its pace tells how long the rest takes.
const leastDone = 0.05

// training is the bar of a solver.
type training struct{ *bar }

func (t training) progress(p solver.Progress) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.show(p.Done(), p.Done() >= 1, func() string { return state(p) })
}

// state describes a training in a line.
func state(p solver.Progress) string {
	gap := fmt.Sprintf("%.2g", p.Gap)
	if p.Estimate > 0 {
		gap = fmt.Sprintf("about %.2g", p.Estimate)
	}
	s := fmt.Sprintf("epoch %d, gap %s, %s", p.Epoch, gap, duration(p.Seconds))
	if p.Seconds > 0 {
		s += fmt.Sprintf(", %.3g epochs/s", float64(p.Epoch)/p.Seconds)
	}
	if done := p.Done(); done >= leastDone && done < 1 {
		s += fmt.Sprintf(", about %s left", duration(p.Seconds*(1-done)/done))
	}
	return s
}

func duration(seconds float64) string {
	unit := time.Second
	switch {
	case seconds < 1:
		unit = 10 * time.Millisecond
	case seconds < 10:
		unit = 100 * time.Millisecond
	}
	return time.Duration(seconds * float64(time.Second)).Round(unit).String()
}
