package repl

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// A screen is the terminal for outputs. While a line is edited, text waits until the editor makes
// room for it.
type screen struct {
	out  *os.File
	look look

	mu sync.Mutex
	// live are the displays at the bottom of the screen, which can still be replaced because
	// nothing was written below them.
	live    []liveDisplay
	midLine bool // the cursor is not at the beginning of a line
	editing bool
	waiting strings.Builder // waiting text while a line is edited
	wake    func()          // tells the editor that text waits
}

// A liveDisplay is a display with a name.
type liveDisplay struct {
	id, text string
}

// write writes a text, immediately or when there is room for it.
func (s *screen) write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text != "" {
		s.live = nil
	}
	s.put(text)
}

// put writes a text. The caller holds mu.
func (s *screen) put(text string) {
	if text == "" {
		return
	}
	if s.editing {
		s.waiting.WriteString(text)
		s.wake()
		return
	}
	// If the terminal is gone, the editor reports that when it reads.
	_, _ = io.WriteString(s.out, text)
	s.midLine = !strings.HasSuffix(text, "\n")
}

// display shows a text, which ends with a line end, under a name. An update replaces the earlier
// text under the name while that can be reached.
func (s *screen) display(id, text string, update bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.midLine && len(s.live) == 0 {
		s.put("\n")
	}
	from := len(s.live)
	if update {
		for i, d := range s.live {
			if d.id == id {
				from = i
			}
		}
	}
	if from == len(s.live) || s.editing || !s.look.control {
		s.live = append(s.live, liveDisplay{id, text})
		s.put(text)
		return
	}
	below := s.live[from:]
	width, height := s.size()
	rows := 0
	for _, d := range below {
		rows += rowsOf(d.text, width)
	}
	below[0].text = text
	var b strings.Builder
	if rows < height {
		b.WriteString(ansi.CursorUp(rows) + "\r" + ansi.EraseScreenBelow)
	}
	for _, d := range below {
		b.WriteString(d.text)
	}
	s.put(b.String())
}

// rowsOf returns how many rows a text takes that ends with a line end.
func rowsOf(text string, width int) int {
	rows := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		rows += max(1, (ansi.StringWidth(line)+width-1)/width)
	}
	return rows
}

// size returns the columns and rows of the terminal, or 80 by 24 if unknown.
func (s *screen) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(s.out.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return columns, rows
}

// endLine moves the cursor to the beginning of a line.
func (s *screen) endLine() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = nil
	if s.midLine {
		s.put("\n")
	}
}

// echoed records that the terminal itself has echoed a key. Later text goes below it.
func (s *screen) echoed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = nil
	s.put("\n")
}

// edit starts the editing of a line; wake is called when text waits. The returned function ends
// that.
func (s *screen) edit(wake func()) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = nil
	s.editing, s.wake = true, wake
	return func() {
		text := s.drain()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.editing, s.midLine = false, false
		s.put(text)
	}
}

// waits reports whether text is waiting.
func (s *screen) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.Len() > 0
}

// drain returns the waiting text.
func (s *screen) drain() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.waiting.String()
	s.waiting.Reset()
	return text
}
