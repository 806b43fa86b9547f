package main

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// A terminal runs the program as its user sees it: on a screen.
type terminal struct {
	t    *testing.T
	file *os.File
	cmd  *exec.Cmd

	mu     sync.Mutex
	screen *screen
	raw    strings.Builder
	news   chan struct{} // something was written
	ended  bool
}

// openTerminal runs the program on a new terminal.
func openTerminal(t *testing.T, columns, rows int, env []string, args ...string) *terminal {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "INPUTRC=/dev/null", "TMPDIR="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)})
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, file: file, cmd: cmd, screen: newScreen(columns, rows), news: make(chan struct{}, 1)}
	go term.watch()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = file.Close()
	})
	return term
}

// watch draws what is written, until the program ends.
func (term *terminal) watch() {
	buf := make([]byte, 1<<16)
	for {
		n, err := term.file.Read(buf)
		term.mu.Lock()
		term.raw.Write(buf[:n])
		answer := term.screen.write(string(buf[:n]))
		term.ended = err != nil
		term.mu.Unlock()
		if answer != "" {
			_, _ = term.file.WriteString(answer) // fails when the program has ended
		}
		select {
		case term.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// wait waits until something is to be seen on the screen.
func (term *terminal) wait(seen string) {
	term.t.Helper()
	deadline := time.After(time.Minute)
	for {
		term.mu.Lock()
		text, ended := term.screen.String(), term.ended
		term.mu.Unlock()
		if strings.Contains(text, seen) {
			return
		}
		if ended {
			term.t.Fatalf("the program ended, and %q is not on the screen:\n%s", seen, text)
		}
		select {
		case <-term.news:
		case <-deadline:
			term.t.Fatalf("%q is not on the screen:\n%s\n%s", seen, text, term.goroutines())
		}
	}
}

// goroutines ends the program, and returns what its goroutines were doing.
func (term *terminal) goroutines() string {
	before := len(term.written())
	if err := term.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		return err.Error()
	}
	_ = term.cmd.Wait() // its status is that of the signal
	for deadline := time.After(10 * time.Second); ; {
		term.mu.Lock()
		ended := term.ended
		term.mu.Unlock()
		if ended {
			return term.written()[before:]
		}
		select {
		case <-term.news:
		case <-deadline:
			return term.written()[before:] + "\n(and what it left behind goes on)"
		}
	}
}

// see waits until the lines of the screen are these.
func (term *terminal) see(lines ...string) {
	term.t.Helper()
	term.wait(strings.Join(lines, "\n") + "\n")
}

// send types keys.
func (term *terminal) send(keys string) {
	term.t.Helper()
	if _, err := term.file.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

// resize changes the size of the terminal.
func (term *terminal) resize(columns, rows int) {
	term.t.Helper()
	term.mu.Lock()
	term.screen.resize(columns, rows)
	term.mu.Unlock()
	if err := pty.Setsize(term.file, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		term.t.Fatal(err)
	}
}

// written is all that was written so far.
func (term *terminal) written() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.raw.String()
}

// status waits for the end of the program.
func (term *terminal) status() int {
	term.t.Helper()
	_ = term.cmd.Wait() // the status tells
	return term.cmd.ProcessState.ExitCode()
}

// A screen is that of a terminal: as much of one as the program needs.
type screen struct {
	columns, row, column int
	wrap                 bool // the next character goes to the next row
	rows                 [][]string
	rest                 string // of a sequence that goes on
	parser               *ansi.Parser
}

func newScreen(columns, rows int) *screen {
	s := &screen{columns: columns, parser: ansi.NewParser()}
	for range rows {
		s.rows = append(s.rows, s.blank())
	}
	return s
}

// blank is an empty row. The second column of a wide character is "".
func (s *screen) blank() []string {
	row := make([]string, s.columns)
	for i := range row {
		row[i] = " "
	}
	return row
}

// resize cuts and fills rows, as simple terminals do.
func (s *screen) resize(columns, rows int) {
	s.columns = columns
	for len(s.rows) > rows {
		s.rows = s.rows[1:]
		s.row = max(0, s.row-1)
	}
	for len(s.rows) < rows {
		s.rows = append(s.rows, nil)
	}
	for i, row := range s.rows {
		filled := s.blank()
		copy(filled, row)
		if last := columns - 1; ansi.StringWidth(filled[last]) > 1 {
			filled[last] = " " // half of a wide character
		}
		s.rows[i] = filled
	}
	s.column = min(s.column, columns-1)
}

// String is what can be read.
func (s *screen) String() string {
	var b strings.Builder
	for _, row := range s.rows {
		b.WriteString(strings.TrimRight(strings.Join(row, ""), " ") + "\n")
	}
	return b.String()
}

// write draws a text, and returns what the terminal answers.
func (s *screen) write(text string) (answer string) {
	text, s.rest = s.rest+text, ""
	for text != "" {
		seq, width, n, state := ansi.DecodeSequence(text, 0, s.parser)
		if state != 0 || width == 0 && seq[0] >= 0x80 {
			s.rest = text // the end of the sequence is still to come
			return answer
		}
		text = text[n:]
		switch {
		case width > 0:
			s.draw(seq, width)
		case seq == "\r":
			s.column, s.wrap = 0, false
		case seq == "\n":
			s.feed()
		case seq == "\b":
			s.column = max(0, s.column-1)
		case strings.HasPrefix(seq, "\x1b["):
			answer += s.control()
		}
	}
	return answer
}

func (s *screen) draw(text string, width int) {
	if s.wrap || s.column+width > s.columns {
		s.column, s.wrap = 0, false
		s.feed()
	}
	row := s.rows[s.row]
	row[s.column] = text
	for i := 1; i < width; i++ {
		row[s.column+i] = ""
	}
	s.column += width
	if s.column >= s.columns {
		s.column, s.wrap = s.columns-1, true
	}
}

func (s *screen) feed() {
	if s.row++; s.row == len(s.rows) {
		s.rows = append(s.rows[1:], s.blank())
		s.row--
	}
}

// control carries out the control sequence that was read last.
func (s *screen) control() (answer string) {
	n, _ := s.parser.Param(0, 1)
	n = max(n, 1)
	kind, _ := s.parser.Param(0, 0)
	switch ansi.Cmd(s.parser.Command()).Final() {
	case 'A':
		s.row = max(0, s.row-n)
	case 'B':
		s.row = min(len(s.rows)-1, s.row+n)
	case 'C':
		s.column = min(s.columns-1, s.column+n)
	case 'D':
		s.column = max(0, s.column-n)
	case 'H':
		column, _ := s.parser.Param(1, 1)
		s.row, s.column = min(len(s.rows), n)-1, min(s.columns, max(column, 1))-1
	case 'J':
		if kind == 0 {
			s.erase(s.row, s.column)
			for i := s.row + 1; i < len(s.rows); i++ {
				s.erase(i, 0)
			}
		}
	case 'K':
		if kind == 0 {
			s.erase(s.row, s.column)
		}
	case 'n':
		return ansi.CursorPositionReport(s.row+1, s.column+1)
	default:
		return ""
	}
	s.wrap = false
	return ""
}

// erase erases the end of a row.
func (s *screen) erase(row, from int) {
	for i := from; i < s.columns; i++ {
		s.rows[row][i] = " "
	}
}
