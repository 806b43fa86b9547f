package export

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
)

// statement writes the statement of a piece, or makes it a declaration of the package.
func (w *writing) statement(p *piece) string {
	if p.none {
		return p.lead
	}
	stmts := w.stmtsOf(p)
	if len(stmts) == 0 {
		return p.around(w.part(p.Start, p.End))
	}
	var texts []string
	after := ""
	for i, stmt := range stmts {
		var text, more string
		switch s := stmt.(type) {
		case *ast.ExprStmt:
			text, more = w.expression(p, s)
		case *ast.AssignStmt:
			text, more = w.assignment(p, s)
		case *ast.DeclStmt:
			text, more = w.variables(p, s, i == 0 && len(stmts) == 1)
		default:
			text = w.blocks(p, s)
		}
		if text = strings.TrimSuffix(text, "\n"); text != "" {
			texts = append(texts, text)
		}
		if more = strings.TrimSuffix(more, "\n"); more != "" && i < len(stmts)-1 {
			texts = append(texts, more)
		} else if more != "" {
			after = more + "\n"
		}
	}
	if len(texts) == 0 {
		return after
	}
	return p.around(strings.Join(texts, "\n")) + after
}

// blocks writes a statement with blocks, whose statements may leave out errors.
func (w *writing) blocks(p *piece, s ast.Stmt) string {
	var out strings.Builder
	before := ""
	at := p.Start
	check.InBlocks(s, func(s ast.Stmt) {
		if !w.e.k.LeavesOut(s) {
			return
		}
		_, start := w.At(s.Pos())
		end := start + int(s.End()-s.Pos())
		out.WriteString(w.part(at, start))
		at = end
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				before += w.errorVariable()
			}
			_, op := w.At(s.TokPos)
			left := strings.TrimSpace(w.part(start, op))
			right := w.part(op+len(s.Tok.String()), end)
			err := w.errorName()
			out.WriteString(left + ", " + err + " " + s.Tok.String() + right + "\nif " + err + " != nil {\n" + w.fail(err) + "}")
		case *ast.ExprStmt:
			out.WriteString(w.failing(s.X, w.part(start, end)))
		}
	})
	out.WriteString(w.part(at, p.End))
	return before + out.String()
}

// failing writes a call whose error is left out.
func (w *writing) failing(call ast.Expr, text string) string {
	results, _ := w.e.k.LastError(call)
	if startsWithLiteral(call) {
		text = "(" + text + ")"
	}
	return "if " + strings.Repeat("_, ", len(results)-1) + "err := " + text + "; err != nil {\n" + w.fail("err") + "}"
}

// stmtsOf returns the statements of a piece: one, or several for a declaration that leaves out
// errors.
func (w *writing) stmtsOf(p *piece) []ast.Stmt {
	if w.stmts == nil {
		w.stmts = map[*piece][]ast.Stmt{}
		for _, s := range w.e.k.Body {
			_, offset := w.At(s.Pos())
			in := w.e.pieceAt(offset)
			w.stmts[in] = append(w.stmts[in], s)
		}
	}
	return w.stmts[p]
}

// shown returns the last expression of a cell, if its value is shown.
func (e *exportedCell) shown() *ast.ExprStmt {
	if e.k.Value == nil || e.k.Silent || len(e.k.ShownTypes(e.k.Value)) == 0 || isHandle(e.k.Info.TypeOf(e.k.Value.X)) {
		return nil
	}
	return e.k.Value
}

// returns reports whether the function literal of a cell returns the cell's value, because deferred
// calls of the cell must run before it is shown.
func (e *exportedCell) returns() bool {
	return !e.Fails && e.shown() != nil && typed.Defers(e.k.Body) && !slices.ContainsFunc(e.values, func(v *symbol) bool { return len(v.cells) > 1 })
}

// expression writes an expression statement, which shows its value if it is the last of its cell.
func (w *writing) expression(p *piece, s *ast.ExprStmt) (text, after string) {
	text = w.part(p.Start, p.End)
	info := w.e.k.Info
	tv := info.Types[s.X]
	_, checked := w.e.k.LastError(s.X)
	if s != w.e.shown() {
		switch u, ok := ast.Unparen(s.X).(*ast.UnaryExpr); {
		case checked:
			return w.failing(s.X, text), ""
		case tv.IsVoid(), ok && u.Op == token.ARROW, typed.IsCall(s.X) && !typed.Discardable(info, s.X):
			return text, ""
		}
		return "_ = " + text, ""
	}
	list := w.e.k.ShownTypes(s)
	switch {
	case w.e.values != nil:
		t := w.targetsOf(w.e.values)
		text, after = w.define(t, outs(w.e), text, checked)
		show := w.display(list, outs(w.e)) + "\n"
		switch {
		case w.e.returns():
			return text, after + "return " + outs(w.e) + "\n"
		case !w.e.Fails && typed.Defers(w.e.k.Body):
			w.behind = show
			return text, after
		}
		return text, after + show
	case w.e.returns():
		return "return " + text, ""
	}
	return w.display(list, text), ""
}

