package emit

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// statements writes the statements at the top of the cell, with calls that tell package cell how
// far they got, the value of the last one, and errors that they leave out.
func (u *Unit) statements() {
	k := u.l.K
	slices.SortFunc(u.inits, func(a, b change.InitCall) int { return a.Offset - b.Offset })
	for i, s := range k.Body {
		if i > 0 && u.l.DeclaresBetween(i) {
			u.generate("%s(%d)", u.cell("Reached"), i)
		}
		if _, offset := u.Within(s.Pos()); syntax.Variables(s) == nil {
			u.initsBefore(offset)
		}
		u.l.Pos = s.Pos()
		u.statement(s)
	}
	if k.Stop != nil && (k.Value == nil || k.Silent || k.ShownTypes(k.Value) == nil) {
		u.plain(k.Stop)
	}
	u.initsBefore(len(k.Source.Text) + 1)
	if len(u.l.Variables) > 0 {
		u.generate("%s(%d)", u.cell("Reached"), len(k.Body))
	}
}

// generate writes a statement that is not the user's.
func (u *Unit) generate(format string, args ...any) {
	u.run.WriteString(generated + fmt.Sprintf(format, args...) + "\n")
}

func (u *Unit) initsBefore(offset int) {
	for len(u.inits) > 0 && u.inits[0].Offset < offset {
		u.run.WriteString(generated + u.inits[0].Text)
		u.inits = u.inits[1:]
	}
}

// put writes text at the place of a node of the cell.
func (u *Unit) put(n ast.Node, text string) { u.run.WriteString(u.line(n) + text + "\n") }

func (u *Unit) plain(s ast.Stmt) { u.put(s, u.piece(s)) }

// piece returns the text of a node at the top of the cell.
func (u *Unit) piece(n ast.Node, more ...syntax.Edit) string {
	return u.text(n, setting{info: u.l.K.Info}, more...)
}

func (u *Unit) statement(s ast.Stmt) {
	k := u.l.K
	switch s := s.(type) {
	case *ast.ExprStmt:
		u.expression(s)
	case *ast.AssignStmt:
		u.assignment(s)
	case *ast.DeclStmt:
		g, ok := s.Decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			u.plain(s)
			return
		}
		for _, spec := range g.Specs {
			u.variableSpec(spec.(*ast.ValueSpec), k.Remembered[spec])
		}
	default:
		u.put(s, u.text(s, setting{info: k.Info, leftOut: u.errorsInBlocks(s)}))
	}
}

// errorsInBlocks returns the checks for the errors that the statements in the blocks of a statement
// leave out.
func (u *Unit) errorsInBlocks(s ast.Stmt) map[ast.Stmt]leftOut {
	found := map[ast.Stmt]leftOut{}
	check.InBlocks(s, func(s ast.Stmt) {
		if !u.l.K.LeavesOut(s) {
			return
		}
		switch s := s.(type) {
		case *ast.AssignStmt:
			left := u.assigned(s.Lhs[:len(s.Lhs)-1], setting{info: u.l.K.Info})
			if s.Tok == token.DEFINE || left == nil {
				found[s] = leftOut{taken: ", err" + Mark, then: u.failed(s.Rhs[0])}
				return
			}
			before, after := u.aside(left, s.Rhs[0])
			found[s] = leftOut{taken: before, then: after, aside: true}
		case *ast.ExprStmt:
			results, _ := u.l.K.LastError(s.X)
			found[s] = leftOut{taken: strings.Repeat("_, ", len(results)-1) + "err" + Mark + " = ", then: u.failed(s.X)}
		}
	})
	return found
}

// assigned returns the names of the assigned variables, or nil if not all are variables.
func (u *Unit) assigned(left []ast.Expr, p setting) []string {
	names := make([]string, len(left))
	for i, e := range left {
		id, ok := e.(*ast.Ident)
		if !ok {
			return nil
		}
		names[i] = cmp.Or(u.newName(id, p, false, nil), id.Name)
	}
	return names
}

// aside returns the text before and after a call whose results go to left unless the last one is an
// error.
func (u *Unit) aside(left []string, call ast.Expr) (before, after string) {
	values := make([]string, len(left))
	for i := range values {
		values[i] = fmt.Sprintf("v%d%s", i, Mark)
	}
	kept := strings.Join(values, ", ")
	return "{ " + kept + ", err" + Mark + " := ", u.failed(call) + "; " + strings.Join(left, ", ") + " = " + kept + " }"
}

// failed is the text after an assignment to the variable for errors.
func (u *Unit) failed(call ast.Expr) string {
	u.failing = true
	src, offset := u.Within(call.Pos())
	line, column := src.Position(src.Origin(offset))
	return fmt.Sprintf("; %[2]s(err%[1]s, %[3]d, %[4]d, %[5]d)", Mark, u.cell("Failed"), src.Cell.Number, line, column)
}

