package syntax

import (
	"go/ast"
)

// receiverBase returns the name of the type in a method's receiver.
func ReceiverBase(d *ast.FuncDecl) *ast.Ident {
	if len(d.Recv.List) != 1 {
		return nil
	}
	e := ast.Unparen(d.Recv.List[0].Type)
	if star, ok := e.(*ast.StarExpr); ok {
		e = ast.Unparen(star.X)
	}
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = x.X
	case *ast.IndexListExpr:
		e = x.X
	}
	id, _ := e.(*ast.Ident)
	return id
}
