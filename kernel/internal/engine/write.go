package engine

import (
	"context"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A written cell is one that was lowered or emitted.
type written struct {
	l    *change.Change
	p    *program.Program
	unit *toolchain.Unit // nil if there is nothing to load
}

// write parses, checks, and lowers or emits a cell.
func (e *Engine) write(ctx context.Context, src *syntax.Lexed, compiled bool) (written, error) {
	return attend(ctx, e, src.Cell.Title(), func() (w written, err error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		done := e.workFor(ctx)
		defer func() {
			if failed := done(recover()); failed != nil {
				w, err = written{}, failed
			}
		}()
		k, err := e.checker.CheckSource(src)
		if err != nil {
			return w, err
		}
		k, hooks, err := e.hooked(k)
		if err != nil {
			return w, err
		}
		if compiled {
			w, err = e.emit(k)
		} else {
			w, err = e.lower(k)
		}
		if err == nil {
			w.p.Hooks = hooks
		}
		return w, err
	}, func(w written) { e.takeBack(w.l) })
}

// takeBack undoes the effects of a cell that was written and will not run.
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
		// If the engine fails, the cell fails, but not the session.
		return &faultError{panicked}
	}
}

// lower lowers a checked cell.
func (e *Engine) lower(k *check.Checked) (written, error) {
	l, p, problems := e.lowerer.Lower(k)
	switch {
	case len(problems) == 0:
		return written{l: l, p: p}, nil
	case l.Unready:
		return written{}, syntax.ProblemsError("CompileError", problems)
	}
	return written{}, syntax.ProblemsError("Refused", problems)
}

// emit emits a checked cell.
func (e *Engine) emit(k *check.Checked) (written, error) {
	l, unit, compiled, problems := e.emitter.Compile(k)
	if len(problems) > 0 {
		return written{}, syntax.ProblemsError("CompileError", problems)
	}
	if l.Idle() {
		unit, compiled = nil, &program.Compiled{}
	}
	cell := k.Source.Cell
	p := &program.Program{Cell: cell.Number, Title: cell.Title(), Keep: l.Shown != nil && !cell.Aside, Compiled: compiled, Relocated: l.Relocated}
	return written{l, p, unit}, nil
}

// compile writes a cell and builds its units.
func (e *Engine) compile(ctx context.Context, src *syntax.Lexed) (written, error) {
	w, err := e.write(ctx, src, true)
	if err != nil {
		return written{}, err
	}
	loaded := false
	if w.unit != nil {
		var taken bool
		if loaded, taken = e.ahead.has(w.unit); taken {
			e.mu.Lock()
			w.l.Rollback()
			e.forgetAhead()
			e.mu.Unlock()
			if w, err = e.write(ctx, src, true); err != nil {
				return written{}, err
			}
		}
	}
	if w.unit == nil || loaded {
		return w, nil
	}
	behind, err := attend(ctx, e, "the cells behind "+w.p.Title, func() ([]toolchain.Unit, error) { return e.batch(ctx, w.l), nil },
		func([]toolchain.Unit) { e.takeBack(w.l) })
	if err != nil {
		return written{}, err
	}
	units := append([]toolchain.Unit{*w.unit}, behind...)
	w.p.Compiled.Plugin, err = e.build(ctx, units, w.p.Title)
	if err != nil && len(units) > 1 && ctx.Err() == nil {
		units = units[:1]
		w.p.Compiled.Plugin, err = e.build(ctx, units, w.p.Title)
	}
	if err != nil {
		e.takeBack(w.l)
		return written{}, &unbuiltError{err}
	}
	e.ahead.note(units[1:])
	return w, nil
}
