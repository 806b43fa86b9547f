package assist

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A view is a cell that is being edited, parsed and type-checked as far as it makes sense. The
// session looks as it would to the cell.
type view struct {
	*check.Checker // with files of its own
	k              *check.Checked
	files          []*ast.File
	faulty         bool          // the text does not parse
	earlier        *syntax.Files // those of the session
}

// maxDepth bounds how deep brackets may be nested: the time for some checks grows with the square
// of the depth.
const maxDepth = 200

// maxRounds bounds how often a text is checked because it leaves out errors: each may hide the
// next.
const maxRounds = 6

// show calls see with a view of a cell, unless its text is nested too deep. The view omits wrong
// lines, except that of offset at. The effects of the check on the session are reverted when show
// returns.
func show(c *check.Checker, text string, at int, see func(*view)) {
	if syntax.Nest(syntax.Lex(text)).Deepest > maxDepth {
		return
	}
	forgotten := map[token.Pos]int{}
	for round := 1; ; round++ {
		v := viewOf(c, text, at, forgotten)
		known := len(forgotten)
		maps.Copy(forgotten, check.Forgets(v.k))
		if len(forgotten) == known || c.Strict || round == maxRounds {
			defer v.k.Rollback()
			see(v)
			return
		}
		v.k.Rollback()
	}
}

// viewOf parses and checks the text of a cell. Of functions, it handles only the one around an
// offset; forgotten is as for check.
func viewOf(c *check.Checker, text string, at int, forgotten map[token.Pos]int) *view {
	pkg := c.Fresh()
	own := *c
	own.Files = syntax.NewFiles()
	own.Fset.AddFile("", 1, c.Fset.Base()) // the earlier cells, whose positions are reserved
	v := &view{Checker: &own, earlier: c.Files}
	v.k = &check.Checked{Reading: v.read(text), Pkg: pkg, Info: check.NewInfo()}
	if v.faulty {
		v.files = nil
		v.k.Reading = v.read(syntax.WithoutFaults(text, at))
	}
	v.k.Remember(forgotten)
	v.survey(at)
	return v
}

// read parses as much as possible: errors are normal in an unfinished cell.
func (v *view) read(text string) *check.Reading {
	l := syntax.NewLexed(syntax.NewSource(program.Cell{Source: text, Name: "this cell"}))
	p := &syntax.Parsed{Lexed: l, Mentioned: map[string]bool{}}
	file := func(prefix, suffix string, keep func(syntax.Item) bool) *ast.File {
		if !slices.ContainsFunc(p.Items, keep) {
			return nil
		}
		file, err := parser.ParseFile(v.Fset, "", prefix+syntax.Blank(text, keep, p.Items)+suffix, parser.AllErrors)
		v.faulty = v.faulty || err != nil
		if at, _ := syntax.TooDeep(file); at.IsValid() {
			return nil
		}
		v.Sources[v.Fset.File(file.FileStart)] = p.Source
		syntax.Mentions(file, p.Mentioned)
		// The check replaces declarations; the view keeps the written ones.
		shown := *file
		v.files = append(v.files, &shown)
		return file
	}
	if f := file(syntax.DeclarationPrefix, "", func(it syntax.Item) bool { return it.Kind == syntax.ItemImport }); f != nil {
		p.Imports = f.Imports
	}
	p.Declarations = file(syntax.DeclarationPrefix, "", func(it syntax.Item) bool {
		return it.Kind == syntax.ItemConst || it.Kind == syntax.ItemType || it.Kind == syntax.ItemFunc
	})
	p.Statements = file(syntax.StatementPrefix, "\n}", func(it syntax.Item) bool { return it.Kind == syntax.ItemStatement })
	if p.Statements != nil && len(p.Statements.Decls) > 0 { // the parser gives up if nesting is too deep
		// Code after a surplus bracket is left out.
		p.Statements.Decls = p.Statements.Decls[:1]
		if f, ok := p.Statements.Decls[0].(*ast.FuncDecl); ok && f.Body != nil {
			p.Body = f.Body.List
		}
	}
	r := &check.Reading{Parsed: p}
	v.Recall(r)
	return r
}

