package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The interpreter finds the place that is assigned to before it computes the value. Compiled code
// makes the calls first, those on the left and then those on the right; with what they leave it
// finds the place, and fails if there is none. Only the key of a map is computed before, unless the
// value is computed from the entry.

// placeEarly reports whether the interpreter would find a place of an assignment too early.
func (b *body) placeEarly(s *ast.AssignStmt) bool {
	places, calls := false, false
	for _, e := range s.Lhs {
		places = places || b.isPlace(e) || b.isEntry(e) && (s.Tok != token.ASSIGN || len(s.Lhs) > 1)
		calls = calls || b.CallsBack(e)
	}
	for _, e := range s.Rhs {
		calls = calls || b.CallsBack(e) && (len(s.Rhs) > 1 || len(s.Lhs) == 1)
	}
	return s.Tok != token.DEFINE && places && calls
}

// becomesSeveral reports a statement behind a condition for which callsFirst writes others.
func (b *body) becomesSeveral(s ast.Stmt) bool {
	assign, ok := s.(*ast.AssignStmt)
	return ok && b.placeEarly(assign)
}

// callsFirst makes the calls of an assignment of which the interpreter would find the place too
// early: it writes them, and has the assignment mention what they return until end is called.
func (b *body) callsFirst(s *ast.AssignStmt) (before string, end func()) {
	if !b.placeEarly(s) {
		return "", nil
	}
	end = b.overriding()
	for _, e := range s.Lhs {
		if b.isPlace(e) || b.isEntry(e) {
			before += b.makeCalls(e)
		}
	}
	for _, e := range s.Rhs {
		switch {
		case len(s.Rhs) > 1:
			before += b.makeCalls(e)
		case len(s.Lhs) == 1 && b.CallsBack(e):
			before += b.keep(e)
		}
	}
	return before, end
}

// isEntry reports whether what is assigned to is an entry of a map.
func (b *body) isEntry(e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	return ok && isMap(b.TypeOf(x.X))
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

// makeCalls writes the calls within an expression, as far as it makes them whatever their results
// are.
func (b *body) makeCalls(e ast.Expr) string {
	if e == nil || b.Info.Types[e].IsType() || !b.runs(e) {
		return ""
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return b.makeCalls(e.X)
	case *ast.SelectorExpr:
		return b.makeCalls(e.X)
	case *ast.StarExpr:
		return b.makeCalls(e.X)
	case *ast.IndexExpr:
		return b.makeCalls(e.X) + b.makeCalls(e.Index)
	case *ast.SliceExpr:
		return b.makeCalls(e.X) + b.makeCalls(e.Low) + b.makeCalls(e.High) + b.makeCalls(e.Max)
	case *ast.UnaryExpr:
		if e.Op != token.AND && e.Op != token.ARROW {
			return b.makeCalls(e.X)
		}
	case *ast.BinaryExpr:
		if e.Op != token.LAND && e.Op != token.LOR {
			return b.makeCalls(e.X) + b.makeCalls(e.Y)
		}
	case *ast.CallExpr:
		if tv := b.Info.Types[e.Fun]; tv.IsType() && !types.IsInterface(tv.Type) {
			return b.makeCalls(e.Args[0])
		}
	}
	return b.keep(e)
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
	return ok && slices.Contains([]string{"len", "cap", "new", "make", "min", "max", "real", "imag", "complex"}, obj.Name())
}
