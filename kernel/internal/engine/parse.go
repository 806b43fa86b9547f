package engine

import (
	"fmt"
	"github.com/hierml/notebook/kernel/internal/program"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"sort"
	"strings"
)

// The texts that are put before a cell so that the parser takes it for a
// file. Both have the same length: an offset in the file is an offset in the
// cell plus that length.
const (
	declarationPrefix = "package main;         "
	statementPrefix   = "package main;func _(){"
	prefixLength      = len(statementPrefix)
)

// A source is the text of a cell, by which positions are told, and the Go that
// it stands for.
type source struct {
	cell program.Cell
	*translation
}

// newSource returns the source of a cell without magics.
func newSource(cell program.Cell) *source { return &source{cell, &translation{text: cell.Source}} }

// A problem is one complaint about a cell, at an offset into its source.
type problem struct {
	source *source
	offset int
	msg    string
	hint   string // what stands behind the message, to help
}

// A parsed cell holds its imports, its declarations and its statements.
type parsed struct {
	source       *source
	items        []item
	imports      []*ast.ImportSpec
	declarations *ast.File // without imports; nil if there are none
	statements   *ast.File // one function; nil if there are none
	body         []ast.Stmt
	// program says that the cell is a whole program.
	program bool
	// value is the last expression, whose value the cell shows; nil if the
	// cell ends otherwise. silent says that a semicolon follows it.
	value  *ast.ExprStmt
	silent bool
	// stop, if not nil, stands behind the last statement, and ends the
	// measurement of it.
	stop ast.Stmt
	// mentioned holds the names that nothing in the cell's own scopes binds.
	mentioned map[string]bool
}

// files holds the texts of all cells, and where positions are in them.
type files struct {
	fset    *token.FileSet
	sources map[*token.File]*source
	// sites tell what can panic where.
	sites map[site][]operation
}

func newFiles() *files {
	return &files{token.NewFileSet(), map[*token.File]*source{}, map[site][]operation{}}
}

// parse parses a cell. The files it makes are added to fset and sources.
func (c *files) parse(src *source) (*parsed, []problem) {
	var problems []problem
	p := &parsed{source: src, items: split(src.text), mentioned: map[string]bool{}}
	n := nest(src.text)
	if n.unopened >= 0 {
		return nil, []problem{{source: src, offset: src.origin(n.unopened), msg: "syntax error: unexpected " + n.closes}}
	}
	if n.tooDeep >= 0 {
		return nil, []problem{{source: src, offset: src.origin(n.tooDeep), msg: fmt.Sprintf("nested more than %d deep: to check such a cell takes too long", maxNesting)}}
	}
	p.program = isProgram(p.items)
	// What lies behind the items is not read below.
	end := 0
	if len(p.items) > 0 {
		end = p.items[len(p.items)-1].end
	}
	if tail := src.text[end:]; strings.Contains(tail, "/*") {
		if tok, start := unended(tail); tok == token.COMMENT && strings.HasPrefix(tail[start:], "/*") {
			return nil, []problem{{source: src, offset: src.origin(end + start), msg: "syntax error: comment not terminated"}}
		}
	}
	read := func(prefix, suffix string, keep func(item) bool) *ast.File {
		any := false
		for _, it := range p.items {
			any = any || keep(it)
		}
		if !any {
			return nil
		}
		text := prefix + blank(src.text, keep, p.items) + suffix
		file, err := parser.ParseFile(c.fset, src.cell.Title(), text, parser.ParseComments|parser.AllErrors)
		if file != nil {
			c.sources[c.fset.File(file.FileStart)] = src
			for _, id := range file.Unresolved {
				p.mentioned[id.Name] = true
			}
			if at, msg := tooDeep(file); at.IsValid() {
				offset := c.fset.Position(at).Offset - prefixLength
				problems = append(problems, problem{source: src, offset: src.origin(clamp(offset, src.text)), msg: msg})
			}
		}
		if list, ok := err.(scanner.ErrorList); ok {
			for _, e := range list {
				problems = append(problems, problem{source: src, offset: src.origin(clamp(e.Pos.Offset-prefixLength, src.text)), msg: syntaxWording(e.Msg), hint: syntaxHint(e.Msg)})
			}
		}
		return file
	}
	imports := read(declarationPrefix, "", func(it item) bool { return it.kind == itemImport })
	p.declarations = read(declarationPrefix, "", func(it item) bool {
		return it.kind == itemConst || it.kind == itemType || it.kind == itemFunc
	})
	p.statements = read(statementPrefix, "\n}", func(it item) bool { return it.kind == itemStatement })
	if len(problems) > 0 {
		sort.SliceStable(problems, func(i, j int) bool { return problems[i].offset < problems[j].offset })
		return nil, onePerLine(problems)
	}
	if imports != nil {
		p.imports = imports.Imports
	}
	if p.statements != nil {
		block := p.statements.Decls[0].(*ast.FuncDecl).Body
		if p.program {
			block.List = initialOrder(block.List, p.declarations)
		}
		p.body = block.List
		items := p.items
		if src.timed {
			n := len(p.body) - 1
			p.stop, items = p.body[n], items[:len(items)-1]
			p.body = p.body[:n]
		}
		last := items[len(items)-1]
		if n := len(p.body); n > 0 && last.kind == itemStatement {
			p.value, _ = p.body[n-1].(*ast.ExprStmt)
			p.silent = last.semicolon >= 0
		}
	}
	return p, nil
}

