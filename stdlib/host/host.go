// Package host is the way from package nb to whoever runs the cells: the worker of a kernel, or
// nobody, as in a compiled program. Cells cannot import it.
package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/term"

	"github.com/hierml/notebook/stdlib/display"
)

// A Host shows what the running cell wants to be shown and answers what it asks. Its methods are
// safe for concurrent use.
type Host interface {
	// Context returns the context of the running cell, which ends when the cell is interrupted.
	Context() context.Context
	// Display shows a bundle. A non-empty id names what is shown, so that a later call with update
	// set replaces it; a bundle without data removes it.
	Display(b *display.Bundle, id string, update bool)
	// Clear removes what the cell has shown, or with wait only when something new arrives.
	Clear(wait bool)
	// Input asks the user for a line.
	Input(prompt string, password bool) (string, error)
	// Updates reports whether Display can replace what it has shown.
	Updates() bool
	// Comm sends a message to the front end. The error is ErrNoFrontEnd where there is none.
	Comm(m *CommMessage) error
	// Page shows a bundle beside the notebook, where the front end has a place for what is read and
	// put away.
	Page(b *display.Bundle)
	// NextInput proposes the source of the next cell, or with replace a new source of the running
	// one.
	NextInput(source string, replace bool)
	// Capture gives what the running cell writes and shows to s, until the function that it returns
	// is called. Where cells are not told apart, as in a terminal, it does nothing.
	Capture(s Sink) (end func())
	// Here is where the running cell writes and shows, also when it has ended.
	Here() Sink
	// Interrupter returns a function that interrupts the running cell as the user does, and does
	// not wait for its end. It must not be called after it.
	Interrupter() func()
}

// A Sink takes what a cell writes and shows. Its methods are safe for concurrent use.
type Sink interface {
	// Stream takes text for "stdout" or "stderr", or notes.
	Stream(name, text string)
	// Display takes what Host.Display is given. It reports false for what it leaves to the cell.
	Display(b *display.Bundle, id string, update bool) bool
	// Clear takes what Host.Clear is given.
	Clear(wait bool)
}

// Notes is the name of the stream of what the kernel and the library say of a cell, in lines, where
// the cell itself has written nothing. Front ends show what is written to "stderr" as if it were an
// error.
const Notes = "notes"

// ErrNoFrontEnd says that nobody is there to open a comm with.
var ErrNoFrontEnd = errors.New("no front end: comms need a notebook")

// A CommMessage is a message of a comm, a channel between code in the kernel and code in the front
// end, in either direction.
//
// Those of the kinds "call" and "failed" are the kernel's own. With a "call" a comm asks to be
// called: the message comes back when neither a cell nor another call runs, and what it runs is
// interrupted as a cell is. If that fails, a message "failed" follows, whose data are a [Failed].
type CommMessage struct {
	Kind string `json:"kind"` // "open", "msg" or "close"; "call" or "failed"
	ID   string `json:"id"`
	// of "open": what the other side is to do with it
	Target   string          `json:"target,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"` // a JSON object, or empty
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Buffers  [][]byte        `json:"buffers,omitempty"`
}

// Failed is how a call has failed, in the words that the user reads.
type Failed struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"` // coloured lines
}

var receiver atomic.Pointer[func(*CommMessage) func()]

// SetReceiver makes f the one that messages from the front end are given to. What f returns, if it
// is not nil, runs the user's code for the message, as a cell's code is run.
func SetReceiver(f func(*CommMessage) func()) { receiver.Store(&f) }

// Receive gives a message from the front end to the receiver. It reports whether there is one, and
// returns what is to be run for the message; nil for nothing.
func Receive(m *CommMessage) (run func(), received bool) {
	f := receiver.Load()
	if f == nil {
		return nil, false
	}
	return (*f)(m), true
}

// A Failure is what compiled functions panic with to end the cell with an error that is not a fault
// of the code, as that of a command.
type Failure struct{ Err error }

func (f Failure) Error() string { return f.Err.Error() }

// Unwrap returns the error.
func (f Failure) Unwrap() error { return f.Err }

type outputs struct{ out, err io.Writer }

var output atomic.Pointer[outputs]

// SetOutput makes out and err the standard output and error of the cells, for compiled code that
// writes for the cell that calls it.
func SetOutput(out, err io.Writer) { output.Store(&outputs{out, err}) }

// Stdout returns the standard output of the cells: that of the process, unless another was set.
func Stdout() io.Writer {
	if o := output.Load(); o != nil {
		return o.out
	}
	return os.Stdout
}

// Stderr returns the standard error of the cells.
func Stderr() io.Writer {
	if o := output.Load(); o != nil {
		return o.err
	}
	return os.Stderr
}

var current atomic.Pointer[Host]

// Set makes h the host of all cells in this process.
func Set(h Host) { current.Store(&h) }

// Current returns the host that was set, or one that uses the terminal.
func Current() Host {
	if h := current.Load(); h != nil {
		return *h
	}
	return terminal
}

var terminal Host = &terminalHost{}

// terminalHost writes text to standard output and reads standard input.
type terminalHost struct {
	mu    sync.Mutex
	stdin *bufio.Reader
}

func (*terminalHost) Context() context.Context { return context.Background() }

func (h *terminalHost) Display(b *display.Bundle, _ string, _ bool) {
	if b == nil {
		return
	}
	// What scripts print, too.
	text := strings.TrimSuffix(b.Text(), "\n")
	if text == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Println(text)
}

func (*terminalHost) Clear(bool) {}

func (*terminalHost) Updates() bool { return false }

func (*terminalHost) Comm(*CommMessage) error { return ErrNoFrontEnd }

func (h *terminalHost) Page(b *display.Bundle) { h.Display(b, "", false) }

func (*terminalHost) NextInput(string, bool) {}

func (*terminalHost) Capture(Sink) func() { return func() {} }

func (h *terminalHost) Here() Sink { return terminalSink{h} }

func (*terminalHost) Interrupter() func() { return func() {} }

// terminalSink writes to the terminal.
type terminalSink struct{ *terminalHost }

func (s terminalSink) Stream(name, text string) {
	w := Stderr()
	if name == "stdout" {
		w = Stdout()
	}
	fmt.Fprint(w, text)
}

func (s terminalSink) Display(b *display.Bundle, id string, update bool) bool {
	s.terminalHost.Display(b, id, update)
	return true
}

func (h *terminalHost) Input(prompt string, password bool) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprint(os.Stderr, prompt)
	if fd := int(os.Stdin.Fd()); password && term.IsTerminal(fd) {
		line, err := term.ReadPassword(fd)
		fmt.Fprintln(os.Stderr)
		return string(line), err
	}
	if h.stdin == nil {
		h.stdin = bufio.NewReader(os.Stdin)
	}
	line, err := h.stdin.ReadString('\n')
	if line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}
