package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
)

// instance returns the instance of a generic function (or method) for some
// type arguments. The interpreter's own generics are not used: the function
// is type-checked once more with its type parameters as aliases of the
// arguments, and lowered like any other.
func (ch *change) instance(fn *function, obj *types.Func, targs *types.TypeList) *function {
	list := slices.Collect(targs.Types())
	key := fn.lowered() + "[" + ch.s.identities.key(targs) + "]"
	if known := ch.s.funcInstances[key]; known != nil {
		return known
	}
	decl, info := ch.instantiate(fn, list)
	inst := &function{
		name: fn.name, cell: fn.cell, decl: decl, info: info, calls: map[*function]bool{},
		receiver: fn.receiver, pointer: fn.pointer, method: fn.method, standsIn: fn.standsIn,
		base:   fmt.Sprintf("%s__i%d", fn.base, ch.s.unique()),
		origin: fn, targs: list,
	}
	if inst.site = ch.site; fn.standsIn && !inst.site.IsValid() {
		inst.site = ch.pos
	}
	ch.s.funcInstances[key] = inst
	ch.later(func() { delete(ch.s.funcInstances, key) })
	ch.register(inst)
	return inst
}

// renewInstances makes the instances of a generic function that is declared
// again what it says now, and forgets those that nothing calls.
func (ch *change) renewInstances(fn *function) {
	for _, key := range slices.Sorted(maps.Keys(ch.s.funcInstances)) {
		inst := ch.s.funcInstances[key]
		if inst.origin != fn {
			continue
		}
		called := inst.valued || slices.ContainsFunc(ch.s.all, func(g *function) bool { return g.calls[inst] })
		if !called {
			delete(ch.s.funcInstances, key)
			ch.later(func() { ch.s.funcInstances[key] = inst })
			continue
		}
		was := *inst
		ch.later(func() { *inst = was })
		inst.decl, inst.info = ch.instantiate(fn, inst.targs)
		ch.relower(inst)
	}
}

// instantiate type-checks a generic function with its type parameters bound.
func (ch *change) instantiate(fn *function, targs []types.Type) (*ast.FuncDecl, *types.Info) {
	decl := fn.decl
	typ := *decl.Type
	typ.TypeParams = nil
	plain := &ast.FuncDecl{Name: &ast.Ident{NamePos: decl.Name.NamePos, Name: decl.Name.Name + "·i"}, Type: &typ, Body: decl.Body}

	pkg := ch.c.fresh()
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
	// What the names of the function meant where it was declared.
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := fn.info.Uses[id]; obj != nil && !declaredIn(obj, decl) {
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
	info := newInfo()
	conf := &types.Config{
		Importer:  ch.c.importer,
		GoVersion: goVersion,
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			e, ok := err.(types.Error)
			if !ok || e.Soft {
				return
			}
			ch.refuse(e.Pos, fmt.Sprintf("%s, instantiated: %s", fn.name, e.Msg))
		},
	}
	file := &ast.File{Name: ast.NewIdent("main"), Decls: []ast.Decl{plain}}
	if f := ch.c.fset.File(decl.Pos()); f != nil {
		file.FileStart, file.FileEnd = token.Pos(f.Base()), token.Pos(f.Base()+f.Size())
	}
	_ = types.NewChecker(conf, ch.c.fset, pkg, info).Files([]*ast.File{file})
	return plain, info
}

// declaredIn reports whether an object is declared inside a function. The
// function itself is not.
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
