package syntax

import (
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ByteOffset returns the offset of the n-th code point in the text.
func ByteOffset(text string, n int) int {
	for i := range text {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(text)
}

// WordAround returns the bounds of the name or number at an offset, or beside it.
func WordAround(text string, at int) (start, end int) {
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

// Unended returns the comment, string or character literal that contains the end of the text, and
// its beginning; ILLEGAL if there is none.
func Unended(text string) (tok token.Token, start int) {
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

// A Level is an open pair of brackets, or the outside of all, with the unfinished statement there.
type Level struct {
	closer     string
	First      token.Token // of the statement; ILLEGAL between two
	Semicolons int         // in the header of the statement
	Last       bool        // the statement is an if in its last else
}

// OpenLevels returns the open brackets at the end of the text, from the outside in.
func OpenLevels(text string) []Level {
	levels := []Level{{}}
	lexemes := Lex(text)
	if n := len(lexemes); n > 1 && lexemes[n-2].Tok == token.SEMICOLON && lexemes[n-2].Lit != ";" && lexemes[n-2].Pos == len(text) {
		lexemes = lexemes[:n-2] // the end of the text is not the end of a line
	}
	previous := token.ILLEGAL
	for _, l := range lexemes {
		top := &levels[len(levels)-1]
		switch l.Tok {
		case token.EOF:
		case token.SEMICOLON:
			if header(top.First) && l.Lit == ";" && previous != token.RBRACE {
				top.Semicolons++
			} else {
				*top = Level{closer: top.closer}
			}
		case token.COLON:
			if top.closer == "" || top.closer == "}" {
				top.First = token.ILLEGAL
			}
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if top.First == token.ILLEGAL {
				top.First = l.Tok
			}
			top.Last = top.Last || previous == token.ELSE
			levels = append(levels, Level{closer: closerOf[l.Tok]})
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
		default:
			if top.First == token.ILLEGAL {
				top.First = l.Tok
			}
		}
		previous = l.Tok
	}
	return levels
}

func header(tok token.Token) bool {
	return tok == token.IF || tok == token.FOR || tok == token.SWITCH || tok == token.SELECT
}

// Cut returns a text with a word and the text that completes its statements, and then the rest of
// the cell after these.
func Cut(before, word, after string) string {
	levels := OpenLevels(before)
	var b strings.Builder
	b.WriteString(before)
	b.WriteString(word)
	for i := len(levels) - 1; i >= 0; i-- {
		l := levels[i]
		// The bracket inside this level, which was just closed, is the statement's block, or is in
		// its header.
		block := i+1 < len(levels) && levels[i+1].closer == "}"
		switch {
		case header(l.First) && !block:
			if l.First == token.FOR && l.Semicolons == 1 {
				b.WriteString(";")
			}
			b.WriteString("{}")
		case l.First == token.CASE && !block:
			b.WriteString(":")
		case (l.First == token.GO || l.First == token.DEFER) && (block || i+1 == len(levels)):
			b.WriteString("()")
		}
		b.WriteString(l.closer)
	}
	b.WriteString("\n")
	b.WriteString(after)
	return b.String()
}

// Following returns the relevant code after the item that contains an offset. If its end is
// unclear, because brackets do not match, it is the next line that begins a declaration.
func Following(source string, at int) string {
	if matched(source) {
		rest := source[at:]
		for _, it := range Split(source) {
			if it.Start <= at && at <= it.End {
				rest = source[it.End:]
				if it.Kind != ItemStatement {
					return rest
				}
			}
		}
		// Variables that statements below declare are not in scope above.
		return Blank(rest, func(it Item) bool { return it.Kind != ItemStatement }, Split(rest))
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

// matched reports whether all brackets match.
func matched(text string) bool {
	n := Nest(Lex(text))
	return n.open == 0 && n.unopened < 0
}

// maxHeader bounds how many lexemes a statement has before its block.
const maxHeader = 1000

// Block reports whether a following brace begins statements, and not a literal or a type.
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
