package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/hierml/notebook/internal/visible"
	"github.com/hierml/notebook/kernel/internal/rerun"
)

// A cellProgress reports on the cells of a notebook: a line for each, and on a terminal a bar
// while one takes longer than patience.
type cellProgress struct {
	w        io.Writer
	terminal bool
	stop     func() // ends the bar of the running cell
}

const (
	patience = 2 * time.Second
	redraw   = 200 * time.Millisecond
)

func newProgress(w io.Writer) *cellProgress {
	return &cellProgress{w: w, terminal: isTerminal(w), stop: func() {}}
}

func (p *cellProgress) starting(s rerun.Step) {
	if !p.terminal {
		return
	}
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() { p.bar(s, quit) })
	p.stop = func() {
		close(quit)
		done.Wait()
	}
}

// bar draws a bar of the cells that are done, until quit.
func (p *cellProgress) bar(s rerun.Step, quit <-chan struct{}) {
	select {
	case <-quit:
		return
	case <-time.After(patience):
	}
	bar := progressbar.NewOptions(s.Total,
		progressbar.OptionSetWriter(p.w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionClearOnFinish(),
	)
	start := time.Now().Add(-patience)
	ticks := time.NewTicker(redraw)
	defer ticks.Stop()
	for {
		_ = bar.Set(s.Number - 1) // a bar that cannot be drawn is no reason to stop
		bar.Describe(fmt.Sprintf("cell %d of %d, %s", s.Number, s.Total, time.Since(start).Round(time.Second)))
		select {
		case <-quit:
			_ = bar.Clear() // as above
			return
		case <-ticks.C:
		}
	}
}

func (p *cellProgress) finished(s rerun.Step) {
	p.stop()
	state := ""
	if s.Err != nil {
		state = "failed: "
	}
	width := len(fmt.Sprint(s.Total))
	fmt.Fprintf(p.w, "[%*d/%d] %7.2fs  %s%s\n", width, s.Number, s.Total, s.Time.Seconds(), state, visible.Text(firstLine(s.Cell.Source)))
}

// firstLine is the first line of code of a cell, shortened.
func firstLine(source string) string {
	const most = 60
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		if r := []rune(line); len(r) > most {
			return string(r[:most-1]) + "…"
		}
		return line
	}
	return strings.TrimSpace(source)
}
