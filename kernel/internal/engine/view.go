package engine

import (
	"github.com/hierml/notebook/kernel/internal/program"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"slices"
)

// A view is a cell that is being written, parsed and type-checked as far as it
// makes sense. The session is as it would be for the cell.
type view struct {
	*checker // with files of its own
	k        *checked
	files    []*ast.File
	faulty   bool // the text does not parse
}

// maxDepth bounds how deep the brackets of a text may stand in each other: the
// time to check some of them grows with its square.
const maxDepth = 200

// maxRounds bounds how often a text is checked because of errors that it leaves
// out: each may hide the next.
const maxRounds = 6

// show shows the text of a cell to see, unless it is nested too deep. Lines
// that are wrong are left out, but not that of offset at. What the check does
// to the session is taken back when it returns.
func show(c *checker, text string, at int, see func(*view)) {
	if nest(text).deepest > maxDepth {
		return
	}
	forgotten := map[token.Pos]bool{}
	for round := 1; ; round++ {
		v := viewOf(c, text, at, forgotten)
		known := len(forgotten)
		for _, place := range forgets(v.k) {
			forgotten[place] = true
		}
		if len(forgotten) == known || c.strict || round == maxRounds {
			defer v.k.rollback()
			see(v)
			return
		}
		v.k.rollback()
	}
}

// viewOf reads and checks the text of a cell, of functions that around an offset
// alone; forgotten is as for check.
func viewOf(c *checker, text string, at int, forgotten map[token.Pos]bool) *view {
	pkg := c.fresh()
	own := *c
	own.files = newFiles()
	own.fset.AddFile("", 1, c.fset.Base()) // the cells before, whose positions stay theirs
	v := &view{checker: &own}
	v.k = &checked{reading: v.read(text), pkg: pkg, info: newInfo()}
	if v.faulty {
		v.files = nil
		v.k.reading = v.read(withoutFaults(text, at))
	}
	v.k.remember(forgotten)
	v.survey(at)
	return v
}

// read parses what can be parsed: its errors are those of a cell that is not
// finished.
func (v *view) read(text string) *reading {
	p := &parsed{source: newSource(program.Cell{Source: text, Name: "this cell"}), items: split(text), mentioned: map[string]bool{}}
	file := func(prefix, suffix string, keep func(item) bool) *ast.File {
		if !slices.ContainsFunc(p.items, keep) {
			return nil
		}
		file, err := parser.ParseFile(v.fset, "", prefix+blank(text, keep, p.items)+suffix, parser.AllErrors)
		v.faulty = v.faulty || err != nil
		v.sources[v.fset.File(file.FileStart)] = p.source
		for _, id := range file.Unresolved {
			p.mentioned[id.Name] = true
		}
		// The check replaces declarations; the view shows them as written.
		shown := *file
		v.files = append(v.files, &shown)
		return file
	}
	if f := file(declarationPrefix, "", func(it item) bool { return it.kind == itemImport }); f != nil {
		p.imports = f.Imports
	}
	p.declarations = file(declarationPrefix, "", func(it item) bool {
		return it.kind == itemConst || it.kind == itemType || it.kind == itemFunc
	})
	p.statements = file(statementPrefix, "\n}", func(it item) bool { return it.kind == itemStatement })
	if p.statements != nil && len(p.statements.Decls) > 0 { // the parser gives up on what is nested too deep
		// What stands behind a bracket too many is left out.
		p.statements.Decls = p.statements.Decls[:1]
		if f, ok := p.statements.Decls[0].(*ast.FuncDecl); ok && f.Body != nil {
			p.body = f.Body.List
		}
	}
	r := &reading{parsed: p}
	v.recall(r)
	return r
}

// survey does what checker.check does, in spite of errors, and of the bodies of
// functions only to that around an offset.
func (v *view) survey(at int) {
	ignore := func(token.Pos, string) {}
	v.importAll(v.k, ignore)
	late := v.declarations(v.k)
	shield(v.k.types)
	v.insert(v.k)
	conf := &types.Config{
		Importer:  v.importer,
		GoVersion: goVersion,
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
		Error:     func(error) {},
	}
	chk := types.NewChecker(conf, v.fset, v.k.pkg, v.k.info)
	files := func(f *ast.File) { _ = chk.Files([]*ast.File{f}) }
	if f := v.k.parsed.declarations; f != nil {
		// As functions such methods are checked all the same.
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool { return foreignMethod(f, d) != nil })
		conf.IgnoreFuncBodies = true
		files(f)
		conf.IgnoreFuncBodies = false
		v.addMethods(v.k, late, ignore)
	}
	if f := v.k.statements; f != nil {
		files(f)
	}
	v.topVariables(v.k)
	if f := v.bodies(v.k); f != nil {
		pos := v.k.parsed.declarations.FileStart + token.Pos(prefixLength+at)
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			fd, ok := d.(*ast.FuncDecl)
			return ok && fd.Body != nil && (pos < fd.Body.Pos() || fd.Body.End() < pos)
		})
		files(f)
	}
}

// pathTo returns the nodes around the identifier at an offset of the text,
// from the file to the identifier; nil if there is none.
func (v *view) pathTo(offset int) []ast.Node {
	var found []ast.Node
	for _, f := range v.files {
		at := f.FileStart + token.Pos(prefixLength+offset)
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
	for _, it := range v.k.items {
		if it.start <= offset && offset <= it.end {
			file := v.k.statements
			if it.kind != itemStatement {
				file = v.k.parsed.declarations
			}
			if file != nil {
				return file.FileStart + token.Pos(prefixLength+offset)
			}
		}
	}
	return token.NoPos
}

// scopeAt returns the innermost scope around a position.
func (v *view) scopeAt(pos token.Pos) *types.Scope {
	top := v.k.pkg.Scope()
	best, depth := top, 0
	// A function is in two files, without its body and then with it.
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

// objectAt returns what the identifier at the end of a path stands for, nil if
// that is not known.
func (v *view) objectAt(path []ast.Node) types.Object {
	if len(path) < 2 {
		return nil
	}
	id := path[len(path)-1].(*ast.Ident)
	if obj := v.k.info.ObjectOf(id); obj != nil {
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
		for _, f := range v.k.funcs {
			if f.decl.Name == id && f.object != nil {
				return f.object
			}
		}
		return nil
	case *ast.TypeSpec: // a type that is declared again as it is
		if d := v.session.live[id.Name]; parent.Name == id && d != nil {
			return d.object
		}
	case *ast.Field:
		return nil
	}
	return v.lookup(id.Name, id.Pos())
}

// lookup returns what a name stands for at a position.
func (v *view) lookup(name string, pos token.Pos) types.Object {
	if _, obj := v.scopeAt(pos).LookupParent(name, pos); obj != nil {
		return obj
	}
	if d := v.session.live[name]; d != nil {
		return d.object
	}
	return nil
}

// qualify names packages in types as the cell does.
func (v *view) qualify(pkg *types.Package) string {
	if pkg == v.k.pkg {
		return ""
	}
	return pkg.Name()
}
