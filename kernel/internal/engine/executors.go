package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"time"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// The first cell decides whether the cells of a session are compiled or interpreted. AutoMode
// compiles them where possible; the first cell waits for the compiler. %engine changes the executor
// later, which loses the variables.

// executors is what an engine knows of the two ways to run a session's cells. It changes only while
// Engine.declaring is held; Engine.mu guards it.
type executors struct {
	mode program.Mode
	// chosen says that the first cell has decided, and compiled that it chose compiled cells.
	chosen, compiled bool
	// emitter writes the compiled code.
	emitter *emit.Emitter
	// stale says that the executor's process has none of the compiled code.
	stale bool

	open     func(ctx context.Context, progress func(string)) (program.Compiler, error)
	compiler program.Compiler // nil until it is needed
	ahead    ahead
	code     loadedCode
	// cannot is why cells cannot be compiled, and told says that the user knows.
	cannot error
	told   bool
}

// ready prepares the session's executor for a cell, and reports whether cells are compiled.
func (e *Engine) ready(ctx context.Context, cell program.Cell, out program.Output) (compiled bool, err error) {
	compiled, err = e.choose(ctx, out)
	if err != nil {
		return false, err
	}
	if !compiled {
		e.tell(out)
		return false, nil
	}
	e.mu.Lock()
	stale := e.stale
	e.mu.Unlock()
	if stale {
		if err := e.send(ctx, cell, out); err != nil {
			return false, err
		}
	}
	return true, e.replaceFull(ctx, cell, out)
}

// choose decides, for the first cell of a session, whether its cells are compiled, and returns the
// decision. Engine.declaring is held.
func (e *Engine) choose(ctx context.Context, out program.Output) (compiled bool, err error) {
	if e.chosen {
		return e.compiled, nil
	}
	if compiled, err = e.compiles(ctx, e.mode, out); err != nil {
		return false, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.chosen, e.compiled = true, compiled
	return compiled, nil
}

// compiles reports whether cells are compiled in a mode, and makes the compiler if so.
func (e *Engine) compiles(ctx context.Context, mode program.Mode, out program.Output) (bool, error) {
	if mode == program.InterpretedMode || mode == program.AutoMode && e.open == nil {
		return false, nil
	}
	err := e.openCompiler(ctx, out)
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, err
	case mode == program.CompiledMode:
		return false, &notCompiledError{err}
	}
	return false, nil
}

// openCompiler makes the compiler if there is none.
func (e *Engine) openCompiler(ctx context.Context, out program.Output) error {
	if e.compiler != nil {
		return nil
	}
	if e.open == nil {
		return errors.New("this program has no compiler")
	}
	wait := &waiting{out: out}
	compiler, err := e.open(ctx, wait.progress)
	wait.end()
	if err != nil && ctx.Err() != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.compiler, e.cannot = compiler, err
	if modules, ok := compiler.(program.Modules); ok {
		modules.SetFlags(e.goflags)
	}
	return err
}

// waiting shows that a cell waits for the compiler: a line, and a bar that is removed at the end.
type waiting struct {
	out   program.Output
	id    string
	drawn time.Time
}

// redraw is how often the bar is drawn at most.
const redraw = 200 * time.Millisecond

func (w *waiting) progress(step string) {
	again := w.id != ""
	if !again {
		w.id = rand.Text()
		w.out.Stream(host.Notes, "note: the compiler for cells is being built. This happens once and takes a minute or two. To use the interpreter\n"+
			"  instead, interrupt the cell and run %engine interpreted (on a command line: --engine interpreted)\n")
	}
	if time.Since(w.drawn) < redraw {
		return
	}
	w.drawn = time.Now()
	w.show(map[string]any{
		display.Text: step,
		display.HTML: "<div><progress></progress> " + html.EscapeString(step) + "</div>",
	}, again)
}

func (w *waiting) end() {
	if w.id != "" {
		w.show(map[string]any{}, true)
	}
}

func (w *waiting) show(data map[string]any, update bool) {
	w.out.Display(&program.Bundle{Data: data, Metadata: map[string]any{display.Transient: true}}, w.id, update)
}

// tell says once why cells are interpreted that would normally be compiled. It says nothing on a
// system that never compiles them.
func (e *Engine) tell(out program.Output) {
	e.mu.Lock()
	due := e.mode == program.AutoMode && e.cannot != nil && !e.told && !errors.Is(e.cannot, errors.ErrUnsupported)
	e.told = e.told || due
	e.mu.Unlock()
	if due {
		out.Stream(host.Notes, fmt.Sprintf("note: cells are interpreted, as they cannot be compiled: %v\n", e.cannot))
	}
}

// fallsBack switches the session to interpreted cells if a cell could not be built because code has
// nowhere to go. It reports whether it does, which is only possible while nothing compiled is live.
func (e *Engine) fallsBack(err error, out program.Output) bool {
	place := (*toolchain.PlaceError)(nil)
	if !errors.As(err, &place) || !e.nothingToSend() {
		return false
	}
	e.mu.Lock()
	if e.mode != program.AutoMode || e.outside.modules != nil { // interpreted cells cannot use other modules
		e.mu.Unlock()
		return false
	}
	e.compiled = false
	e.forgetCompiled()
	e.cannot = errors.Join(place, e.closeCompiler())
	e.mu.Unlock()
	e.tell(out)
	return true
}

const knownWrong = "code that the interpreter is known to run differently from Go is refused"

// runs says how cells run.
func (s *executors) runs() string {
	text := s.mode.String() + ": "
	switch {
	case s.compiled:
		text += "cells are compiled"
	case s.mode == program.CompiledMode:
		text += fmt.Sprintf("cells are refused, as they cannot be compiled: %v", s.cannot)
	case s.mode == program.InterpretedMode:
		text += "cells are interpreted; " + knownWrong
	case s.cannot != nil:
		text += fmt.Sprintf("cells are interpreted, and cannot be compiled: %v; %s", s.cannot, knownWrong)
	default:
		text += "cells are interpreted, and cannot be compiled by this program; " + knownWrong
	}
	if c, ok := s.compiler.(interface{ Slow() string }); ok && c.Slow() != "" {
		text += "; " + c.Slow()
	}
	return text
}
