// Package cut splits a Go program into the cells of a notebook, as a user would type it: the
// imports, the declarations in groups, with those that others need first, and the statements of
// main. Callers run the cells.
//
// Wrong when the cells, one after the other, behave differently from the program.
package cut

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// maxDeclarations and maxStatements bound how many cells there are of declarations and of
// statements.
const (
	maxDeclarations = 8
	maxStatements   = 5
)

// minStatements is how many statements a cell has, where there are as many.
const minStatements = 2

// Cells returns the cells of a program that is one file of package main.
func Cells(source string) ([]string, error) { return cells(source, false) }

// Apart is Cells with a cell for each declaration, in the order of the file, and variables after
// all others. Methods of types without parameters are in separate cells.
func Apart(source string) ([]string, error) { return cells(source, true) }

func cells(source string, apart bool) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "main.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	p := &program{source: source, base: files.File(file.Pos()), file: file, named: map[string]*group{}}
	if err := p.collect(); err != nil {
		return nil, err
	}
	imports := []string{}
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			imports = append(imports, p.text(d.Pos(), d.End()))
		}
	}
	var cells []string
	add := func(texts []string, most, least int, between string) {
		size := max(least, (len(texts)+most-1)/most)
		for chunk := range slices.Chunk(texts, size) {
			cells = append(cells, strings.Join(chunk, between))
		}
	}
	if len(imports) > 0 {
		cells = append(cells, strings.Join(imports, "\n"))
	}
	statements := p.statements()
	if statements == nil {
		statements = []string{"main()"}
		p.add(p.main, "main")
	}
	declarations, most := p.ordered(apart), maxDeclarations
	if apart {
		most = max(1, len(declarations))
	}
	add(declarations, most, 1, "\n\n")
	add(statements, maxStatements, minStatements, "\n")
	if version := p.version(); version != "" {
		for i, cell := range cells {
			cells[i] = version + "\n\n" + cell
		}
	}
	return cells, nil
}

// A program is a file that is being cut.
type program struct {
	source string
	base   *token.File
	file   *ast.File
	main   *ast.FuncDecl
	groups []*group
	named  map[string]*group
}

// A group is the content of one cell: a declaration, with the methods if it declares types.
type group struct {
	parts     []ast.Decl
	variables bool // which are initialized when the cell runs, as an init is called
	init      bool
	needs     []*group
	// Of the search for groups that need each other.
	number, low int
	stacked     bool
}

// text returns a piece of the source.
func (p *program) text(from, to token.Pos) string {
	return p.source[p.base.Offset(from):p.base.Offset(to)]
}

// collect finds the groups, and their dependencies.
func (p *program) collect() error {
	var methods []*ast.FuncDecl
	for _, d := range p.file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				p.add(d, declared(d)...)
			}
		case *ast.FuncDecl:
			switch {
			case d.Recv != nil:
				methods = append(methods, d)
			case d.Name.Name == "main":
				p.main = d
			case d.Name.Name == "init":
				p.add(d, fmt.Sprint("init ", len(p.groups)))
			default:
				p.add(d, d.Name.Name)
			}
		}
	}
	if p.main == nil || p.main.Body == nil {
		return errors.New("there is no function main")
	}
	for _, m := range methods {
		g := p.named[p.receiver(m)]
		if g == nil {
			return fmt.Errorf("no type has the method %s", m.Name.Name)
		}
		g.parts = append(g.parts, m)
	}
	return nil
}

// add adds a declaration that declares names.
func (p *program) add(d ast.Decl, names ...string) {
	g := &group{parts: []ast.Decl{d}}
	switch d := d.(type) {
	case *ast.GenDecl:
		g.variables = d.Tok == token.VAR
	case *ast.FuncDecl:
		g.init = d.Name.Name == "init"
	}
	p.groups = append(p.groups, g)
	for _, name := range names {
		if name != "_" {
			p.named[name] = g
		}
	}
}

