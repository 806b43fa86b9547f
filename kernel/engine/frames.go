package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A frame stands for one function, literal or cell in tracebacks. The
// interpreter knows which functions a panic ends, by the line of the first
// statement of each; that line is the frame's id. Where in the function the
// panic happened it does not know, so lowered code notes the line, in a
// variable of the function's own, before statements that can panic.
type frame struct {
	id     int
	name   string
	cell   int
	marked bool
}

// firstFrame is larger than any line of lowered code, so that a line of a
// panic is a frame's or nothing.
const firstFrame = 1000000

func (l *lowering) newFrame(name string, cell int) *frame {
	return &frame{id: firstFrame + 10*l.s.unique(), name: name, cell: cell}
}

func (f *frame) variable() string { return fmt.Sprintf("at__%d", f.id) }

// registerFrame tells the interpreter about a frame that can appear in a
// traceback.
func (l *lowering) registerFrame(f *frame) {
	if !f.marked {
		return
	}
	l.vars = append(l.vars, variable{f.variable(), "int"})
	l.temporary = append(l.temporary, f.variable())
	l.setup = append(l.setup, fmt.Sprintf("%s.Frame(%d, %q, %d, &%s)", bridge, f.id, f.name, f.cell, f.variable()))
}

// wrap puts a function's text behind the line that identifies its frame.
func (f *frame) wrap(text string, first int) string {
	if !f.marked {
		return "{\n" + text + "}"
	}
	return "{\n" + f.entry(first, text) + text + "}"
}

// entry is what comes first in a marked frame: the line that identifies it,
// and a note unless the text begins with one.
func (f *frame) entry(first int, text string) string {
	directive := fmt.Sprintf("//line _.go:%d\n", f.id)
	if strings.HasPrefix(text, f.variable()+" = ") {
		return directive
	}
	return fmt.Sprintf("%s%s = %d\n", directive, f.variable(), first)
}

func (b *body) line(pos token.Pos) int {
	src, offset := b.l.c.at(pos)
	if src == nil {
		return 0
	}
	line, _ := src.position(offset)
	return line
}

// mark writes the note of a line, if an expression in the nodes can panic and
// the line is not noted already.
func (b *body) mark(nodes ...ast.Node) string {
	pos := token.NoPos
	for _, n := range nodes {
		if isNil(n) {
			continue
		}
		if p := b.panics(n); p.IsValid() && (!pos.IsValid() || p < pos) {
			pos = p
		}
	}
	if !pos.IsValid() {
		return ""
	}
	line := b.line(pos)
	if line == 0 || b.noted == line || b.hoisted == line {
		return ""
	}
	b.frame.marked = true
	b.noted = line
	return fmt.Sprintf("%s = %d\n", b.frame.variable(), line)
}

func isNil(n ast.Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case ast.Expr:
		return n == nil
	}
	return false
}

// panics returns the position of the first operation within a node, outside
// function literals and nested blocks, that can panic.
func (b *body) panics(n ast.Node) token.Pos {
	found := token.NoPos
	ast.Inspect(n, func(n ast.Node) bool {
		if found.IsValid() {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			if !b.harmless(n) {
				found = n.Pos()
			}
		case *ast.IndexExpr:
			switch t := b.typeOf(n.X).(type) {
			case *types.Map:
				if types.IsInterface(t.Key()) {
					found = n.Pos()
				}
			case nil, *types.Signature:
			default:
				if b.info.Types[n].Value == nil {
					found = n.Pos()
				}
			}
		case *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			if e := n.(ast.Expr); !b.info.Types[e].IsType() {
				found = n.Pos()
			}
		case *ast.SelectorExpr:
			if s := b.info.Selections[n]; s != nil && s.Indirect() {
				found = n.Pos()
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM:
				if b.isInteger(n) && (b.info.Types[n.Y].Value == nil) {
					found = n.Pos()
				}
			case token.SHL, token.SHR:
				if t, ok := b.typeOf(n.Y).(*types.Basic); ok && t.Info()&types.IsUnsigned == 0 && b.info.Types[n.Y].Value == nil {
					found = n.Pos()
				}
			case token.EQL, token.NEQ:
				if types.IsInterface(b.info.TypeOf(n.X)) && types.IsInterface(b.info.TypeOf(n.Y)) {
					found = n.Pos()
				}
			}
		case *ast.SendStmt:
			found = n.Pos()
		case *ast.AssignStmt:
			if (n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN) && b.info.Types[n.Rhs[0]].Value == nil && b.isInteger(n.Lhs[0]) {
				found = n.Pos()
			}
			for _, lhs := range n.Lhs {
				if ix, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok {
					found = ix.Pos()
				}
			}
		}
		return true
	})
	return found
}

func (b *body) typeOf(e ast.Expr) types.Type {
	t := b.info.TypeOf(e)
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func (b *body) isInteger(e ast.Expr) bool {
	t, ok := b.typeOf(e).(*types.Basic)
	return ok && t.Info()&types.IsInteger != 0
}

// harmless reports calls that cannot panic: conversions between basic types
// and some builtins.
func (b *body) harmless(e *ast.CallExpr) bool {
	tv := b.info.Types[e.Fun]
	if tv.IsType() {
		_, slice := b.typeOf(e.Args[0]).(*types.Slice)
		return !slice || types.IsInterface(tv.Type) || isString(tv.Type)
	}
	if tv.IsBuiltin() {
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
			switch id.Name {
			case "make":
				return len(e.Args) == 1 || b.info.Types[e.Args[1]].Value != nil && len(e.Args) == 2
			case "len", "cap", "append", "copy", "min", "max", "real", "imag", "complex", "new", "delete", "recover", "clear", "print", "println":
				return true
			}
		}
	}
	return b.info.Types[e].Value != nil
}

func isString(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// callsBack reports whether a node holds a call that may run other lowered code,
// which could note lines of the same function.
func (b *body) callsBack(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(*ast.CallExpr); ok && !found {
			tv := b.info.Types[e.Fun]
			if tv.IsType() || tv.IsBuiltin() {
				return true
			}
			obj := b.calleeObject(ast.Unparen(e.Fun))
			if obj == nil || isSession(obj) {
				found = true
				return false
			}
			for _, a := range e.Args {
				if t := b.info.TypeOf(a); t != nil {
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

// onlyLine returns the line of a loop in which only one line can panic, so
// that it is enough to note it before the loop.
func (b *body) onlyLine(loop ast.Stmt) (int, bool) {
	if b.callsBack(loop) {
		return 0, false
	}
	line, several := 0, false
	ast.Inspect(loop, func(n ast.Node) bool {
		if several || n == nil {
			return false
		}
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		switch n.(type) {
		case *ast.BlockStmt, *ast.ForStmt, *ast.RangeStmt, *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
			return true
		}
		if p := b.panics(n); p.IsValid() {
			at := b.line(p)
			several = several || line != 0 && at != line
			line = at
		}
		return false
	})
	return line, !several && line != 0
}
