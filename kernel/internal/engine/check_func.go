package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
)

// receiverBase returns the name of the type in a method's receiver.
func receiverBase(d *ast.FuncDecl) *ast.Ident {
	if len(d.Recv.List) != 1 {
		return nil
	}
	e := ast.Unparen(d.Recv.List[0].Type)
	if star, ok := e.(*ast.StarExpr); ok {
		e = ast.Unparen(star.X)
	}
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = x.X
	case *ast.IndexListExpr:
		e = x.X
	}
	id, _ := e.(*ast.Ident)
	return id
}

// plainFunction returns a function with the method's receiver, if it has one,
// as its first parameter. It shares all nodes with the method.
func plainFunction(d *ast.FuncDecl, name string, params *ast.FieldList) *ast.FuncDecl {
	typ := &ast.FuncType{
		Func:       d.Type.Func,
		TypeParams: d.Type.TypeParams,
		Params:     d.Type.Params,
		Results:    d.Type.Results,
	}
	if params != nil {
		typ.TypeParams = params
	}
	if d.Recv != nil {
		recv := d.Recv.List[0]
		// A parameter list names all or none.
		named := len(d.Type.Params.List) == 0 || len(d.Type.Params.List[0].Names) > 0
		switch {
		case named && len(recv.Names) == 0:
			recv = &ast.Field{Names: []*ast.Ident{{NamePos: recv.Pos(), Name: "_"}}, Type: recv.Type}
		case !named && len(recv.Names) > 0:
			list := make([]*ast.Field, len(d.Type.Params.List))
			for i, f := range d.Type.Params.List {
				list[i] = &ast.Field{Names: []*ast.Ident{{NamePos: f.Pos(), Name: "_"}}, Type: f.Type}
			}
			typ.Params = &ast.FieldList{Opening: typ.Params.Opening, List: list, Closing: typ.Params.Closing}
		}
		list := append([]*ast.Field{recv}, typ.Params.List...)
		typ.Params = &ast.FieldList{Opening: typ.Params.Opening, List: list, Closing: typ.Params.Closing}
	}
	return &ast.FuncDecl{
		Name: &ast.Ident{NamePos: d.Name.NamePos, Name: name},
		Type: typ,
		Body: d.Body,
	}
}

// ownerOf returns the type that a method belongs to whose receiver is written
// with a name, which may be an alias.
func ownerOf(name *types.TypeName) *types.TypeName {
	if named, ok := types.Unalias(name.Type()).(*types.Named); ok {
		return named.Obj()
	}
	return name
}

// addMethods gives the types of earlier cells their new methods.
func (c *checker) addMethods(k *checked, late []*checkedFunc, complain func(token.Pos, string)) {
	for _, f := range late {
		named, ok := f.receiver.Type().(*types.Named)
		if !ok || c.session.byObject[f.receiver] == nil {
			complain(f.decl.Recv.Pos(), "cannot define new methods on non-local type "+shown(f.receiver.Type()))
			continue
		}
		if named.TypeParams().Len() > 0 {
			complain(f.decl.Name.Pos(), fmt.Sprintf("method %s.%s: methods of a generic type belong into the cell that declares the type", named.Obj().Name(), f.decl.Name.Name))
			continue
		}
		obj, ok := k.info.Defs[f.body.Name].(*types.Func)
		if !ok {
			continue
		}
		plain := obj.Signature()
		params := make([]*types.Var, 0, plain.Params().Len())
		for i := range plain.Params().Len() {
			params = append(params, plain.Params().At(i))
		}
		recv := types.NewParam(params[0].Pos(), k.pkg, params[0].Name(), params[0].Type())
		sig := types.NewSignatureType(recv, nil, nil, types.NewTuple(params[1:]...), plain.Results(), plain.Variadic())
		name := f.decl.Name.Name
		if st, ok := named.Underlying().(*types.Struct); ok {
			for i := range st.NumFields() {
				if st.Field(i).Name() == name {
					complain(f.decl.Name.Pos(), fmt.Sprintf("field and method with the same name %s", name))
				}
			}
		}
		if types.IsInterface(named) {
			complain(f.decl.Recv.Pos(), fmt.Sprintf("invalid receiver type %s (pointer or interface type)", named.Obj().Name()))
			continue
		}
		if old := methodOf(named, name); old != nil {
			if types.Identical(old.Signature(), sig) && types.Identical(old.Signature().Recv().Type(), recv.Type()) {
				f.object = old
				continue
			}
			if k.same[named.Obj().Name()] && k.renewed != nil {
				k.renewed[named.Obj().Name()] = true
			}
			complain(f.decl.Name.Pos(), fmt.Sprintf("method %s.%s has another signature than before, %s: declare type %s in the same cell", named.Obj().Name(), name,
				types.TypeString(old.Signature(), types.RelativeTo(k.pkg)), named.Obj().Name()))
			continue
		}
		k.undo = append(k.undo, snapshot(named))
		f.object = types.NewFunc(f.decl.Name.Pos(), k.pkg, name, sig)
		named.AddMethod(f.object)
	}
}

