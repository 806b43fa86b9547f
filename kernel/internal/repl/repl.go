// Package repl is a terminal session of the engine, as a notebook is in Jupyter: one input after
// the other. It reads inputs with an editor that recognizes the end of a piece of Go, runs them as
// cells, and shows their output as far as a terminal can.
//
// The [Engine] runs cells, completes names, and tells whether an input is complete. Package history
// stores the inputs of all sessions, in the same place as those of Jupyter's kernels. A library for
// line editing handles keys and drawing. Input that does not come from a terminal is a script,
// which package script runs.
package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/hierml/notebook/internal/visible"
	"github.com/hierml/notebook/kernel/internal/assist"
	"github.com/hierml/notebook/kernel/internal/history"
	"github.com/hierml/notebook/kernel/internal/program"
)

// An Engine runs the inputs of one session and completes them. *engine.Engine is one.
type Engine interface {
	Run(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error)
	Complete(source string, cursor int) assist.Completion
	Inspect(source string, cursor, detail int) *program.Bundle
	IsComplete(source string) (status, indent string)
	Kill()
	Insist()
}

// Patience is how long an interrupted input may take to end. After that another interrupt kills it.
// The worker's Grace must be the same, since the worker tells the user.
const Patience = time.Second

// errInterrupted is the error of an input that the user interrupts.
var errInterrupted = errors.New("interrupted")

// A session is the state of a running repl.
type session struct {
	engine     Engine
	history    *history.History
	screen     *screen
	editor     *editor
	pictures   pictures
	interrupts chan os.Signal
	count      int    // of the inputs that ran
	next       string // what the cell proposed as the next input
}

// Run reads and runs inputs on the terminal of this process, its standard input and output, until
// the user ends the session or ctx is done. It adds inputs to past, which the editor offers again.
// It first shows the banner, if there is one.
//
// A failed input is reported and does not end the session; an error of Run is one of the terminal.
func Run(ctx context.Context, e Engine, past *history.History, banner string) (err error) {
	look := lookOf(os.Stdout)
	s := &session{
		engine:     e,
		history:    past,
		screen:     &screen{out: os.Stdout, look: look},
		pictures:   pictures{draw: drawerFor(os.Stdin, os.Stdout)},
		interrupts: make(chan os.Signal, 1),
	}
	keys, err := openKeyboard()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.close()) }()
	s.editor = newEditor(e, s.screen, look, keys)
	s.editor.remember(past)
	signal.Notify(s.interrupts, os.Interrupt)
	defer signal.Stop(s.interrupts)
	if banner != "" {
		s.screen.write(banner + "\n")
	}
	for {
		source, err := s.editor.read(ctx, s.count+1, s.next)
		s.next = ""
		switch {
		case errors.Is(err, errInterrupted):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read from the terminal: %w", err)
		case s.leaves(source):
			return nil
		case strings.TrimSpace(source) != "":
			s.run(ctx, source)
		}
	}
}

// leaves reports whether an input asks for the end of the session, in the words of other languages,
// without a meaning in this session.
func (s *session) leaves(source string) bool {
	word := strings.TrimSuffix(strings.TrimSpace(source), "()")
	return (word == "exit" || word == "quit") && s.engine.Inspect(word, len(word), 0) == nil
}

// run runs one input and shows its result.
func (s *session) run(parent context.Context, source string) {
	s.count++
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	ended := make(chan struct{})
	defer close(ended)
	out := &output{session: s, count: s.count, interrupt: cancel}
	for len(s.interrupts) > 0 {
		<-s.interrupts // it was for the previous input
	}
	go s.watchInterrupts(cancel, ended)

	cell := program.Cell{Number: s.count, Count: s.count, Source: source}
	bundle, err := s.engine.Run(ctx, cell, out)
	text := ""
	switch {
	case err != nil:
		s.screen.endLine()
		s.screen.write(s.failure(err))
	case bundle != nil:
		text, _ = bundle.Data["text/plain"].(string)
		out.result(bundle)
	}
	out.finish()
	s.screen.endLine()
	s.history.Add(s.count, source, text)
}

// watchInterrupts interrupts the running input at the user's interrupt, and kills it at another one
// after a while.
func (s *session) watchInterrupts(cancel context.CancelCauseFunc, ended <-chan struct{}) {
	var first time.Time
	for {
		select {
		case <-ended:
			return
		case <-s.interrupts:
			s.screen.echoed() // ^C
		}
		switch {
		case first.IsZero():
			first = time.Now()
			cancel(errInterrupted)
		case time.Since(first) >= Patience:
			s.engine.Kill()
		default:
			s.engine.Insist()
		}
	}
}

// failure returns the text of an error for the user.
func (s *session) failure(err error) string {
	lines := []string{err.Error()}
	var failure *program.Error
	if errors.As(err, &failure) && len(failure.Traceback) > 0 {
		lines = failure.Traceback
	}
	return s.screen.look.plain(visible.Coloured(strings.Join(lines, "\n"))) + "\n"
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
