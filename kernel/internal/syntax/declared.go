package syntax

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
)

// Declares returns the names that items declare, as far as possible for text that may not parse:
// those of packages, constants, types, functions and variables.
func Declares(items []Item) (names []string) {
	for _, it := range items {
		l := it.Lexemes
		switch l[0].Tok {
		case token.FUNC:
			if l[1].Tok == token.IDENT {
				names = append(names, l[1].Lit)
			}
		case token.IMPORT, token.CONST, token.TYPE, token.VAR:
			names = append(names, specified(l)...)
		default:
			left := leading(l)
			if len(left) > 0 && l[2*len(left)-1].Tok == token.DEFINE {
				names = append(names, left...)
			}
		}
	}
	return names
}

// specified returns the names that an import or a declaration declares, in brackets or without.
func specified(l []Lexeme) (names []string) {
	keyword, begins, depth, outer := l[0].Tok, true, 0, 0
	for i, lexeme := range l[1:] {
		switch lexeme.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if i == 0 && lexeme.Tok == token.LPAREN {
				outer = 1
				depth++
				continue
			}
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		if begins && depth == outer {
			switch {
			case lexeme.Tok == token.IDENT && keyword == token.TYPE:
				names = append(names, lexeme.Lit)
			case lexeme.Tok == token.IDENT:
				names = append(names, leading(l[i+1:])...)
			case lexeme.Tok == token.STRING && keyword == token.IMPORT:
				if p, err := strconv.Unquote(lexeme.Lit); err == nil {
					names = append(names, path.Base(p))
				}
			}
		}
		begins = lexeme.Tok == token.SEMICOLON && depth == outer
	}
	return names
}

// leading returns the comma-separated names at the beginning of lexemes.
func leading(l []Lexeme) (names []string) {
	for i := 0; i < len(l) && l[i].Tok == token.IDENT; i += 2 {
		names = append(names, l[i].Lit)
		if l[i+1].Tok != token.COMMA { // EOF is the last
			break
		}
	}
	return names
}

// DeclaresTop reports whether a file declares a name at the top level, other than as a method.
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

// VariablesOf returns the identifiers of the variables that a statement at the top declares.
func VariablesOf(stmt ast.Stmt) []*ast.Ident {
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
