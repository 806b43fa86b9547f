package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// run runs the Go of a cell.
func (e *Engine) run(ctx context.Context, src *syntax.Source, out program.Output) (*program.Bundle, error) {
	// The next cell is lowered for an executor that has all that the session says it has.
	e.declaring.Lock()
	done := sync.OnceFunc(e.declaring.Unlock)
	defer done()
	l, p, err := e.prepare(ctx, src, out)
	if err != nil {
		return nil, err
	}
	e.setLast(out)
	for _, note := range l.Notes() {
		out.Stream("stderr", note)
	}
	var computed time.Duration
	p.Interpreted = func(d time.Duration) { computed = d }
	bundle, declared, err := e.execute(ctx, p, out, done)
	e.advise(src.Cell, computed, out)
	if err != nil && !declared && p.Compiled == nil && isRefusal(ctx, err) {
		e.mu.Lock()
		l.Rollback()
		e.mu.Unlock()
		if l, p, err = e.instead(ctx, src, &refusedError{refusedBy(l, p, err), err.Error()}, out); err != nil {
			return nil, err
		}
		bundle, declared, err = e.execute(ctx, p, out, done)
	}
	if err == nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		l.Commit(len(l.K.Body))
		l.Keep()
		return bundle, nil
	}
	var death *program.DeathError
	if declared || errors.As(err, &death) {
		return nil, e.failed(ctx, l, p, err, out)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ahead = ahead{} // which was not loaded
	l.Rollback()
	if !isRefusal(ctx, err) {
		return nil, interrupted(err)
	}
	return nil, refusedBy(l, p, err)
}

// prepare makes a program of a cell, for the executor that the session has, or for the compiled one
// if the session is to have that from this cell on. The errors are *Error.
func (e *Engine) prepare(ctx context.Context, src *syntax.Source, out program.Output) (*change.Change, *program.Program, error) {
	if err := e.resolve(ctx, src, out); err != nil {
		return nil, nil, interrupted(err)
	}
	e.mu.Lock()
	compiled, mode := e.compiled, e.mode
	e.mu.Unlock()
	if !compiled && mode == program.CompiledMode {
		if err := e.promote(ctx, src, "", out); err != nil {
			return nil, nil, e.notPromoted(ctx, src, err)
		}
		compiled = true
	}
	if compiled {
		return e.compile(ctx, src, out)
	}
	l, p, err := e.interpret(src)
	var refused *refusedError
	if errors.As(err, &refused) {
		return e.instead(ctx, src, refused, out)
	}
	return l, p, err
}

// interpret parses, checks and lowers a cell.
func (e *Engine) interpret(src *syntax.Source) (l *change.Change, p *program.Program, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// A fault of the engine costs the cell, not the session.
		if r := recover(); r != nil {
			l, p = nil, nil
			err = internalError(src, r)
		}
	}()
	checked, err := e.check(src)
	if err != nil {
		return nil, nil, err
	}
	l, p, problems := e.lowerer.Lower(checked)
	switch {
	case len(problems) == 0:
		return l, p, nil
	case l.Unready:
		return nil, nil, syntax.ProblemsError("CompileError", problems)
	case l.Impossible:
		return nil, nil, syntax.ProblemsError("Refused", problems)
	}
	return nil, nil, &refusedError{syntax.ProblemsError("Refused", problems), problems[0].Msg}
}

// check parses and checks a cell.
func (e *Engine) check(src *syntax.Source) (*check.Checked, error) {
	if cell := src.Cell; !cell.Aside {
		e.checker.Session.Inputs[cell.ExecutionCount()] = cell.Source
	}
	parsed, problems := e.checker.Parse(src)
	if len(problems) > 0 {
		return nil, syntax.ProblemsError("CompileError", problems)
	}
	checked, problems := e.checker.CheckWaiting(parsed)
	if len(problems) > 0 {
		return nil, syntax.ProblemsError("CompileError", e.checker.Explain(problems))
	}
	return checked, nil
}

