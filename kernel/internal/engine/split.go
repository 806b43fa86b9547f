package engine

import (
	"go/scanner"
	"go/token"
)

// An itemKind says what a piece of a cell is.
type itemKind int

const (
	itemStatement itemKind = iota
	itemImport
	itemConst
	itemType
	itemFunc
	itemPackage
)

// An item is one import, declaration or statement at the top of a cell, as
// byte offsets into its source: src[start:end] without the semicolon.
type item struct {
	kind       itemKind
	start, end int
	// semicolon is the offset of a semicolon that was written after the
	// item, or -1 when the end of a line ended it.
	semicolon int
}

type lexeme struct {
	pos int
	tok token.Token
	lit string
}

func (l lexeme) end(src string) int {
	switch {
	case l.tok == token.EOF:
		return len(src)
	case l.tok.IsLiteral() || l.tok.IsKeyword() || l.tok == token.COMMENT || l.tok == token.ILLEGAL:
		return l.pos + len(l.lit)
	case l.tok == token.SEMICOLON && l.lit != ";":
		return l.pos
	}
	return l.pos + len(l.tok.String())
}

// lex cuts src into lexemes, without comments. What cannot be scanned becomes
// ILLEGAL; the parser words the complaint later.
func lex(src string) []lexeme {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, 0)
	out := make([]lexeme, 0, len(src)/3+2)
	for {
		pos, tok, lit := s.Scan()
		offset := len(src)
		if pos.IsValid() {
			offset = file.Offset(pos)
		}
		out = append(out, lexeme{offset, tok, lit})
		if tok == token.EOF {
			return out
		}
	}
}

// split cuts a cell into its items. It never fails: text that does not parse
// ends up in an item of its own, and the parser complains about it.
func split(src string) []item {
	lexemes := lex(src)
	var items []item
	depth, first := 0, -1
	flush := func(i, semicolon int) {
		if first < 0 {
			return
		}
		items = append(items, item{
			kind:      classify(lexemes[first:i]),
			start:     lexemes[first].pos,
			end:       min(lexemes[i-1].end(src), lexemes[i].pos),
			semicolon: semicolon,
		})
		first = -1
	}
	for i, l := range lexemes {
		switch l.tok {
		case token.EOF:
			flush(i, -1)
			continue
		case token.SEMICOLON:
			if depth == 0 && !(l.lit == ";" && inHeader(lexemes, first, i)) {
				semicolon := -1
				if l.lit == ";" {
					semicolon = l.pos
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

// inHeader reports whether the semicolon at index i stands in the header of
// the for, if or switch statement that begins at index first.
func inHeader(l []lexeme, first, i int) bool {
	if first < 0 {
		return false
	}
	if l[first].tok == token.IDENT && first+2 < i && l[first+1].tok == token.COLON {
		first += 2 // a label
	}
	switch l[first].tok {
	case token.FOR, token.IF, token.SWITCH:
		return l[i-1].tok != token.RBRACE
	}
	return false
}

// classify looks at the first lexemes of an item.
func classify(l []lexeme) itemKind {
	switch l[0].tok {
	case token.PACKAGE:
		return itemPackage
	case token.IMPORT:
		return itemImport
	case token.CONST:
		return itemConst
	case token.TYPE:
		return itemType
	case token.FUNC:
		if len(l) > 1 && l[1].tok == token.IDENT {
			return itemFunc
		}
		// func (r T) Name( is a method; func (a int) T { a literal.
		depth := 0
		for i := 1; i < len(l); i++ {
			switch l[i].tok {
			case token.LPAREN:
				depth++
			case token.RPAREN:
				depth--
			}
			if depth == 0 {
				if i+2 < len(l) && l[i+1].tok == token.IDENT && l[i+2].tok == token.LPAREN {
					return itemFunc
				}
				break
			}
		}
	}
	return itemStatement
}

// blank returns src with everything outside the kept items replaced by
// spaces, so that offsets and lines stay what they were.
func blank(src string, keep func(item) bool, items []item) string {
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
		copy(out[it.start:it.end], src[it.start:it.end])
		if it.semicolon >= 0 {
			out[it.semicolon] = ';'
		}
	}
	return string(out)
}
