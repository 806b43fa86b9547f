package syntax

import (
	"go/scanner"
	"go/token"
	"strings"
)

// An itemKind is the kind of a piece of a cell.
type itemKind int

const (
	ItemStatement itemKind = iota
	ItemImport
	ItemConst
	ItemType
	ItemFunc
	ItemPackage
)

// An Item is one import, declaration or statement at the top of a cell, as byte offsets into its
// source: src[start:end] without the semicolon.
type Item struct {
	Kind       itemKind
	Start, End int
	// Semicolon is the offset of an explicit semicolon after the item, or -1 if the end of a line
	// ended it.
	Semicolon int
	// Lexemes are those of the item, and the one that ends it.
	Lexemes []Lexeme
}

// A Lexeme is a token of a cell with its place and text.
type Lexeme struct {
	Pos int
	Tok token.Token
	Lit string
}

// End returns the offset after the lexeme.
func (l Lexeme) End(src string) int {
	switch {
	case l.Tok == token.EOF:
		return len(src)
	case strings.HasPrefix(l.Lit, "`"): // without the carriage returns of the source
		if i := strings.IndexByte(src[l.Pos+1:], '`'); i >= 0 {
			return l.Pos + 1 + i + 1
		}
		return len(src)
	case l.Tok.IsLiteral() || l.Tok.IsKeyword() || l.Tok == token.COMMENT || l.Tok == token.ILLEGAL:
		return l.Pos + len(l.Lit)
	case l.Tok == token.SEMICOLON && l.Lit != ";":
		return l.Pos
	}
	return l.Pos + len(l.Tok.String())
}

// Lex splits src into lexemes, without comments. Text that cannot be scanned becomes ILLEGAL; the
// parser words the complaint later.
func Lex(src string) []Lexeme {
	lexemes, _ := lex(src)
	return lexemes
}

// lex is Lex. It also returns the beginning of an unterminated comment, or -1.
func lex(src string) (out []Lexeme, comment int) {
	comment = -1
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(at token.Position, msg string) {
		if msg == "comment not terminated" {
			comment = at.Offset
		}
	}, 0)
	out = make([]Lexeme, 0, len(src)/3+2)
	for {
		pos, tok, lit := s.Scan()
		offset := len(src)
		if pos.IsValid() {
			offset = file.Offset(pos)
		}
		out = append(out, Lexeme{offset, tok, lit})
		if tok == token.EOF {
			return out, comment
		}
	}
}

// A Lexed cell is the source of a cell with its Go split into lexemes and items, once for all
// readers. It lives until the cell is checked; its source stays in the session.
type Lexed struct {
	*Source
	Lexemes []Lexeme // without comments; the last is EOF
	Items   []Item
	// unended is the beginning of an unterminated comment, or -1.
	unended int
}

// NewLexed splits the Go of a source. Text that is too long to parse is not split.
func NewLexed(src *Source) *Lexed {
	if len(src.Text) > maxText {
		return &Lexed{Source: src}
	}
	lexemes, comment := lex(src.Text)
	return &Lexed{src, lexemes, split(src.Text, lexemes), comment}
}

// Split splits a cell into its items. It never fails: text that does not parse becomes a separate
// item, about which the parser complains.
func Split(src string) []Item { return split(src, Lex(src)) }

// split is Split for a text with its lexemes.
func split(src string, lexemes []Lexeme) []Item {
	var items []Item
	depth, first := 0, -1
	flush := func(i, semicolon int) {
		if first < 0 {
			return
		}
		items = append(items, Item{
			Kind:      Classify(lexemes[first:i]),
			Start:     lexemes[first].Pos,
			End:       min(lexemes[i-1].End(src), lexemes[i].Pos),
			Semicolon: semicolon,
			Lexemes:   lexemes[first : i+1],
		})
		first = -1
	}
	for i, l := range lexemes {
		switch l.Tok {
		case token.EOF:
			flush(i, -1)
			continue
		case token.SEMICOLON:
			if depth == 0 && !(l.Lit == ";" && InHeader(lexemes, first, i)) {
				semicolon := -1
				if l.Lit == ";" {
					semicolon = l.Pos
				}
				flush(i, semicolon)
				continue
			}
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth = max(depth-1, 0)
		}
		if first < 0 {
			first = i
		}
	}
	return items
}

