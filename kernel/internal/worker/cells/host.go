package cells

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// An Outlet takes what cells write, show and ask for. Its methods may be called concurrently.
type Outlet interface {
	// Main returns the cell of the goroutines that belong to none: the newest cell that began while
	// no other main one ran. It is nil before the first cell.
	Main() *Cell
	// Text takes text of a cell, or of none, for "stdout", "stderr" or notes.
	Text(c *Cell, name string, p []byte) (int, error)
	// These do for a cell what package host describes.
	Display(c *Cell, b *display.Bundle, id string, update bool) error
	Page(c *Cell, b *display.Bundle) error
	Clear(c *Cell, wait bool) error
	NextInput(c *Cell, source string, replace bool) error
	Comm(c *Cell, m *host.CommMessage) error
	// Ask asks the user for a line. There is one call at a time, and it ends with the cell's
	// context.
	Ask(c *Cell, prompt string, password bool) (string, error)
}

// A Host is the program as cell code sees it.
type Host struct {
	outlet    Outlet
	belonging *belonging
	asking    chan struct{} // holds a value during a question
	in        inputReader
	out, err  stream
}

var _ host.Host = (*Host)(nil)

// NewHost returns a host for the cells of an outlet. forgotten, if not nil, is called when the last
// goroutine of the cell with a number is gone. It must not block.
func NewHost(outlet Outlet, forgotten func(number int)) *Host {
	h := &Host{outlet: outlet, belonging: newBelonging(forgotten), asking: make(chan struct{}, 1)}
	h.in = inputReader{h, new(bufferedLine)}
	h.out, h.err = stream{h, "stdout"}, stream{h, "stderr"}
	return h
}

// Adopt makes the calling goroutine belong to the cell, and those that it starts from now on.
func (h *Host) Adopt(c *Cell) { h.belonging.adopt(c) }

// Alive reports whether goroutines belong to the cell with that number.
func (h *Host) Alive(number int) bool { return h.belonging.alive(number) }

// Asking reports whether a cell asks the user for a line.
func (h *Host) Asking() bool { return len(h.asking) > 0 }

// Stderr returns the standard error of cells.
func (h *Host) Stderr() io.Writer { return h.err }

// Means returns the environment of cell code.
func (h *Host) Means() Means {
	return Means{In: h.in, Out: h.out, Err: h.err, Relabel: h.belonging.renew, Carry: h.belonging.carry}
}

// ErrEnded is the error of a cell that asks for a line but has ended.
var ErrEnded = errors.New("the cell that asks has ended")

var errNoCell = errors.New("no cell has run yet")

// owner returns the cell of the calling goroutine, or the main one if it has none. It is nil before
// the first cell.
func (h *Host) owner() *Cell {
	if c := h.belonging.cell(); c != nil {
		return c
	}
	return h.outlet.Main()
}

// sink returns the capture of the running cell's output, or nil.
func (h *Host) sink() *capture {
	if owner := h.owner(); owner != nil {
		return owner.sink.Load()
	}
	return nil
}

// does calls f with the cell of the calling goroutine, and reports an error to the user.
func (h *Host) does(what string, f func(c *Cell) error) {
	err := errNoCell
	if owner := h.owner(); owner != nil {
		err = f(owner)
	}
	if err != nil {
		// A failed write means that nobody reads the output.
		_, _ = fmt.Fprintf(h.err, "%s: %v\n", what, err)
	}
}

// Context implements host.Host.
func (h *Host) Context() context.Context {
	if owner := h.owner(); owner != nil {
		return owner.ctx
	}
	return context.Background()
}

// Display implements host.Host.
func (h *Host) Display(b *display.Bundle, id string, update bool) {
	if b == nil {
		return
	}
	if sink := h.sink(); sink != nil && sink.Display(b, id, update) {
		return
	}
	h.does("display", func(c *Cell) error { return h.outlet.Display(c, b, id, update) })
}

// Capture implements host.Host.
func (h *Host) Capture(s host.Sink) (end func()) {
	if owner := h.owner(); owner != nil {
		return owner.capture(s)
	}
	return func() {}
}

// Interrupter implements host.Host.
func (h *Host) Interrupter() func() {
	if owner := h.owner(); owner != nil {
		return owner.Interrupt
	}
	return func() {}
}

// Here implements host.Host.
func (h *Host) Here() host.Sink { return &place{h, h.owner(), program.Label()} }

// Page implements host.Host.
func (h *Host) Page(b *display.Bundle) {
	if b != nil {
		h.does("page", func(c *Cell) error { return h.outlet.Page(c, b) })
	}
}

// Clear implements host.Host.
func (h *Host) Clear(wait bool) {
	if sink := h.sink(); sink != nil {
		sink.Clear(wait)
		return
	}
	h.does("clear", func(c *Cell) error { return h.outlet.Clear(c, wait) })
}

// Updates implements host.Host.
func (h *Host) Updates() bool { return true }

// Comm implements host.Host.
func (h *Host) Comm(m *host.CommMessage) error {
	owner := h.owner()
	if owner == nil {
		return errNoCell
	}
	return h.outlet.Comm(owner, m)
}

// NextInput implements host.Host.
func (h *Host) NextInput(source string, replace bool) {
	h.does("next input", func(c *Cell) error { return h.outlet.NextInput(c, source, replace) })
}

// Input implements host.Host. It handles one question at a time.
func (h *Host) Input(prompt string, password bool) (string, error) {
	owner := h.owner()
	switch {
	case owner == nil:
		return "", errNoCell
	case owner.Ended():
		return "", ErrEnded
	}
	select {
	case h.asking <- struct{}{}:
		defer func() { <-h.asking }()
	case <-owner.ctx.Done():
		return "", context.Cause(owner.ctx)
	}
	return h.outlet.Ask(owner, program.Shorten(prompt), password)
}

// Deliver passes a message, for a cell, to the code that listens to its comm. It calls that code
// through do, or directly if that is nil. It closes a comm that no code wants.
func (h *Host) Deliver(c *Cell, m *program.CommMessage, do func(ctx context.Context, cell int, f func()) error) error {
	run, received, err := receive(m)
	switch {
	case err != nil:
		return err
	case run != nil:
		return do(c.ctx, c.Number, run)
	case !received && m.Kind == "open":
		return h.outlet.Comm(c, &program.CommMessage{Kind: "close", ID: m.ID})
	}
	return nil
}

// receive calls host.Receive. A panic there is not in user code; only the message is lost.
func receive(m *program.CommMessage) (run func(), received bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error with a message of a comm: %v", p)
		}
	}()
	run, received = host.Receive(m)
	return run, received, nil
}

// A place is the position of a cell in the notebook. The label keeps the cell from being forgotten.
type place struct {
	host  *Host
	cell  *Cell
	label unsafe.Pointer
}

// Stream implements host.Sink.
func (p *place) Stream(name, text string) {
	// A failed write means that nobody reads the output.
	_, _ = p.host.outlet.Text(p.cell, name, []byte(text))
}

// Display implements host.Sink.
func (p *place) Display(b *display.Bundle, id string, update bool) bool {
	p.does("display", func() error { return p.host.outlet.Display(p.cell, b, id, update) })
	return true
}

// Clear implements host.Sink.
func (p *place) Clear(wait bool) {
	p.does("clear", func() error { return p.host.outlet.Clear(p.cell, wait) })
}

func (p *place) does(what string, f func() error) {
	err := errNoCell
	if p.cell != nil {
		err = f()
	}
	if err != nil {
		p.Stream("stderr", what+": "+err.Error()+"\n")
	}
}
