package magics

import (
	"go/token"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// mustText declares the function for calls with an error inside functions, where errors do not stop
// the cell by themselves.
const mustText = "func " + program.Must + "[T any](value T, err error) T { if err != nil { panic(err) }; return value }\n"

// withMust adds the declaration of must to the Go of a cell, if it calls a function of that name
// and neither it nor an earlier cell declares one. From then on the session has it.
func withMust(l *syntax.Lexed, taken func(string) bool) {
	if callsMust(l.Items) && !taken(program.Must) {
		l.Insert(syntax.Edits{{Text: mustText}})
	}
}

// callsMust reports whether items call a function must that they do not declare at the top level.
func callsMust(items []syntax.Item) bool {
	calls := false
	for _, it := range items {
		depth := 0
		var before token.Token
		for i, l := range it.Lexemes {
			switch l.Tok {
			case token.LPAREN, token.LBRACK, token.LBRACE:
				depth++
			case token.RPAREN, token.RBRACK, token.RBRACE:
				depth--
			case token.IDENT:
				if l.Lit != program.Must || before == token.PERIOD {
					break
				}
				switch next := it.Lexemes[i+1].Tok; {
				case before == token.FUNC, before == token.TYPE, before == token.CONST, before == token.VAR, before == token.IMPORT,
					depth == 0 && (next == token.DEFINE || next == token.COMMA):
					return false
				case next == token.LPAREN || next == token.LBRACK:
					calls = true
				}
			}
			before = l.Tok
		}
	}
	return calls
}