// declared returns the names that a declaration declares.
func declared(d *ast.GenDecl) (names []string) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, spec.Name.Name)
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// receiver returns the name of the type that a method belongs to.
func (p *program) receiver(m *ast.FuncDecl) string {
	name := base(m.Recv.List[0].Type)
	for range p.groups {
		aliased := p.aliased(name)
		if aliased == "" {
			break
		}
		name = aliased
	}
	return name
}

// aliased returns the name of the type behind an alias.
func (p *program) aliased(name string) string {
	for _, g := range p.groups {
		if d, ok := g.parts[0].(*ast.GenDecl); ok && d.Tok == token.TYPE {
			for _, spec := range d.Specs {
				if spec := spec.(*ast.TypeSpec); spec.Name.Name == name && spec.Assign.IsValid() {
					return base(spec.Type)
				}
			}
		}
	}
	return ""
}

// base returns the name in a type such as *T[K, V].
func base(x ast.Expr) string {
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.Ident:
			return y.Name
		default:
			return ""
		}
	}
}

// ordered returns the texts of the groups in an order in which each comes after those that it
// needs. Groups that need each other become one text. Variables come in Go's order of
// initialization, and before each init. If the declarations are apart, only variables and inits
// need such an order.
func (p *program) ordered(apart bool) []string {
	var initialized []*group
	for _, g := range p.groups {
		if g.variables {
			initialized = append(initialized, g)
		}
	}
	for _, g := range p.groups {
		for _, d := range g.parts {
			names(d, func(name string) {
				if need := p.named[name]; need != nil && need != g {
					g.needs = append(g.needs, need)
				}
			})
		}
		if g.init {
			g.needs = append(g.needs, initialized...)
		}
	}
	wholes := together(p.groups)
	of := map[*group]int{}
	for i, whole := range wholes {
		for _, g := range whole {
			of[g] = i
		}
	}
	var texts []string
	if apart {
		texts = p.apart()
	}
	done := make([]bool, len(wholes))
	for range wholes {
		next := -1
		for i, whole := range wholes {
			if done[i] || slices.ContainsFunc(whole, func(g *group) bool {
				return slices.ContainsFunc(g.needs, func(need *group) bool { return of[need] != i && !done[of[need]] })
			}) {
				continue
			}
			// Only the first variable that can be initialized does not wait.
			if next < 0 || !acts(whole) && acts(wholes[next]) {
				next = i
			}
		}
		done[next] = true
		if !apart {
			texts = append(texts, p.write(wholes[next]))
			continue
		}
		for _, g := range wholes[next] {
			if acts([]*group{g}) {
				texts = append(texts, p.write([]*group{g}))
			}
		}
	}
	return texts
}

// apart returns the texts of the declarations at which nothing happens, in the order of the file.
func (p *program) apart() (texts []string) {
	var parts []*group
	for _, g := range p.groups {
		d, _ := g.parts[0].(*ast.GenDecl)
		generic := d != nil && d.Tok == token.TYPE && slices.ContainsFunc(d.Specs, func(s ast.Spec) bool { return s.(*ast.TypeSpec).TypeParams != nil })
		switch {
		case acts([]*group{g}):
		case d == nil || generic:
			parts = append(parts, g)
		default:
			for _, d := range g.parts {
				parts = append(parts, &group{parts: []ast.Decl{d}})
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b *group) int { return int(a.parts[0].Pos() - b.parts[0].Pos()) })
	for _, g := range parts {
		texts = append(texts, p.write([]*group{g}))
	}
	return texts
}

// acts reports whether something happens when groups are declared.
func acts(groups []*group) bool {
	return slices.ContainsFunc(groups, func(g *group) bool { return g.variables || g.init })
}

// write returns the text of groups, in the order of the file.
func (p *program) write(groups []*group) string {
	var parts []ast.Decl
	for _, g := range groups {
		parts = append(parts, g.parts...)
	}
	slices.SortFunc(parts, func(a, b ast.Decl) int { return int(a.Pos() - b.Pos()) })
	var texts []string
	for _, d := range parts {
		texts = append(texts, p.text(withComment(d), d.End()))
	}
	// A directive about a function may stand anywhere.
	for _, c := range p.file.Comments {
		for _, c := range c.List {
			if words := strings.Fields(c.Text); len(words) > 1 && words[0] == "//go:linkname" && slices.Contains(groups, p.named[words[1]]) &&
				!slices.ContainsFunc(parts, func(d ast.Decl) bool { return withComment(d) <= c.Pos() && c.Pos() < d.End() }) {
				texts = append(texts, c.Text)
			}
		}
	}
	return strings.Join(texts, "\n\n")
}

// withComment returns where a declaration begins, with its comment.
func withComment(d ast.Decl) token.Pos {
	var doc *ast.CommentGroup
	switch d := d.(type) {
	case *ast.GenDecl:
		doc = d.Doc
	case *ast.FuncDecl:
		doc = d.Doc
	}
	if doc != nil {
		return doc.Pos()
	}
	return d.Pos()
}

// names calls f with each name that a piece of a program mentions, but those of fields and methods.
func names(n ast.Node, f func(string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			names(n.X, f)
			return false
		case *ast.Ident:
			f(n.Name)
		}
		return true
	})
}

