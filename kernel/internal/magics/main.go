package magics

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// withMain makes a cell that is a program, with the clause package main, call its function main
// behind everything else, but for an expression at the end, which is the value of the cell, unless
// one of its statements does. Places in the call are those of the declaration.
func withMain(t *syntax.Translation) {
	if !strings.Contains(t.Text, "package") || !strings.Contains(t.Text, "main") {
		return
	}
	program, declared, called := false, -1, false
	items := syntax.Split(t.Text)
	for _, it := range items {
		l := it.Lexemes
		named := len(l) > 1 && l[1].Tok == token.IDENT && l[1].Lit == "main"
		switch {
		case it.Kind == syntax.ItemPackage:
			program = named
		case it.Kind == syntax.ItemFunc && named && len(l) > 4 && l[3].Tok == token.RPAREN && l[4].Tok == token.LBRACE: // go/types refuses others
			declared = it.Start
		case it.Kind == syntax.ItemStatement && l[0].Tok == token.IDENT && l[0].Lit == "main" && l[1].Tok == token.LPAREN:
			called = true
		}
	}
	if !program || declared < 0 {
		return
	}
	if t.Program, t.Main = true, -1; called {
		return
	}
	t.Main = t.Origin(declared)
	at := len(t.Text)
	if t.Timed { // the last statement ends the measurement
		at = items[len(items)-1].Start
		items = items[:len(items)-1]
	}
	if last := items[len(items)-1]; last.Kind == syntax.ItemStatement {
		if _, err := parser.ParseExpr(t.Text[last.Start:last.End]); err == nil {
			at = last.Start
		}
	}
	insertText(t, at, t.Main, "\nmain()\n")
}

// insertText puts Go into the text that stands for an offset of the cell.
func insertText(t *syntax.Translation, at, origin int, text string) {
	if len(t.Pieces) == 0 {
		t.Pieces = []syntax.TextPiece{{Verbatim: true}}
	}
	i := len(t.Pieces)
	for ; i > 0 && t.Pieces[i-1].At >= at; i-- {
		t.Pieces[i-1].At += len(text)
	}
	pieces := []syntax.TextPiece{{At: at, Origin: origin}}
	if i > 0 && at < len(t.Text) && (i == len(t.Pieces) || t.Pieces[i].At > at+len(text)) {
		rest := t.Pieces[i-1]
		if rest.Verbatim {
			rest.Origin += at - rest.At
		}
		rest.At = at + len(text)
		pieces = append(pieces, rest)
	}
	t.Pieces = slices.Insert(t.Pieces, i, pieces...)
	t.Text = t.Text[:at] + text + t.Text[at:]
}
