package magics

import (
	"go/token"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// ended makes a return statement at the top level of a cell end the cell: its value becomes the
// cell's last expression, and the statements below it are removed. Declarations stay, wherever they
// are. No place in the text changes.
func ended(l *syntax.Lexed) {
	for i, it := range l.Items {
		if it.Kind != syntax.ItemStatement {
			continue
		}
		value, ok := returned(it.Lexemes)
		if !ok {
			continue
		}
		kept := l.Items[: i+1 : i+1]
		for j, below := range l.Items[i+1:] {
			stop := l.Timed && i+1+j == len(l.Items)-1 // the end of a measurement
			if below.Kind != syntax.ItemStatement || stop {
				kept = append(kept, below)
			}
		}
		l.Items = kept
		text := []byte(syntax.Blank(l.Text, func(syntax.Item) bool { return true }, kept))
		copy(text[it.Start:], value)
		l.Text = string(text)
		return
	}
}

// returned returns the replacement for the keyword of a return statement with at most one value.
// The lexemes end with the one after the statement.
func returned(lexemes []syntax.Lexeme) (text string, ok bool) {
	if lexemes[0].Tok != token.RETURN {
		return "", false
	}
	depth := 0
	for _, l := range lexemes {
		switch l.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.COMMA:
			if depth == 0 {
				return "", false
			}
		}
	}
	if tok := lexemes[1].Tok; tok == token.EOF || tok == token.SEMICOLON {
		return "{    }", true
	}
	return "      ", true
}
