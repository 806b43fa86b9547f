package shape

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"runtime"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// The interpreter has no instances of generic functions and types of compiled packages. The sources
// in prelude stand in for those of the standard library: they are instantiated like those of the
// session. A function without a body is the one of the bridge whose name is the same with a capital
// letter; it gets its arguments as they are.
//
//go:embed prelude/*.go
var preludeFiles embed.FS

// NoStandIn says of generic functions and types of the standard library why the interpreter has
// none.
var NoStandIn = map[string]string{
	"database/sql.Null":  "compiled code would not find its value; use sql.NullString or another type of that kind",
	"runtime.AddCleanup": "the interpreter keeps the values that variables pointed to, and the cleanup might never run",
	"weak.Make":          "the interpreter keeps the values that variables pointed to, so they would not go away",
	"weak.Pointer":       "the interpreter keeps the values that variables pointed to, so they would not go away",
}

// A prelude holds the stand-ins for the generic functions and types of one package, by name.
type prelude struct {
	Funcs map[string]*state.Function
	Types map[string]*types.Named
}

// PreludeOf returns the stand-ins for a package.
func (l *Shapes) PreludeOf(pkg *types.Package) *prelude {
	p, ok := l.known[pkg.Path()]
	if !ok {
		p = loadPrelude(l.Preludes.checker, pkg)
		l.known[pkg.Path()] = p
	}
	return p
}

// loadPrelude type-checks the stand-ins for one package. They are part of the program, so that a
// mistake in them is one of the program.
func loadPrelude(c *check.Checker, of *types.Package) *prelude {
	p := &prelude{Funcs: map[string]*state.Function{}, Types: map[string]*types.Named{}}
	file := "prelude/" + strings.ReplaceAll(of.Path(), "/", "_") + ".go"
	text, err := preludeFiles.ReadFile(file)
	if err != nil {
		return p // none of its functions and types is generic
	}
	tree, err := parser.ParseFile(c.Fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	tree.Name = ast.NewIdent("main")
	info := check.NewInfo()
	conf := &types.Config{Importer: c.Importer, GoVersion: check.GoVersion, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	pkg := c.Fresh()
	if err := types.NewChecker(conf, c.Fset, pkg, info).Files([]*ast.File{tree}); err != nil {
		panic(err)
	}
	for _, name := range pkg.Scope().Names() {
		if named, ok := pkg.Scope().Lookup(name).Type().(*types.Named); ok {
			p.Types[name] = named
		}
	}
	specs := typeSpecs(tree)
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		obj := info.Defs[f.Name].(*types.Func)
		name := f.Name.Name
		fn := &state.Function{Decl: f, Info: info, Generic: true, StandsIn: true, Calls: map[*state.Function]bool{}}
		c.Session.Funcs[obj] = fn
		switch {
		case f.Body == nil:
			fn.Bridge = strings.ToUpper(name[:1]) + name[1:]
		case f.Recv != nil:
			base := syntax.ReceiverBase(f).Name
			fn.Decl = check.PlainFunction(f, name, check.ReceiverTypeParams(f, specs))
			_, fn.Pointer = obj.Signature().Recv().Type().(*types.Pointer)
			fn.Method = name
			if m := check.MethodOf(of.Scope().Lookup(base).Type().(*types.Named), name); m != nil {
				c.Session.Funcs[m] = fn
			}
			name = base + "." + name
		default:
			p.Funcs[name] = fn
		}
		fn.Name = of.Name() + "." + name
		fn.Base = path.Base(of.Name()) + "__" + strings.ReplaceAll(name, ".", "_")
	}
	return p
}

func typeSpecs(file *ast.File) []*ast.TypeSpec {
	var specs []*ast.TypeSpec
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, s := range g.Specs {
				specs = append(specs, s.(*ast.TypeSpec))
			}
		}
	}
	return specs
}

// NoStandIn refuses a generic function or type of a compiled package that nothing stands in for.
func (l *Shapes) NoStandIn(obj types.Object, pos token.Pos) {
	reason := NoStandIn[obj.Pkg().Path()+"."+obj.Name()]
	if reason == "" {
		reason = "the interpreter has no instances of this generic function or type"
	}
	l.Refuse(pos, fmt.Sprintf("%s.%s: %s", obj.Pkg().Name(), obj.Name(), reason))
}

// standIn returns the type that an instance of a generic type of a compiled package is in lowered
// code, nil if there is none. An iterator is its function.
func (l *Shapes) standIn(t *types.Named) types.Type {
	if sig, ok := t.Underlying().(*types.Signature); ok {
		return sig
	}
	named := l.PreludeOf(t.Obj().Pkg()).Types[t.Obj().Name()]
	if named == nil {
		return nil
	}
	args := make([]types.Type, t.TypeArgs().Len())
	for i := range args {
		args[i] = t.TypeArgs().At(i)
	}
	instance, err := types.Instantiate(nil, named, args, false)
	if err != nil {
		return nil
	}
	return instance
}

// isInstance reports whether a type is an instance of a generic type of a compiled package.
func isInstance(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && !state.IsSession(named.Obj()) && named.TypeArgs().Len() > 0
}

// InLowered reports whether the methods of a type are functions of lowered code: those of session
// types and of stand-ins.
func InLowered(named *types.Named) bool { return state.IsSession(named.Obj()) || isInstance(named) }
