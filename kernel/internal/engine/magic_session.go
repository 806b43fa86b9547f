package engine

import (
	"context"
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// carryOut carries out a magic of the engine itself.
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
		e.listInputs(src.Cell.Number, m.Last, out)
	case "run":
		return e.runFile(ctx, src, m, out)
	case "reset":
		return e.reset(out)
	case "engine":
		return e.chooseMode(ctx, argument, out)
	case "mod":
		return e.mod(ctx, src, m, argument, out)
	case "test":
		return e.test(ctx, src, m, out)
	case "goflags":
		e.chooseFlags(m, out)
	case "strict":
		e.mu.Lock()
		if argument != "" {
			e.checker.Strict = argument == "on"
		}
		strict := e.checker.Strict
		e.mu.Unlock()
		if strict {
			out.Stream("stdout", "strict is on: as in Go, an unassigned error does not stop the cell; %strict off turns it off\n")
		} else {
			out.Stream("stdout", "strict is off: an unassigned error stops the cell; %strict on turns it on\n")
		}
	case "help":
		out.Display(magics.Help(), "", false)
	}
	return nil
}

// answer shows the answer to a question.
func (e *Engine) answer(src *syntax.Source, m *magics.Use, name string, out program.Output) error {
	var found *program.Bundle
	msg := "there is no declaration or documentation of " + name
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
