package engine

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A look is a question about a variable of the session, or about a field of one, with a short
// answer. The interpreter evaluates an expression, and compiled cells answer a Look, so that
// nothing is compiled for it.
type look struct {
	name, field string
	aspect      program.Aspect
	// basic is the basic type to convert the value to, so that none of its methods is called. It is
	// empty if there is none.
	basic string
	// most bounds how much of a string or a slice is read; 0 means all.
	most int
}

// expression is the question for the interpreter.
func (l look) expression() string {
	x := l.name
	if l.field != "" {
		x += "." + l.field
	}
	switch l.aspect {
	case program.LookLength:
		return "len(" + x + ")"
	case program.LookNil:
		return x + " == nil"
	}
	if l.most > 0 {
		x = fmt.Sprintf("%s[:min(len(%s), %d)]", x, x, l.most)
	}
	if l.basic != "" {
		x = l.basic + "(" + x + ")"
	}
	return x
}

// compiledLook is the question for compiled cells. It reports false if they do not have the
// variable.
func (e *Engine) compiledLook(l look) (program.Look, bool) {
	d := e.checker.Session.Live[l.name]
	if d == nil || d.Lowered == "" {
		return program.Look{}, false
	}
	unit, variable, ok := e.emitter.Variable(d)
	return program.Look{Unit: unit, Variable: variable, Field: l.field, Aspect: l.aspect, Plain: l.basic != "", Most: l.most}, ok
}

// compiledLooks is compiledLook for several looks; there are the indices of those that compiled
// cells can answer.
func (e *Engine) compiledLooks(looks []look) (there []int, questions []program.Look) {
	for i, l := range looks {
		if question, ok := e.compiledLook(l); ok {
			there = append(there, i)
			questions = append(questions, question)
		}
	}
	return there, questions
}

// lookAt asks compiled cells.
func (e *Engine) lookAt(ctx context.Context, cell int, looks []program.Look, out program.Output) ([]string, error) {
	if len(looks) == 0 {
		return nil, nil
	}
	texts, err := e.executor.Look(ctx, cell, looks, out)
	if err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.noteDeath(err)
		return nil, err
	}
	if len(texts) != len(looks) {
		return nil, fmt.Errorf("%d answers to %d looks at variables", len(texts), len(looks))
	}
	return texts, nil
}
