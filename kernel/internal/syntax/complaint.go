package syntax

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// complaintOf returns the place and the text of a complaint of go/parser about a text after a
// prefix, inside a function.
func complaintOf(e *scanner.Error, l *Lexed) (offset int, msg string) {
	offset = max(0, e.Pos.Offset-PrefixLength)
	if last := l.lastEnd(); offset >= last {
		return last, l.atEnd(e.Msg)
	}
	before, _ := slices.BinarySearchFunc(l.Lexemes, offset, func(x Lexeme, at int) int { return cmp.Compare(x.Pos, at) })
	if unclosed(l.Lexemes[:before]) == nil {
		return offset, strings.Replace(e.Msg, "expected '}', found", "expected statement, found", 1) // the brace is not one of the text
	}
	return offset, e.Msg
}

// lastEnd returns the end of the last lexeme in the text.
func (l *Lexed) lastEnd() int {
	for _, x := range slices.Backward(l.Lexemes) {
		if x.Tok != token.EOF && (x.Tok != token.SEMICOLON || x.Lit == ";") {
			return x.End(l.Text)
		}
	}
	return 0
}

// atEnd words a complaint of go/parser about the end of a text: the parser does not know where that
// is, nor, if a bracket is open, what closes it.
func (l *Lexed) atEnd(msg string) string {
	if list, ok := strings.CutPrefix(msg, "missing ',' before newline in "); ok {
		return "unexpected end of cell in " + list + "; possibly missing comma or " + l.closing()
	}
	expected, found, ok := strings.Cut(msg, ", found ")
	if !ok || found != "'}'" && found != "'EOF'" && found != "newline" {
		return msg
	}
	if expected == "expected ';'" || expected == "expected '}'" || expected == "expected declaration" {
		if expected = "expected " + l.closing(); expected == "expected " {
			return "unexpected end of cell"
		}
	}
	return expected + ", found 'EOF'"
}

// closing returns what is missing at the end of a text: the bracket that closes the innermost one,
// or the rest of a declaration or an expression.
func (l *Lexed) closing() string {
	if bracket := unclosed(l.Lexemes); bracket != nil {
		return closerOf[bracket.Tok]
	}
	if len(l.Items) == 0 {
		return ""
	}
	item := l.Items[len(l.Items)-1].Lexemes
	last := item[0].Tok
	for _, x := range item {
		if x.Tok != token.EOF && x.Tok != token.SEMICOLON {
			last = x.Tok
		}
	}
	switch {
	case last == token.IMPORT:
		return "import path"
	case last == token.TYPE, last == token.CONST, last == token.VAR, last == token.FUNC:
		return "name"
	case item[0].Tok == token.TYPE:
		return "type"
	case lacksOperand(last):
		return "expression"
	}
	return ""
}

// unclosed returns the innermost bracket that lexemes do not close. It returns nil if there is
// none, or if brackets do not match.
func unclosed(lexemes []Lexeme) *Lexeme {
	var open []*Lexeme
	for i := range lexemes {
		x := &lexemes[i]
		switch x.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, x)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 || closerOf[open[len(open)-1].Tok] != x.Tok.String() {
				return nil
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[len(open)-1]
}

// onePerLine keeps only the first problem of each line: those after a syntax error are rarely worth
// reading.
func onePerLine(problems []Problem) []Problem {
	var out []Problem
	last := -1
	for _, p := range problems {
		line, _ := p.Source.Position(p.Offset)
		if line != last {
			out = append(out, p)
			last = line
		}
	}
	return out
}

// syntaxWording changes the words of go/parser into those of the compiler.
func syntaxWording(msg string) string {
	if expected, found, ok := strings.Cut(msg, ", found "); ok && strings.HasPrefix(expected, "expected ") {
		return "syntax error: unexpected " + tokenWording(found) + ", expected " + tokenWording(strings.TrimPrefix(expected, "expected "))
	}
	if character, ok := strings.CutPrefix(msg, "illegal character "); ok {
		return "invalid character " + character
	}
	switch msg {
	case "exceeded max scope depth during object resolution", "exceeded max nesting depth":
		return fmt.Sprintf("nested more than %d deep; checking such a cell takes too long", maxTree)
	}
	return "syntax error: " + msg
}

// syntaxHint returns a hint to append to a complaint of go/parser, or nothing.
func syntaxHint(msg string) string {
	if strings.Contains(msg, "rune literal") {
		return " (write text in double quotes)"
	}
	return ""
}

// tokenWording names a token like the compiler: without quotes, and keywords with the word keyword.
func tokenWording(s string) string {
	switch s {
	case "'EOF'":
		return "end of cell"
	case "newline":
		return s
	case "operand":
		return "expression"
	}
	if word, rest, ok := strings.Cut(s, " "); ok && !strings.HasPrefix(s, "'") {
		switch {
		case strings.HasPrefix(word, "IDENT"):
			return "name " + rest
		case word == "INT" || word == "FLOAT" || word == "IMAG" || word == "CHAR" || word == "STRING":
			return "literal " + rest
		}
	}
	s = strings.ReplaceAll(s, "'IDENT'", "name")
	quoted := len(s) > 2 && s[0] == '\'' && s[len(s)-1] == '\''
	if quoted {
		s = s[1 : len(s)-1]
	}
	if quoted && token.IsKeyword(s) {
		return "keyword " + s
	}
	return s
}
