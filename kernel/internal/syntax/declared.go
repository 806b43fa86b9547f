package syntax

import (
	"go/ast"
	"go/token"
)

// DeclaresTop reports whether a file declares a name, other than as a method.
func DeclaresTop(file *ast.File, name string) bool {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.Name == name {
						return true
					}
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if id.Name == name {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// DeclaredBy returns the identifiers that a statement at the top declares.
func DeclaredBy(stmt ast.Stmt) []*ast.Ident {
	var ids []*ast.Ident
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			for _, e := range s.Lhs {
				if id, ok := e.(*ast.Ident); ok {
					ids = append(ids, id)
				}
			}
		}
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				ids = append(ids, spec.(*ast.ValueSpec).Names...)
			}
		}
	}
	return ids
}

// ReceiverBase returns the name of the type in a method's receiver.
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
