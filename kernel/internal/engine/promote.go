package engine

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"slices"
	"time"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// switching is what an engine knows of the two ways to run a session's cells. It changes while
// Engine.declaring is held, guarded by Engine.mu.
type switching struct {
	mode program.Mode
	// compiled says that the session's cells are compiled, since the cell of that title and for
	// that reason, which is empty if the user wanted it.
	compiled bool
	since    string
	why      string
	// emitter writes what is compiled.
	emitter *emit.Emitter
	// stale says that the executor's process has nothing of what was compiled.
	stale bool

	open     func(ctx context.Context, progress func(string)) (program.Compiler, error)
	compiler program.Compiler // nil until it is needed
	ahead    ahead
	code     loadedCode
	// cannot is why cells cannot be compiled, as it was found out at a time, and told says that the
	// user knows.
	cannot error
	asked  time.Time
	told   bool
	// advised says that the user knows what compiling would gain.
	advised bool
}

// cannotFor is how long the reason why cells cannot be compiled is believed without asking again.
const cannotFor = time.Minute

// notPromoted is the error of a cell that asked for compiled ones.
func (e *Engine) notPromoted(ctx context.Context, src *syntax.Source, err error) error {
	var death *program.DeathError
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case errors.As(err, &death):
		return e.buried(death)
	case ctx.Err() != nil:
		return interrupted(err)
	}
	title := src.Cell.Title()
	msg := "cells cannot be compiled: " + err.Error()
	return &program.Error{Name: "Refused", Message: title + ": " + msg, Traceback: []string{syntax.Bold + title + ": " + syntax.Red + msg + syntax.Plain}, Cause: err}
}

// promote makes the session one of compiled cells: it compiles what is live, and carries the
// variables over. Why is what the interpreter refuses, empty if the user wants it. The error is
// that of the context, a *DeathError, or says in a sentence why cells cannot be compiled, and the
// session is what it was.
func (e *Engine) promote(ctx context.Context, src *syntax.Source, why string, out program.Output) error {
	if err := e.openCompiler(ctx, out); err != nil {
		return err
	}
	moved, left, err := e.send(ctx, src, out)
	if err != nil {
		return err
	}
	e.mu.Lock()
	notes := append(e.leave(theInterpreter, left.Whole), partNotes(theInterpreter, moved, left.InPart)...)
	e.compiled, e.since, e.why = true, src.Cell.Title(), why
	e.mu.Unlock()
	switch {
	case why == "":
	case src.Cell.Name != "":
		out.Stream("stderr", fmt.Sprintf("note: %s is compiled: %s\n", src.Cell.Name, why))
	default:
		out.Stream("stderr", fmt.Sprintf("note: cells are compiled from here on (about 0.1 s each): %s\n", why))
	}
	for _, note := range notes {
		out.Stream("stderr", note)
	}
	return nil
}

// resend compiles what is live for a process that has nothing of it.
func (e *Engine) resend(ctx context.Context, src *syntax.Source, out program.Output) error {
	e.mu.Lock()
	stale := e.stale
	e.mu.Unlock()
	if !stale {
		return nil
	}
	if err := e.openCompiler(ctx, out); err != nil {
		return e.notPromoted(ctx, src, err)
	}
	if _, _, err := e.send(ctx, src, out); err != nil {
		return e.notPromoted(ctx, src, err)
	}
	return nil
}

// openCompiler makes the compiler if there is none.
func (e *Engine) openCompiler(ctx context.Context, out program.Output) error {
	e.mu.Lock()
	compiler, open, cannot, asked := e.compiler, e.open, e.cannot, e.asked
	e.mu.Unlock()
	switch {
	case compiler != nil:
		return nil
	case open == nil:
		return errors.New("this program has no compiler")
	case cannot != nil && time.Since(asked) < cannotFor:
		return cannot
	}
	compiler, err := open(ctx, sparse(out))
	if err != nil && ctx.Err() != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.compiler, e.cannot, e.asked = compiler, err, time.Now()
	return err
}

