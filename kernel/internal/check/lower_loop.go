package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// outlives reports whether a variable is mentioned in a function literal
// within a node, or its address is taken there.
func (t Tree) Outlives(v *types.Var, n ast.Node) bool {
	found := false
	var visit func(n ast.Node, inside bool)
	visit = func(n ast.Node, inside bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if found {
				return false
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				if !inside {
					visit(m.Body, true)
					return false
				}
			case *ast.Ident:
				if inside && t.Info.Uses[m] == v {
					found = true
				}
			case *ast.UnaryExpr:
				if m.Op == token.AND && t.rootIs(m.X, v) {
					found = true
				}
			case *ast.SliceExpr:
				if _, array := t.TypeOf(m.X).(*types.Array); array && t.rootIs(m.X, v) {
					found = true
				}
			case *ast.SelectorExpr:
				if s := t.Info.Selections[m]; s != nil && s.Kind() != types.FieldVal && t.rootIs(m.X, v) {
					if f, ok := s.Obj().(*types.Func); ok && f.Signature().Recv() != nil {
						if _, pointer := f.Signature().Recv().Type().(*types.Pointer); pointer {
							found = true
						}
					}
				}
			case *ast.RangeStmt:
				if sig, ok := t.TypeOf(m.X).(*types.Signature); ok && sig != nil && !inside {
					visit(m.Body, true)
				}
			}
			return true
		})
	}
	visit(n, false)
	return found
}

// rootIs reports whether an addressable expression is a variable or a part
// of it.
func (t Tree) rootIs(e ast.Expr, v *types.Var) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return t.Info.Uses[x] == v
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return false
		}
	}
}

// assigned reports whether a variable is assigned to within a node.
func (t Tree) Assigned(v *types.Var, n ast.Node) bool {
	found := false
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.AssignStmt:
			for _, e := range m.Lhs {
				found = found || t.rootIs(e, v)
			}
		case *ast.IncDecStmt:
			found = found || t.rootIs(m.X, v)
		case *ast.RangeStmt:
			if m.Tok == token.ASSIGN {
				found = found || m.Key != nil && t.rootIs(m.Key, v) || m.Value != nil && t.rootIs(m.Value, v)
			}
		}
		return !found
	})
	return found
}
