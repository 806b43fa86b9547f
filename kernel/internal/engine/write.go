package engine

import (
	"context"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// interpret parses, checks and lowers a cell.
func (e *Engine) interpret(ctx context.Context, src *syntax.Lexed) (*change.Change, *program.Program, error) {
	type lowered struct {
		l *change.Change
		p *program.Program
	}
	made, err := attend(ctx, e, src.Cell.Title(), func() (made lowered, err error) {
		made.l, made.p, err = e.lower(ctx, src)
		return made, err
	}, func(made lowered) { e.takeBack(made.l) })
	return made.l, made.p, err
}

// takeBack forgets a cell that was lowered or emitted and will not run.
func (e *Engine) takeBack(l *change.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l.Rollback()
}

// workFor makes the stages stop when ctx is done. Call done(recover()) when they have finished.
// e.mu is held.
func (e *Engine) workFor(ctx context.Context) (done func(panicked any) error) {
	e.checker.Context = ctx
	return func(panicked any) error {
		e.checker.Context = nil
		switch panicked.(type) {
		case nil:
			return nil
		case check.Stopped:
			return context.Cause(ctx)
		}
		// A fault of the engine costs the cell, not the session.
		return &faultError{panicked}
	}
}

// lower is the work of interpret.
func (e *Engine) lower(ctx context.Context, src *syntax.Lexed) (l *change.Change, p *program.Program, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	done := e.workFor(ctx)
	defer func() {
		if failed := done(recover()); failed != nil {
			l, p, err = nil, nil, failed
		}
	}()
	checked, err := e.checker.CheckSource(src)
	if err != nil {
		return nil, nil, err
	}
	checked, h, err := e.hooked(checked)
	if err != nil {
		return nil, nil, err
	}
	l, p, problems := e.lowerer.Lower(checked)
	switch {
	case len(problems) == 0:
		p.Hooks = h
		return l, p, nil
	case l.Unready:
		return nil, nil, syntax.ProblemsError("CompileError", problems)
	}
	return nil, nil, syntax.ProblemsError("Refused", problems)
}

// compile parses, checks and emits a cell and builds its units.
func (e *Engine) compile(ctx context.Context, src *syntax.Lexed) (*change.Change, *program.Program, error) {
	made, err := e.emit(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	l, unit, compiled := made.l, made.unit, made.compiled
	loaded := false
	if unit != nil {
		var taken bool
		if loaded, taken = e.ahead.has(unit); taken {
			e.mu.Lock()
			l.Rollback()
			e.forgetAhead()
			e.mu.Unlock()
			if made, err = e.emit(ctx, src); err != nil {
				return nil, nil, err
			}
			l, unit, compiled = made.l, made.unit, made.compiled
		}
	}
	p := &program.Program{Cell: src.Cell.Number, Title: src.Cell.Title(), Keep: l.Shown != nil && !src.Cell.Aside, Compiled: compiled, Relocated: l.Relocated, Hooks: made.hooks}
	if unit == nil || loaded {
		return l, p, nil
	}
	behind, err := attend(ctx, e, "the cells behind "+p.Title, func() ([]toolchain.Unit, error) { return e.batch(ctx, l), nil },
		func([]toolchain.Unit) { e.takeBack(l) })
	if err != nil {
		return nil, nil, err
	}
	units := append([]toolchain.Unit{*unit}, behind...)
	compiled.Plugin, err = e.build(ctx, units, p.Title)
	if err != nil && len(units) > 1 && ctx.Err() == nil {
		units = units[:1]
		compiled.Plugin, err = e.build(ctx, units, p.Title)
	}
	if err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		l.Rollback()
		return nil, nil, &unbuiltError{err}
	}
	e.ahead.note(units[1:])
	return l, p, nil
}

// emitted is a cell that was emitted; its unit is nil if there is nothing to load.
type emitted struct {
	l        *change.Change
	unit     *toolchain.Unit
	compiled *program.Compiled
	hooks    []*program.Hooks
}

// emit parses, checks and emits a cell.
func (e *Engine) emit(ctx context.Context, src *syntax.Lexed) (emitted, error) {
	return attend(ctx, e, src.Cell.Title(), func() (emitted, error) { return e.write(ctx, src) }, func(made emitted) { e.takeBack(made.l) })
}

// write is the work of emit.
func (e *Engine) write(ctx context.Context, src *syntax.Lexed) (made emitted, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	done := e.workFor(ctx)
	defer func() {
		if failed := done(recover()); failed != nil {
			made, err = emitted{}, failed
		}
	}()
	k, err := e.checker.CheckSource(src)
	if err != nil {
		return made, err
	}
	k, h, err := e.hooked(k)
	if err != nil {
		return made, err
	}
	l, unit, compiled, problems := e.emitter.Compile(k)
	if len(problems) > 0 {
		return made, syntax.ProblemsError("CompileError", problems)
	}
	if l.Idle() {
		return emitted{l: l, compiled: &program.Compiled{}}, nil
	}
	return emitted{l, unit, compiled, h}, nil
}
