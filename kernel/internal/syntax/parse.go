package syntax

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"sort"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
)

// The prefixes that make a cell a file for the parser. Both have the same length: an offset in the
// file is an offset in the cell plus that length.
const (
	DeclarationPrefix = "package main;         "
	StatementPrefix   = "package main;func _(){"
	PrefixLength      = len(StatementPrefix)
)

// A Source is the text of a cell, to which positions refer, and the Go that it stands for.
type Source struct {
	Cell program.Cell
	*Translation
}

// NewSource returns the source of a cell without magics.
func NewSource(cell program.Cell) *Source { return &Source{cell, &Translation{Text: cell.Source}} }

// A Problem is one complaint about a cell, at an offset into its source.
type Problem struct {
	Source *Source
	Offset int
	Msg    string
	Hint   string // appended to the message
}

// A Parsed cell holds its imports, its declarations and its statements.
type Parsed struct {
	*Lexed
	Imports      []*ast.ImportSpec
	Declarations *ast.File // without imports; nil if there are none
	Statements   *ast.File // one function; nil if there are none
	Body         []ast.Stmt
	// Value is the last expression, whose value the cell shows; nil if there is none. silent says
	// that a semicolon follows it.
	Value  *ast.ExprStmt
	Silent bool
	// Stop, if not nil, follows the last statement, and ends its measurement.
	Stop ast.Stmt
	// Mentioned holds the names that the cell's own scopes do not bind.
	Mentioned map[string]bool
	// GoVersion is the language version in a program's //go:build line; empty for the default.
	GoVersion string
}

// Parse parses a cell. The files it makes are added to fset and sources.
func (c *Files) Parse(l *Lexed) (*Parsed, []Problem) {
	src := l.Source
	if len(src.Text) > maxText {
		return nil, []Problem{{Source: src, Msg: fmt.Sprintf("more than %d MiB of text. Read it from a file", maxText>>20)}}
	}
	var problems []Problem
	p := &Parsed{Lexed: l, Mentioned: map[string]bool{}}
	n := Nest(l.Lexemes)
	if n.unopened >= 0 {
		return nil, []Problem{{Source: src, Offset: src.Origin(n.unopened), Msg: "syntax error: unexpected " + n.closes}}
	}
	if n.tooDeep >= 0 {
		return nil, []Problem{{Source: src, Offset: src.Origin(n.tooDeep), Msg: fmt.Sprintf("nested more than %d deep; checking such a cell takes too long", maxNesting)}}
	}
	if l.unended >= 0 { // the comment is after the items, and not read below
		return nil, []Problem{{Source: src, Offset: src.Origin(l.unended), Msg: "syntax error: comment not terminated"}}
	}
	read := func(prefix, suffix string, keep func(Item) bool) *ast.File {
		any := false
		for _, it := range p.Items {
			any = any || keep(it)
		}
		if !any {
			return nil
		}
		text := prefix + Blank(src.Text, keep, p.Items) + suffix
		file, err := parser.ParseFile(c.Fset, src.Cell.Title(), text, parser.ParseComments|parser.AllErrors)
		if file != nil {
			f := c.Fset.File(file.FileStart)
			f.AddLineColumnInfo(PrefixLength, src.Cell.Title(), 1, 1) // for places in messages of go/types
			c.Sources[f] = src
			Mentions(file, p.Mentioned)
			if at, msg := TooDeep(file); at.IsValid() {
				problems = append(problems, c.Problem(at, msg))
			}
		}
		if list, ok := err.(scanner.ErrorList); ok {
			for i, e := range list {
				if strings.HasSuffix(e.Msg, ", found 'ILLEGAL'") || strings.Contains(e.Msg, ", found ILLEGAL") {
					continue // the scanner reports it
				}
				if i > 0 && strings.HasSuffix(list[i-1].Msg, "not terminated") {
					break // the rest is inside the literal
				}
				offset, msg := complaintOf(e, l)
				problems = append(problems, Problem{Source: src, Offset: src.Origin(offset), Msg: syntaxWording(msg), Hint: syntaxHint(msg)})
			}
		}
		return file
	}
	imports := read(DeclarationPrefix, "", func(it Item) bool { return it.Kind == ItemImport })
	p.Declarations = read(DeclarationPrefix, "", func(it Item) bool {
		return it.Kind == ItemConst || it.Kind == ItemType || it.Kind == ItemFunc
	})
	p.Statements = read(StatementPrefix, "\n}", func(it Item) bool { return it.Kind == ItemStatement })
	if len(problems) > 0 {
		sort.SliceStable(problems, func(i, j int) bool { return problems[i].Offset < problems[j].Offset })
		problems = onePerLine(problems)
		for i := range problems {
			if p := &problems[i]; p.Hint == "" {
				p.Hint = habitHint(l, p.Offset)
			}
		}
		return nil, problems
	}
	if imports != nil {
		p.Imports = imports.Imports
	}
	p.applyDirectives(func(offset int, msg string) {
		problems = append(problems, Problem{Source: src, Offset: src.Origin(offset), Msg: msg})
	})
	if len(problems) > 0 {
		return nil, onePerLine(problems)
	}
	for _, file := range []*ast.File{p.Declarations, p.Statements} {
		if file != nil {
			file.GoVersion = p.GoVersion
		}
	}
	if p.Statements != nil {
		block := p.Statements.Decls[0].(*ast.FuncDecl).Body
		block.List = initialOrder(block.List, p.Declarations)
		p.Body = block.List
		items := p.Items
		if src.Timed {
			n := len(p.Body) - 1
			p.Stop, items = p.Body[n], items[:len(items)-1]
			p.Body = p.Body[:n]
		}
		last := items[len(items)-1]
		if n := len(p.Body); n > 0 && last.Kind == ItemStatement {
			p.Value, _ = p.Body[n-1].(*ast.ExprStmt)
			p.Silent = last.Semicolon >= 0
		}
	}
	return p, nil
}

