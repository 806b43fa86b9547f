package magics

import (
	"go/token"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// ended has a return statement at the top of a cell end it: a value that it returns is the cell's
// last expression, and no statement below it is part of the cell. Declarations are, wherever they
// stand. No place in the text changes.
func ended(t *syntax.Translation) {
	if !strings.Contains(t.Text, "return") {
		return
	}
	items := syntax.Split(t.Text)
	for i, it := range items {
		if it.Kind != syntax.ItemStatement {
			continue
		}
		value, ok := returned(it.Lexemes)
		if !ok {
			continue
		}
		end := len(items)
		if t.Timed {
			end--
		}
		below := map[int]bool{}
		for _, other := range items[i+1 : max(end, i+1)] {
			if other.Kind == syntax.ItemStatement {
				below[other.Start] = true
			}
		}
		text := []byte(syntax.Blank(t.Text, func(it syntax.Item) bool { return !below[it.Start] }, items))
		copy(text[it.Start:], value)
		t.Text = string(text)
		return
	}
}

// returned returns what takes the place of the keyword of a return statement with at most one
// value, whose lexemes end with the one behind it.
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