// compile parses, checks and emits a cell and builds its units.
func (e *Engine) compile(ctx context.Context, src *syntax.Source, out program.Output) (*change.Change, *program.Program, error) {
	if err := e.resend(ctx, src, out); err != nil {
		return nil, nil, err
	}
	if err := e.replaceFull(ctx, src, out); err != nil {
		return nil, nil, err
	}
	l, unit, compiled, err := e.emit(src)
	if err != nil {
		return nil, nil, err
	}
	cell := src.Cell
	p := &program.Program{Cell: cell.Number, Title: cell.Title(), Keep: l.Shown != nil && !cell.Aside, Compiled: compiled}
	if unit == nil {
		return l, p, nil
	}
	loaded, taken := e.ahead.has(unit)
	if loaded {
		return l, p, nil
	}
	if taken {
		e.mu.Lock()
		l.Rollback()
		e.emitter.Skip(e.ahead.last)
		e.ahead = ahead{}
		e.mu.Unlock()
		return e.compile(ctx, src, out)
	}
	units := append([]toolchain.Unit{*unit}, e.batch(l, src)...)
	of := cell.Title()
	if more := len(units) - 1; more > 0 {
		of += " and " + count(more, "cell", "cells") + " behind it"
	}
	compiled.Plugin, err = e.build(ctx, units, of)
	if err != nil && len(units) > 1 && ctx.Err() == nil {
		units = units[:1]
		compiled.Plugin, err = e.build(ctx, units, cell.Title())
	}
	if err == nil {
		e.ahead.note(units[1:])
		return l, p, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l.Rollback()
	if ctx.Err() != nil {
		return nil, nil, interrupted(err)
	}
	return nil, nil, notBuilt(e.checker.Files, src, err)
}

// emit parses, checks and emits a cell.
func (e *Engine) emit(src *syntax.Source) (l *change.Change, unit *toolchain.Unit, compiled *program.Compiled, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// A fault of the engine costs the cell, not the session.
		if r := recover(); r != nil {
			l, err = nil, internalError(src, r)
		}
	}()
	k, err := e.check(src)
	if err != nil {
		return nil, nil, nil, err
	}
	l, unit, compiled, problems := e.emitter.Compile(k)
	if len(problems) > 0 {
		return nil, nil, nil, syntax.ProblemsError("CompileError", problems)
	}
	if l.Idle() {
		return l, nil, &program.Compiled{}, nil
	}
	return l, unit, compiled, nil
}