// InHeader reports whether the semicolon at index i is in the header of the for, if or switch
// statement at index first.
func InHeader(l []Lexeme, first, i int) bool {
	if first < 0 {
		return false
	}
	if l[first].Tok == token.IDENT && first+2 < i && l[first+1].Tok == token.COLON {
		first += 2 // a label
	}
	switch l[first].Tok {
	case token.FOR, token.IF, token.SWITCH:
		return l[i-1].Tok != token.RBRACE
	}
	return false
}

// Classify determines the kind of an item from its first lexemes.
func Classify(l []Lexeme) itemKind {
	switch l[0].Tok {
	case token.PACKAGE:
		return ItemPackage
	case token.IMPORT:
		return ItemImport
	case token.CONST:
		return ItemConst
	case token.TYPE:
		return ItemType
	case token.FUNC:
		if len(l) > 1 && l[1].Tok == token.IDENT {
			return ItemFunc
		}
		// func (r T) Name( and func (r T) Name[P any]( are methods; func (a int) T { and
		// func (a int) T[int] { are literals.
		i := group(l, 1)
		if i >= len(l) || l[i].Tok != token.IDENT {
			return ItemStatement
		}
		if i++; i < len(l) && l[i].Tok == token.LBRACK {
			i = group(l, i)
		}
		if i < len(l) && l[i].Tok == token.LPAREN {
			return ItemFunc
		}
	}
	return ItemStatement
}

// group returns the index after the parentheses or brackets that begin at i.
func group(l []Lexeme, i int) int {
	depth := 0
	for ; i < len(l); i++ {
		switch l[i].Tok {
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			depth--
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return i
}

// Blank returns src with everything except the kept items replaced by spaces, so that offsets and
// lines stay the same.
func Blank(src string, keep func(Item) bool, items []Item) string {
	out := make([]byte, len(src))
	for i := range out {
		if src[i] == '\n' {
			out[i] = '\n'
		} else {
			out[i] = ' '
		}
	}
	for _, it := range items {
		if !keep(it) {
			continue
		}
		copy(out[it.Start:it.End], src[it.Start:it.End])
		if it.Semicolon >= 0 {
			out[it.Semicolon] = ';'
		}
	}
	return string(out)
}

// nesting describes the nesting of brackets in a text.
type nesting struct {
	open, Deepest int // open at the end, and at most
	// unopened is the place of the first bracket that closes nothing, or -1, and closes is that
	// bracket.
	unopened int
	closes   string
	// tooDeep is the place of the first bracket that is more than maxNesting deep, or ends an
	// equally long chain, or -1.
	tooDeep int
}

// maxText bounds the text of a cell, in bytes.
const maxText = 16 << 20

// maxNesting bounds the nesting of a cell's brackets, and of type elements as in [][][]int:
// go/types takes quadratic time for them.
const maxNesting = 500

// Nest determines the nesting of brackets in a text, and the first one that closes nothing.
func Nest(lexemes []Lexeme) nesting {
	n := nesting{unopened: -1, tooDeep: -1}
	row := 0
	previous := token.ILLEGAL
	for _, l := range lexemes {
		if previous == token.RBRACK && (l.Tok == token.LBRACK || l.Tok == token.MAP) {
			row++
		}
		previous = l.Tok
		switch l.Tok {
		case token.COMMA, token.SEMICOLON, token.ASSIGN, token.DEFINE, token.ADD, token.SUB, token.LBRACE:
			row = 0
		}
		switch l.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			n.open++
			n.Deepest = max(n.Deepest, n.open)
			if max(n.open, row) > maxNesting && n.tooDeep < 0 {
				n.tooDeep = l.Pos
			}
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if n.open--; n.open < 0 && n.unopened < 0 {
				n.unopened, n.closes = l.Pos, l.Tok.String()
			}
		}
	}
	return n
}
