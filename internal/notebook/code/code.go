// Package code cuts Go into pieces that are shown in colours: in pages of notebooks, and in
// terminals. Which colours is left to them.
package code

import (
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
)

// A Kind is what a piece of Go is to a reader.
type Kind int

// The kinds. Blanks, names of things other than functions, brackets, and what is no Go are Plain.
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

// Pieces cuts a text, which need not be valid Go. Together they are the text.
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
	// A piece and the blanks behind it end where the next one begins: literals lack the carriage
	// returns that the text has.
	kind, start := Plain, 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.SEMICOLON && lit != ";" {
			continue // which the scanner puts at the end of a line
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

// kindOf tells the kind of a token with which a text begins.
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
