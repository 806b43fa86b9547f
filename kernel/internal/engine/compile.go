package engine

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// compile parses, checks and emits a cell and builds its units.
func (e *Engine) compile(ctx context.Context, src *syntax.Source, out program.Output) (*change.Change, *program.Program, error) {
	if err := e.resend(ctx, src, out); err != nil {
		return nil, nil, err
	}
	if err := e.replaceFull(ctx, src, out); err != nil {
		return nil, nil, err
	}
	l, unit, compiled, err := e.emit(src)
	if err != nil {
		return nil, nil, err
	}
	cell := src.Cell
	p := &program.Program{Cell: cell.Number, Title: cell.Title(), Keep: l.Shown != nil && !cell.Aside, Compiled: compiled}
	if unit == nil {
		return l, p, nil
	}
	loaded, taken := e.ahead.has(unit)
	if loaded {
		return l, p, nil
	}
	if taken {
		e.mu.Lock()
		l.Rollback()
		e.emitter.Skip(e.ahead.last)
		e.ahead = ahead{}
		e.mu.Unlock()
		return e.compile(ctx, src, out)
	}
	units := append([]toolchain.Unit{*unit}, e.batch(l, src)...)
	of := cell.Title()
	if more := len(units) - 1; more > 0 {
		of += " and " + count(more, "cell", "cells") + " behind it"
	}
	compiled.Plugin, err = e.build(ctx, units, of)
	if err != nil && len(units) > 1 && ctx.Err() == nil {
		units = units[:1]
		compiled.Plugin, err = e.build(ctx, units, cell.Title())
	}
	if err == nil {
		e.ahead.note(units[1:])
		return l, p, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l.Rollback()
	if ctx.Err() != nil {
		return nil, nil, interrupted(err)
	}
	return nil, nil, notBuilt(e.checker.Files, src, err)
}

// emit parses, checks and emits a cell.
func (e *Engine) emit(src *syntax.Source) (l *change.Change, unit *toolchain.Unit, compiled *program.Compiled, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// A fault of the engine costs the cell, not the session.
		if r := recover(); r != nil {
			l, err = nil, internalError(src, r)
		}
	}()
	k, err := e.check(src)
	if err != nil {
		return nil, nil, nil, err
	}
	l, unit, compiled, problems := e.emitter.Compile(k)
	if len(problems) > 0 {
		return nil, nil, nil, syntax.ProblemsError("CompileError", problems)
	}
	if l.Idle() {
		return l, nil, &program.Compiled{}, nil
	}
	return l, unit, compiled, nil
}

// complaint is a line of what the compiler says of a cell.
var complaint = regexp.MustCompile(`(?m)^/cell/([0-9]+):([0-9]+):(?:([0-9]+):)? (.*)$`)

// notBuilt is the error of a cell whose units could not be built.
func notBuilt(c *syntax.Files, src *syntax.Source, err error) *program.Error {
	var problems []syntax.Problem
	for _, m := range complaint.FindAllStringSubmatch(err.Error(), -1) {
		number, _ := strconv.Atoi(m[1]) // they consist of digits
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if of := c.CellSource(number); of != nil {
			problems = append(problems, syntax.Problem{Source: of, Offset: of.Offset(line, column), Msg: m[4]})
		}
	}
	if len(problems) > 0 {
		failed := syntax.ProblemsError("CompileError", problems)
		failed.Cause = err
		return failed
	}
	title := src.Cell.Title()
	msg := fmt.Sprintf("%s: the cell could not be compiled: %v", title, err)
	return &program.Error{Name: "Refused", Message: msg, Traceback: []string{syntax.Red + msg + syntax.Plain}, Cause: err}
}
