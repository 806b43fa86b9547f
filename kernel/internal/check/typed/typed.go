package typed

import (
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

// IsEmptyInterface reports whether a type is an interface that all types implement.
func IsEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// IsError reports whether a type is error.
func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// Shown names a type as the user knows it.
func Shown(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == state.PackagePath {
			return ""
		}
		return p.Name()
	})
}

// Defers reports whether a block itself has a defer statement.
func Defers(list []ast.Stmt) bool {
	found := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.DeferStmt:
				found = true
			}
			return !found
		})
	}
	return found
}

// Recovers reports whether a block calls recover itself, at once or deferred.
func Recovers(info *types.Info, block *ast.BlockStmt) bool {
	found := false
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			b, ok := info.Uses[n].(*types.Builtin)
			found = found || ok && b.Name() == "recover"
		}
		return !found
	})
	return found
}

// IsCall reports whether an expression is a call, or a conversion.
func IsCall(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok
}

// Discardable reports whether an expression is a conversion, or a call of a function of the
// language, whose value must be used.
func Discardable(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	fun := info.Types[ast.Unparen(call.Fun)]
	return fun.IsType() || fun.IsBuiltin() && !info.Types[e].IsVoid()
}
