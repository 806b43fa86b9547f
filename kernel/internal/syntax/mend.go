package syntax

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Mend closes the brackets that earlier lines of a text have left open, and removes those that
// close nothing, so that a broken statement does not swallow the following ones. Brackets around
// the end of the text may be open on purpose, and stay.
func Mend(text string) string {
	var b strings.Builder
	done := 0
	to := func(offset int) {
		b.WriteString(text[done:offset])
		done = offset
	}
	lexemes := Lex(text)
	var open []Lexeme
	var blocks []bool // whether each open bracket contains statements
	var closing []string
	pop := func(n int) {
		open, blocks, closing = open[:n], blocks[:n], closing[:n]
	}
	closeAbove := func(n int) {
		for i := len(closing) - 1; i >= n; i-- {
			b.WriteString(closing[i])
		}
		pop(n)
	}
	line := 0 // index of the first lexeme of the line
	for i, l := range lexemes {
		if i > 0 && strings.Contains(text[lexemes[i-1].Pos:l.Pos], "\n") {
			line = i
		}
		if begins := statementBegins(lexemes, line, i); begins >= 0 {
			n := len(open)
			for n > 0 && (!blocks[n-1] || l.Tok == token.FUNC) && open[n-1].Pos < lexemes[line].Pos {
				n--
			}
			if n < len(open) && begins > 0 && lexemes[begins].Pos >= done {
				end := lexemes[begins-1].End(text)
				if end >= done && end <= lexemes[begins].Pos {
					to(end)
					closeAbove(n)
				}
			}
		}
		switch l.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, l)
			blocks = append(blocks, l.Tok == token.LBRACE && (Block(lexemes[:i]) || line == i || i > 0 && lexemes[i-1].Tok == token.COLON))
			closing = append(closing, closerOf[l.Tok])
		case token.RPAREN, token.RBRACK, token.RBRACE:
			n := len(closing) - 1
			for n >= 0 && closing[n] != l.Tok.String() {
				n--
			}
			to(l.Pos)
			if n < 0 {
				b.WriteByte(' ')
				done = l.Pos + 1
				continue
			}
			closeAbove(n + 1)
			pop(n)
		}
	}
	to(len(text))
	return b.String()
}

var closerOf = map[token.Token]string{token.LPAREN: ")", token.LBRACK: "]", token.LBRACE: "}"}

// statementBegins returns the index of the first lexeme of the line if the i-th lexeme shows that
// the line is a statement, and -1 otherwise.
func statementBegins(lexemes []Lexeme, line, i int) int {
	switch lexemes[i].Tok {
	case token.IF, token.FOR, token.SWITCH, token.SELECT, token.RETURN, token.GO, token.DEFER, token.VAR, token.CONST, token.TYPE,
		token.IMPORT, token.BREAK, token.CONTINUE, token.GOTO:
		if i == line {
			return line
		}
	case token.FUNC:
		if i == line && i+1 < len(lexemes) && Classify(lexemes[i:]) == ItemFunc {
			return line
		}
	case token.DEFINE:
		for j := line; j < i; j++ {
			if tok := lexemes[j].Tok; tok != token.IDENT && tok != token.COMMA {
				return -1
			}
		}
		return line
	}
	return -1
}

// maxFaults bounds how often an item is parsed to find wrong lines.
const maxFaults = 20

// WithoutFaults blanks the lines that the parser complains about, except that of an offset, so that
// the code around them is understood. It keeps braces, since the rest of the text relies on them.
func WithoutFaults(text string, keep int) string {
	tried := map[int]bool{strings.Count(text[:min(keep, len(text))], "\n"): true}
	good := map[string]bool{} // items without faults
	for range maxFaults {
		faults := syntaxFaults(text, good)
		if len(faults) == 0 {
			return text
		}
		lexemes := Lex(text)
		rows := rowsOf(text, lexemes)
		out := []byte(text)
		progress := false
		for _, fault := range faults {
			row := strings.Count(text[:fault.offset], "\n")
			wrong := row
			// An expression may continue on the next line.
			if i, _ := slices.BinarySearch(rows, row); i > 0 && lacksOperand(lexemes[i-1].Tok) {
				wrong = rows[i-1]
			}
			if tried[wrong] {
				wrong = row
			}
			if !tried[wrong] {
				tried[wrong] = true
				blankLine(out, text, lexemes, rows, wrong)
				progress = true
			} else if keep < fault.Start || fault.End < keep {
				// The fault shares its line with the kept offset, or was already tried.
				blankBytes(out, fault.Start, fault.End)
				progress = true
			}
		}
		if !progress {
			return text
		}
		text = string(out)
	}
	return text
}

// A fault is an item that does not parse.
type fault struct {
	Item
	offset int // of the first complaint
}

// syntaxFaults returns the faults in a text, except in the items of good. It adds items without
// faults to good.
func syntaxFaults(text string, good map[string]bool) []fault {
	var faults []fault
	for _, it := range Split(text) {
		item := text[it.Start:it.End]
		if good[item] {
			continue
		}
		prefix, suffix := DeclarationPrefix, ""
		if it.Kind == ItemStatement {
			prefix, suffix = StatementPrefix, "\n}"
		}
		_, err := parser.ParseFile(token.NewFileSet(), "", prefix+item+suffix, parser.SkipObjectResolution)
		if list, ok := err.(scanner.ErrorList); ok {
			faults = append(faults, fault{it, it.Start + clamp(list[0].Pos.Offset-PrefixLength, item)})
		} else {
			good[item] = true
		}
	}
	return faults
}

// rowsOf returns the lines, from 0, in which the lexemes of a text begin.
func rowsOf(text string, lexemes []Lexeme) []int {
	rows := make([]int, len(lexemes))
	row, done := 0, 0
	for i, l := range lexemes {
		row += strings.Count(text[done:l.Pos], "\n")
		done = l.Pos
		rows[i] = row
	}
	return rows
}

// blankLine blanks the lexemes that begin in a line, except braces, in out, which holds the text.
func blankLine(out []byte, text string, lexemes []Lexeme, rows []int, row int) {
	for i, l := range lexemes {
		switch {
		case rows[i] != row, l.Tok == token.RBRACE, l.Tok == token.EOF:
		case l.Tok == token.LBRACE:
			if l.Pos > 0 && out[l.Pos-1] == ' ' {
				out[l.Pos-1] = ';' // it becomes a separate block
			}
		default:
			blankBytes(out, l.Pos, l.End(text))
		}
	}
}

func blankBytes(out []byte, start, end int) {
	for at := start; at < min(end, len(out)); at++ {
		if out[at] != '\n' {
			out[at] = ' '
		}
	}
}
