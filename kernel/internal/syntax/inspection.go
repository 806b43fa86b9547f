package syntax

import (
	"go/token"
)

// maxHeader bounds how many lexemes a statement has before its block.
const maxHeader = 1000

// block reports whether a brace that follows begins statements, not a literal
// or a type.
func Block(before []Lexeme) bool {
	depth := 0
	for i := len(before) - 1; i >= max(0, len(before)-maxHeader); i-- {
		l := before[i]
		switch l.Tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
			continue
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if depth--; depth < 0 {
				return false
			}
			continue
		}
		if depth > 0 {
			continue
		}
		switch l.Tok {
		case token.FUNC, token.IF, token.ELSE, token.FOR, token.SWITCH, token.SELECT:
			return true
		case token.STRUCT, token.INTERFACE:
			return false
		case token.SEMICOLON:
			if l.Lit != ";" || i > 0 && before[i-1].Tok == token.RBRACE {
				return false
			}
		}
	}
	return false
}
