package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// PlainFunction returns a function with the method's receiver, if it has one, as its first
// parameter. It shares all nodes with the method.
func PlainFunction(d *ast.FuncDecl, name string, params *ast.FieldList) *ast.FuncDecl {
	typ := &ast.FuncType{
		Func:       d.Type.Func,
		TypeParams: d.Type.TypeParams,
		Params:     d.Type.Params,
		Results:    d.Type.Results,
	}
	if params != nil {
		if own := d.Type.TypeParams; own != nil { // since Go 1.27
			params.List = append(params.List, own.List...)
		}
		typ.TypeParams = params
	}
	if d.Recv != nil {
		recv := d.Recv.List[0]
		// In a parameter list, either all parameters have names or none.
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

// AddMethods gives the types of earlier cells their new methods.
func (c *Checker) AddMethods(k *Checked, late []*Func, complain func(token.Pos, string)) {
	for _, f := range late {
		named, ok := f.Receiver.Type().(*types.Named)
		if !ok || c.Session.ByObject[f.Receiver] == nil {
			complain(f.Decl.Recv.Pos(), "cannot define new methods on non-local type "+typed.Shown(f.Receiver.Type()))
			continue
		}
		if f.Decl.Type.TypeParams != nil {
			complain(f.Decl.Name.Pos(), fmt.Sprintf("method %s.%s: a method with type parameters must be in the cell that declares the type", named.Obj().Name(), f.Decl.Name.Name))
			continue
		}
		obj, ok := k.Info.Defs[f.Body.Name].(*types.Func)
		if !ok {
			continue
		}
		sig := methodSignature(k.Pkg, obj.Signature())
		name := f.Decl.Name.Name
		if st, ok := named.Underlying().(*types.Struct); ok {
			for i := range st.NumFields() {
				if st.Field(i).Name() == name {
					complain(f.Decl.Name.Pos(), fmt.Sprintf("field and method with the same name %s", name))
				}
			}
		}
		if types.IsInterface(named) {
			complain(f.Decl.Recv.Pos(), fmt.Sprintf("invalid receiver type %s (pointer or interface type)", named.Obj().Name()))
			continue
		}
		if old := MethodOf(named, name); old != nil {
			if sameMethod(old.Signature(), obj.Signature()) {
				f.Object = old
				continue
			}
			if k.same[named.Obj().Name()] && k.renewed != nil {
				k.renewed[named.Obj().Name()] = true
			}
			complain(f.Decl.Name.Pos(), fmt.Sprintf("method %s.%s has a different signature than before, %s: declare type %s in the same cell", named.Obj().Name(), name,
				types.TypeString(old.Signature(), types.RelativeTo(k.Pkg)), named.Obj().Name()))
			continue
		}
		f.Object = types.NewFunc(f.Decl.Name.Pos(), k.Pkg, name, sig)
		c.addMethod(k, named, f.Object)
	}
}

// methodSignature returns the signature of a method that was checked as a plain function: its first
// parameter becomes the receiver, and its type parameters those of the receiver.
func methodSignature(pkg *types.Package, plain *types.Signature) *types.Signature {
	var own []*types.TypeParam
	for p := range plain.TypeParams().TypeParams() {
		own = append(own, types.NewTypeParam(types.NewTypeName(p.Obj().Pos(), pkg, p.Obj().Name(), nil), p.Constraint()))
	}
	if len(own) > 0 {
		plain = instantiated(plain, own)
	}
	params := slices.Collect(plain.Params().Variables())
	recv := types.NewParam(params[0].Pos(), pkg, params[0].Name(), params[0].Type())
	return types.NewSignatureType(recv, own, nil, types.NewTuple(params[1:]...), plain.Results(), plain.Variadic())
}

// instantiated returns a generic signature with other type parameters in place of its own.
func instantiated(generic *types.Signature, params []*types.TypeParam) *types.Signature {
	args := make([]types.Type, len(params))
	for i, p := range params {
		args[i] = p
	}
	t, err := types.Instantiate(nil, generic, args, false)
	if err != nil {
		panic(err) // the numbers are the same
	}
	return t.(*types.Signature)
}

// sameMethod reports whether a method has the signature of a plain function.
func sameMethod(method, plain *types.Signature) bool {
	if own := slices.Collect(method.RecvTypeParams().TypeParams()); len(own) != plain.TypeParams().Len() {
		return false
	} else if len(own) > 0 {
		plain = instantiated(plain, own)
	}
	params := slices.Concat([]*types.Var{method.Recv()}, slices.Collect(method.Params().Variables()))
	return types.Identical(types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), method.Results(), method.Variadic()), plain)
}

// MethodOf returns the method with a name that a type declares, or nil.
func MethodOf(named *types.Named, name string) *types.Func {
	for i := range named.NumMethods() {
		if m := named.Method(i); m.Name() == name {
			return m
		}
	}
	return nil
}

// Bodies returns a file with all functions and methods of the cell, as functions with unique names.
func (c *Checker) Bodies(k *Checked) *ast.File {
	if len(k.Funcs) == 0 {
		return nil
	}
	file := &ast.File{Name: ast.NewIdent("main"), GoVersion: k.GoVersion}
	if at := c.Fset.File(k.Funcs[0].Decl.Pos()); at != nil {
		file.FileStart, file.FileEnd = token.Pos(at.Base()), token.Pos(at.Base()+at.Size())
	}
	for i, f := range k.Funcs {
		if f.Object == nil {
			f.Object, _ = k.Info.Defs[f.Decl.Name].(*types.Func)
		}
		if f.Decl.Body == nil || f.Receiver != nil && f.Body == nil {
			continue
		}
		var params *ast.FieldList
		if f.Decl.Recv != nil {
			params = c.receiverTypeParams(k, f)
			if base := syntax.ReceiverBase(f.Decl); base != nil && f.Receiver == nil {
				if name, ok := k.Pkg.Scope().Lookup(base.Name).(*types.TypeName); ok {
					f.Receiver = state.OwnerOf(name)
				}
			}
		}
		f.Body = PlainFunction(f.Decl, fmt.Sprintf("%s·%d", f.Decl.Name.Name, i), params)
		if f.Pending != nil {
			// Only the signature is checked, but a generic function needs a body.
			at := f.Decl.Body.Lbrace
			f.Body.Body = &ast.BlockStmt{Lbrace: at, List: []ast.Stmt{&ast.ForStmt{For: at, Body: &ast.BlockStmt{Lbrace: at, Rbrace: at}}}, Rbrace: f.Decl.Body.Rbrace}
		}
		file.Decls = append(file.Decls, f.Body)
	}
	return file
}

// receiverTypeParams returns the type parameters of a method, which may be of a type of an earlier
// cell.
func (c *Checker) receiverTypeParams(k *Checked, f *Func) *ast.FieldList {
	specs := k.Types
	if d := c.Session.ByObject[f.Receiver]; f.Receiver != nil && d != nil && d.Spec != nil {
		specs = []*ast.TypeSpec{d.Spec.Node}
	}
	return ReceiverTypeParams(f.Decl, specs)
}

// ReceiverTypeParams returns the type parameters of a method of a generic type, with the
// constraints that the type declares for them.
func ReceiverTypeParams(d *ast.FuncDecl, specs []*ast.TypeSpec) *ast.FieldList {
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
	base := syntax.ReceiverBase(d)
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
				// The function's receiver must name it.
				id.Name = fmt.Sprintf("_·%d", i)
			}
			list.List = append(list.List, &ast.Field{Names: []*ast.Ident{{NamePos: id.NamePos, Name: id.Name}}, Type: constraints[i]})
		}
	}
	return list
}
