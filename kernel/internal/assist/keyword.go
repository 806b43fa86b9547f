package assist

import (
	"go/ast"
	"go/token"
)

// keywords offers the keywords that are valid at the end of a path, which is nil if the parser
// could not read the place.
func (c *completer) keywords(path []ast.Node) {
	offer := c.offerKeywords
	if c.before == token.ELSE {
		offer(token.IF)
		return
	}
	if len(c.levels) > 1 && path == nil {
		switch c.levels[len(c.levels)-2].First {
		case token.SWITCH, token.SELECT:
			offer(token.CASE, token.DEFAULT)
			return
		}
	}
	offer(token.CHAN, token.FUNC, token.INTERFACE, token.MAP, token.STRUCT)
	inner := c.levels[len(c.levels)-1]
	if inner.First == token.FOR && inner.Semicolons == 0 && (c.before == token.DEFINE || c.before == token.ASSIGN || c.before == token.FOR) {
		offer(token.RANGE)
	}
	if path != nil {
		if _, ok := path[len(path)-2].(*ast.ExprStmt); !ok {
			return
		}
	}
	if inner.First != token.ILLEGAL {
		return
	}
	offer(token.CONST, token.DEFER, token.FOR, token.GO, token.GOTO, token.IF, token.SELECT, token.SWITCH, token.TYPE, token.VAR)
	if len(c.levels) == 1 {
		offer(token.IMPORT)
		return
	}
	// Check the surroundings of the statement, up to its function.
	for i := len(path) - 1; i >= 0; i-- {
		switch path[i].(type) {
		case *ast.FuncLit:
			offer(token.RETURN)
			return
		case *ast.FuncDecl:
			if len(c.levels) > 1 && !c.atTop(path) {
				offer(token.RETURN)
			}
		case *ast.ForStmt, *ast.RangeStmt:
			offer(token.BREAK, token.CONTINUE)
		case *ast.CaseClause:
			offer(token.BREAK, token.CASE, token.DEFAULT, token.FALLTHROUGH)
		case *ast.CommClause:
			offer(token.BREAK, token.CASE, token.DEFAULT)
		}
	}
}

// atTop reports whether a path begins in the statements of the cell, which the parser sees as a
// function.
func (c *completer) atTop(path []ast.Node) bool {
	for _, f := range c.files {
		if path[0] == ast.Node(f) {
			return c.k.Statements != nil && f.FileStart == c.k.Statements.FileStart
		}
	}
	return false
}

func (c *completer) offerKeywords(keywords ...token.Token) {
	for _, k := range keywords {
		if c.wants(k.String()) {
			c.found = append(c.found, ranked{Candidate{Text: k.String(), Kind: "keyword"}, rankKeyword, fitsNot})
		}
	}
}
