package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A frame stands for one function, literal or cell in tracebacks. The interpreter knows which
// functions a panic ends, by the line of the first statement of each; that line is the frame's id.
// Where in the function the panic happened it does not know, so lowered code notes the place, in a
// variable of the function's own, before statements that can panic.
type frame struct {
	id     int
	name   string
	cell   int
	marked bool
}

// firstFrame is larger than any line of lowered code, so that a line of a panic is a frame's or
// nothing.
const firstFrame = 1000000

func (l *lowering) newFrame(name string, cell int) *frame {
	return &frame{id: firstFrame + 10*l.S.Unique(), name: name, cell: cell}
}

func (f *frame) variable() string { return fmt.Sprintf("at__%d", f.id) }

// registerFrame tells the interpreter about a frame that can appear in a traceback.
func (l *lowering) registerFrame(f *frame) {
	if !f.marked {
		return
	}
	l.Vars = append(l.Vars, shape.Variable{Name: f.variable(), Typ: "int"})
	l.temporary = append(l.temporary, f.variable())
	l.Setup = append(l.Setup, fmt.Sprintf("%s.Frame(%d, %q, %d, &%s)", shape.Bridge, f.id, f.name, f.cell, f.variable()))
}

// wrap puts a function's text behind the line that identifies its frame.
func (f *frame) wrap(text string, first int) string {
	if !f.marked {
		return "{\n" + text + "}"
	}
	return "{\n" + f.entry(first, text) + text + "}"
}

// entry is what comes first in a marked frame: the line that identifies it, and a note unless the
// text begins with one.
func (f *frame) entry(first int, text string) string {
	directive := fmt.Sprintf("//line _.go:%d\n", f.id)
	if strings.HasPrefix(text, f.variable()+" = ") {
		return directive
	}
	return fmt.Sprintf("%s%s = %d\n", directive, f.variable(), first*syntax.Columns)
}

func (b *body) line(pos token.Pos) int { return b.place(pos) / syntax.Columns }

// place returns the note of a position: its line and column, the column 0 if it is too large.
func (b *body) place(pos token.Pos) int {
	src, offset := b.l.C.At(pos)
	if src == nil {
		return 0
	}
	line, column := src.Position(offset)
	if column >= syntax.Columns {
		column = 0
	}
	return line*syntax.Columns + column
}

// mark writes the note of a statement, if an expression in its nodes can panic, unless it is noted
// already. Nodes may be nil.
func (b *body) mark(nodes ...ast.Node) string {
	var ops []syntax.Operation
	start := token.NoPos
	for _, n := range nodes {
		if n == nil {
			continue
		}
		if !start.IsValid() {
			start = n.Pos()
		}
		ops = b.Operations(ops, n)
	}
	if len(ops) == 0 {
		return ""
	}
	return b.note(b.placeOf(ops, start))
}

// note writes the note of a place, unless it is noted already.
func (b *body) note(place int) string {
	if place == 0 || b.noted == place || b.hoisted != 0 && b.hoisted/syntax.Columns == place/syntax.Columns {
		return ""
	}
	b.frame.marked = true
	b.noted = place
	return fmt.Sprintf("%s = %d\n", b.frame.variable(), place)
}

// placeOf returns the note of a statement with operations: the position of the only one, or the
// statement's. Which of several it was is found out when it has failed.
func (b *body) placeOf(ops []syntax.Operation, start token.Pos) int {
	if len(ops) == 1 {
		return b.place(ops[0].Pos)
	}
	place := b.place(start)
	if src, _ := b.l.C.At(start); src != nil {
		b.l.C.Remember(src.Cell.Number, place, ops)
	}
	return place
}

// callsBack reports whether a node holds a call that may run other lowered code, which could note
// lines of the same function.
func (b *body) callsBack(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.IfStmt); ok && b.Hook(s) {
			return false // it notes again what was noted
		}
		if e, ok := n.(*ast.CallExpr); ok && !found {
			tv := b.Info.Types[e.Fun]
			if tv.IsType() || tv.IsBuiltin() {
				return true
			}
			obj := b.CalleeObject(ast.Unparen(e.Fun))
			if obj == nil || state.IsSession(obj) {
				found = true
				return false
			}
			for _, a := range e.Args {
				if t := b.Info.TypeOf(a); t != nil {
					switch t.Underlying().(type) {
					case *types.Signature, *types.Interface:
						found = true
						return false
					}
				}
			}
		}
		return !found
	})
	return found
}

// onlyLine returns the note of a loop in which only one line can panic, so that it is enough to
// note it before the loop.
func (b *body) onlyLine(loop ast.Stmt) (int, bool) {
	if b.callsBack(loop) {
		return 0, false
	}
	var ops []syntax.Operation
	ast.Inspect(loop, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IfStmt:
			return !b.Hook(n)
		case *ast.BlockStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
			return true
		}
		ops = b.Operations(ops, n)
		return false
	})
	line := 0
	for _, op := range ops {
		at := b.place(op.Pos) / syntax.Columns
		if at == 0 || line != 0 && at != line {
			return 0, false
		}
		line = at
	}
	if line == 0 {
		return 0, false
	}
	if place := b.place(loop.Pos()); len(ops) > 1 && place/syntax.Columns != line {
		// The statements are several, or the statement begins elsewhere.
		place = line * syntax.Columns
		if src, _ := b.l.C.At(loop.Pos()); src != nil {
			b.l.C.Remember(src.Cell.Number, place, ops)
		}
		return place, true
	}
	return b.placeOf(ops, loop.Pos()), true
}
