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
	"github.com/hierml/notebook/stdlib/host"
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
	prepared func() bool // reports whether open takes no time; nil if that is not known
	// looked says that the session has looked whether it is to begin with compiled cells.
	looked   bool
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

// A session in AutoMode begins with compiled cells where a compiler is at hand: they are Go itself.
// Where one can be made, in a minute or two, cells are interpreted as long as the interpreter is
// shown to do what Go does (package trusted); the first one beyond that has it made. Where nothing
// can be compiled, cells are interpreted that the interpreter is not known to be wrong with.

// ready has the session run a cell by the executor that it is to have, and reports whether that is
// the compiled one. Refused is how the interpreter refused the cell, nil if it was not asked.
func (e *Engine) ready(ctx context.Context, src *syntax.Source, refused *refusedError, out program.Output) (compiled bool, err error) {
	e.mu.Lock()
	compiled, stale, mode, allowed := e.compiled, e.stale, e.mode, e.mode == program.AutoMode && e.open != nil
	e.mu.Unlock()
	switch {
	case compiled && stale:
		_, _, err = e.send(ctx, src, out) // again, since its process is a new one
	case compiled:
	case mode == program.CompiledMode:
		err = e.promote(ctx, src, "", out)
	case refused == nil && e.beginsCompiled():
		err = e.promote(ctx, src, "", out)
		if cannot := (*notCompiledError)(nil); errors.As(err, &cannot) {
			e.tell(cannot.cause, out)
			return false, nil
		}
	case refused == nil:
		return false, nil
	case !allowed:
		return false, refused
	default:
		err = e.instead(ctx, src, refused, out)
		if refused.untested && err == error(refused) {
			return false, nil
		}
	}
	if err != nil {
		return false, err
	}
	return true, e.replaceFull(ctx, src, out)
}

// beginsCompiled reports, for the first cell of a session, whether all are to be compiled.
func (e *Engine) beginsCompiled() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.looked {
		return false
	}
	e.looked = true
	return e.preparedFor()
}

// preparedFor reports whether the mode is one of a session that begins with compiled cells.
func (s *switching) preparedFor() bool {
	return s.mode == program.AutoMode && s.cannot == nil && s.prepared != nil && s.prepared()
}

// trustedOnly reports whether the interpreter is to take only what it is shown to do as Go does:
// there may be something better.
func (s *switching) trustedOnly() bool {
	return s.mode == program.AutoMode && s.open != nil && s.cannot == nil
}

