package engine

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"time"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
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
	l.Commit(len(l.K.Body))
	return strings.Join(p.Source, "\n"), nil
}

// CheckSplit splits a cell and looks at the items.
func CheckSplit(cell string) error {
	last := 0
	for _, it := range syntax.Split(cell) {
		if it.Start < last || it.End <= it.Start || it.End > len(cell) {
			return fmt.Errorf("item %d to %d after %d", it.Start, it.End, last)
		}
		for _, l := range syntax.Lex(cell[last:it.Start]) {
			if l.Tok != token.SEMICOLON && l.Tok != token.EOF {
				return fmt.Errorf("%s at %d is in no item", l.Tok, last+l.Pos)
			}
		}
		last = it.End
	}
	return nil
}

// StandIn returns what stands in for a generic function or type of a compiled
// package, or why nothing does.
func (e *Engine) StandIn(obj types.Object) (types.Object, string) {
	l := shape.NewShapes(change.New(e.checker, nil), e.lowerer.Preludes)
	p := l.PreludeOf(obj.Pkg())
	if fn := p.Funcs[obj.Name()]; fn != nil {
		return fn.Info.Defs[fn.Decl.Name], ""
	}
	if named := p.Types[obj.Name()]; named != nil {
		return named.Obj(), ""
	}
	return nil, shape.NoStandIn[obj.Pkg().Path()+"."+obj.Name()]
}

// A Fault is what is wrong with a magic.
type Fault struct {
	Offset int
	Msg    string
}

// Translate returns the Go of a cell, what is wrong with its magics, and for
// offsets into the Go those into the cell.
func Translate(cell string) (text string, faults []Fault, origin func(int) int) {
	t, found := magics.Translate(cell, func(string) bool { return false })
	for _, f := range found {
		faults = append(faults, Fault{f.Offset, f.Msg})
	}
	return t.Text, faults, t.Origin
}

// WithoutMagics returns a cell with blanks for its magics.
func WithoutMagics(cell string) string { return magics.Without(cell) }

// Tests wait for values however slow the machine is.
func init() { peekPatience = time.Minute }

// Parse says what the parser complains of in a cell without magics.
func Parse(source string) error {
	c := New(Config{}).checker
	if _, problems := c.Parse(syntax.NewSource(program.Cell{Number: 1, Source: source, Plain: true})); len(problems) > 0 {
		return syntax.ProblemsError("CompileError", problems)
	}
	return nil
}

// Emission returns a function that emits the units of cells, one after the
// other.
func (e *Engine) Emission() func(program.Cell) (string, error) {
	emitter := emit.New(e.checker)
	return func(cell program.Cell) (string, error) {
		e.session.Inputs[cell.Number] = cell.Source
		p, problems := e.checker.Parse(syntax.NewSource(cell))
		if len(problems) > 0 {
			return "", syntax.ProblemsError("CompileError", problems)
		}
		k, problems := e.checker.CheckWaiting(p)
		if len(problems) > 0 {
			return "", syntax.ProblemsError("CompileError", problems)
		}
		l, unit, compiled, problems := emitter.Compile(k)
		if len(problems) > 0 {
			return "", syntax.ProblemsError("CompileError", problems)
		}
		l.Commit(len(k.Body))
		l.Keep()
		if unit == nil {
			return fmt.Sprintf("// %s runs %s again\n", cell.Title(), compiled.Paths[0]), nil
		}
		return unit.Source, nil
	}
}

// Everything emits what is live in the session.
func (e *Engine) Everything() (source string, moved []program.Moved, err error) {
	unit, units, _, err := emit.New(e.checker).Everything()
	if err != nil {
		return "", nil, err
	}
	return unit.Source, units.Moved, nil
}
