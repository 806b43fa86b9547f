package engine

import (
	"context"
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// translated returns the source of a cell with its magics as Go, and those that the engine carries
// out itself. It is an error if the cell does not parse and the engine has some to carry out
// before.
func (e *Engine) translated(cell program.Cell) (src *syntax.Source, own magics.Own, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// A fault of the engine costs the cell, not the session.
		if r := recover(); r != nil {
			err = &faultError{r}
		}
	}()
	if problems := syntax.TooLong(syntax.NewSource(cell)); problems != nil {
		return nil, own, syntax.ProblemsError("CompileError", problems)
	}
	src, own, problems := magics.Translate(cell, e.checker.Known)
	if len(problems) == 0 && len(own.Before) > 0 {
		_, problems = e.checker.Parse(src)
	}
	if len(problems) > 0 {
		return nil, own, syntax.ProblemsError("CompileError", problems)
	}
	return src, own, nil
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
	case "rm":
		return e.remove(src, m, argument)
	case "history":
		e.listInputs(src, m, out)
	case "run":
		return e.runFile(ctx, src, m, argument, out)
	case "reset":
		return e.reset(out)
	case "engine":
		return e.chooseMode(ctx, argument, out)
	case "mod":
		return e.mod(ctx, src, m, argument, out)
	case "test":
		return e.test(ctx, src, m, argument, out)
	case "goflags":
		e.chooseFlags(argument, out)
	case "strict":
		e.mu.Lock()
		if argument != "" {
			e.checker.Strict = argument == "on"
		}
		strict := e.checker.Strict
		e.mu.Unlock()
		if strict {
			out.Stream("stdout", "strict is on: errors are what they are in Go, and stop no cell by themselves; %strict off turns it off\n")
		} else {
			out.Stream("stdout", "strict is off: an error that a statement of a cell does not look at stops the cell; %strict on turns it on\n")
		}
	case "help":
		out.Display(magics.Help(), "", false)
	}
	return nil
}

// answer shows what a question asks for.
func (e *Engine) answer(src *syntax.Source, m *magics.Use, name string, out program.Output) error {
	var found *program.Bundle
	msg := "nothing is known of " + name
	if strings.HasPrefix(name, "%") {
		found, msg = magics.Describe(name)
	} else {
		found = e.assistant.Inspect(name, len([]rune(name)), m.Detail)
	}
	if found == nil {
		return syntax.ProblemsError("CompileError", []syntax.Problem{{Source: src, Offset: m.Argument, Msg: msg}})
	}
	out.Page(found)
	return nil
}
