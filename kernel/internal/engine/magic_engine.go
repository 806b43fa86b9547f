package engine

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// chooseMode does what %engine says: it shows how cells are run, or changes it.
func (e *Engine) chooseMode(ctx context.Context, src *syntax.Source, argument string, out program.Output) error {
	if argument == "" {
		e.declaring.Lock() // a cell that changes it may run
		defer e.declaring.Unlock()
		e.mu.Lock()
		begins := !e.looked && e.preparedFor()
		e.mu.Unlock()
		if begins {
			_ = e.openCompiler(ctx, out) // if there is none, what is shown says why
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		out.Stream("stdout", e.runs()+"\n")
		return nil
	}
	var mode program.Mode
	if err := mode.UnmarshalText([]byte(argument)); err != nil {
		return err
	}
	if err := e.switchTo(ctx, src, mode, out); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	out.Stream("stdout", e.runs()+"\n")
	return nil
}

const knownWrong = "what the interpreter is known to do otherwise than Go is refused"

// runs says how cells are run.
func (s *switching) runs() string {
	text := s.mode.String() + ": "
	switch {
	case s.compiled:
		text += "cells are compiled since " + s.since
		if s.why != "" {
			text += ", which the interpreter did not take: " + s.why
		}
		if s.mode == program.InterpretedMode {
			text += "; from %reset on they are interpreted"
		}
	case s.mode == program.CompiledMode && s.cannot != nil:
		text += fmt.Sprintf("cells are refused, as they cannot be compiled: %v", s.cannot)
	case s.mode == program.CompiledMode, !s.looked && s.preparedFor():
		text += "cells are compiled"
	case s.mode == program.InterpretedMode:
		text += "cells are interpreted; " + knownWrong
	case s.open == nil:
		text += "cells are interpreted, and cannot be compiled by this program; " + knownWrong
	case s.cannot != nil:
		text += fmt.Sprintf("cells are interpreted, and cannot be compiled: %v; %s", s.cannot, knownWrong)
	default:
		text += "cells are interpreted as far as the interpreter is shown to do what Go does; from the first one beyond that on they are compiled"
	}
	if c, ok := s.compiler.(interface{ Slow() string }); ok && c.Slow() != "" {
		text += "; " + c.Slow()
	}
	return text
}

// switchTo changes the mode. A session of compiled cells is one to its end, unless there is nothing
// in it: what is compiled the interpreter cannot use.
func (e *Engine) switchTo(ctx context.Context, src *syntax.Source, mode program.Mode, out program.Output) error {
	e.declaring.Lock()
	defer e.declaring.Unlock()
	e.mu.Lock()
	compiled := e.compiled
	if mode == program.CompiledMode && !compiled {
		e.cannot = nil // the user may have changed what was in the way
	}
	e.mu.Unlock()
	if mode == program.CompiledMode && !compiled {
		if err := e.promote(ctx, src, "", out); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mode = mode
	if _, restarts := e.executor.(program.Restarter); compiled && mode != program.CompiledMode && restarts && e.checker.Session.Empty() {
		_, err := e.anew()
		return err
	}
	return nil
}
