package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// The stages return errors as they occur; this file words them for the user when a cell has ended.

// A notCompiledError says why cells cannot be compiled.
type notCompiledError struct{ cause error }

func (e *notCompiledError) Error() string { return "cells cannot be compiled: " + e.cause.Error() }
func (e *notCompiledError) Unwrap() error { return e.cause }

// An unbuiltError says that the units of a cell could not be built.
type unbuiltError struct{ cause error }

func (e *unbuiltError) Error() string { return "the cell could not be compiled: " + e.cause.Error() }
func (e *unbuiltError) Unwrap() error { return e.cause }

// A trainingError says that a cell was stopped in a training whose model it does not keep, and how
// to keep it.
type trainingError struct {
	cause error
	how   string
}

func (e *trainingError) Error() string { return e.cause.Error() }
func (e *trainingError) Unwrap() error { return e.cause }

// A faultError is a fault in the engine itself.
type faultError struct{ fault any }

func (e *faultError) Error() string {
	return fmt.Sprintf("the engine failed on this cell: %v", e.fault)
}

// A checkError says that the check of a cell, or of something that title names, was abandoned. If
// title is empty, a cell cannot run because such a check holds the session.
type checkError struct {
	name, title, msg string
	cause            error
}

func (e *checkError) Error() string { return strings.TrimPrefix(e.title+": "+e.msg, ": ") }
func (e *checkError) Unwrap() error { return e.cause }

// worded returns the error to show for the error that ended a cell.
func (e *Engine) worded(ctx context.Context, cell program.Cell, err error) error {
	failed, done := err.(*program.Error)
	if !done {
		failed = e.failure(ctx, cell, err)
	}
	failed.Message = program.Shorten(failed.Message)
	failed.Traceback = shortened(failed.Traceback)
	return failed
}

// shortened returns a traceback, or only the first and last lines of a long one.
func shortened(lines []string) []string {
	const most = program.MaxText + 1<<10 // for a shortened text with its colours, at either end
	start, end := 0, len(lines)
	for size := 0; start < end && size+len(lines[start]) <= most; start++ {
		size += len(lines[start])
	}
	for size := 0; end > start && size+len(lines[end-1]) <= most; end-- {
		size += len(lines[end-1])
	}
	if start == end {
		return lines
	}
	return slices.Concat(lines[:start], []string{fmt.Sprintf("[%d lines left out]", end-start)}, lines[end:])
}