func methodOf(named *types.Named, name string) *types.Func {
	for i := range named.NumMethods() {
		if m := named.Method(i); m.Name() == name {
			return m
		}
	}
	return nil
}

// snapshot returns a function that takes back methods added to a type, for
// which go/types has no call.
func snapshot(named *types.Named) func() {
	live := reflect.ValueOf(named).Elem()
	copied := reflect.New(live.Type()).Elem()
	copied.Set(live)
	return func() { live.Set(copied) }
}

// bodies returns a file with all functions and methods of the cell, as
// functions of names that nothing else has.
func (c *checker) bodies(k *checked) *ast.File {
	if len(k.funcs) == 0 {
		return nil
	}
	file := &ast.File{Name: ast.NewIdent("main")}
	if at := c.fset.File(k.funcs[0].decl.Pos()); at != nil {
		file.FileStart, file.FileEnd = token.Pos(at.Base()), token.Pos(at.Base()+at.Size())
	}
	for i, f := range k.funcs {
		if f.object == nil {
			f.object, _ = k.info.Defs[f.decl.Name].(*types.Func)
		}
		if f.decl.Body == nil || f.receiver != nil && f.body == nil {
			continue
		}
		var params *ast.FieldList
		if f.decl.Recv != nil {
			params = receiverTypeParams(f.decl, k.types)
			if base := receiverBase(f.decl); base != nil && f.receiver == nil {
				if name, ok := k.pkg.Scope().Lookup(base.Name).(*types.TypeName); ok {
					f.receiver = ownerOf(name)
				}
			}
		}
		f.body = plainFunction(f.decl, fmt.Sprintf("%s·%d", f.decl.Name.Name, i), params)
		if f.pending != "" {
			// Only the signature is checked.
			f.body.Body = nil
		}
		file.Decls = append(file.Decls, f.body)
	}
	return file
}

// receiverTypeParams returns the type parameters of a method of a generic
// type, with the constraints that the type declares for them.
func receiverTypeParams(d *ast.FuncDecl, specs []*ast.TypeSpec) *ast.FieldList {
	e := ast.Unparen(d.Recv.List[0].Type)
	if star, ok := e.(*ast.StarExpr); ok {
		e = ast.Unparen(star.X)
	}
	var names []ast.Expr
	switch x := e.(type) {
	case *ast.IndexExpr:
		names = []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		names = x.Indices
	default:
		return nil
	}
	base := receiverBase(d)
	list := &ast.FieldList{}
	for _, spec := range specs {
		if base == nil || spec.Name.Name != base.Name || spec.TypeParams == nil {
			continue
		}
		var constraints []ast.Expr
		for _, field := range spec.TypeParams.List {
			for range field.Names {
				constraints = append(constraints, field.Type)
			}
		}
		for i, n := range names {
			id, ok := n.(*ast.Ident)
			if !ok || i >= len(constraints) {
				return nil
			}
			if id.Name == "_" {
				// The function's receiver has to name it.
				id.Name = fmt.Sprintf("_·%d", i)
			}
			list.List = append(list.List, &ast.Field{Names: []*ast.Ident{{NamePos: id.NamePos, Name: id.Name}}, Type: constraints[i]})
		}
	}
	return list
}
