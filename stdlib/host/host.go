// Package host is the way from package nb to whoever runs the cells: the
// worker of a kernel, or nobody, as in a compiled program. Cells cannot import
// it.
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

// A Host shows what the running cell wants to be shown and answers what it
// asks. Its methods are safe for concurrent use.
type Host interface {
	// Context returns the context of the running cell, which ends when the
	// cell is interrupted.
	Context() context.Context
	// Display shows a bundle. A non-empty id names what is shown, so that a
	// later call with update set replaces it; a bundle without data removes it.
	Display(b *display.Bundle, id string, update bool)
	// Clear removes what the cell has shown, or with wait only when
	// something new arrives.
	Clear(wait bool)
	// Input asks the user for a line.
	Input(prompt string, password bool) (string, error)
	// Updates reports whether Display can replace what it has shown.
	Updates() bool
	// Comm sends a message to the front end. The error is ErrNoFrontEnd
	// where there is none.
	Comm(m *CommMessage) error
	// Page shows a bundle beside the notebook, where the front end has a
	// place for what is read and put away.
	Page(b *display.Bundle)
	// NextInput proposes the source of the next cell, or with replace a new
	// source of the running one.
	NextInput(source string, replace bool)
}

// ErrNoFrontEnd says that nobody is there to open a comm with.
var ErrNoFrontEnd = errors.New("no front end: comms need a notebook")

// A CommMessage is a message of a comm, a channel between code in the kernel
// and code in the front end, in either direction.
type CommMessage struct {
	Kind     string          `json:"kind"` // "open", "msg" or "close"
	ID       string          `json:"id"`
	Target   string          `json:"target,omitempty"` // of "open": what the other side is to do with it
	Data     json.RawMessage `json:"data,omitempty"`   // a JSON object, or empty
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Buffers  [][]byte        `json:"buffers,omitempty"`
}

var receiver atomic.Pointer[func(*CommMessage)]

// SetReceiver makes f the one that messages from the front end are given to.
// It runs on the goroutine of whoever delivers them, as the cell's code does.
func SetReceiver(f func(*CommMessage)) { receiver.Store(&f) }

// Receive gives a message from the front end to the receiver. It reports
// whether there is one.
func Receive(m *CommMessage) bool {
	f := receiver.Load()
	if f == nil {
		return false
	}
	(*f)(m)
	return true
}

// A Failure is what compiled functions panic with to end the cell with an
// error that is not a fault of the code, as that of a command.
type Failure struct{ Err error }

func (f Failure) Error() string { return f.Err.Error() }

// Unwrap returns the error.
func (f Failure) Unwrap() error { return f.Err }

type outputs struct{ out, err io.Writer }

var output atomic.Pointer[outputs]

// SetOutput makes out and err the standard output and error of the cells, for
// compiled code that writes for the cell that calls it.
func SetOutput(out, err io.Writer) { output.Store(&outputs{out, err}) }

// Stdout returns the standard output of the cells: that of the process, unless
// another was set.
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
