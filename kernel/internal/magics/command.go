package magics

import (
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// An insert is the place of an expression in a command, as offsets into the cell.
type insert struct {
	// start and end are the braces, and from and to the expression in them.
	start, from, to, end int
	// quote is the quotation mark that is open there in the command; 0 for none.
	quote byte
	// plain says that the braces are doubled, and mean the expression in single braces.
	plain bool
}

// command parses a shell command after an exclamation mark. A backslash at the end of a line
// continues it.
func (f *magicFinder) command(at int, before []syntax.Lexeme) *Use {
	end := f.line(at)
	for strings.HasSuffix(f.text[at:end], "\\") {
		newline := strings.IndexByte(f.text[end:], '\n')
		if newline < 0 {
			break
		}
		end = f.line(end + newline + 1)
	}
	m := &Use{Kind: &ShellKind, Start: at, End: end, Argument: f.skip(at+1, end), ArgumentEnd: end}
	if m.Argument == end {
		m.complain(at, "a command is missing after !")
	}
	f.insert(m, m.Argument, end, before)
	return m
}

// lines returns the command at an exclamation mark whose output is assigned, or nil if the code is
// Go.
func (f *magicFinder) lines(at int, before []syntax.Lexeme) *Use {
	if f.known == nil || len(before) <= f.begun {
		return nil
	}
	statement := before[f.begun:]
	last := len(statement) - 1
	if tok := statement[last].Tok; tok != token.DEFINE && tok != token.ASSIGN {
		return nil
	}
	for _, l := range statement[:last] {
		if l.Tok != token.IDENT && l.Tok != token.COMMA && l.Tok != token.PERIOD {
			return nil
		}
	}
	if strings.Contains(f.text[statement[last].Pos:at], "\n") || f.isGo(at+1, before) {
		return nil
	}
	m := f.command(at, before)
	m.Lines = true
	return m
}

// isGo reports whether the text after an exclamation mark, up to the end of the line, is the
// beginning of a Go expression: it names something known, and is not a command.
func (f *magicFinder) isGo(at int, before []syntax.Lexeme) bool {
	text := f.text[at:f.line(at)]
	lexemes := syntax.Lex(text)
	depth, i := 0, 0
	for i < len(lexemes) && slices.Contains([]token.Token{token.LPAREN, token.NOT, token.MUL, token.AND, token.ARROW}, lexemes[i].Tok) {
		i++
	}
	if i >= len(lexemes) {
		return false
	}
	switch first := lexemes[i]; first.Tok {
	case token.FUNC, token.STRUCT, token.MAP, token.INTERFACE, token.CHAN:
		return true
	case token.LBRACK:
		return i+1 < len(lexemes) && (lexemes[i+1].Tok == token.RBRACK || lexemes[i+1].Tok == token.INT)
	case token.IDENT:
		if !f.names(first.Lit, at, before) {
			return false
		}
	default:
		return false
	}
	for _, l := range lexemes {
		switch l.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
	}
	if depth > 0 || strings.HasSuffix(text, "&&") || strings.HasSuffix(text, "||") || strings.HasSuffix(text, ".") {
		return true // it goes on
	}
	if comment := strings.Index(text, "//"); comment >= 0 {
		text = text[:comment]
	}
	_, err := parser.ParseExpr(strings.TrimRight(text, "; \t\r"))
	return err == nil
}

// names reports whether a name is known, or occurs in the cell before the statement around an
// offset, or in a declaration after it.
func (f *magicFinder) names(name string, at int, before []syntax.Lexeme) bool {
	if f.known != nil && f.known(name) {
		return true
	}
	for _, l := range before[:min(f.begun, len(before))] {
		if l.Tok == token.IDENT && l.Lit == name {
			return true
		}
	}
	rest := syntax.Lex(f.text[f.line(at):])
	for i := 1; i < len(rest); i++ {
		if rest[i].Tok == token.IDENT && rest[i].Lit == name && slices.Contains([]token.Token{token.FUNC, token.VAR, token.CONST, token.TYPE}, rest[i-1].Tok) {
			return true
		}
	}
	return false
}

// insert finds the places for values in a command. It tracks the shell's quotation marks, which
// change how a value is written.
func (f *magicFinder) insert(m *Use, from, to int, before []syntax.Lexeme) {
	if !strings.Contains(f.text[from:to], "{") {
		return
	}
	const bare, double, parenthesis = 0, '"', '('
	open := []byte{bare}
	add := func(at int, quote byte) int {
		p, ok := f.expression(at, to, before)
		if !ok {
			return at + 1
		}
		p.quote = quote
		m.inserts = append(m.inserts, p)
		return p.end
	}
	for at := from; at < to; {
		top := open[len(open)-1]
		switch c := f.text[at]; {
		case c == '\\':
			at += 2
		case c == '\'' && top != double:
			for at++; at < to && f.text[at] != '\''; {
				if f.text[at] == '{' {
					at = add(at, '\'')
				} else {
					at++
				}
			}
			at++
		case c == '`':
			end := at + 1
			for end < to && f.text[end] != '`' {
				if f.text[end] == '\\' {
					end++
				}
				if end < to && f.text[end] == '{' {
					if _, ok := f.expression(end, to, before); ok {
						m.complain(end, "no value can be inserted between backquotes: write $(...) instead of them")
					}
				}
				end++
			}
			at = end + 1
		case c == '"' && top == double:
			open = open[:len(open)-1]
			at++
		case c == '"':
			open = append(open, double)
			at++
		case strings.HasPrefix(f.text[at:to], "$("):
			open = append(open, parenthesis)
			at += 2
		case c == '(' && top != double:
			open = append(open, parenthesis)
			at++
		case c == ')' && top == parenthesis:
			open = open[:len(open)-1]
			at++
		case c == '#' && top != double && (at == from || strings.IndexByte(" \t;&|(\n", f.text[at-1]) >= 0):
			for at < to && f.text[at] != '\n' {
				at++
			}
		case c == '{' && (at == from || f.text[at-1] != '$'):
			quote := top
			if quote == parenthesis {
				quote = bare
			}
			at = add(at, quote)
		default:
			at++
		}
	}
}

// expression parses an expression in braces. It must begin with a known name, so that braces with a
// meaning for the shell, or for its commands, do not count: {a,b}, {1..3}, {print $1}, ${HOME}, {}.
func (f *magicFinder) expression(at, to int, before []syntax.Lexeme) (insert, bool) {
	p := insert{start: at, from: at + 1}
	if strings.HasPrefix(f.text[at:to], "{{") {
		p.plain, p.from = true, at+2
	}
	lexemes := syntax.Lex(f.text[p.from:to])
	if len(lexemes) == 0 || lexemes[0].Pos != 0 || lexemes[0].Tok != token.IDENT || !f.names(lexemes[0].Lit, at, before) {
		return p, false
	}
	for i := p.from; i < to; i++ {
		if f.text[i] != '}' {
			continue
		}
		text := f.text[p.from:i]
		if _, err := parser.ParseExpr(text); err != nil {
			continue
		}
		switch types.Universe.Lookup(text).(type) {
		case *types.Builtin, *types.TypeName:
			return p, false // such as awk's print
		}
		p.to, p.end = i, i+1
		if p.plain {
			if !strings.HasPrefix(f.text[i:to], "}}") {
				return p, false
			}
			p.end++
		}
		return p, true
	}
	return p, false
}