// sparse returns what shows progress in lines, the first at once and few more.
func sparse(out program.Output) func(string) {
	const pause = 10 * time.Second
	var last time.Time
	return func(text string) {
		switch {
		case last.IsZero():
			out.Stream("stderr", "note: cells are compiled for the first time; what that needs is made once, in a minute or two\n")
		case time.Since(last) < pause:
			return
		}
		last = time.Now()
		out.Stream("stderr", "  "+text+"\n")
	}
}

// send gives the executor what is live in its compiled form. It returns the variables that were to
// be carried over, and what of them stayed behind.
func (e *Engine) send(ctx context.Context, src *syntax.Source, out program.Output) (moved []program.Moved, left program.LeftBehind, err error) {
	if e.nothingToSend() {
		return nil, left, nil
	}
	unit, units, undo, err := e.emitEverything()
	if err != nil {
		return nil, left, err
	}
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if err != nil {
			undo()
		} else {
			e.stale = false
		}
	}()
	if units.Plugin, err = e.build(ctx, []toolchain.Unit{*unit}, "all that is declared"); err != nil {
		return nil, left, err
	}
	left, err = e.executor.Adopt(ctx, &program.Adoption{Cell: src.Cell.Number, Title: src.Cell.Title(), Units: units}, out)
	if err != nil {
		return nil, left, err
	}
	return units.Moved, left, nil
}

// nothingToSend reports whether a process needs nothing of what the cells so far have declared and
// shown. If so, it is not stale any more.
func (e *Engine) nothingToSend() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.checker.Session.Live {
		if _, imported := d.Object.(*types.PkgName); !imported {
			return false
		}
	}
	if len(e.checker.Session.Shown) > 0 {
		return false
	}
	e.stale = false
	return true
}

const theInterpreter = "the interpreter"

// partNotes returns a note on each variable of which a part was not carried over.
func partNotes(where string, moved []program.Moved, parts map[string]string) (notes []string) {
	for _, m := range moved {
		if part, ok := parts[m.Key()]; ok {
			notes = append(notes, fmt.Sprintf("note: a part of %s stayed behind with %s: %s\n", m.Name, where, part))
		}
	}
	return notes
}

// emitEverything writes what is live.
func (e *Engine) emitEverything() (unit *toolchain.Unit, units program.Units, undo func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// A fault of the engine costs the promotion, not the session.
		if r := recover(); r != nil {
			err = fmt.Errorf("the engine failed on what is declared: %v", r)
		}
	}()
	return e.emitter.Everything()
}

// leave says of the variables that were not carried over where they stayed, and returns a note on
// each that has a name now. The reasons are by the places that they should have gone to.
func (e *Engine) leave(where string, left map[string]string) (notes []string) {
	for _, d := range e.checker.Session.ByObject {
		unit, name, ok := e.emitter.Variable(d)
		reason, stayed := left[program.Moved{Unit: unit, Variable: name}.Key()]
		if _, is := d.Object.(*types.Var); !ok || !is || !stayed || d.Lost != "" {
			continue
		}
		if e.checker.Session.Live[d.Name] == d {
			notes = append(notes, fmt.Sprintf("note: %s stayed behind with %s: %s\n", d.Name, where, reason))
		}
		e.checker.Session.LoseVariable(d, fmt.Sprintf("the variable stayed behind with %s: %s", where, reason))
	}
	slices.Sort(notes)
	return notes
}

// forgetCompiled notes that the executor's process has nothing of what was compiled any more.
func (e *Engine) forgetCompiled() {
	e.emitter.Forget()
	e.ahead = ahead{}
	e.code.plugins, e.code.size = nil, 0
	e.stale = e.compiled
}

// closeCompiler removes what the compiler keeps. The next one is made when it is needed.
func (e *Engine) closeCompiler() error {
	if e.compiler == nil {
		return nil
	}
	err := e.compiler.Close()
	e.compiler = nil
	return err
}
