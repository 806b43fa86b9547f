package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The interpreter finds the place that is assigned to before it computes the value. Compiled code
// makes the calls first, those on the left and then those on the right; with what they leave it
// finds the place, and fails if there is none. Only the key of a map is computed before.

// callsFirst makes the calls of an assignment of which the interpreter would find the place too
// early: it writes them, and has the assignment mention what they return until end is called.
func (b *body) callsFirst(s *ast.AssignStmt) (before string, end func()) {
	places, calls := false, false
	for _, e := range s.Lhs {
		places = places || b.isPlace(e)
		calls = calls || b.callsBack(e)
	}
	single := len(s.Rhs) == 1 && len(s.Lhs) == 1 && b.callsBack(s.Rhs[0])
	if !places || !calls && !single {
		return "", nil
	}
	end = b.overriding()
	for _, e := range s.Lhs {
		if b.isPlace(e) {
			before += b.makeCalls(e)
		}
	}
	if single {
		before += b.keep(s.Rhs[0])
	}
	return before, end
}

// isPlace reports whether what is assigned to has to be found first: an element, a field or what a
// pointer points to.
func (b *body) isPlace(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return !isMap(b.TypeOf(e.X))
	case *ast.SelectorExpr:
		return b.Info.Selections[e] != nil
	case *ast.StarExpr:
		return true
	}
	return false
}

// makeCalls writes the calls within a place.
func (b *body) makeCalls(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return b.makeCalls(e.X)
	case *ast.SelectorExpr:
		return b.makeCalls(e.X)
	case *ast.StarExpr:
		return b.makeCalls(e.X)
	case *ast.IndexExpr:
		text := b.makeCalls(e.X)
		if b.callsBack(e.Index) {
			text += b.keep(e.Index)
		}
		return text
	case *ast.FuncLit:
	default:
		if tv := b.Info.Types[e]; !tv.IsType() && b.runs(e) {
			return b.keep(e)
		}
	}
	return ""
}

// keep writes the evaluation of an expression, and has it mentioned from then on.
func (b *body) keep(e ast.Expr) string {
	name := b.l.temp()
	text := name + " := " + b.initial(e, b.Info.TypeOf(e)) + "\n"
	b.override[e] = name
	return text
}

// runsAny reports whether evaluating one of the nodes may change a variable: it makes a call, or
// waits for another goroutine.
func (b *body) runsAny(nodes []ast.Node) bool {
	return slices.ContainsFunc(nodes, b.runs)
}

func (b *body) runs(n ast.Node) bool {
	found := false
	var receive ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt: // of a clause: the places are evaluated when it was chosen
		receive = n.Rhs[0]
	case *ast.ExprStmt:
		receive = n.X
	}
	if receive != nil {
		n = channelOf(receive)
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if tv := b.Info.Types[n.Fun]; !tv.IsType() && b.Info.Types[n].Value == nil && !b.asks(n) {
				found = true
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// asks reports the calls of predeclared functions that change nothing.
func (b *body) asks(e *ast.CallExpr) bool {
	id, ok := ast.Unparen(e.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	obj, ok := b.Info.Uses[id].(*types.Builtin)
	return ok && (obj.Name() == "len" || obj.Name() == "cap" || obj.Name() == "new" || obj.Name() == "make" || obj.Name() == "min" || obj.Name() == "max" ||
		obj.Name() == "real" || obj.Name() == "imag" || obj.Name() == "complex")
}
