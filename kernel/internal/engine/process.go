package engine

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// The executor's process may end before the session does: it dies, %engine restarts it, or another
// replaces it (plugins.go). The new process gets the declarations when they are used. Compiled ones
// are sent all at once, before the next cell.

// send gives a new process the live declarations in compiled form. The error is that of the
// context, a *DeathError, or a *notCompiledError.
func (e *Engine) send(ctx context.Context, cell program.Cell, out program.Output) error {
	if e.nothingToSend() {
		return nil
	}
	unit, units, undo, err := e.emitEverything()
	if err != nil {
		return withoutCompiler(ctx, err)
	}
	units.Plugin, err = e.build(ctx, []toolchain.Unit{*unit}, "all that is declared")
	if err == nil {
		err = e.executor.Adopt(ctx, &program.Adoption{Cell: cell.Number, Title: cell.Title(), Units: units}, out)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		undo()
		e.noteDeath(err)
		return withoutCompiler(ctx, err)
	}
	e.stale = false
	return nil
}

// withoutCompiler wraps err as the reason why cells cannot be compiled, unless it is the end of the
// context or the death of a process.
func withoutCompiler(ctx context.Context, err error) error {
	var death *program.DeathError
	if ctx.Err() != nil || errors.As(err, &death) {
		return err
	}
	return &notCompiledError{err}
}

// nothingToSend reports whether a process needs nothing of what the cells so far have declared and
// shown. If so, the process is no longer stale.
func (e *Engine) nothingToSend() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.checker.Session.Live {
		if _, imported := d.Object.(*types.PkgName); !imported {
			return false
		}
	}
	if len(e.checker.Transcript.Shown) > 0 {
		return false
	}
	e.stale = false
	return true
}

// emitEverything emits all live declarations.
func (e *Engine) emitEverything() (unit *toolchain.Unit, units program.Units, undo func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// If the engine fails, the cell fails, but not the session.
		if r := recover(); r != nil {
			err = fmt.Errorf("the engine failed on the declarations of the session: %v", r)
		}
	}()
	return e.emitter.Everything()
}

// forgetCompiled records that the executor's process no longer has any compiled code.
func (e *Engine) forgetCompiled() {
	e.emitter.Forget()
	e.forgetAhead()
	e.code.plugins, e.code.size = nil, 0
	e.stale = e.compiled
}

// closeCompiler closes the compiler. The next one is made when it is needed.
func (e *Engine) closeCompiler() error {
	if e.compiler == nil {
		return nil
	}
	err := e.compiler.Close()
	e.compiler = nil
	return err
}

// restart moves the session to a new process with the other executor. The variables are lost, and a
// note names them; everything else is declared again when it is used.
func (e *Engine) restart(compiled bool, out program.Output) error {
	restarter, ok := e.executor.(program.Restarter)
	if !ok {
		return errors.New("the process that runs the cells cannot be restarted")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	process, err := restarter.Restart()
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(e.checker.Session.Live)), func(name string) bool {
		_, variable := e.checker.Session.Live[name].Object.(*types.Var)
		return !variable
	})
	e.compiled = compiled
	e.renew(process, "when %engine restarted the session")
	if len(names) > 0 {
		out.Stream(host.Notes, fmt.Sprintf("note: the session was restarted; declarations are kept, variables are lost. Run the cells that declare %s again\n", strings.Join(names, ", ")))
	}
	return nil
}

// renew records that the session has a new process. Number is that of the old one, and when says in
// words when it ended.
func (e *Engine) renew(number int, when string) {
	e.dead = max(e.dead, number)
	e.checker.Session.Lose(when)
	e.lowerer.Forget()
	e.checker.Transcript.Lose(func(int) string { return "the value was lost " + when })
	e.forgetCompiled()
	e.hooking.stale = true
}

// noteDeath records a new process for the session if err is the death of the old one. The variables
// are lost, and everything else is declared again when it is used.
func (e *Engine) noteDeath(err error) {
	var death *program.DeathError
	if !errors.As(err, &death) {
		return
	}
	// Each running program learns of the death, perhaps when others already have a new process.
	if death.Process == 0 || death.Process > e.dead {
		e.renew(death.Process, "when the worker process died: "+death.Cause)
	}
}
