package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/hierml/notebook/kernel/internal/interpreted/lower"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// runMagics runs a cell that may have magics of the engine's own, before and after the rest of it.
// None is carried out if the cell does not parse.
func (e *Engine) runMagics(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error) {
	src, own, err := e.translated(cell)
	if err != nil {
		return nil, err
	}
	for _, m := range own.Before {
		if err := e.carryOut(ctx, src, m, out); err != nil {
			return nil, err
		}
	}
	bundle, err := e.run(ctx, src, out)
	if err != nil {
		return nil, err
	}
	for _, m := range own.After {
		if err := e.carryOut(ctx, src, m, out); err != nil {
			return nil, err
		}
	}
	return bundle, nil
}

// translated returns the source of a cell with its magics as Go. It is an error if the cell does
// not parse and the engine has magics to carry out before.
func (e *Engine) translated(cell program.Cell) (src *syntax.Source, t *magics.Translated, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// A fault of the engine costs the cell, not the session.
		if r := recover(); r != nil {
			src, t, err = nil, nil, internalError(syntax.NewSource(cell), r)
		}
	}()
	t, faults := magics.Translate(cell.Source, func(name string) bool { return e.checker.Session.Live[name] != nil })
	src = &syntax.Source{Cell: cell, Translation: &t.Translation}
	problems := magics.Problems(src, faults)
	if len(problems) == 0 && len(t.Before) > 0 {
		_, problems = e.checker.Parse(src)
	}
	if len(problems) > 0 {
		return nil, nil, syntax.ProblemsError("CompileError", problems)
	}
	return src, t, nil
}

// carryOut does what a magic of the engine's own says.
func (e *Engine) carryOut(ctx context.Context, src *syntax.Source, m *magics.Use, out program.Output) error {
	argument := src.Cell.Source[m.Argument:m.ArgumentEnd]
	if m.Kind == &magics.QuestionKind {
		return e.answer(src, m, argument, out)
	}
	switch m.Name {
	case "who":
		if argument == "-m" {
			e.whoMemory(out)
			return nil
		}
		return e.who(ctx, src.Cell, out)
	case "reset":
		return e.reset(src.Cell, out)
	case "engine":
		return e.chooseMode(ctx, src, argument, out)
	case "mod":
		return e.mod(ctx, src, m, argument, out)
	case "strict":
		e.mu.Lock()
		e.checker.Strict = argument != "off"
		e.mu.Unlock()
		if argument == "off" {
			out.Stream("stdout", "strict is off: an error that a statement of a cell does not look at stops the cell\n")
		} else {
			out.Stream("stdout", "strict is on: errors are what they are in Go, and stop no cell by themselves\n")
		}
	case "help":
		out.Display(magics.Help(), "", false)
	}
	return nil
}

// answer shows what a question asks for.
func (e *Engine) answer(src *syntax.Source, m *magics.Use, name string, out program.Output) error {
	var found *program.Bundle
	if strings.HasPrefix(name, "%") {
		found = magics.Describe(name)
	} else {
		found = e.Inspect(name, len([]rune(name)), m.Detail)
	}
	if found == nil {
		msg := "nothing is known of " + name
		if strings.HasPrefix(name, "%") {
			msg = magics.Unknown(name)
		}
		return syntax.ProblemsError("CompileError", []syntax.Problem{{Source: src, Offset: m.Argument, Msg: msg}})
	}
	out.Page(found)
	return nil
}

// reset makes the session a new one.
func (e *Engine) reset(cell program.Cell, out program.Output) error {
	// No cell declares anything meanwhile, nor learns of the end of its process.
	e.declaring.Lock()
	defer e.declaring.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	forgotten := len(e.checker.Session.Live)
	compiled := e.compiled
	restarted, err := e.anew(cell)
	if err != nil {
		return err
	}
	msg := ""
	if restarted {
		msg = "; its variables are gone with the process that had them"
	}
	if compiled && !e.compiled && e.mode != program.CompiledMode {
		msg += "; cells are interpreted again"
	}
	out.Stream("stdout", fmt.Sprintf("The session is new: %s forgotten%s.\n", count(forgotten, "name is", "names are"), msg))
	return nil
}

// anew forgets all that the session has declared, and starts a new process where the executor can
// do that.
func (e *Engine) anew(cell program.Cell) (restarted bool, err error) {
	fresh := state.NewSession()
	r, restarted := e.executor.(program.Restarter)
	if restarted {
		died, err := r.Restart()
		if err != nil {
			title := cell.Title()
			return false, &program.Error{Name: "error", Message: err.Error(), Traceback: []string{syntax.Bold + title + ": " + syntax.Red + err.Error() + syntax.Plain}, Cause: err}
		}
		e.dead = max(e.dead, died)
		e.compiled = false
	} else {
		// The executor still has what it was sent.
		old := e.checker.Session
		fresh.Versions, fresh.Serial, fresh.Aliases, fresh.Sent = old.Versions, old.Serial, old.Aliases, old.Sent
	}
	c := e.checker
	c.Session, c.Files, c.Pkg = fresh, syntax.NewFiles(), nil
	e.lowerer = lower.New(c)
	e.forgetCompiled()
	if modules, ok := e.compiler.(program.Modules); ok && restarted {
		modules.Forget()
	}
	return restarted, nil
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
