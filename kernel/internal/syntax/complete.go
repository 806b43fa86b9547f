package syntax

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Completeness tells whether the source is a whole cell: "complete", "incomplete" or "invalid". For
// an incomplete one, indent is the indentation of the next line according to gofmt, unless that
// line begins with a closing bracket or a case. A package clause with only imports is incomplete:
// it begins a program.
func Completeness(source string) (status, indent string) {
	end := scanEnd(source)
	if end.invalid {
		return "invalid", ""
	}
	// Close what is open, so that the parser complains about the rest.
	text := source
	switch {
	case end.open == token.COMMENT:
		text = source[:end.start]
	case end.open == token.STRING:
		text = source[:end.start] + "``"
	}
	incomplete := end.open != token.ILLEGAL || len(end.brackets) > 0 || continues(end.last)
	items := Split(text)
	for i, it := range items {
		prefix, suffix := DeclarationPrefix, ""
		switch it.Kind {
		case ItemStatement:
			prefix, suffix = StatementPrefix, "\n}"
		case ItemPackage:
			prefix = ""
			incomplete = incomplete || !slices.ContainsFunc(items, func(it Item) bool { return it.Kind != ItemPackage && it.Kind != ItemImport })
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", prefix+text[it.Start:it.End]+suffix, parser.SkipObjectResolution)
		list, ok := err.(scanner.ErrorList)
		if !ok {
			if i+1 == len(items) && it.Kind == ItemFunc && file.Decls[0].(*ast.FuncDecl).Body == nil {
				incomplete = true
			}
			continue
		}
		// An error after the end of the text means that text is missing.
		if i+1 < len(items) || list[0].Pos.Offset-len(prefix) < it.End-it.Start {
			return "invalid", ""
		}
		incomplete = true
	}
	if !incomplete {
		return "complete", ""
	}
	return "incomplete", strings.Repeat("\t", end.indent())
}

// An ending describes the end of a cell's text.
type ending struct {
	invalid  bool // no further text can make it valid
	brackets []openBracket
	open     token.Token // COMMENT or STRING, if it ends within one, or ILLEGAL
	start    int         // the beginning of that
	last     token.Token // other than a comment or the end of a line
}

// An openBracket is a bracket that the text does not close.
type openBracket struct {
	tok  token.Token
	line int
	// block says that the bracket contains statements, and switches that it contains clauses, of
	// which clause says that there are some; header says that the last of them has no colon yet.
	block, switches, clause, header bool
}

// scanEnd reads a text to its end.
func scanEnd(source string) ending {
	end := ending{open: token.ILLEGAL, last: token.SEMICOLON}
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), func(pos token.Position, msg string) {
		switch msg {
		case "comment not terminated":
			end.open, end.start = token.COMMENT, pos.Offset
		case "raw string literal not terminated":
			end.open, end.start = token.STRING, pos.Offset
		default:
			end.invalid = true
		}
	}, 0)
	var before []Lexeme
	for {
		pos, tok, lit := s.Scan()
		var inner *openBracket
		if n := len(end.brackets); n > 0 {
			inner = &end.brackets[n-1]
		}
		switch tok {
		case token.EOF:
			return end
		case token.LPAREN, token.LBRACK, token.LBRACE:
			b := openBracket{tok: tok, line: file.Line(pos)}
			if tok == token.LBRACE {
				b.block = Block(before)
				b.switches = b.block && switches(before)
			}
			end.brackets = append(end.brackets, b)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if inner == nil || closerOf[inner.tok] != tok.String() {
				end.invalid = true
				return end
			}
			end.brackets = end.brackets[:len(end.brackets)-1]
		case token.CASE, token.DEFAULT:
			if inner != nil {
				inner.clause, inner.header = true, true
			}
		case token.COLON:
			if inner != nil {
				inner.header = false
			}
		}
		before = append(before, Lexeme{file.Offset(pos), tok, lit})
		if tok != token.SEMICOLON || lit == ";" || !continues(end.last) {
			end.last = tok
		}
	}
}

// switches reports whether the block after some lexemes is that of a switch or select statement.
func switches(before []Lexeme) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i].Tok {
		case token.SWITCH, token.SELECT:
			return true
		case token.FUNC, token.IF, token.ELSE, token.FOR, token.LBRACE, token.RBRACE:
			return false
		case token.SEMICOLON:
			if before[i].Lit != ";" {
				return false
			}
		}
	}
	return false
}

// indent returns the number of tabs at the beginning of the line after the text.
func (e ending) indent() int {
	if e.open == token.STRING {
		return 0 // they would be part of the string
	}
	tabs, line := 0, 0
	for _, b := range e.brackets {
		// Brackets opened on the same line are one step.
		if b.line != line && (!b.switches || b.clause) {
			tabs++
		}
		line = b.line
	}
	if e.open == token.COMMENT {
		return tabs
	}
	var inner openBracket
	if n := len(e.brackets); n > 0 {
		inner = e.brackets[n-1]
	} else {
		inner.block = true
	}
	switch {
	case inner.tok == token.LPAREN, inner.tok == token.LBRACK, inner.header:
	case lacksOperand(e.last), e.last == token.COMMA && inner.block:
		tabs++
	}
	return tabs
}

// continues reports tokens after which a statement continues.
func continues(tok token.Token) bool {
	switch tok {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON, token.ELLIPSIS:
		return false
	}
	if tok.IsOperator() {
		return true
	}
	switch tok {
	case token.VAR, token.CONST, token.TYPE, token.FUNC, token.IMPORT, token.IF, token.FOR, token.SWITCH, token.SELECT,
		token.GO, token.DEFER, token.RANGE, token.STRUCT, token.INTERFACE, token.MAP, token.CHAN, token.CASE, token.ELSE:
		return true
	}
	return false
}

// lacksOperand reports tokens before an expression.
func lacksOperand(tok token.Token) bool {
	switch tok {
	case token.LBRACE, token.LPAREN, token.LBRACK, token.COMMA, token.COLON:
		return false
	}
	return tok.IsOperator() && continues(tok)
}
