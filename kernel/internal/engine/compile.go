package engine

import (
	"context"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/program"
)

// compile parses, checks and emits a cell and builds its units.
func (e *Engine) compile(ctx context.Context, src *source, out program.Output) (*change, *program.Program, error) {
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
	cell := src.cell
	p := &program.Program{Cell: cell.Number, Title: cell.Title(), Keep: l.shown != nil && !cell.Aside, Compiled: compiled}
	if unit == nil {
		return l, p, nil
	}
	loaded, taken := e.ahead.has(unit)
	if loaded {
		return l, p, nil
	}
	if taken {
		e.mu.Lock()
		l.rollback()
		e.emitter.skip(e.ahead.last)
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
	l.rollback()
	if ctx.Err() != nil {
		return nil, nil, interrupted(err)
	}
	return nil, nil, notBuilt(e.checker.files, src, err)
}

// emit parses, checks and emits a cell.
func (e *Engine) emit(src *source) (l *change, unit *toolchain.Unit, compiled *program.Compiled, err error) {
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
	l, unit, compiled, problems := e.emitter.compile(k)
	if len(problems) > 0 {
		return nil, nil, nil, problemsError("CompileError", problems)
	}
	if l.idle() {
		return l, nil, &program.Compiled{}, nil
	}
	return l, unit, compiled, nil
}

// idle reports whether a cell does nothing when it is run, and declares nothing
// but names of packages.
func (ch *change) idle() bool {
	blank := slices.ContainsFunc(ch.k.imports, func(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == "_" })
	return !blank && ch.k.declarations == nil && len(ch.k.body) == 0 && len(ch.queue) == 0
}

// complaint is a line of what the compiler says of a cell.
var complaint = regexp.MustCompile(`(?m)^/cell/([0-9]+):([0-9]+):(?:([0-9]+):)? (.*)$`)

// notBuilt is the error of a cell whose units could not be built.
func notBuilt(c *files, src *source, err error) *program.Error {
	var problems []problem
	for _, m := range complaint.FindAllStringSubmatch(err.Error(), -1) {
		number, _ := strconv.Atoi(m[1]) // they consist of digits
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if of := c.cellSource(number); of != nil {
			problems = append(problems, problem{source: of, offset: of.offset(line, column), msg: m[4]})
		}
	}
	if len(problems) > 0 {
		failed := problemsError("CompileError", problems)
		failed.Cause = err
		return failed
	}
	title := src.cell.Title()
	msg := fmt.Sprintf("%s: the cell could not be compiled: %v", title, err)
	return &program.Error{Name: "Refused", Message: msg, Traceback: []string{red + msg + plain}, Cause: err}
}

// offset returns the offset of a line and a column, which may be 0.
func (s *source) offset(line, column int) int {
	at := 0
	for range line - 1 {
		newline := strings.IndexByte(s.cell.Source[at:], '\n')
		if newline < 0 {
			break
		}
		at += newline + 1
	}
	return min(at+max(column-1, 0), len(s.cell.Source))
}
