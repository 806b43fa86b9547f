package check

import (
	"go/ast"
)

// defers reports whether a block has a defer statement of its own.
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
