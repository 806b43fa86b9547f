package magics

import (
	"go/token"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// mustText declares the function that a call with an error is given to in functions, where errors
// do not stop the cell by themselves.
const mustText = "func " + program.Must + "[T any](value T, err error) T { if err != nil { panic(err) }; return value }\n"

// withMust puts the declaration of must before the Go of a cell, if it calls a function of that
// name and neither it nor an earlier cell declares one: from then on it is one of the session's.
func withMust(t *syntax.Translation, taken func(string) bool) {
	if !strings.Contains(t.Text, program.Must) || taken(program.Must) || !callsMust(t.Text) {
		return
	}
	insertText(t, 0, t.Origin(0), mustText)
}

// callsMust reports whether a text calls a function must that it does not declare at its top.
func callsMust(text string) bool {
	calls, depth := false, 0
	var before token.Token
	lexemes := syntax.Lex(text)
	for i, l := range lexemes {
		switch l.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.IDENT:
			if l.Lit != program.Must || before == token.PERIOD {
				break
			}
			switch next := lexemes[i+1].Tok; {
			case before == token.FUNC, before == token.TYPE, before == token.CONST, before == token.VAR, before == token.IMPORT,
				depth == 0 && (next == token.DEFINE || next == token.COMMA):
				return false
			case next == token.LPAREN || next == token.LBRACK:
				calls = true
			}
		}
		before = l.Tok
	}
	return calls
}