// instead makes the session one of compiled cells since the interpreter refuses a cell.
func (e *Engine) instead(ctx context.Context, src *syntax.Source, refused *refusedError, out program.Output) error {
	err := e.promote(ctx, src, refused.why, out)
	var cannot *notCompiledError
	if !errors.As(err, &cannot) {
		return err
	}
	if place := (*toolchain.PlaceError)(nil); refused.untested {
		if errors.As(err, &place) {
			e.tell(place, out)
		}
		return refused
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.told {
		e.told = true
		sentence := "cells cannot be compiled instead: " + cannot.cause.Error()
		refused.refusal.Message += "\n" + sentence
		refused.refusal.Traceback = append(refused.refusal.Traceback, sentence)
	}
	return refused
}

// tell says once why cells are interpreted that would be compiled.
func (e *Engine) tell(cannot error, out program.Output) {
	e.mu.Lock()
	told := e.told
	e.told = true
	e.mu.Unlock()
	if !told {
		out.Stream(host.Notes, fmt.Sprintf("note: cells are interpreted, as they cannot be compiled: %v\n", cannot))
	}
}

// fallsBack has the session go on with interpreted cells where a cell could not be built for want of a
// place for code, and reports whether it does: nothing that is live may be compiled.
func (e *Engine) fallsBack(err error, out program.Output) bool {
	place := (*toolchain.PlaceError)(nil)
	if !errors.As(err, &place) || !e.nothingToSend() {
		return false
	}
	e.mu.Lock()
	if e.mode != program.AutoMode || e.outside.modules != nil { // of which interpreted cells have none
		e.mu.Unlock()
		return false
	}
	e.compiled = false
	e.forgetCompiled()
	e.cannot, e.asked = errors.Join(place, e.closeCompiler()), time.Now()
	e.mu.Unlock()
	e.tell(place, out)
	return true
}

// promote makes the session one of compiled cells: it compiles what is live, and carries the
// variables over. Why is what the interpreter refuses, empty if the user wants it. The session is
// what it was if there is an error, as those of send are.
func (e *Engine) promote(ctx context.Context, src *syntax.Source, why string, out program.Output) error {
	moved, left, err := e.send(ctx, src, out)
	if err != nil {
		return err
	}
	e.mu.Lock()
	notes := append(e.leave(theInterpreter, left.Whole), partNotes(theInterpreter, moved, left.InPart)...)
	e.compiled, e.since, e.why = true, src.Cell.Title(), why
	e.mu.Unlock()
	// Of cells %engine tells: what is shown beside a cell's own displays is in the way of who looks for them.
	if why != "" && src.Cell.Name != "" {
		out.Stream(host.Notes, fmt.Sprintf("note: %s is compiled: %s\n", src.Cell.Name, why))
	}
	for _, note := range notes {
		out.Stream(host.Notes, note)
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
	if modules, ok := compiler.(program.Modules); ok {
		modules.SetFlags(e.goflags)
	}
	return err
}

// sparse returns what shows progress in lines, the first at once and few more.
func sparse(out program.Output) func(string) {
	const pause = 10 * time.Second
	var last time.Time
	return func(text string) {
		switch {
		case last.IsZero():
			out.Stream(host.Notes, "note: cells are compiled for the first time; what that needs is made once, in a minute or two\n")
		case time.Since(last) < pause:
			return
		}
		last = time.Now()
		out.Stream(host.Notes, "  "+text+"\n")
	}
}

// send gives the executor what is live in its compiled form. It returns the variables that were to
// be carried over, and what of them stayed behind. The error is that of the context, a *DeathError,
// or a *notCompiledError.
func (e *Engine) send(ctx context.Context, src *syntax.Source, out program.Output) (moved []program.Moved, left program.LeftBehind, err error) {
	if err := e.openCompiler(ctx, out); err != nil {
		return nil, left, withoutCompiler(ctx, err)
	}
	if e.nothingToSend() {
		return nil, left, nil
	}
	unit, units, undo, err := e.emitEverything()
	if err != nil {
		return nil, left, withoutCompiler(ctx, err)
	}
	units.Plugin, err = e.build(ctx, []toolchain.Unit{*unit}, "all that is declared")
	if err == nil {
		left, err = e.executor.Adopt(ctx, &program.Adoption{Cell: src.Cell.Number, Title: src.Cell.Title(), Units: units}, out)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		undo()
		e.bury(err)
		return nil, left, withoutCompiler(ctx, err)
	}
	e.stale = false
	return units.Moved, left, nil
}

// withoutCompiler is the error of cells that cannot be compiled since err happened, if that is
// neither the end of the context nor the death of a process.
func withoutCompiler(ctx context.Context, err error) error {
	var death *program.DeathError
	if ctx.Err() != nil || errors.As(err, &death) {
		return err
	}
	return &notCompiledError{err}
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
	e.forgetAhead()
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

// bury makes the session that of a new process, if an error is the death of the one that it had:
// the variables are gone, and everything else is declared again when it is used.
func (e *Engine) bury(err error) {
	var death *program.DeathError
	if !errors.As(err, &death) {
		return
	}
	// Each program that ran learns of the death, the last one perhaps when others already have a
	// new process.
	if death.Process == 0 || death.Process > e.dead {
		e.dead = death.Process
		e.checker.Session.Lose(death.Cause)
		e.forgetCompiled()
		e.hooking.stale = true
	}
}