// survey does the work of Checker.check in spite of errors, and for only one function body, the one
// around an offset.
func (v *view) survey(at int) {
	ignore := func(token.Pos, string) {}
	v.ImportAll(v.k, ignore)
	late := v.Declarations(v.k)
	check.Parenthesize(v.k.Types)
	v.Insert(v.k)
	if v.RefuseLongConstants(v.k, ignore) {
		return
	}
	conf := &types.Config{
		Importer:  v.Importer,
		GoVersion: check.GoVersion,
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
		Error:     func(error) {},
	}
	chk := types.NewChecker(conf, v.Fset, v.k.Pkg, v.k.Info)
	files := func(f *ast.File) { _ = chk.Files([]*ast.File{f}) }
	if f := v.k.Parsed.Declarations; f != nil {
		// Such methods are checked as functions nevertheless.
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool { return check.ForeignMethod(f, d) != nil })
		conf.IgnoreFuncBodies = true
		files(f)
		conf.IgnoreFuncBodies = false
		v.AddMethods(v.k, late, ignore)
	}
	if f := v.k.Statements; f != nil {
		files(f)
	}
	v.TopVariables(v.k)
	if f := v.Bodies(v.k); f != nil {
		pos := v.k.Parsed.Declarations.FileStart + token.Pos(syntax.PrefixLength+at)
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			fd, ok := d.(*ast.FuncDecl)
			return ok && fd.Body != nil && (pos < fd.Body.Pos() || fd.Body.End() < pos)
		})
		files(f)
	}
}

// pathTo returns the nodes around the identifier at an offset of the text, from the file to the
// identifier; nil if there is none.
func (v *view) pathTo(offset int) []ast.Node {
	var found []ast.Node
	for _, f := range v.files {
		at := f.FileStart + token.Pos(syntax.PrefixLength+offset)
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			if id, ok := n.(*ast.Ident); ok && id.NamePos == at && found == nil {
				found = slices.Clone(stack)
			}
			return true
		})
	}
	return found
}

// position returns the position of an offset of the text.
func (v *view) position(offset int) token.Pos {
	for _, it := range v.k.Items {
		if it.Start <= offset && offset <= it.End {
			file := v.k.Statements
			if it.Kind != syntax.ItemStatement {
				file = v.k.Parsed.Declarations
			}
			if file != nil {
				return file.FileStart + token.Pos(syntax.PrefixLength+offset)
			}
		}
	}
	return token.NoPos
}

// scopeAt returns the innermost scope around a position.
func (v *view) scopeAt(pos token.Pos) *types.Scope {
	top := v.k.Pkg.Scope()
	best, depth := top, 0
	// A function is in two files, without its body and with it.
	for i := range top.NumChildren() {
		inner, n := top.Child(i).Innermost(pos), 0
		for s := inner; s != nil && s != top; s = s.Parent() {
			n++
		}
		if n > 0 && n >= depth {
			best, depth = inner, n
		}
	}
	return best
}

// objectAt returns the object of the identifier at the end of a path, or nil if that is not known.
func (v *view) objectAt(path []ast.Node) types.Object {
	if len(path) < 2 {
		return nil
	}
	id := path[len(path)-1].(*ast.Ident)
	if obj := v.k.Info.ObjectOf(id); obj != nil {
		return obj
	}
	switch parent := path[len(path)-2].(type) {
	case *ast.SelectorExpr:
		if parent.Sel == id {
			return nil
		}
	case *ast.KeyValueExpr:
		if parent.Key == id {
			return nil
		}
	case *ast.FuncDecl: // a method of a type of an earlier cell
		for _, f := range v.k.Funcs {
			if f.Decl.Name == id && f.Object != nil {
				return f.Object
			}
		}
		return nil
	case *ast.TypeSpec: // a type that is declared again unchanged
		if d := v.Session.Live[id.Name]; parent.Name == id && d != nil {
			return d.Object
		}
	case *ast.Field:
		return nil
	}
	return v.lookup(id.Name, id.Pos())
}

// lookup returns the object that a name denotes at a position.
func (v *view) lookup(name string, pos token.Pos) types.Object {
	if _, obj := v.scopeAt(pos).LookupParent(name, pos); obj != nil {
		return obj
	}
	if d := v.Session.Live[name]; d != nil {
		return d.Object
	}
	return nil
}

// qualify returns the cell's name for a package in types.
func (v *view) qualify(pkg *types.Package) string {
	if pkg == v.k.Pkg {
		return ""
	}
	return pkg.Name()
}
