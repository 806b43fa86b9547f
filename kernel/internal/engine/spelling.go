package engine

import (
	"fmt"
	"go/types"
	"strings"
)

// unspoken is a type that a program has no name for.
type unspoken struct{ t types.Type }

func (u unspoken) Error() string {
	return fmt.Sprintf("the type %s has no name outside of its package", u.t)
}

// A spelling writes types in words that the text around them understands.
type spelling struct {
	// typeName returns what the text calls a declared type of the session;
	// empty if it has no name for it.
	typeName func(*types.TypeName) string
	// packageName returns what it calls a package.
	packageName func(path, name string) string
}

// typ writes a type. It panics with an unspoken.
func (x *spelling) typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return x.packageName("unsafe", "unsafe") + ".Pointer"
		}
		return t.Name()
	case *types.Alias:
		if t.Obj().Pkg() != nil && !isSession(t.Obj()) && !t.Obj().Exported() {
			return x.typ(types.Unalias(t))
		}
		return x.typeObject(t, t.Obj()) + x.arguments(t.TypeArgs())
	case *types.Named:
		return x.typeObject(t, t.Obj()) + x.arguments(t.TypeArgs())
	case *types.TypeParam:
		return t.Obj().Name()
	case *types.Pointer:
		return "*" + x.typ(t.Elem())
	case *types.Slice:
		return "[]" + x.typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), x.typ(t.Elem()))
	case *types.Map:
		return "map[" + x.typ(t.Key()) + "]" + x.typ(t.Elem())
	case *types.Chan:
		elem := x.typ(t.Elem())
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + elem
		case types.RecvOnly:
			return "<-chan " + elem
		}
		if strings.HasPrefix(elem, "<-") {
			elem = "(" + elem + ")"
		}
		return "chan " + elem
	case *types.Signature:
		return "func" + x.signature(t)
	case *types.Struct:
		return x.structType(t)
	case *types.Interface:
		return x.interfaceType(t)
	}
	panic(unspoken{t})
}

func (x *spelling) typeObject(t types.Type, obj *types.TypeName) string {
	switch {
	case obj.Pkg() == nil:
		return obj.Name()
	case isSession(obj):
		if name := x.typeName(obj); name != "" {
			return name
		}
	case obj.Exported() && obj.Parent() == obj.Pkg().Scope():
		return x.packageName(obj.Pkg().Path(), obj.Pkg().Name()) + "." + obj.Name()
	}
	panic(unspoken{t})
}

func (x *spelling) arguments(list *types.TypeList) string {
	if list.Len() == 0 {
		return ""
	}
	var args []string
	for t := range list.Types() {
		args = append(args, x.typ(t))
	}
	return "[" + strings.Join(args, ", ") + "]"
}

func (x *spelling) signature(sig *types.Signature) string {
	text := "(" + strings.Join(x.params(sig), ", ") + ")"
	switch sig.Results().Len() {
	case 0:
		return text
	case 1:
		return text + " " + x.typ(sig.Results().At(0).Type())
	}
	var results []string
	for v := range sig.Results().Variables() {
		results = append(results, x.typ(v.Type()))
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

// params writes the types of parameters.
func (x *spelling) params(sig *types.Signature) []string {
	var out []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if slice, ok := t.Underlying().(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			out = append(out, "..."+x.typ(slice.Elem()))
			continue
		}
		out = append(out, x.typ(t))
	}
	return out
}

func (x *spelling) structType(t *types.Struct) string {
	var out strings.Builder
	out.WriteString("struct {")
	for i := range t.NumFields() {
		f := t.Field(i)
		if i > 0 {
			out.WriteString("; ")
		}
		switch {
		case !f.Exported() && !isSession(f):
			panic(unspoken{t})
		case f.Embedded():
			out.WriteString(x.typ(f.Type()))
		default:
			out.WriteString(f.Name() + " " + x.typ(f.Type()))
		}
		if tag := t.Tag(i); tag != "" {
			fmt.Fprintf(&out, " %q", tag)
		}
	}
	return out.String() + "}"
}

func (x *spelling) interfaceType(t *types.Interface) string {
	if t.NumExplicitMethods() == 0 && t.NumEmbeddeds() == 0 {
		return "any"
	}
	var parts []string
	for m := range t.ExplicitMethods() {
		if !m.Exported() && !isSession(m) {
			panic(unspoken{t})
		}
		parts = append(parts, m.Name()+x.signature(m.Signature()))
	}
	for e := range t.EmbeddedTypes() {
		parts = append(parts, x.typ(e))
	}
	return "interface{" + strings.Join(parts, "; ") + "}"
}

// zero writes the zero value of a type.
func (x *spelling) zero(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
	case *types.Struct, *types.Array:
		return x.typ(t) + "{}"
	}
	return "nil"
}
