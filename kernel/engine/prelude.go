package engine

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"path"
	"runtime"
)

// The interpreter has no instances of generic functions of compiled packages.
// The sources in prelude stand in for those of the standard library: they are
// instantiated like generic functions of the session.
//
//go:embed prelude/*/*.go
var preludeFiles embed.FS

// preludeFunc returns the stand-in for a generic function, nil if there is
// none.
func (l *lowering) preludeFunc(obj *types.Func) *function {
	key := obj.Pkg().Path()
	funcs, ok := l.c.prelude[key]
	if !ok {
		funcs = l.c.loadPrelude(key)
		if l.c.prelude == nil {
			l.c.prelude = map[string]map[string]*function{}
		}
		l.c.prelude[key] = funcs
	}
	return funcs[obj.Name()]
}

// loadPrelude type-checks the stand-ins for one package.
func (c *checker) loadPrelude(pkgPath string) map[string]*function {
	file := path.Join("prelude", pkgPath, path.Base(pkgPath)+".go")
	text, err := preludeFiles.ReadFile(file)
	if err != nil {
		return nil
	}
	tree, err := parser.ParseFile(c.fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	tree.Name = ast.NewIdent("main")
	info := newInfo()
	conf := &types.Config{Importer: c.importer, GoVersion: goVersion, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	pkg := types.NewPackage(packagePath, "main")
	if err := types.NewChecker(conf, c.fset, pkg, info).Files([]*ast.File{tree}); err != nil {
		return nil
	}
	funcs := map[string]*function{}
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		obj := info.Defs[f.Name].(*types.Func)
		fn := &function{
			name: path.Base(pkgPath) + "." + f.Name.Name, decl: f, info: info, generic: true,
			calls: map[*function]bool{}, base: fmt.Sprintf("%s__%s", path.Base(pkgPath), f.Name.Name),
		}
		funcs[f.Name.Name] = fn
		c.session.funcs[obj] = fn
	}
	return funcs
}

// compiledGeneric writes an instance of a generic function of a compiled
// package.
func (b *body) compiledGeneric(id *ast.Ident, obj *types.Func) string {
	fn := b.l.preludeFunc(obj)
	if fn == nil {
		b.l.refuse(id.Pos(), fmt.Sprintf("%s.%s: the interpreter has no instances of this generic function", obj.Pkg().Name(), obj.Name()))
	}
	return b.callee(b.l.instance(fn, obj, b.info.Instances[id].TypeArgs))
}