// failure makes a program.Error of any other error.
func (e *Engine) failure(ctx context.Context, cell program.Cell, err error) *program.Error {
	var check *checkError
	if errors.As(err, &check) { // which may hold e.mu
		return titled(check.name, cmp.Or(check.title, cell.Title()), check.msg, check.cause)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var death *program.DeathError
	var runtime *program.RuntimeError
	var unbuilt *unbuiltError
	var without *notCompiledError
	var fault *faultError
	switch {
	case errors.As(err, &death):
		return deathError(e.checker.Files, death)
	case errors.As(err, &runtime):
		return e.runtimeError(runtime)
	case errors.As(err, &fault):
		return syntax.ProblemsError("InternalError", []syntax.Problem{{Source: syntax.NewSource(cell), Offset: 0, Msg: fault.Error()}})
	case wasStopped(err):
		return interrupted(err)
	case ctx.Err() != nil:
		return interrupted(errors.Join(err, context.Cause(ctx))) // the failed part may not say why it ended
	case errors.As(err, &unbuilt):
		return notBuilt(e.checker.Files, cell.Title(), unbuilt)
	case errors.As(err, &without):
		return titled("Refused", cell.Title(), without.Error(), without.cause)
	}
	return titled("error", cell.Title(), err.Error(), err)
}

// titled is the error of a cell whose message needs no place.
func titled(name, title, msg string, cause error) *program.Error {
	msg = program.Shorten(msg)
	return &program.Error{Name: name, Message: title + ": " + msg, Traceback: []string{syntax.Bold + title + ": " + syntax.Red + msg + syntax.Plain}, Cause: cause}
}

// refusedBy is the error of a cell whose program the executor refuses.
func refusedBy(p *program.Program, err error) *program.Error {
	msg := fmt.Sprintf("the interpreter cannot run this cell: %v", err)
	if p.Compiled != nil {
		msg = fmt.Sprintf("the compiled cell cannot be run: %v", err)
	}
	return titled("Refused", p.Title, msg, err)
}

// interrupted is the error of a cell that the user, or the executor, stopped.
func interrupted(cause error) *program.Error {
	var training *trainingError
	name, message := "Interrupted", "interrupted"
	var stopped *program.StoppedError
	if errors.As(cause, &stopped) {
		name, message = stopped.Name, stopped.Message
	}
	err := &program.Error{Name: name, Message: message, Traceback: []string{syntax.Red + message + syntax.Plain}, Cause: cause}
	if errors.As(cause, &training) {
		err.Message += " (" + training.how + ")"
		err.Traceback = append(err.Traceback, training.how)
	}
	return err
}

func wasStopped(err error) bool {
	var stopped *program.StoppedError
	return errors.As(err, &stopped)
}

// complaint matches a line of the compiler's output about a cell. The same message may occur for
// the code around a cell.
var complaint = regexp.MustCompile(`(?m)^(/.*?):([0-9]+):(?:([0-9]+):)? (.*)$`)

// notBuilt is the error of a cell whose units could not be built.
func notBuilt(c *syntax.Files, title string, unbuilt *unbuiltError) *program.Error {
	err := unbuilt.cause
	var problems []syntax.Problem
	text := ""
	if refused := (*toolchain.CompileError)(nil); errors.As(err, &refused) {
		text = emit.UserNames(refused.Text)
	}
	for _, m := range complaint.FindAllStringSubmatch(text, -1) {
		line, _ := strconv.Atoi(m[2]) // they consist of digits
		column, _ := strconv.Atoi(m[3])
		if of := c.FileSource(m[1]); of != nil {
			problems = append(problems, syntax.Problem{Source: of, Offset: of.Offset(line, column), Msg: m[4]})
		}
	}
	if len(problems) > 0 {
		failed := syntax.ProblemsError("CompileError", problems)
		failed.Cause = err
		return failed
	}
	return titled("Refused", title, emit.UserNames(unbuilt.Error()), err)
}

// deathError says what is lost when a process dies.
func deathError(c *syntax.Files, death *program.DeathError) *program.Error {
	err := &program.Error{
		Name:    "WorkerDied",
		Message: "the worker process died: " + death.Cause + "; variables are lost, declarations are kept",
		Cause:   death,
	}
	err.Traceback = append(err.Traceback, syntax.Red+err.Message+syntax.Plain)
	err.Traceback = append(err.Traceback, frameLines(c, death.Frames)...)
	return err
}

// sameName matches the run time's message about a type assertion between two types of the same
// name.
var sameName = regexp.MustCompile(`^interface conversion: .+ is (.+), not (.+) \(types from different (?:scopes|packages)\)$`)

// cellType matches the name of a type that a cell declares, inside the name of a type.
var cellType = regexp.MustCompile(`\bmain\.([\pL_][\pL\d_]*)`)

// registeredOnce are panics of packages that allow one registration per process. A cell that runs
// again registers a second time.
var registeredOnce = []struct {
	message *regexp.Regexp
	help    string
}{
	{regexp.MustCompile(`flag redefined: `), "To declare flags again, run %args --, or write the program as one cell with package main."},
	{regexp.MustCompile(`pattern .* \(registered at .*\) conflicts with pattern `), "To register patterns again, run http.DefaultServeMux = http.NewServeMux() first; servers without their own handler use it from then on."},
}

// runtimeError words a panic.
func (e *Engine) runtimeError(r *program.RuntimeError) *program.Error {
	msg := r.Message
	if m := sameName.FindStringSubmatch(msg); m != nil && m[1] == m[2] {
		for _, of := range cellType.FindAllStringSubmatch(m[1], -1) {
			msg += e.checker.DeclaredAgain(of[1])
		}
	}
	err := &program.Error{Name: r.Name, Message: msg, Cause: r}
	if r.Name != "exit" && r.Name != "interrupted" {
		msg = r.Name + ": " + msg
	}
	for _, once := range registeredOnce {
		if r.Name == "panic" && once.message.MatchString(msg) {
			msg += "\n" + once.help
		}
	}
	for _, line := range strings.Split(msg, "\n") {
		err.Traceback = append(err.Traceback, syntax.Bold+syntax.Red+line+syntax.Plain)
	}
	err.Traceback = append(err.Traceback, frameLines(e.checker.Files, r.Frames)...)
	return err
}

// frameLines shows the active calls of a panic, the innermost first.
func frameLines(c *syntax.Files, frames []program.Frame) []string {
	var out []string
	for i, f := range frames {
		f.Line, f.Column = c.Failed(f)
		f = c.Relocations.Newest(f)
		line, column := f.Line, f.Column
		src, text := c.CellSource(f.Cell), c.CellTitle(f.Cell)
		if i > 0 && f.Function == "" && src != nil && src.Program && line > 0 && src.Offset(line, column) == src.Main {
			continue // the call of main, which the cell does not have
		}
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
