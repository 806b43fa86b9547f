// Package host connects package nb to the program that runs the cells: the worker of a kernel, or
// the terminal in a compiled program. Cells cannot import it.
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

// A Host shows output of the running cell and answers its questions. Its methods are safe for
// concurrent use.
type Host interface {
	// Context returns the context of the running cell, which is done when the cell is interrupted.
	Context() context.Context
	// Display shows a bundle. A non-empty id names the output, so that a later call with update set
	// replaces it; a bundle without data removes it.
	Display(b *display.Bundle, id string, update bool)
	// Clear removes the output of the cell, or with wait only when something new arrives.
	Clear(wait bool)
	// Input asks the user for a line.
	Input(prompt string, password bool) (string, error)
	// Updates reports whether Display can replace what it has shown.
	Updates() bool
	// Comm sends a message to the front end. The error is ErrNoFrontEnd if there is none.
	Comm(m *CommMessage) error
	// Page shows a bundle beside the notebook, if the front end has a place for text to read and
	// close.
	Page(b *display.Bundle)
	// NextInput proposes the source of the next cell, or with replace a new source of the running
	// one.
	NextInput(source string, replace bool)
	// Capture sends the output of the running cell to s, until the returned function is called. If
	// cells are not distinguished, as in a terminal, it does nothing.
	Capture(s Sink) (end func())
	// Here returns the output of the running cell, which also works after the cell has ended.
	Here() Sink
	// Interrupter returns a function that interrupts the running cell like the user does, without
	// waiting for its end. Do not call it after the cell has ended.
	Interrupter() func()
}

// A Sink receives the output of a cell. Its methods are safe for concurrent use.
type Sink interface {
	// Stream takes text for "stdout" or "stderr", or notes.
	Stream(name, text string)
	// Display receives the arguments of Host.Display. It returns false to leave them to the cell.
	Display(b *display.Bundle, id string, update bool) bool
	// Clear receives the argument of Host.Clear.
	Clear(wait bool)
}

// Notes is the name of the stream for lines of the kernel and the library about a cell, which the
// cell itself did not write. Front ends show text in "stderr" like an error.
const Notes = "notes"

// ErrNoFrontEnd says that there is no front end for a comm.
var ErrNoFrontEnd = errors.New("no front end: comms need a notebook")

// A CommMessage is a message of a comm, a channel between code in the kernel and code in the front
// end, in either direction.
//
// The kinds "call" and "failed" are internal to the kernel. With "call", a comm asks to be called:
// the message comes back when neither a cell nor another call runs, and its code can be interrupted
// like a cell. If that fails, a message "failed" follows, whose data are a [Failed].
type CommMessage struct {
	Kind string `json:"kind"` // "open", "msg" or "close"; "call" or "failed"
	ID   string `json:"id"`
	// of "open": the purpose of the comm, for the other side
	Target   string          `json:"target,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"` // a JSON object, or empty
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Buffers  [][]byte        `json:"buffers,omitempty"`
}

// Failed describes the failure of a call in the words that the user reads.
type Failed struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"` // coloured lines
}

var receiver atomic.Pointer[func(*CommMessage) func()]

// SetReceiver sets the receiver of messages from the front end. If f returns a function, that is
// user code for the message, to be run like that of a cell.
func SetReceiver(f func(*CommMessage) func()) { receiver.Store(&f) }

// Receive passes a message from the front end to the receiver. It reports whether there is one, and
// returns the function to run for the message, or nil.
func Receive(m *CommMessage) (run func(), received bool) {
	f := receiver.Load()
	if f == nil {
		return nil, false
	}
	return (*f)(m), true
}

// A Failure is the panic with which compiled functions end the cell when the code is not at fault,
// for example because a command has failed.
type Failure struct{ Err error }

func (f Failure) Error() string { return f.Err.Error() }

// Unwrap returns the error.
func (f Failure) Unwrap() error { return f.Err }

type outputs struct{ out, err io.Writer }

var output atomic.Pointer[outputs]

// SetOutput sets the standard output and error of the cells, for compiled code that writes for the
// cell that calls it.
func SetOutput(out, err io.Writer) { output.Store(&outputs{out, err}) }

// Stdout returns the standard output of the cells: that of the process, unless another is set.
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
	// Scripts print the same.
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