// stopping is the text around a call within an expression that leaves out its error.
func (u *Unit) stopping(call ast.Expr, info *types.Info) (before, behind string) {
	src, offset := u.Within(call.Pos())
	line, column := src.Position(src.Origin(offset))
	n := info.TypeOf(call).(*types.Tuple).Len() - 1
	return fmt.Sprintf("%s%d(%d, %d, %d, %s%d(", u.cell("Stop"), n, src.Cell.Number, line, column, u.cell("Results"), n), "))"
}

// expression writes an expression statement. The last one of the cell shows its value.
func (u *Unit) expression(s *ast.ExprStmt) {
	k := u.l.K
	tv := k.Info.Types[s.X]
	text := u.piece(s.X)
	results, checked := u.l.K.LastError(s.X)
	if s != k.Value || k.Silent {
		switch un, ok := ast.Unparen(s.X).(*ast.UnaryExpr); {
		case checked:
			u.put(s, strings.Repeat("_, ", len(results)-1)+"err"+Mark+" = "+text+u.failed(s.X))
		case tv.IsVoid(), ok && un.Op == token.ARROW, typed.IsCall(s.X) && !typed.Discardable(k.Info, s.X):
			u.put(s, text)
		default:
			u.put(s, "_ = "+text)
		}
		return
	}
	stop := func() {
		if k.Stop != nil {
			u.plain(k.Stop)
		}
	}
	shown := k.ShownTypes(s)
	tuple, several := tv.Type.(*types.Tuple)
	switch {
	case len(shown) == 0 && checked:
		u.put(s, "err"+Mark+" = "+text+u.failed(s.X))
	case len(shown) == 0:
		u.put(s, text)
	case several:
		names := make([]string, tuple.Len())
		for i := range names {
			names[i] = fmt.Sprintf("v%d%s", i, Mark)
		}
		left := strings.Join(names, ", ")
		last := typed.IsError(tuple.At(len(names) - 1).Type())
		if checked {
			u.failing = true
			names = names[:len(names)-1]
			u.put(s, "{ "+strings.Join(names, ", ")+", err"+Mark+" := "+text+u.failed(s.X))
			last = false
		} else {
			u.put(s, "{ "+left+" := "+text)
		}
		u.l.Shows(shown...)
		stop()
		u.generate("%s(%t, %s) }", u.cell("Show"), last, strings.Join(names, ", "))
	default:
		u.l.Shows(shown...)
		if k.Stop == nil || tv.IsNil() {
			u.put(s, u.cell("Show")+"(false, "+text+")")
			return
		}
		u.put(s, "{ v"+Mark+" := "+text)
		stop()
		u.generate("%s(false, v%s) }", u.cell("Show"), Mark)
	}
}

// assignment writes an assignment; those that declare variables assign to those of the unit, or of
// an earlier one.
func (u *Unit) assignment(s *ast.AssignStmt) {
	k := u.l.K
	if !k.Remembered[s] {
		if s.Tok == token.DEFINE {
			_, offset := u.Within(s.TokPos)
			u.put(s, u.piece(s, syntax.Edit{Start: offset, End: offset + 2, Text: "="}))
			return
		}
		u.plain(s)
		return
	}
	left := make([]string, len(s.Lhs)-1)
	for i, e := range s.Lhs[:len(left)] {
		if id, ok := e.(*ast.Ident); ok {
			left[i] = u.variable(id)
		} else {
			left[i] = u.piece(e)
		}
	}
	before, after := u.aside(left, s.Rhs[0])
	u.put(s, before+u.piece(s.Rhs[0])+after)
}

// variable returns the unit's name for a variable that a statement at the top assigns to.
func (u *Unit) variable(id *ast.Ident) string {
	if id.Name == "_" {
		return "_"
	}
	obj := u.l.K.Info.Defs[id]
	if obj == nil {
		obj = u.l.K.Info.Uses[id]
	}
	if d := u.Session.ByObject[obj]; d != nil {
		return u.refer(u.home(d.Lowered))
	}
	return id.Name
}

// variableSpec writes a line of a declaration of variables as assignments.
func (u *Unit) variableSpec(v *ast.ValueSpec, checked bool) {
	names := v.Names
	if checked {
		names = names[:len(names)-1]
	}
	left, zeros := make([]string, len(names)), make([]string, len(names))
	for i, id := range names {
		left[i] = u.variable(id)
		if len(v.Values) == 0 {
			zeros[i] = "*new(" + u.Typ(u.l.K.Info.TypeOf(v.Type)) + ")"
		}
	}
	switch {
	case u.l.K.Embedded[v] != nil:
		u.put(v, left[0]+" = "+u.embedded(v, u.l.K.Embedded[v]))
	case len(v.Values) == 0:
		u.put(v, strings.Join(left, ", ")+" = "+strings.Join(zeros, ", "))
	case checked:
		before, after := u.aside(left, v.Values[0])
		u.put(v, before+u.piece(v.Values[0])+after)
	default:
		var values []string
		for _, e := range v.Values {
			values = append(values, u.text(e, setting{info: u.l.K.Info, becomes: u.l.K.Info.TypeOf(v.Type)}))
		}
		u.put(v, strings.Join(left, ", ")+" = "+strings.Join(values, ", "))
	}
}
