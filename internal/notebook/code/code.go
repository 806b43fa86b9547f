// Package code splits Go code into pieces for syntax highlighting: in pages of notebooks, and in
// terminals. These choose the colours.
package code

import (
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
)

// A Kind is the syntactic kind of a piece.
type Kind int

// The kinds. Blanks, names except those of functions, brackets, and text that is not Go are Plain.
const (
	Plain Kind = iota
	Keyword
	Constant // predeclared: true, false, iota, nil
	Type     // predeclared
	Function // that is called
	Number
	String // or character
	Comment
	Operator
)

// A Piece is a part of a text.
type Piece struct {
	Kind Kind
	Text string
}

// Pieces splits a text, which need not be valid Go. Joined, the pieces are the text.
func Pieces(text string) []Piece {
	var pieces []Piece
	begin := 0 // of the last piece
	add := func(kind Kind, from, to int) {
		if last := len(pieces) - 1; last >= 0 && pieces[last].Kind == kind && kind == Plain {
			pieces[last].Text = text[begin:to]
		} else if from < to {
			begin = from
			pieces = append(pieces, Piece{kind, text[from:to]})
		}
	}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	// A piece and the blanks after it end where the next one begins: literals lack the carriage
	// returns of the text.
	kind, start := Plain, 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.SEMICOLON && lit != ";" {
			continue // inserted by the scanner at the end of a line
		}
		end := file.Offset(pos)
		piece := strings.TrimRight(text[start:end], " \t\r\n")
		add(kind, start, start+len(piece))
		add(Plain, start+len(piece), end)
		if tok == token.EOF {
			return pieces
		}
		start, kind = end, kindOf(tok, lit, text[end:])
	}
}

// kindOf returns the kind of a token at the beginning of a text.
func kindOf(tok token.Token, lit, text string) Kind {
	switch {
	case tok == token.COMMENT:
		return Comment
	case tok == token.STRING, tok == token.CHAR:
		return String
	case tok.IsLiteral() && tok != token.IDENT:
		return Number
	case tok.IsKeyword():
		return Keyword
	case tok.IsOperator() && !strings.ContainsAny(tok.String(), "()[]{},;") && tok != token.PERIOD:
		return Operator
	case tok != token.IDENT:
		return Plain
	}
	switch types.Universe.Lookup(lit).(type) {
	case *types.TypeName:
		return Type
	case *types.Const, *types.Nil:
		return Constant
	}
	if strings.HasPrefix(text[len(lit):], "(") {
		return Function
	}
	return Plain
}
