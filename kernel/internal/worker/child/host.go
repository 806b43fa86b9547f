package child

import (
	"context"
	"errors"
	"io"

	"github.com/hierml/notebook/kernel/internal/worker/cells"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

var _ cells.Outlet = (*child)(nil)

// Main implements cells.Outlet.
func (c *child) Main() *cells.Cell { return c.out.mainCell() }

// Text implements cells.Outlet.
func (c *child) Text(owner *cells.Cell, name string, p []byte) (int, error) {
	return c.out.write(owner, name, p)
}

// Display implements cells.Outlet.
func (c *child) Display(owner *cells.Cell, b *display.Bundle, id string, update bool) error {
	packed, err := pipe.PackBundle(b)
	if err != nil {
		return err
	}
	return c.out.send(owner, &pipe.Display{Bundle: packed, ID: id, Update: update})
}

// Page implements cells.Outlet.
func (c *child) Page(owner *cells.Cell, b *display.Bundle) error {
	packed, err := pipe.PackBundle(b)
	if err != nil {
		return err
	}
	return c.out.send(owner, &pipe.Page{Bundle: packed})
}

// Clear implements cells.Outlet.
func (c *child) Clear(owner *cells.Cell, wait bool) error {
	return c.out.send(owner, &pipe.Clear{Wait: wait})
}

// NextInput implements cells.Outlet.
func (c *child) NextInput(owner *cells.Cell, source string, replace bool) error {
	return c.out.send(owner, &pipe.NextInput{Source: source, Replace: replace})
}

// Comm implements cells.Outlet. Opening a comm asks whether there is a front end.
func (c *child) Comm(owner *cells.Cell, m *host.CommMessage) error {
	message := pipe.PackComm(m)
	if m.Kind != "open" {
		return c.out.send(owner, &message)
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
	if err := c.out.send(owner, &message); err != nil {
		return err
	}
	switch opened := <-answer; { // the parent always answers
	case opened.Failure == nil:
		return nil
	case opened.Failure.Message == host.ErrNoFrontEnd.Error():
		return host.ErrNoFrontEnd
	default:
		return errors.New(opened.Failure.Message)
	}
}

// Ask implements cells.Outlet.
func (c *child) Ask(owner *cells.Cell, prompt string, password bool) (string, error) {
	if err := c.out.send(owner, &pipe.Question{Prompt: prompt, Password: password}); err != nil {
		return "", err
	}
	// The parent always answers; an interrupt ends the question there.
	line := <-c.lines
	switch {
	case line.Failure == nil:
		return line.Text, nil
	case line.Failure.Canceled:
		select {
		case <-owner.Context().Done(): // the interrupt is on its way
			return "", context.Cause(owner.Context())
		case <-owner.Done():
			return "", cells.ErrEnded
		}
	case line.Failure.End:
		return "", io.EOF
	}
	return "", errors.New(line.Failure.Message)
}
