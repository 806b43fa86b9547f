package check

import (
	"go/ast"
	"go/types"
)

func IsCall(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok
}

// discardable reports whether an expression is a conversion, or a call of a
// function of the language, whose value must be used.
func Discardable(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	fun := info.Types[ast.Unparen(call.Fun)]
	return fun.IsType() || fun.IsBuiltin() && !info.Types[e].IsVoid()
}
