package check

import (
	"go/ast"
	"go/types"
)

// calleeObject returns the declared function that an expression names.
func (t Tree) CalleeObject(fun ast.Expr) *types.Func {
	switch f := fun.(type) {
	case *ast.Ident:
		obj, _ := t.Info.Uses[f].(*types.Func)
		return obj
	case *ast.SelectorExpr:
		obj, _ := t.Info.Uses[f.Sel].(*types.Func)
		return obj
	case *ast.IndexExpr:
		return t.CalleeObject(ast.Unparen(f.X))
	case *ast.IndexListExpr:
		return t.CalleeObject(ast.Unparen(f.X))
	}
	return nil
}

// parameter returns the type that the i'th argument is converted to.
func Parameter(sig *types.Signature, i int, ellipsis bool) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 {
		last := sig.Params().At(n - 1).Type()
		if ellipsis {
			return last
		}
		if s, ok := last.Underlying().(*types.Slice); ok {
			return s.Elem()
		}
	}
	if i >= n {
		return types.Typ[types.Invalid]
	}
	return sig.Params().At(i).Type()
}
