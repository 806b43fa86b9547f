package extract

import (
	"fmt"
	"go/types"
	"strings"
)

// wrapper declares a struct with one function field for each method of the interface, and the
// methods that call them. In this form yaegi passes an interpreted value to compiled code that
// needs the interface.
func (w *tableWriter) wrapper(typeName, name string, iface *types.Interface) {
	var fields, methods strings.Builder
	for m := range iface.Methods() {
		if !m.Exported() || !expressible(m.Signature(), nil) {
			continue
		}
		params, args, results := w.signature(m.Signature())
		fmt.Fprintf(&fields, "W%s func(%s) %s\n", m.Name(), params, results)
		fmt.Fprintf(&methods, "func (w %s) %s(%s) %s {\n", typeName, m.Name(), params, results)
		if m.Name() == "String" {
			// fmt calls String on values that were never set.
			methods.WriteString("if w.WString == nil {\nreturn \"\"\n}\n")
		}
		if results != "" {
			methods.WriteString("return ")
		}
		fmt.Fprintf(&methods, "w.W%s(%s)\n}\n", m.Name(), args)
	}
	fmt.Fprintf(&w.wrappers, "// %s makes interpreted values a %s.%s.\ntype %s struct {\nIValue any\n%s}\n%s\n",
		typeName, w.pkg.Name(), name, typeName, &fields, &methods)
}

// signature writes a method's parameters, the arguments that pass them on, and its results.
func (w *tableWriter) signature(sig *types.Signature) (params, args, results string) {
	var ps, as, rs []string
	for i := range sig.Params().Len() {
		t := types.TypeString(sig.Params().At(i).Type(), w.qualifier)
		arg := fmt.Sprintf("a%d", i)
		if sig.Variadic() && i == sig.Params().Len()-1 {
			as = append(as, arg+"...")
			t = "..." + strings.TrimPrefix(t, "[]")
		} else {
			as = append(as, arg)
		}
		ps = append(ps, arg+" "+t)
	}
	for v := range sig.Results().Variables() {
		rs = append(rs, types.TypeString(v.Type(), w.qualifier))
	}
	results = strings.Join(rs, ", ")
	if len(rs) > 1 {
		results = "(" + results + ")"
	}
	return strings.Join(ps, ", "), strings.Join(as, ", "), results
}

// expressible reports whether another package can name the type: whether it mentions only exported
// names of packages that are not internal.
func expressible(t types.Type, seen []types.Type) bool {
	named := func(obj *types.TypeName) bool {
		return obj.Pkg() == nil || obj.Exported() && !strings.Contains("/"+obj.Pkg().Path()+"/", "/internal/")
	}
	for _, s := range seen {
		if s == t {
			return true
		}
	}
	seen = append(seen, t)
	switch t := t.(type) {
	case *types.Basic:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if !expressible(arg, seen) {
				return false
			}
		}
		return named(t.Obj())
	case *types.Alias:
		return named(t.Obj())
	case *types.Pointer:
		return expressible(t.Elem(), seen)
	case *types.Slice:
		return expressible(t.Elem(), seen)
	case *types.Array:
		return expressible(t.Elem(), seen)
	case *types.Chan:
		return expressible(t.Elem(), seen)
	case *types.Map:
		return expressible(t.Key(), seen) && expressible(t.Elem(), seen)
	case *types.Signature:
		return expressible(t.Params(), seen) && expressible(t.Results(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			if !expressible(v.Type(), seen) {
				return false
			}
		}
		return true
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() || !expressible(f.Type(), seen) {
				return false
			}
		}
		return true
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() || !expressible(m.Type(), seen) {
				return false
			}
		}
		return t.IsMethodSet()
	}
	return false
}
