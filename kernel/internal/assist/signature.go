package assist

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
)

// doc returns the documentation of a name in a package.
func (v *view) doc(path, name string) string {
	if library, ok := v.Importer.(program.Library); ok {
		return library.Doc(path, name)
	}
	return ""
}

// typeOf formats the type of an object: for a function its parameters and results, for a package
// its import path.
func (v *view) typeOf(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.PkgName:
		return fmt.Sprintf("%q", check.PlainPath(obj.Imported().Path()))
	case *types.Builtin:
		return strings.TrimPrefix(v.doc("builtin", obj.Name()+"()"), "func "+obj.Name())
	case *types.Nil:
		return "untyped nil"
	case *types.Func:
		return v.signature(obj.Signature())
	case *types.TypeName:
		if obj.IsAlias() {
			return types.TypeString(types.Unalias(obj.Type()), v.qualify)
		}
		switch u := obj.Type().Underlying().(type) {
		case *types.Struct:
			return "struct{...}"
		case *types.Interface:
			return "interface{...}"
		default:
			return types.TypeString(u, v.qualify)
		}
	}
	return types.TypeString(obj.Type(), v.qualify)
}

// signature writes type parameters, parameters and results.
func (v *view) signature(s *types.Signature) string {
	text := v.typeParams(s.TypeParams()) + "(" + v.tuple(s.Params(), s.Variadic()) + ")"
	results := v.tuple(s.Results(), false)
	switch {
	case s.Results().Len() == 0:
		return text
	case s.Results().Len() == 1 && s.Results().At(0).Name() == "":
		return text + " " + results
	}
	return text + " (" + results + ")"
}

func (v *view) typeParams(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var vars []*types.Var
	for p := range list.TypeParams() {
		vars = append(vars, types.NewParam(0, nil, p.Obj().Name(), p.Constraint()))
	}
	return "[" + v.tuple(types.NewTuple(vars...), false) + "]"
}

// tuple writes parameters, those of one type together.
func (v *view) tuple(t *types.Tuple, variadic bool) string {
	var b strings.Builder
	spell := func(i int) string {
		typ := t.At(i).Type()
		if slice, ok := typ.(*types.Slice); ok && variadic && i == t.Len()-1 {
			return "..." + types.TypeString(slice.Elem(), v.qualify)
		}
		return types.TypeString(typ, v.qualify)
	}
	for i := range t.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		typ := spell(i)
		b.WriteString(t.At(i).Name())
		if t.At(i).Name() != "" {
			if i+1 < t.Len() && spell(i+1) == typ && t.At(i+1).Name() != "" {
				continue
			}
			b.WriteString(" ")
		}
		b.WriteString(typ)
	}
	return b.String()
}
