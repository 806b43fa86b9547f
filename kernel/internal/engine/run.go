package engine

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib/host"
)

// conduct runs a cell: the engine's magics before its Go code, the code itself, and the magics
// after it. It runs nothing if the cell does not parse.
func (e *Engine) conduct(ctx context.Context, cell program.Cell, out program.Output) (bundle *program.Bundle, err error) {
	if err := e.waitUntilFree(ctx); err != nil {
		return nil, err
	}
	src, own, err := e.translated(cell)
	defer func() {
		if err != nil {
			e.noteMissed(src)
		}
	}()
	if err != nil {
		return nil, err
	}
	if capture := own.Capture(); capture != nil {
		caught := &catcher{Output: out}
		defer func() { bundle, err = nil, e.caught(ctx, src.Source, capture, caught, bundle, err) }()
		out = caught
	}
	carryOut := func(uses []*magics.Use) error {
		for _, m := range uses {
			if err := e.carryOut(ctx, src.Source, m, out); err != nil {
				return err
			}
		}
		return nil
	}
	if err := carryOut(own.Before); err != nil {
		return nil, err
	}
	if strings.TrimSpace(src.Text) != "" {
		bundle, err = e.run(ctx, src, out)
	}
	if program.EndedWell(err) { // without the code after the call
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return bundle, carryOut(own.After)
}

// translated records a cell for %history. It returns the source with its magics as Go, and the
// magics that the engine carries out itself. It is an error if the cell does not parse and the
// engine must carry out a magic before it. The source is nil if there is none.
func (e *Engine) translated(cell program.Cell) (src *syntax.Lexed, own magics.Own, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// If the engine fails, the cell fails, but not the session.
		if r := recover(); r != nil {
			err = &faultError{r}
		}
	}()
	if !cell.Aside {
		e.inputs = append(e.inputs, program.Cell{Number: cell.Number, Count: cell.Count, Source: cell.Source})
	}
	src, own, problems := magics.Translate(cell, e.checker.Known)
	if len(problems) == 0 && len(own.Before) > 0 {
		_, problems = e.checker.Parse(src)
	}
	if len(problems) > 0 {
		return src, own, syntax.ProblemsError("CompileError", problems)
	}
	return src, own, nil
}

// noteMissed records what a failed cell would have declared, unless an abandoned check holds the
// session.
func (e *Engine) noteMissed(src *syntax.Lexed) {
	if src == nil || src.Cell.Aside || len(src.Cell.Source) > maxAsked || e.left.work() != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.checker.Session.Miss(src.Cell.Number, src.Cell.Title(), syntax.Declares(src.Items))
}

// run runs the Go code of a cell.
func (e *Engine) run(ctx context.Context, src *syntax.Lexed, out program.Output) (*program.Bundle, error) {
	// The next cell is lowered only when the executor has all that the session claims.
	e.declaring.Lock()
	done := sync.OnceFunc(e.declaring.Unlock)
	defer done()
	if err := e.resolve(ctx, src, out); err != nil {
		return nil, err
	}
	compiled, err := e.ready(ctx, src.Cell, out)
	if err != nil {
		return nil, err
	}
	var w written
	if compiled {
		w, err = e.compile(ctx, src)
		compiled = !e.fallsBack(err, out)
	}
	if !compiled {
		w, err = e.write(ctx, src, false)
	}
	if err != nil {
		return nil, err
	}
	e.begin(w.l, out)
	w.p.Passing, w.p.Begins = src.Cell.Passing, src.Program
	e.attachAgain(ctx, w.p)
	bundle, declared, err := e.execute(ctx, w.p, out, done)
	return bundle, e.settle(ctx, w.l, w.p, declared, err, out)
}

// begin records the cell as the current one, and shows its notes.
func (e *Engine) begin(l *change.Change, out program.Output) {
	e.mu.Lock()
	e.last = out
	e.mu.Unlock()
	for _, note := range l.Notes() {
		out.Stream(host.Notes, note)
	}
}

// execute lets the executor run a program that is not empty. It calls done when the executor has
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

// settle commits or undoes what a cell did, and returns the cell's error. Declared says that the
// executor has what the cell declares; otherwise the cell did nothing.
func (e *Engine) settle(ctx context.Context, l *change.Change, p *program.Program, declared bool, err error, out program.Output) error {
	var death *program.DeathError
	var runtime *program.RuntimeError
	stopped := ctx.Err() != nil || wasStopped(err)
	reached := 0   // how many statements of the cell ran
	var lost error // the error of that question
	switch {
	case err == nil:
		reached = len(l.K.Body)
	case errors.As(err, &death):
	case !declared:
		e.mu.Lock()
		defer e.mu.Unlock()
		e.forgetAhead() // the units were not loaded
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
		err = refusedBy(p, err)
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
	e.noteDeath(err)
	e.noteDeath(lost)
	return err
}

// reached returns how many statements of a stopped cell ran.
func (e *Engine) reached(ctx context.Context, l *change.Change, out program.Output) (int, error) {
	if len(l.Variables) == 0 {
		return 0, nil
	}
	// The cell's own context may be done; asking takes no time.
	return e.executor.Reached(context.WithoutCancel(ctx), l.K.Source.Cell.Number, out)
}
