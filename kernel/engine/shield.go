package engine

import "go/ast"

// shield puts parentheses around the names of types of earlier cells that a
// type is declared as: type A (B). Where B stands bare, go/types asks for the
// declaration of B in the same files, to find cycles, and fails if it has none.
func shield(specs []*ast.TypeSpec) {
	own := map[string]bool{}
	for _, spec := range specs {
		own[spec.Name.Name] = true
	}
	for _, spec := range specs {
		if id, ok := spec.Type.(*ast.Ident); ok && !own[id.Name] {
			spec.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End() - 1}
		}
	}
}
