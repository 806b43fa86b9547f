package engine

import (
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"
)

// byteOffset returns where in the text the n-th code point begins.
func byteOffset(text string, n int) int {
	for i := range text {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(text)
}

// wordAround returns the bounds of the name or number that an offset stands
// in or beside.
func wordAround(text string, at int) (start, end int) {
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	start, end = at, at
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if !part(r) {
			break
		}
		start -= n
	}
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		if !part(r) {
			break
		}
		end += n
	}
	return start, end
}

// unended returns the comment, string or character that the text ends within,
// and where it begins; ILLEGAL if there is none.
func unended(text string) (tok token.Token, start int) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	fault := -1
	var s scanner.Scanner
	s.Init(file, []byte(text), func(pos token.Position, msg string) {
		if strings.HasSuffix(msg, "not terminated") {
			fault = pos.Offset
		}
	}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return token.ILLEGAL, len(text)
		}
		offset := file.Offset(pos)
		rest := text[offset:]
		switch tok {
		case token.COMMENT:
			if fault == offset || strings.HasPrefix(rest, "//") && !strings.Contains(rest, "\n") {
				return tok, offset
			}
		case token.STRING, token.CHAR:
			if fault == offset && (lit[0] == '`' || !strings.Contains(rest, "\n")) {
				return tok, offset
			}
		}
	}
}

// A level is a pair of brackets that is open, or what lies outside all, with
// the statement that the text ends in there.
type level struct {
	closer     string
	first      token.Token // of the statement; ILLEGAL between two
	semicolons int         // in the header of the statement
	last       bool        // the statement is an if that has come to its last else
}

// openLevels returns the brackets that are open at the end of the text, from
// the outside in.
func openLevels(text string) []level {
	levels := []level{{}}
	lexemes := lex(text)
	if n := len(lexemes); n > 1 && lexemes[n-2].tok == token.SEMICOLON && lexemes[n-2].lit != ";" && lexemes[n-2].pos == len(text) {
		lexemes = lexemes[:n-2] // the end of the text is not that of a line
	}
	previous := token.ILLEGAL
	for _, l := range lexemes {
		top := &levels[len(levels)-1]
		switch l.tok {
		case token.EOF:
		case token.SEMICOLON:
			if header(top.first) && l.lit == ";" && previous != token.RBRACE {
				top.semicolons++
			} else {
				*top = level{closer: top.closer}
			}
		case token.COLON:
			if top.closer == "" || top.closer == "}" {
				top.first = token.ILLEGAL
			}
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if top.first == token.ILLEGAL {
				top.first = l.tok
			}
			top.last = top.last || previous == token.ELSE
			levels = append(levels, level{closer: closerOf[l.tok]})
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
		default:
			if top.first == token.ILLEGAL {
				top.first = l.tok
			}
		}
		previous = l.tok
	}
	return levels
}

func header(tok token.Token) bool {
	return tok == token.IF || tok == token.FOR || tok == token.SWITCH || tok == token.SELECT
}

// cut returns a text with a word behind it, and with what makes of it whole
// statements; then what follows these in the cell.
func cut(before, word, after string) string {
	levels := openLevels(before)
	var b strings.Builder
	b.WriteString(before)
	b.WriteString(word)
	for i := len(levels) - 1; i >= 0; i-- {
		l := levels[i]
		// The bracket inside this level, which was closed just now, is the
		// statement's block, or stands in its header.
		block := i+1 < len(levels) && levels[i+1].closer == "}"
		switch {
		case header(l.first) && !block:
			if l.first == token.FOR && l.semicolons == 1 {
				b.WriteString(";")
			}
			b.WriteString("{}")
		case l.first == token.CASE && !block:
			b.WriteString(":")
		case (l.first == token.GO || l.first == token.DEFER) && (block || i+1 == len(levels)):
			b.WriteString("()")
		}
		b.WriteString(l.closer)
	}
	b.WriteString("\n")
	b.WriteString(after)
	return b.String()
}

// following returns what comes after the item that an offset stands in, as far
// as it matters there. Where
// its end cannot be told, because brackets do not match, it is taken for the
// next line that begins a declaration.
func following(source string, at int) string {
	if matched(source) {
		rest := source[at:]
		for _, it := range split(source) {
			if it.start <= at && at <= it.end {
				rest = source[it.end:]
				if it.kind != itemStatement {
					return rest
				}
			}
		}
		// What statements below declare is not in scope in one above them.
		return blank(rest, func(it item) bool { return it.kind != itemStatement }, split(rest))
	}
	for rest := source[at:]; ; {
		_, after, more := strings.Cut(rest, "\n")
		if !more {
			return ""
		}
		rest = after
		word, _, _ := strings.Cut(rest, " ")
		switch token.Lookup(word) {
		case token.FUNC, token.TYPE, token.VAR, token.CONST, token.IMPORT:
			return rest
		}
	}
}

// matched reports whether every bracket is closed, and no other.
func matched(text string) bool {
	n := nest(text)
	return n.open == 0 && n.unopened < 0
}