// instead compiles a cell that the interpreter refuses, and all that follow it, if it is allowed
// to.
func (e *Engine) instead(ctx context.Context, src *syntax.Source, refused *refusedError, out program.Output) (*change.Change, *program.Program, error) {
	e.mu.Lock()
	allowed := e.mode == program.AutoMode && e.open != nil
	e.mu.Unlock()
	if !allowed {
		return nil, nil, refused.refusal
	}
	err := e.promote(ctx, src, refused.why, out)
	var death *program.DeathError
	switch {
	case err == nil:
		return e.compile(ctx, src, out)
	case ctx.Err() != nil, errors.As(err, &death):
		return nil, nil, e.notPromoted(ctx, src, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.told {
		e.told = true
		sentence := "cells cannot be compiled instead: " + err.Error()
		refused.refusal.Message += "\n" + sentence
		refused.refusal.Traceback = append(refused.refusal.Traceback, sentence)
	}
	return nil, nil, refused.refusal
}

// A refusedError says that the interpreter does not take a cell, and why. The compiler might.
type refusedError struct {
	refusal *program.Error
	why     string
}

func (e *refusedError) Error() string { return e.refusal.Error() }

// execute has the executor run a program that does something. It calls done when the executor has
// what the program declares, and returns whether that happened.
func (e *Engine) execute(ctx context.Context, p *program.Program, out program.Output, done func()) (bundle *program.Bundle, declared bool, err error) {
	declares, runs := len(p.Source) > 0, p.Call != ""
	if c := p.Compiled; c != nil {
		declares, runs = len(c.Paths) > 0, c.Run != ""
	}
	if !declares && !runs {
		return nil, true, nil
	}
	if !declares {
		done()
		bundle, err = e.executor.Run(ctx, p, out)
		return bundle, true, err
	}
	p.Declared = func() {
		declared = true
		done()
	}
	bundle, err = e.executor.Run(ctx, p, out)
	return bundle, declared, err
}

// isRefusal reports whether an error of the executor, which did nothing of a program, says that it
// cannot run it.
func isRefusal(ctx context.Context, err error) bool {
	var death *program.DeathError
	return ctx.Err() == nil && !wasStopped(err) && !errors.As(err, &death)
}

func (e *Engine) setLast(out program.Output) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = out
}

// failed commits what a failed cell did, and words its failure.
func (e *Engine) failed(ctx context.Context, l *change.Change, p *program.Program, err error, out program.Output) error {
	var death *program.DeathError
	var runtime *program.RuntimeError
	if errors.As(err, &runtime) && p.Compiled != nil {
		p.Compiled.Renumber(runtime.Frames, p.Cell)
	}
	switch {
	case errors.As(err, &death):
		e.mu.Lock()
		defer e.mu.Unlock()
		l.Commit(0)
		return e.buried(death)
	case errors.As(err, &runtime):
		e.keep(ctx, l, out)
		e.mu.Lock()
		defer e.mu.Unlock()
		return runtimeError(e.checker.Files, runtime)
	case ctx.Err() != nil, wasStopped(err):
		e.keep(ctx, l, out)
		return interrupted(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l.Commit(0) // the executor has the declarations
	return refusedBy(l, p, err)
}

// keep commits the declarations of a cell that was stopped, as far as it got.
func (e *Engine) keep(ctx context.Context, l *change.Change, out program.Output) {
	reached := 0
	var death *program.DeathError
	if len(l.Variables) > 0 {
		// The cell's own context may be over; asking takes no time.
		var err error
		reached, err = e.executor.Reached(context.WithoutCancel(ctx), l.K.Source.Cell.Number, out)
		errors.As(err, &death)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l.Commit(reached)
	if death != nil {
		_ = e.buried(death) // the next cell will say what is lost
	}
}

// advise tells, once in a session, what compiling would gain, if a cell has computed for some time
// in interpreted code and nobody has chosen that.
func (e *Engine) advise(cell program.Cell, computed time.Duration, out program.Output) {
	e.mu.Lock()
	due := computed >= adviseAfter && e.mode == program.AutoMode && !e.compiled && e.open != nil && e.cannot == nil && !e.advised
	e.advised = e.advised || due
	e.mu.Unlock()
	if !due {
		return
	}
	how := "%engine compiled"
	if cell.Name != "" {
		how = "--engine compiled"
	}
	out.Stream("stderr", fmt.Sprintf("note: this cell computed for %.1f s in the interpreter; compiled, loops run 30 to 100 times as fast: %s\n", computed.Seconds(), how))
}

// adviseAfter is how long a cell computes in the interpreter before its user is told what compiling
// would gain.
const adviseAfter = 2 * time.Second

// interrupted is the error of what the user, or the executor, stopped.
func interrupted(cause error) *program.Error {
	name, message := "Interrupted", "interrupted"
	var stopped *program.StoppedError
	if errors.As(cause, &stopped) {
		name, message = stopped.Name, stopped.Message
	}
	return &program.Error{Name: name, Message: message, Traceback: []string{syntax.Red + message + syntax.Plain}, Cause: cause}
}

func wasStopped(err error) bool {
	var stopped *program.StoppedError
	return errors.As(err, &stopped)
}

// refusedBy is the error of a cell whose p the executor does not take.
func refusedBy(l *change.Change, p *program.Program, err error) *program.Error {
	title := l.K.Source.Cell.Title()
	msg := fmt.Sprintf("the interpreter cannot run this cell: %v", err)
	if p.Compiled != nil {
		msg = fmt.Sprintf("the compiled cell cannot be run: %v", err)
	}
	return &program.Error{Name: "Refused", Message: title + ": " + msg, Traceback: []string{syntax.Bold + title + ": " + syntax.Red + msg + syntax.Plain}, Cause: err}
}

// internalError is the error of a cell that the engine failed on.
func internalError(src *syntax.Source, fault any) *program.Error {
	return syntax.ProblemsError("InternalError", []syntax.Problem{{Source: src, Offset: 0, Msg: fmt.Sprintf("the engine failed on this cell: %v", fault)}})
}

// complaint is a line of what the compiler says of a cell.
var complaint = regexp.MustCompile(`(?m)^/cell/([0-9]+):([0-9]+):(?:([0-9]+):)? (.*)$`)

// notBuilt is the error of a cell whose units could not be built.
func notBuilt(c *syntax.Files, src *syntax.Source, err error) *program.Error {
	var problems []syntax.Problem
	for _, m := range complaint.FindAllStringSubmatch(err.Error(), -1) {
		number, _ := strconv.Atoi(m[1]) // they consist of digits
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if of := c.CellSource(number); of != nil {
			problems = append(problems, syntax.Problem{Source: of, Offset: of.Offset(line, column), Msg: m[4]})
		}
	}
	if len(problems) > 0 {
		failed := syntax.ProblemsError("CompileError", problems)
		failed.Cause = err
		return failed
	}
	title := src.Cell.Title()
	msg := fmt.Sprintf("%s: the cell could not be compiled: %v", title, err)
	return &program.Error{Name: "Refused", Message: msg, Traceback: []string{syntax.Red + msg + syntax.Plain}, Cause: err}
}
