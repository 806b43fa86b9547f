package state

import (
	"fmt"
	"go/types"
	"strings"
)

// Unspoken is a type that a program cannot name.
type Unspoken struct{ t types.Type }

func (u Unspoken) Error() string {
	return fmt.Sprintf("the type %s has no name outside of its package", u.t)
}

// A Spelling writes types with the names that the surrounding text uses.
type Spelling struct {
	// TypeName returns the name of a declared type of the session in the text; empty if it has
	// none.
	TypeName func(*types.TypeName) string
	// PackageName returns the name of a package in the text.
	PackageName func(path, name string) string
	// Predeclared returns the name of a predeclared type in the text; nil if each keeps its name.
	Predeclared func(name string) string
}

// Typ writes a type. It panics with an Unspoken if the type has no name.
func (x *Spelling) Typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return x.PackageName("unsafe", "unsafe") + ".Pointer"
		}
		return x.predeclared(t.Name())
	case *types.Alias:
		if t.Obj().Pkg() != nil && !IsSession(t.Obj()) && !t.Obj().Exported() {
			return x.Typ(types.Unalias(t))
		}
		return x.typeObject(t, t.Obj()) + x.arguments(t.TypeArgs())
	case *types.Named:
		return x.typeObject(t, t.Obj()) + x.arguments(t.TypeArgs())
	case *types.TypeParam:
		return t.Obj().Name()
	case *types.Pointer:
		return "*" + x.Typ(t.Elem())
	case *types.Slice:
		return "[]" + x.Typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), x.Typ(t.Elem()))
	case *types.Map:
		return "map[" + x.Typ(t.Key()) + "]" + x.Typ(t.Elem())
	case *types.Chan:
		elem := x.Typ(t.Elem())
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
		return "func" + x.Signature(t)
	case *types.Struct:
		return x.structType(t)
	case *types.Interface:
		return x.interfaceType(t)
	}
	panic(Unspoken{t})
}

func (x *Spelling) predeclared(name string) string {
	if x.Predeclared == nil {
		return name
	}
	return x.Predeclared(name)
}

func (x *Spelling) typeObject(t types.Type, obj *types.TypeName) string {
	switch {
	case obj.Pkg() == nil:
		return x.predeclared(obj.Name())
	case IsSession(obj):
		if name := x.TypeName(obj); name != "" {
			return name
		}
	case obj.Exported() && obj.Parent() == obj.Pkg().Scope():
		return x.PackageName(obj.Pkg().Path(), obj.Pkg().Name()) + "." + obj.Name()
	}
	panic(Unspoken{t})
}

func (x *Spelling) arguments(list *types.TypeList) string {
	if list.Len() == 0 {
		return ""
	}
	var args []string
	for t := range list.Types() {
		args = append(args, x.Typ(t))
	}
	return "[" + strings.Join(args, ", ") + "]"
}

// Signature writes parameters and results, without func.
func (x *Spelling) Signature(sig *types.Signature) string {
	text := "(" + strings.Join(x.Params(sig), ", ") + ")"
	switch sig.Results().Len() {
	case 0:
		return text
	case 1:
		return text + " " + x.Typ(sig.Results().At(0).Type())
	}
	var results []string
	for v := range sig.Results().Variables() {
		results = append(results, x.Typ(v.Type()))
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

// Params writes the types of parameters.
func (x *Spelling) Params(sig *types.Signature) []string {
	var out []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if slice, ok := t.Underlying().(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			out = append(out, "..."+x.Typ(slice.Elem()))
			continue
		}
		out = append(out, x.Typ(t))
	}
	return out
}

func (x *Spelling) structType(t *types.Struct) string {
	var out strings.Builder
	out.WriteString("struct {")
	for i := range t.NumFields() {
		f := t.Field(i)
		if i > 0 {
			out.WriteString("; ")
		}
		switch {
		case !f.Exported() && !IsSession(f):
			panic(Unspoken{t})
		case f.Embedded():
			out.WriteString(x.Typ(f.Type()))
		default:
			out.WriteString(f.Name() + " " + x.Typ(f.Type()))
		}
		if tag := t.Tag(i); tag != "" {
			fmt.Fprintf(&out, " %q", tag)
		}
	}
	return out.String() + "}"
}

func (x *Spelling) interfaceType(t *types.Interface) string {
	if t.NumExplicitMethods() == 0 && t.NumEmbeddeds() == 0 {
		return x.predeclared("any")
	}
	var parts []string
	for m := range t.ExplicitMethods() {
		if !m.Exported() && !IsSession(m) {
			panic(Unspoken{t})
		}
		parts = append(parts, m.Name()+x.Signature(m.Signature()))
	}
	for e := range t.EmbeddedTypes() {
		parts = append(parts, x.Typ(e))
	}
	return "interface{" + strings.Join(parts, "; ") + "}"
}

// Zero writes the zero value of a type.
func (x *Spelling) Zero(t types.Type) string {
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
		return x.Typ(t) + "{}"
	}
	return "nil"
}
