package magics

import (
	"go/parser"
	"go/token"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// withMain makes a cell that is a program, with the clause package main, call its function main
// after everything else, unless one of its statements does. An expression at the end, the value of
// the cell, stays last. Places in the call are those of the declaration.
func withMain(l *syntax.Lexed) {
	program, declared, called := false, -1, false
	for _, it := range l.Items {
		x := it.Lexemes
		named := len(x) > 1 && x[1].Tok == token.IDENT && x[1].Lit == "main"
		switch {
		case it.Kind == syntax.ItemPackage:
			program = named
		case it.Kind == syntax.ItemFunc && named && len(x) > 4 && x[3].Tok == token.RPAREN && x[4].Tok == token.LBRACE: // go/types refuses others
			declared = it.Start
		case it.Kind == syntax.ItemStatement && x[0].Tok == token.IDENT && x[0].Lit == "main" && x[1].Tok == token.LPAREN:
			called = true
		}
	}
	if !program || declared < 0 {
		return
	}
	if l.Program, l.Main = true, -1; called {
		return
	}
	l.Main = l.Origin(declared)
	items, at := l.Items, len(l.Text)
	if l.Timed { // the last statement ends the measurement
		at = items[len(items)-1].Start
		items = items[:len(items)-1]
	}
	if last := items[len(items)-1]; last.Kind == syntax.ItemStatement {
		if _, err := parser.ParseExpr(l.Text[last.Start:last.End]); err == nil {
			at = last.Start
		}
	}
	l.Insert(syntax.Edits{{Start: at, End: at, Text: "\nmain()\n"}})
	for i := range l.Pieces {
		if p := &l.Pieces[i]; p.At == at {
			p.Origin = l.Main
			break
		}
	}
}