// nesting is how the brackets of a text nest.
type nesting struct {
	open, deepest int // how many are open at the end, and at most
	// unopened is the place of the first that closes what was not opened, or
	// -1, and closes is that bracket.
	unopened int
	closes   string
	// tooDeep is the place of the first that is more than maxNesting deep, or
	// stands at the end of so long a row, or -1.
	tooDeep int
}

// maxNesting bounds how deep the brackets of a cell stand in each other, and
// the elements of a type as in [][][]int: go/types takes time that grows with
// the square of that.
const maxNesting = 500

func nest(text string) nesting {
	n := nesting{unopened: -1, tooDeep: -1}
	row := 0
	previous := token.ILLEGAL
	for _, l := range lex(text) {
		if previous == token.RBRACK && (l.tok == token.LBRACK || l.tok == token.MAP) {
			row++
		}
		previous = l.tok
		switch l.tok {
		case token.COMMA, token.SEMICOLON, token.ASSIGN, token.DEFINE, token.ADD, token.SUB, token.LBRACE:
			row = 0
		}
		switch l.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			n.open++
			n.deepest = max(n.deepest, n.open)
			if max(n.open, row) > maxNesting && n.tooDeep < 0 {
				n.tooDeep = l.pos
			}
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if n.open--; n.open < 0 && n.unopened < 0 {
				n.unopened, n.closes = l.pos, l.tok.String()
			}
		}
	}
	return n
}

// maxTree bounds how deep the nodes of a cell's tree stand in each other, and
// maxChain how many do so on the left, as in a + b + c, a.b().c(), or if … else
// if. What looks at trees does so by recursion, and takes time that grows with
// the square of the depth at best; an interrupt does not end it.
const maxTree, maxChain = 1000, 5000

// tooDeep returns the first node of a tree that is too deep in it, and what to
// say of it.
func tooDeep(file *ast.File) (at token.Pos, msg string) {
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
			at, msg = n.Pos(), fmt.Sprintf("nested more than %d deep: to check such a cell takes too long", maxTree)
		case here.chain > maxChain:
			at, msg = n.Pos(), fmt.Sprintf("a row of more than %d operations: to check such a cell takes too long", maxChain)
		}
		above = append(above, here)
		return true
	})
	return at, msg
}

// extends reports whether a node only goes on with the row that its parent is
// part of.
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

// clamp keeps an offset within the text, and off the blanks at its end, where
// nobody looks for an error.
func clamp(offset int, text string) int {
	return max(0, min(offset, len(strings.TrimRight(text, " \t\r\n"))))
}

// onePerLine drops all but the first problem of a line: what follows a syntax
// error on its line is rarely worth reading.
func onePerLine(problems []problem) []problem {
	var out []problem
	last := -1
	for _, p := range problems {
		line, _ := p.source.position(p.offset)
		if line != last {
			out = append(out, p)
			last = line
		}
	}
	return out
}

// syntaxWording turns the words of go/parser into those of the compiler.
func syntaxWording(msg string) string {
	if expected, found, ok := strings.Cut(msg, ", found "); ok && strings.HasPrefix(expected, "expected ") {
		return "syntax error: unexpected " + tokenWording(found) + ", expected " + tokenWording(strings.TrimPrefix(expected, "expected "))
	}
	return "syntax error: " + msg
}

// syntaxHint is what may help with a complaint of go/parser, to stand behind it, or nothing.
func syntaxHint(msg string) string {
	if strings.Contains(msg, "rune literal") {
		return " (text stands in double quotes)"
	}
	return ""
}

// tokenWording names a token as the compiler does: without quotes, keywords
// called so.
func tokenWording(s string) string {
	switch s {
	case "'EOF'":
		return "end of cell"
	case "newline":
		return s
	case "operand":
		return "expression"
	}
	if word, rest, ok := strings.Cut(s, " "); ok && !strings.HasPrefix(s, "'") {
		switch {
		case strings.HasPrefix(word, "IDENT"):
			return "name " + rest
		case word == "INT" || word == "FLOAT" || word == "IMAG" || word == "CHAR" || word == "STRING":
			return "literal " + rest
		}
	}
	s = strings.ReplaceAll(s, "'IDENT'", "name")
	quoted := len(s) > 2 && s[0] == '\'' && s[len(s)-1] == '\''
	if quoted {
		s = s[1 : len(s)-1]
	}
	if token.IsKeyword(s) {
		return "keyword " + s
	}
	return s
}

// position returns the line and column, from 1, of an offset. Columns count
// bytes, as the compiler's do.
func (s *source) position(offset int) (line, column int) {
	before := s.cell.Source[:min(max(offset, 0), len(s.cell.Source))]
	line = strings.Count(before, "\n") + 1
	return line, len(before) - strings.LastIndexByte(before, '\n')
}

// at returns the cell and the offset into its source of a position.
func (c *files) at(pos token.Pos) (*source, int) {
	file := c.fset.File(pos)
	if file == nil {
		return nil, 0
	}
	src := c.sources[file]
	if src == nil {
		return nil, 0
	}
	return src, clamp(src.origin(clamp(file.Offset(pos)-prefixLength, src.text)), src.cell.Source)
}

func (c *files) problem(pos token.Pos, msg string) problem {
	src, offset := c.at(pos)
	return problem{source: src, offset: offset, msg: msg}
}
