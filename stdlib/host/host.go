// Package host is the way from package nb to whoever runs the cells: the
// worker of a kernel, or nobody, as in a compiled program. Cells cannot import
// it.
package host

import (
	"bufio"
	"context"
	"fmt"
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
	// later call with update set replaces it.
	Display(b *display.Bundle, id string, update bool)
	// Clear removes what the cell has shown, or with wait only when
	// something new arrives.
	Clear(wait bool)
	// Input asks the user for a line.
	Input(prompt string, password bool) (string, error)
	// Updates reports whether Display can replace what it has shown.
	Updates() bool
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
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Println(b.Text())
}

func (*terminalHost) Clear(bool) {}

func (*terminalHost) Updates() bool { return false }

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
