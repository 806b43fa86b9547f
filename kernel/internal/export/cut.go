package export

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A piece is an item of a cell with the comments around it, which move with the item.
type piece struct {
	syntax.Item
	// lead are the comments before the item, each with a line end, and trail the comment after it
	// on its line.
	lead, trail string
	// spaced says that an empty line precedes the piece, and apart that one separates lead and
	// item.
	spaced, apart bool
	// dropped says that the item repeats a declaration.
	dropped bool
	// none says that there is no item, only the comments at the end of a cell.
	none bool
}

// piecesOf cuts a cell into pieces.
func piecesOf(k *check.Checked) []piece {
	src := k.Source.Cell.Source
	comments := commentsOf(src)
	var pieces []piece
	at := 0 // the end of the piece before
	for _, it := range k.Items {
		p := piece{Item: it}
		comments = p.leading(src, at, comments)
		for len(comments) > 0 && comments[0].start < it.End {
			comments = comments[1:] // within the item
		}
		at = it.End
		if it.Semicolon >= at {
			at = it.Semicolon + 1
		}
		for len(comments) > 0 && comments[0].start < at {
			p.trail = src[comments[0].start:comments[0].end]
			comments = comments[1:]
		}
		if len(comments) > 0 && p.trail == "" {
			c := comments[0]
			if blanks(src[at:c.start]) && !strings.Contains(src[at:c.start], "\n") && endsLine(src[c.end:]) {
				p.trail = src[c.start:c.end]
				at, comments = c.end, comments[1:]
			}
		}
		pieces = append(pieces, p)
	}
	rest := piece{Item: syntax.Item{Start: len(src), End: len(src), Semicolon: -1}, none: true}
	rest.leading(src, at, comments)
	if rest.lead != "" {
		pieces = append(pieces, rest)
	}
	return pieces
}

// leading takes the comments before the piece and returns the others. The previous piece ends at
// offset at.
func (p *piece) leading(src string, at int, comments []span) []span {
	var lead strings.Builder
	first := true
	gap := func(end int) bool { return strings.Count(src[at:end], "\n") > 1 }
	for len(comments) > 0 && comments[0].start < p.Start {
		c := comments[0]
		if gap(c.start) {
			if first {
				p.spaced = true
			} else {
				lead.WriteByte('\n')
			}
		}
		lead.WriteString(src[c.start:c.end] + "\n")
		first = false
		at, comments = c.end, comments[1:]
	}
	p.lead = lead.String()
	if gap(p.Start) {
		p.spaced = p.spaced || first
		p.apart = !first
	}
	return comments
}

func blanks(s string) bool { return strings.TrimSpace(s) == "" }

// endsLine reports whether the rest of the first line of a text is empty.
func endsLine(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	return blanks(line)
}

// A span is a part of a text.
type span struct{ start, end int }

// commentsOf finds the comments of a cell.
func commentsOf(src string) []span {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	var out []span
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return out
		case token.COMMENT:
			start := file.Offset(pos)
			out = append(out, span{start, min(start+len(lit), len(src))})
		}
	}
}

// specs returns the specs of a declaration, as spans of its text, in order.
func specs(text string) (names []*ast.TypeSpec, spans []span) {
	file, err := parser.ParseFile(token.NewFileSet(), "", syntax.DeclarationPrefix+text, parser.ParseComments)
	if err != nil {
		return nil, nil
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, s := range g.Specs {
				names = append(names, s.(*ast.TypeSpec))
				spans = append(spans, span{int(s.Pos()-file.FileStart) - syntax.PrefixLength, int(s.End()-file.FileStart) - syntax.PrefixLength})
			}
		}
	}
	return names, spans
}

// jumps reports whether a list of statements itself contains a goto.
func jumps(list []ast.Stmt) bool {
	found := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BranchStmt:
				found = found || n.Tok == token.GOTO
			}
			return !found
		})
	}
	return found
}
