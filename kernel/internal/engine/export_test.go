package engine

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
)

// Lower returns what a cell becomes, and commits it as if it had run.
func (e *Engine) Lower(cell program.Cell) (string, error) {
	src, _, err := e.translated(cell)
	if err != nil {
		return "", err
	}
	l, p, err := e.interpret(src)
	if err != nil {
		return "", err
	}
	l.commit(len(l.k.body))
	return strings.Join(p.Source, "\n"), nil
}

// CheckSplit splits a cell and looks at the items.
func CheckSplit(cell string) error {
	last := 0
	for _, it := range split(cell) {
		if it.start < last || it.end <= it.start || it.end > len(cell) {
			return fmt.Errorf("item %d to %d after %d", it.start, it.end, last)
		}
		for _, l := range lex(cell[last:it.start]) {
			if l.tok != token.SEMICOLON && l.tok != token.EOF {
				return fmt.Errorf("%s at %d is in no item", l.tok, last+l.pos)
			}
		}
		last = it.end
	}
	return nil
}

// StandIn returns what stands in for a generic function or type of a compiled
// package, or why nothing does.
func (e *Engine) StandIn(obj types.Object) (types.Object, string) {
	l := newShapes(newChange(e.checker, nil), e.lowerer.preludes)
	p := l.preludeOf(obj.Pkg())
	if fn := p.funcs[obj.Name()]; fn != nil {
		return fn.info.Defs[fn.decl.Name], ""
	}
	if named := p.types[obj.Name()]; named != nil {
		return named.Obj(), ""
	}
	return nil, noStandIn[obj.Pkg().Path()+"."+obj.Name()]
}

// A Fault is what is wrong with a magic.
type Fault struct {
	Offset int
	Msg    string
}

// Translate returns the Go of a cell, what is wrong with its magics, and for
// offsets into the Go those into the cell.
func Translate(cell string) (text string, faults []Fault, origin func(int) int) {
	t, found := translate(cell, func(string) bool { return false })
	for _, f := range found {
		faults = append(faults, Fault{f.offset, f.msg})
	}
	return t.text, faults, t.origin
}

// WithoutMagics returns a cell with blanks for its magics.
func WithoutMagics(cell string) string { return withoutMagics(cell) }

// Tests wait for values however slow the machine is.
func init() { peekPatience = time.Minute }

// Parse says what the parser complains of in a cell without magics.
func Parse(source string) error {
	c := New(Config{}).checker
	if _, problems := c.parse(newSource(program.Cell{Number: 1, Source: source, Plain: true})); len(problems) > 0 {
		return problemsError("CompileError", problems)
	}
	return nil
}

// Emission returns a function that emits the units of cells, one after the
// other.
func (e *Engine) Emission() func(program.Cell) (string, error) {
	emitter := newEmitter(e.checker)
	return func(cell program.Cell) (string, error) {
		e.session.inputs[cell.Number] = cell.Source
		p, problems := e.checker.parse(newSource(cell))
		if len(problems) > 0 {
			return "", problemsError("CompileError", problems)
		}
		k, problems := e.checker.checkWaiting(p)
		if len(problems) > 0 {
			return "", problemsError("CompileError", problems)
		}
		l, unit, compiled, problems := emitter.compile(k)
		if len(problems) > 0 {
			return "", problemsError("CompileError", problems)
		}
		l.commit(len(k.body))
		l.keep()
		if unit == nil {
			return fmt.Sprintf("// %s runs %s again\n", cell.Title(), compiled.Paths[0]), nil
		}
		return unit.Source, nil
	}
}

// Everything emits what is live in the session.
func (e *Engine) Everything() (source string, moved []program.Moved, err error) {
	unit, units, _, err := newEmitter(e.checker).everything()
	if err != nil {
		return "", nil, err
	}
	return unit.Source, units.Moved, nil
}
