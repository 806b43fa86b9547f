package change

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
)

// maxInstances bounds how many instances of generic functions a cell makes: functions that call
// each other with ever larger type arguments would need too much memory.
const maxInstances = 2000

// Instance returns the instance of a generic function (or method) for some type arguments. It does
// not use the interpreter's generics: the function is type-checked once more with its type
// parameters as aliases of the arguments, and lowered like any other.
func (ch *Change) Instance(fn *state.Function, obj *types.Func, targs *types.TypeList) *state.Function {
	ch.C.StopIfCancelled()
	list := slices.Collect(targs.Types())
	key := fn.Lowered() + "[" + ch.S.TypesKey(targs) + "]"
	if known := ch.S.FuncInstances[key]; known != nil {
		return known
	}
	if ch.instances++; ch.instances > maxInstances {
		ch.Refuse(ch.Pos, fmt.Sprintf("this cell needs more than %d instances of generic functions; the last is %s", maxInstances, fn.Name))
	}
	decl, info := ch.instantiate(fn, list)
	inst := &state.Function{
		Name: fn.Name, Cell: fn.Cell, Decl: decl, Info: info, Calls: map[*state.Function]bool{},
		Receiver: fn.Receiver, Pointer: fn.Pointer, Method: fn.Method, StandsIn: fn.StandsIn,
		Base:   fmt.Sprintf("%s__i%d", fn.Base, ch.S.Unique()),
		Origin: fn, Targs: list,
	}
	if inst.Site = ch.Site; fn.StandsIn && !inst.Site.IsValid() {
		inst.Site = ch.Pos
	}
	ch.S.FuncInstances[key] = inst
	ch.Later(func() { delete(ch.S.FuncInstances, key) })
	ch.register(inst)
	return inst
}

// renewInstances updates the instances of a generic function that is declared again, and removes
// those that nothing calls.
func (ch *Change) renewInstances(fn *state.Function) {
	for _, key := range slices.Sorted(maps.Keys(ch.S.FuncInstances)) {
		inst := ch.S.FuncInstances[key]
		if inst.Origin != fn {
			continue
		}
		called := inst.Valued || slices.ContainsFunc(ch.S.All, func(g *state.Function) bool { return g.Calls[inst] })
		if !called {
			delete(ch.S.FuncInstances, key)
			ch.Later(func() { ch.S.FuncInstances[key] = inst })
			continue
		}
		was := *inst
		ch.Later(func() { *inst = was })
		inst.Cell = fn.Cell
		inst.Decl, inst.Info = ch.instantiate(fn, inst.Targs)
		ch.relower(inst)
	}
}

// instantiate type-checks a generic function with its type parameters bound.
func (ch *Change) instantiate(fn *state.Function, targs []types.Type) (*ast.FuncDecl, *types.Info) {
	decl := fn.Decl
	typ := *decl.Type
	typ.TypeParams = nil
	plain := &ast.FuncDecl{Name: &ast.Ident{NamePos: decl.Name.NamePos, Name: decl.Name.Name + "·i"}, Type: &typ, Body: decl.Body}

	pkg := ch.C.Fresh()
	i := 0
	for _, field := range decl.Type.TypeParams.List {
		for _, id := range field.Names {
			if id.Name != "_" {
				alias := types.NewTypeName(id.Pos(), pkg, id.Name, nil)
				types.NewAlias(alias, targs[i])
				pkg.Scope().Insert(alias)
			}
			i++
		}
	}
	// Names keep the meaning that they had where the function was declared.
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := fn.Info.Uses[id]; obj != nil && !declaredIn(obj, decl) {
				if _, ok := obj.(*types.TypeName); ok && isTypeParam(obj) {
					return true
				}
				if obj.Parent() != types.Universe && !isFieldOrMethod(obj) {
					name := id.Name
					if pkg.Scope().Lookup(name) == nil {
						if p, ok := obj.(*types.PkgName); ok {
							obj = types.NewPkgName(p.Pos(), pkg, name, p.Imported())
						}
						pkg.Scope().Insert(obj)
					}
				}
			}
		}
		return true
	})
	info := check.NewInfo()
	forgiven := false
	conf := &types.Config{
		Importer:  ch.C.Importer,
		GoVersion: check.GoVersion,
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			e, ok := err.(types.Error)
			if !ok || e.Soft {
				return
			}
			forgiven = onlyForAll(e.Msg) || forgiven && strings.HasPrefix(e.Msg, "\t") // it continues the one before
			if forgiven {
				return
			}
			ch.Refuse(e.Pos, fmt.Sprintf("%s with these types: the interpreter replaces the type parameters by the types, and the result does not compile: %s", fn.Name, e.Msg))
		},
	}
	file := &ast.File{Name: ast.NewIdent("main"), Decls: []ast.Decl{plain}}
	if f := ch.C.Fset.File(decl.Pos()); f != nil {
		file.FileStart, file.FileEnd = token.Pos(f.Base()), token.Pos(f.Base()+f.Size())
	}
	_ = types.NewChecker(conf, ch.C.Fset, pkg, info).Files([]*ast.File{file})
	return plain, info
}

// onlyForAll reports errors that type parameters avoid, and whose meaning is clear without them:
// the first of equal cases is chosen, and an impossible case never matches.
func onlyForAll(message string) bool {
	return slices.ContainsFunc([]string{"duplicate case ", "impossible type assertion", "impossible type switch case"},
		func(words string) bool { return strings.HasPrefix(message, words) })
}

// declaredIn reports whether an object is declared inside a function. The function itself is not.
func declaredIn(obj types.Object, decl *ast.FuncDecl) bool {
	_, isFunc := obj.(*types.Func)
	return obj.Pos() >= decl.Pos() && obj.Pos() < decl.End() && !isFunc
}

func isTypeParam(obj types.Object) bool {
	_, ok := obj.Type().(*types.TypeParam)
	return ok
}

func isFieldOrMethod(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField()
	case *types.Func:
		return obj.Signature().Recv() != nil
	case *types.Label:
		return true
	}
	return false
}
