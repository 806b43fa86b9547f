package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib/host"
)

// conduct runs a cell: the magics of the engine's own that stand before its Go, the Go, and those
// that stand behind it. Nothing of it is done if the cell does not parse.
func (e *Engine) conduct(ctx context.Context, cell program.Cell, out program.Output) (bundle *program.Bundle, err error) {
	if err := e.unoccupied(ctx, cell.Title()); err != nil {
		return nil, err
	}
	src, own, err := e.translated(cell)
	e.noteInput(cell)
	if err != nil {
		return nil, err
	}
	if capture := own.Capture(); capture != nil {
		caught := &catcher{Output: out}
		defer func() { bundle, err = nil, e.caught(ctx, src, capture, caught, bundle, err) }()
		out = caught
	}
	carryOut := func(uses []*magics.Use) error {
		for _, m := range uses {
			if err := e.carryOut(ctx, src, m, out); err != nil {
				return err
			}
		}
		return nil
	}
	if err := carryOut(own.Before); err != nil {
		return nil, err
	}
	bundle, err = e.run(ctx, src, out)
	if program.EndedWell(err) { // without what stands behind the call
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return bundle, carryOut(own.After)
}

// run runs the Go of a cell: by the interpreter, by compiled code, or, where the interpreter
// refuses it, by the one and then the other.
func (e *Engine) run(ctx context.Context, src *syntax.Source, out program.Output) (*program.Bundle, error) {
	// The next cell is lowered for an executor that has all that the session says it has.
	e.declaring.Lock()
	done := sync.OnceFunc(e.declaring.Unlock)
	defer done()
	if err := e.resolve(ctx, src, out); err != nil {
		return nil, err
	}
	begun := false
	for refused := (*refusedError)(nil); ; {
		compiled, err := e.ready(ctx, src, refused, out)
		if err != nil {
			return nil, err
		}
		var l *change.Change
		var p *program.Program
		if compiled {
			l, p, err = e.compile(ctx, src)
			if e.fallsBack(err, out) {
				continue
			}
		} else {
			l, p, err = e.interpret(ctx, src, refused == nil)
		}
		if errors.As(err, &refused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !begun {
			e.begin(l, out)
			begun = true
		}
		var computed time.Duration
		p.Interpreted = func(d time.Duration) { computed = d }
		p.Passing, p.Begins = src.Cell.Passing, src.Program
		e.attachAgain(ctx, p)
		bundle, declared, err := e.execute(ctx, p, out, done)
		e.advise(src.Cell, computed, out)
		err = e.settle(ctx, l, p, declared, err, out)
		if compiled || !errors.As(err, &refused) {
			return bundle, err
		}
	}
}

// begin makes the cell that begins the one that began last, and shows what is to be said of it.
func (e *Engine) begin(l *change.Change, out program.Output) {
	e.mu.Lock()
	e.last = out
	e.mu.Unlock()
	for _, note := range l.Notes() {
		out.Stream(host.Notes, note)
	}
}

// execute has the executor run a program that does something. It calls done when the executor has
// what the program declares, and returns whether that happened.
func (e *Engine) execute(ctx context.Context, p *program.Program, out program.Output, done func()) (bundle *program.Bundle, declared bool, err error) {
	declares, runs := len(p.Source) > 0, p.Call != ""
	if c := p.Compiled; c != nil {
		declares, runs = len(c.Paths) > 0, c.Run != ""
	}
	if !declares && !runs && len(p.Relocated) == 0 {
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

// settle commits what a cell did, or takes it back, and returns what the cell failed by. Declared
// says that the executor has what the cell declares; without that it did nothing.
func (e *Engine) settle(ctx context.Context, l *change.Change, p *program.Program, declared bool, err error, out program.Output) error {
	var death *program.DeathError
	var runtime *program.RuntimeError
	stopped := ctx.Err() != nil || wasStopped(err)
	reached := 0   // how many statements of the cell were
	var lost error // what became of the question
	switch {
	case err == nil:
		reached = len(l.K.Body)
	case errors.As(err, &death):
	case !declared:
		e.mu.Lock()
		defer e.mu.Unlock()
		e.forgetAhead() // which was not loaded
		l.Rollback()
		if stopped {
			return err
		}
		return refusedBy(p, err)
	case errors.As(err, &runtime):
		reached, lost = e.reached(ctx, l, out)
	case stopped:
		reached, lost = e.reached(ctx, l, out)
	default:
		err = refusedBy(p, err).refusal
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l.Commit(reached)
	if err == nil {
		l.Keep()
	}
	if stopped && death == nil && err != nil {
		if how := l.K.KeepsModel(reached, l.DeclaresBetween); how != "" {
			err = &trainingError{err, how}
		}
	}
	e.bury(err)
	e.bury(lost)
	return err
}

// reached returns how far a cell got that was stopped.
func (e *Engine) reached(ctx context.Context, l *change.Change, out program.Output) (int, error) {
	if len(l.Variables) == 0 {
		return 0, nil
	}
	// The cell's own context may be over; asking takes no time.
	return e.executor.Reached(context.WithoutCancel(ctx), l.K.Source.Cell.Number, out)
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
	out.Stream(host.Notes, fmt.Sprintf("note: this cell computed for %.1f s in the interpreter; compiled, loops run 30 to 100 times as fast: %s\n", computed.Seconds(), how))
}

// adviseAfter is how long a cell computes in the interpreter before its user is told what compiling
// would gain.
const adviseAfter = 2 * time.Second
