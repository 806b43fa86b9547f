package engine

import (
	"fmt"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// buried makes the session that of a new worker: the variables are gone, and everything else is
// declared again when it is used.
func (e *Engine) buried(death *program.DeathError) *program.Error {
	// Each program that ran learns of the death, the last one perhaps when others already have a
	// new worker.
	if death.Process == 0 || death.Process > e.dead {
		e.dead = death.Process
		e.checker.Session.Lose(death.Cause)
		e.forgetCompiled()
	}
	err := &program.Error{
		Name:    "WorkerDied",
		Message: "the worker process died: " + death.Cause + "; variables are lost, declarations are kept",
		Cause:   death,
	}
	err.Traceback = append(err.Traceback, syntax.Red+err.Message+syntax.Plain)
	err.Traceback = append(err.Traceback, frameLines(e.checker.Files, death.Frames)...)
	return err
}

// runtimeError words a panic.
func runtimeError(c *syntax.Files, r *program.RuntimeError) *program.Error {
	msg := r.Message
	if r.Name != "exit" && r.Name != "interrupted" {
		msg = r.Name + ": " + msg
	}
	err := &program.Error{Name: r.Name, Message: r.Message, Cause: r}
	for _, line := range strings.Split(msg, "\n") {
		err.Traceback = append(err.Traceback, syntax.Bold+syntax.Red+line+syntax.Plain)
	}
	err.Traceback = append(err.Traceback, frameLines(c, r.Frames)...)
	return err
}

// frameLines shows the active calls of a panic, the innermost first.
func frameLines(c *syntax.Files, frames []program.Frame) []string {
	var out []string
	for i, f := range frames {
		src := c.CellSource(f.Cell)
		text := c.CellTitle(f.Cell)
		line, column := c.Failed(f)
		if line > 0 {
			text += fmt.Sprintf(":%d", line)
			if column > 0 {
				text += fmt.Sprintf(":%d", column)
			}
		}
		if f.Function != "" {
			text += " in " + f.Function
		}
		out = append(out, syntax.Bold+text+syntax.Plain)
		if src != nil && (i == 0 || f.Function == "") {
			out = append(out, src.Excerpt(line, column)...)
		}
		if f.More > 0 {
			out = append(out, fmt.Sprintf("… %d more", f.More))
		}
	}
	return out
}