// together returns the groups that need each other as one (Tarjan's strongly connected components),
// in the order of the first of each.
func together(groups []*group) (wholes [][]*group) {
	var stack []*group
	count := 0
	var visit func(*group)
	visit = func(g *group) {
		count++
		g.number, g.low, g.stacked = count, count, true
		stack = append(stack, g)
		for _, need := range g.needs {
			if need.number == 0 {
				visit(need)
				g.low = min(g.low, need.low)
			} else if need.stacked {
				g.low = min(g.low, need.number)
			}
		}
		if g.low < g.number {
			return
		}
		var whole []*group
		for {
			last := stack[len(stack)-1]
			stack, last.stacked = stack[:len(stack)-1], false
			whole = append(whole, last)
			if last == g {
				break
			}
		}
		wholes = append(wholes, whole)
	}
	for _, g := range groups {
		if g.number == 0 {
			visit(g)
		}
	}
	first := func(whole []*group) token.Pos {
		return slices.MinFunc(whole, func(a, b *group) int { return int(a.parts[0].Pos() - b.parts[0].Pos()) }).parts[0].Pos()
	}
	slices.SortFunc(wholes, func(a, b []*group) int { return int(first(a) - first(b)) })
	return wholes
}

// statements returns the statements of main, or nil if they cannot be in separate cells: their
// effects would be undone or skipped at the end of main, or a variable would replace a declaration.
func (p *program) statements() []string {
	body := p.main.Body
	whole := len(body.List) == 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.DeferStmt:
			whole = true
		case *ast.BranchStmt:
			whole = whole || n.Tok == token.GOTO
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
				whole = true
			}
		}
		return true
	})
	for _, s := range body.List {
		for _, name := range introduced(s) {
			whole = whole || p.named[name] != nil
		}
	}
	for _, g := range p.groups {
		for _, d := range g.parts {
			names(d, func(name string) { whole = whole || name == "main" })
		}
	}
	if whole {
		return nil
	}
	var texts []string
	start := body.Lbrace + 1
	for _, s := range body.List {
		// Text before a statement, such as a comment, belongs to it.
		if text := strings.TrimLeft(p.text(start, s.End()), " \t\r\n;"); text != "" {
			texts = append(texts, text)
		}
		start = s.End()
	}
	return texts
}

// introduced returns the names that a statement declares for later ones.
func introduced(s ast.Stmt) (names []string) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			for _, x := range s.Lhs {
				if id, ok := x.(*ast.Ident); ok {
					names = append(names, id.Name)
				}
			}
		}
	case *ast.DeclStmt:
		names = declared(s.Decl.(*ast.GenDecl))
	case *ast.LabeledStmt:
		return introduced(s.Stmt)
	}
	return names
}

// version returns the line that says which version of Go the file is written in, if there is one.
func (p *program) version() string {
	for _, group := range p.file.Comments {
		for _, c := range group.List {
			if c.Pos() < p.file.Package && constraint.IsGoBuild(c.Text) && strings.Contains(c.Text, "go1.") {
				return c.Text
			}
		}
	}
	return ""
}
