package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// The interpreter writes the results of a function to their places one by one, and some expressions
// write there before the others are evaluated. So results that another one could overwrite are
// evaluated into variables first.

// crosses reports whether the results of a return statement have to be evaluated before the first
// of them is set.
func (b *body) crosses(results []ast.Expr) bool {
	for i, e := range results {
		if b.isBuiltinCall(e) {
			// The interpreter puts it in the place of the first result.
			if len(results) > 1 || !types.Identical(b.Info.TypeOf(e), b.results.At(i).Type()) {
				return true
			}
		}
		if len(b.resultNames) > 0 && len(results) > 1 && b.readsResult(e, i) {
			return true
		}
	}
	return false
}

// readsResult reports whether an expression reads a named result other than the i'th, itself or
// through a function literal.
func (b *body) readsResult(e ast.Expr, i int) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			for j := range b.results.Len() {
				if j != i && b.Info.Uses[n] == b.results.At(j) {
					found = true
				}
			}
		case *ast.CallExpr:
			if tv := b.Info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() && b.CalleeObject(ast.Unparen(n.Fun)) == nil {
				found = true
			}
		}
		return !found
	})
	return found
}

// isBuiltinCall reports calls of predeclared functions that the lowered text makes, too.
func (b *body) isBuiltinCall(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && b.Info.Types[call.Fun].IsBuiltin() && b.Info.Types[e].Value == nil
}

// returnCrossing writes a return whose results are evaluated into variables.
func (b *body) returnCrossing(results []ast.Expr) string {
	var out strings.Builder
	list := make([]string, len(results))
	for i, e := range results {
		t := b.results.At(i).Type()
		if tv := b.Info.Types[e]; tv.Value != nil || tv.IsNil() {
			list[i] = b.to(e, t)
			continue
		}
		list[i] = fmt.Sprintf("r__%d", b.l.S.Unique())
		fmt.Fprintf(&out, "%s := %s\n", list[i], b.initial(e, t))
	}
	return out.String() + "return " + strings.Join(list, ", ")
}
