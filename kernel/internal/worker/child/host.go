package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"

	"github.com/hierml/notebook/kernel/internal/worker/pipe"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

var _ host.Host = (*child)(nil)

var errNoCell = errors.New("no cell has run yet")

// Context implements host.Host.
func (c *child) Context() context.Context {
	if owner := c.out.owner(); owner != nil {
		return owner.ctx
	}
	return context.Background()
}

// send sends a message of the cell of the calling goroutine.
func (c *child) send(m pipe.Message) error {
	owner := c.out.owner()
	if owner == nil {
		return errNoCell
	}
	return c.out.send(owner, m)
}

// complain tells the user what could not be shown.
func (c *child) complain(what string, err error) {
	if err != nil {
		// A pipe that cannot be written to has lost its reader, the parent; the end of the commands
		// ends this process.
		_, _ = fmt.Fprintf(c.stderr, "%s: %v\n", what, err)
	}
}

// Display implements host.Host.
func (c *child) Display(b *display.Bundle, id string, update bool) {
	if b == nil {
		return
	}
	if sink := c.sink(); sink != nil && sink.Display(b, id, update) {
		return
	}
	c.complain("display", show(b, c.send, func(b *pipe.Bundle) pipe.Message {
		return &pipe.Display{Bundle: b, ID: id, Update: update}
	}))
}

// sink returns what takes the output of the running cell, nil if nothing does.
func (c *child) sink() *capture {
	if owner := c.out.owner(); owner != nil {
		return owner.sink.Load()
	}
	return nil
}

// Capture implements host.Host. Where several goroutines of a cell capture at the same time, the
// last to begin takes the output of all of them.
func (c *child) Capture(s host.Sink) (end func()) {
	owner := c.out.owner()
	if owner == nil {
		return func() {}
	}
	for {
		outer := owner.sink.Load()
		mine := &capture{Sink: s, outer: outer}
		if owner.sink.CompareAndSwap(outer, mine) {
			return func() {
				mine.over.Store(true)
				for top := owner.sink.Load(); top != nil && top.over.Load(); top = owner.sink.Load() {
					owner.sink.CompareAndSwap(top, top.outer)
				}
			}
		}
	}
}

// Interrupter implements host.Host.
func (c *child) Interrupter() func() {
	if owner := c.out.owner(); owner != nil {
		return owner.interrupt
	}
	return func() {}
}

// Here implements host.Host.
func (c *child) Here() host.Sink { return &place{c, c.out.owner(), profLabel()} }

// A place is where a cell shows things. The label keeps the parent from forgetting the cell.
type place struct {
	child *child
	cell  *cell
	label unsafe.Pointer
}

// Stream implements host.Sink.
func (p *place) Stream(name, text string) {
	s := p.child.stdout
	if name == "stderr" {
		s = p.child.stderr
	}
	// What cannot be written has lost its reader, as in complain.
	_, _ = s.write(p.cell, []byte(text))
}

// Display implements host.Sink.
func (p *place) Display(b *display.Bundle, id string, update bool) bool {
	err := show(b, p.send, func(b *pipe.Bundle) pipe.Message { return &pipe.Display{Bundle: b, ID: id, Update: update} })
	if err != nil {
		p.Stream("stderr", "display: "+err.Error()+"\n")
	}
	return true
}

// Clear implements host.Sink.
func (p *place) Clear(wait bool) {
	if err := p.send(&pipe.Clear{Wait: wait}); err != nil {
		p.Stream("stderr", "clear: "+err.Error()+"\n")
	}
}

func (p *place) send(m pipe.Message) error {
	if p.cell == nil {
		return errNoCell
	}
	return p.child.out.send(p.cell, m)
}

// Page implements host.Host.
func (c *child) Page(b *display.Bundle) {
	if b != nil {
		c.complain("page", show(b, c.send, func(b *pipe.Bundle) pipe.Message { return &pipe.Page{Bundle: b} }))
	}
}

// show sends the message that shows a bundle.
func show(b *display.Bundle, send func(pipe.Message) error, message func(*pipe.Bundle) pipe.Message) error {
	packed, err := pipe.PackBundle(b)
	if err != nil {
		return err
	}
	return send(message(packed))
}

// Clear implements host.Host.
func (c *child) Clear(wait bool) {
	if sink := c.sink(); sink != nil {
		sink.Clear(wait)
		return
	}
	c.complain("clear", c.send(&pipe.Clear{Wait: wait}))
}

// Updates implements host.Host.
func (c *child) Updates() bool { return true }

// Comm implements host.Host. That there is a front end is asked for when a comm is opened.
func (c *child) Comm(m *host.CommMessage) error {
	message := pipe.PackComm(m)
	if m.Kind != "open" {
		return c.send(&message)
	}
	answer := make(chan *pipe.Opened, 1)
	c.mu.Lock()
	c.opening[m.ID] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.opening, m.ID)
		c.mu.Unlock()
	}()
	if err := c.send(&message); err != nil {
		return err
	}
	switch opened := <-answer; { // the parent answers in any case
	case opened.Failure == nil:
		return nil
	case opened.Failure.Message == host.ErrNoFrontEnd.Error():
		return host.ErrNoFrontEnd
	default:
		return errors.New(opened.Failure.Message)
	}
}

// NextInput implements host.Host.
func (c *child) NextInput(source string, replace bool) {
	c.complain("next input", c.send(&pipe.NextInput{Source: source, Replace: replace}))
}

// Input implements host.Host. One line is asked for at a time.
func (c *child) Input(prompt string, password bool) (string, error) {
	owner := c.out.owner()
	if owner == nil {
		return "", errNoCell
	}
	ended := errors.New("the cell that asks has ended")
	if owner.ended() {
		return "", ended
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-owner.ctx.Done():
		return "", context.Cause(owner.ctx)
	}
	if err := c.out.send(owner, &pipe.Question{Prompt: prompt, Password: password}); err != nil {
		return "", err
	}
	// The parent answers in any case; an interrupt ends the question there.
	line := <-c.lines
	switch {
	case line.Failure == nil:
		return line.Text, nil
	case line.Failure.Canceled:
		select {
		case <-owner.ctx.Done(): // the interrupt is on its way
			return "", context.Cause(owner.ctx)
		case <-owner.done:
			return "", ended
		}
	case line.Failure.End:
		return "", io.EOF
	}
	return "", errors.New(line.Failure.Message)
}

// inputReader is standard input as far as it is read through fmt.Scan and its like: each line is
// asked for when it is needed.
type inputReader struct {
	c    *child
	line *bufferedLine
}

var _ io.Reader = inputReader{}

type bufferedLine struct {
	mu   sync.Mutex
	rest []byte
}

func (r inputReader) Read(p []byte) (int, error) {
	r.line.mu.Lock()
	defer r.line.mu.Unlock()
	if len(r.line.rest) == 0 {
		line, err := r.c.Input("", false)
		if err != nil {
			return 0, err
		}
		r.line.rest = []byte(line + "\n")
	}
	n := copy(p, r.line.rest)
	r.line.rest = r.line.rest[n:]
	return n, nil
}
