package trusted

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

// order looks at what a statement evaluates: calls that may change what is read beside them are not
// on the list. Which is first is left open by Go, and the compiler has a way of its own.
func (l *look) order(n ast.Node) {
	calls := l.changing(n)
	if len(calls) == 0 {
		return
	}
	within := ast.Node(nil)
	if len(calls) == 1 {
		within = calls[0]
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if n == within && n != nil {
			return false // what it is given is read before the call
		}
		if e, ok := n.(ast.Expr); ok && l.shared(e) {
			l.outside(e.Pos(), "something that is read beside a call")
		}
		return true
	})
}

// changing returns the calls within a node that may change something: those of functions of cells,
// and those that are given something by reference.
func (l *look) changing(n ast.Node) (calls []ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		e, ok := n.(*ast.CallExpr)
		if !ok || l.info.Types[ast.Unparen(e.Fun)].IsType() || l.info.Types[e].Value != nil {
			return true
		}
		fun := ast.Unparen(e.Fun)
		if id, ok := fun.(*ast.Ident); ok {
			if b, ok := l.info.Uses[id].(*types.Builtin); ok {
				if name := b.Name(); name == "append" || name == "copy" || name == "delete" {
					calls = append(calls, e)
				}
				return true
			}
			calls = append(calls, e)
			return true
		}
		if sel, ok := fun.(*ast.SelectorExpr); ok {
			if obj := l.info.Uses[sel.Sel]; state.IsSession(obj) || l.info.Selections[sel] != nil {
				calls = append(calls, e)
				return true
			}
		}
		for _, arg := range e.Args {
			if t := l.info.TypeOf(arg); t == nil || !isBasic(t) {
				calls = append(calls, e)
				return true
			}
		}
		return true
	})
	return calls
}

func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// shared reports expressions that read what a call may change: an element, what a pointer points
// to, a variable of the session.
func (l *look) shared(e ast.Expr) bool {
	if l.info.Types[e].Value != nil {
		return false
	}
	switch e := e.(type) {
	case *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr:
		return l.info.Types[e].IsValue()
	case *ast.SelectorExpr:
		sel := l.info.Selections[e]
		if sel == nil {
			v, ok := l.info.Uses[e.Sel].(*types.Var)
			return ok && v != nil
		}
		return sel.Kind() == types.FieldVal
	case *ast.Ident:
		v, ok := l.info.Uses[e].(*types.Var)
		if !ok || v.IsField() {
			return false
		}
		_, structure := v.Type().Underlying().(*types.Struct)
		_, array := v.Type().Underlying().(*types.Array)
		return structure || array || v.Parent() == nil || v.Parent().Parent() == types.Universe
	}
	return false
}

// mayFail reports whether an expression may end by a panic of its own.
func (l *look) mayFail(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && l.info.Types[e].Value != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.StarExpr, *ast.SliceExpr, *ast.IndexExpr, *ast.CallExpr:
			found = true
		case *ast.SelectorExpr:
			if sel := l.info.Selections[n]; sel != nil && sel.Indirect() {
				found = true
			}
		case *ast.BinaryExpr:
			found = found || (n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR) && l.info.Types[n.Y].Value == nil
		}
		return !found
	})
	return found
}