// display writes code that displays values.
func (w *writing) display(list []types.Type, text string) string {
	if len(list) == 1 && printed(list[0]) {
		return w.pkg("fmt", "fmt") + ".Println(" + text + ")"
	}
	return w.pkg("github.com/hierml/notebook/stdlib/nb", "nb") + ".Display(" + text + ")"
}

// fail writes the effect of an error: it ends the program, or the cell if that may fail or has
// deferred calls.
func (w *writing) fail(err string) string {
	if w.e.wrapped {
		return "panic(" + err + ")\n"
	}
	return w.pkg("log", "log") + ".Fatal(" + err + ")\n"
}

// startsWithLiteral reports whether an expression begins with a composite literal, whose brace the
// header of a statement would take for that of the body.
func startsWithLiteral(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.CallExpr:
			e = x.Fun
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.CompositeLit:
			return true
		default:
			return false
		}
	}
}

// printed reports whether fmt prints a value as a notebook shows it.
func printed(t types.Type) bool {
	b, ok := types.Unalias(types.Default(t)).(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsNumeric) != 0
}

// isHandle reports whether a type is that of a handle to something that package nb has already
// shown.
func isHandle(t types.Type) bool {
	tn := typeName(t)
	return tn != nil && tn.Name() == "Handle" && tn.Pkg() != nil && tn.Pkg().Path() == "github.com/hierml/notebook/stdlib/nb"
}

// assignment writes an assignment. A declaration of variables may become a plain assignment, and
// vice versa.
func (w *writing) assignment(p *piece, s *ast.AssignStmt) (text, after string) {
	checked := w.e.k.Remembered[s]
	lhs := s.Lhs
	if checked {
		lhs = lhs[:len(lhs)-1]
	}
	_, at := w.At(s.TokPos)
	_, values := w.At(s.Rhs[0].Pos())
	end := p.End
	if last := s.Rhs[len(s.Rhs)-1]; at == values { // one of the statements from a declaration
		_, end = w.At(last.Pos())
		end += int(last.End() - last.Pos())
	}
	right := w.part(values, end)
	if s.Tok != token.DEFINE {
		if !checked {
			return w.part(p.Start, p.End), ""
		}
		left := w.part(p.Start, at)
		if at == values {
			left = strings.Join(w.targets(identifiers(lhs)).names, ", ")
		}
		text = w.errorVariable() + strings.TrimSpace(left) + ", " + w.errorName() + " = " + right
		return text, "if " + w.errorName() + " != nil {\n" + w.fail(w.errorName()) + "}\n"
	}
	t := w.targets(identifiers(lhs))
	left := w.part(p.Start, at)
	if !checked && w.initializes(t, s.Rhs) {
		for _, s := range t.first {
			s.declared = true
		}
		w.local = append(w.local, p.around("var "+left+" = "+right))
		return "", ""
	}
	return w.define(t, left, right, checked)
}

func identifiers(list []ast.Expr) []*ast.Ident {
	ids := make([]*ast.Ident, len(list))
	for i, e := range list {
		ids[i] = e.(*ast.Ident)
	}
	return ids
}

// initializes reports whether variables of the package can be declared with their values.
func (w *writing) initializes(t targets, values []ast.Expr) bool {
	if len(t.first) != len(t.names) || len(values) != len(t.names) || w.e.wrapped {
		return false
	}
	for _, s := range t.first {
		if !s.packaged {
			return false
		}
	}
	for _, v := range values {
		if v != nil && !plainValue(w.e.k.Info, v) {
			return false
		}
	}
	return true
}

// plainValue reports whether an expression has the same value in any place, and runs no code.
func plainValue(info *types.Info, e ast.Expr) bool {
	plain := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
			if x, ok := n.(ast.Expr); !ok || !info.Types[x].IsType() {
				plain = false
			}
		case *ast.FuncType, *ast.InterfaceType, *ast.StructType:
			return false
		case *ast.StarExpr:
			plain = plain && info.Types[n].IsType()
		case *ast.UnaryExpr:
			plain = plain && n.Op != token.ARROW
		case *ast.CallExpr:
			fun := info.Types[ast.Unparen(n.Fun)]
			plain = plain && (fun.IsType() || fun.IsBuiltin())
		case *ast.BinaryExpr:
			plain = plain && info.Types[n].Value != nil
		case *ast.Ident:
			switch o := info.Uses[n].(type) {
			case *types.Var:
				plain = plain && o.IsField()
			case *types.Func:
				plain = false
			case *types.Builtin:
				plain = plain && (o.Name() == "make" || o.Name() == "new")
			}
		}
		return plain
	})
	return plain
}