// Mentions adds the names that a file may use from outside.
func Mentions(file *ast.File, names map[string]bool) {
	for _, id := range file.Unresolved {
		names[id.Name] = true
	}
	// The parser does not record the keys of literals, which may be names of fields.
	ast.Inspect(file, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			if id, ok := pair.Key.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
}

// Statements parses a text as a list of statements. at is the place of an error, or -1, and the
// complaint is empty for text that is not a statement.
func Statements(text string) (list []ast.Stmt, at int, complaint string) {
	l := NewLexed(NewSource(program.Cell{Source: text}))
	if n := Nest(l.Lexemes); n.unopened >= 0 {
		return nil, n.unopened, "syntax error: unexpected " + n.closes
	}
	for _, it := range l.Items {
		switch it.Kind {
		case ItemFunc, ItemImport, ItemPackage:
			return nil, it.Start, ""
		}
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", StatementPrefix+text+"\n}", parser.SkipObjectResolution|parser.AllErrors)
	if list, ok := err.(scanner.ErrorList); ok {
		at, msg := complaintOf(list[0], l)
		return nil, at, syntaxWording(msg)
	}
	return f.Decls[0].(*ast.FuncDecl).Body.List, -1, ""
}

// maxTree bounds the depth of a cell's tree, and maxChain the depth on the left, as in a + b + c,
// a.b().c(), or if … else if. Trees are processed by recursion, often in quadratic time, which an
// interrupt does not end.
const maxTree, maxChain = 1000, 5000

// TooDeep returns the first node of a tree that is too deep, and a message about it.
func TooDeep(file *ast.File) (at token.Pos, msg string) {
	type place struct {
		node         ast.Node
		depth, chain int
	}
	var above []place
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return false
		}
		if at.IsValid() {
			return false
		}
		here := place{node: n}
		if len(above) > 0 {
			here = above[len(above)-1]
			if extends(here.node, n) {
				here.chain++
			} else {
				here.depth++
			}
			here.node = n
		}
		switch {
		case here.depth > maxTree:
			at, msg = n.Pos(), fmt.Sprintf("nested more than %d deep; checking such a cell takes too long", maxTree)
		case here.chain > maxChain:
			at, msg = n.Pos(), fmt.Sprintf("a chain of more than %d operations; checking such a cell takes too long", maxChain)
		}
		above = append(above, here)
		return true
	})
	return at, msg
}

// extends reports whether a node only continues the chain of its parent.
func extends(parent, n ast.Node) bool {
	switch parent := parent.(type) {
	case *ast.BinaryExpr:
		return parent.X == n
	case *ast.SelectorExpr:
		return parent.X == n
	case *ast.CallExpr:
		return parent.Fun == n
	case *ast.IndexExpr:
		return parent.X == n
	case *ast.IfStmt:
		return parent.Else == n
	}
	return false
}

// clamp keeps an offset within the text, and before the blanks at its end, where users do not look
// for an error.
func clamp(offset int, text string) int {
	if 0 <= offset && offset < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[offset])) {
		return offset // the usual case; there may be many blanks at the end
	}
	return max(0, min(offset, len(strings.TrimRight(text, " \t\r\n"))))
}

// Position returns the line and column, from 1, of an offset. Columns count bytes, as the
// compiler's do.
func (s *Source) Position(offset int) (line, column int) {
	before := s.Cell.Source[:min(max(offset, 0), len(s.Cell.Source))]
	line = strings.Count(before, "\n") + 1
	return line, len(before) - strings.LastIndexByte(before, '\n')
}
