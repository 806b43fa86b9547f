package assist

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// labels offers the labels that a branch statement at the end of a path can name; source is the
// text of the cell.
func (c *completer) labels(path []ast.Node, branch *ast.BranchStmt, source string) {
	var names []string
	if branch.Tok == token.GOTO {
		names = labelsIn(source)
	}
	for i := len(path) - 1; i >= 0; i-- {
		switch s := path[i].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			i = 0
		case *ast.LabeledStmt:
			if branch.Tok == token.GOTO || breaks(s.Stmt, branch.Tok) {
				names = append(names, s.Label.Name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if c.wants(name) {
			c.found = append(c.found, ranked{Candidate{Text: name, Kind: "label"}, rankLocal, fitsNot})
		}
	}
}

// breaks reports whether a branch statement, break or continue, can refer to a labelled statement.
func breaks(s ast.Stmt, branch token.Token) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return branch == token.BREAK
	}
	return false
}

// labelsIn returns the labels anywhere in a text.
func labelsIn(source string) []string {
	var names []string
	lexemes := syntax.Lex(source)
	for i, l := range lexemes {
		if l.Tok != token.IDENT || i+1 == len(lexemes) || lexemes[i+1].Tok != token.COLON {
			continue
		}
		if i > 0 {
			switch lexemes[i-1].Tok {
			case token.SEMICOLON, token.RBRACE, token.COLON, token.GOTO, token.BREAK, token.CONTINUE:
			case token.LBRACE:
				if !syntax.Block(lexemes[:i-1]) {
					continue
				}
			default:
				continue
			}
		}
		names = append(names, l.Lit)
	}
	return names
}
