package assist

import (
	"go/types"
)

// members returns the fields and methods that a selector of a value of type t finds in package pkg,
// including those of embedded fields and of the pointer.
func members(t types.Type, pkg *types.Package) []types.Object {
	var out []types.Object
	seen := map[string]bool{}
	for _, name := range memberNames(t, map[types.Type]bool{}, nil) {
		if seen[name] {
			continue
		}
		seen[name] = true
		// LookupFieldOrMethod knows which names hide others, and which are ambiguous.
		obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
		if obj != nil && (obj.Exported() || obj.Pkg() == pkg) {
			out = append(out, obj)
		}
	}
	return out
}

// memberNames appends the names of all fields and methods of a type and of its embedded types.
func memberNames(t types.Type, seen map[types.Type]bool, names []string) []string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if seen[t] {
		return names
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok {
		for m := range named.Methods() {
			names = append(names, m.Name())
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer: // of a named pointer type, which has fields only
		return memberNames(u, seen, names)
	case *types.Interface:
		for m := range u.Methods() {
			names = append(names, m.Name())
		}
	case *types.Struct:
		for f := range u.Fields() {
			names = append(names, f.Name())
			if f.Embedded() {
				names = memberNames(f.Type(), seen, names)
			}
		}
	}
	return names
}

// kindOf returns the kind of an object for a candidate.
func kindOf(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.PkgName:
		return "package"
	case *types.Const, *types.Nil:
		return "constant"
	case *types.Builtin:
		return "function"
	case *types.Func:
		if obj.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.Var:
		if obj.IsField() {
			return "field"
		}
		return "variable"
	case *types.TypeName:
		switch obj.Type().Underlying().(type) {
		case *types.Struct:
			return "struct"
		case *types.Interface:
			return "interface"
		}
	}
	return "type"
}
