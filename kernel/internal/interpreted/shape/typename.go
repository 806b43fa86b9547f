package shape

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// RuntimeName names a type as reflection, and so %T and the messages of the run time, do.
func RuntimeName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return types.Default(t).String()
	case *types.Pointer:
		return "*" + RuntimeName(t.Elem())
	case *types.Slice:
		return "[]" + RuntimeName(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), RuntimeName(t.Elem()))
	case *types.Map:
		return "map[" + RuntimeName(t.Key()) + "]" + RuntimeName(t.Elem())
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + RuntimeName(t.Elem())
		case types.RecvOnly:
			return "<-chan " + RuntimeName(t.Elem())
		}
		if c, ok := types.Unalias(t.Elem()).(*types.Chan); ok && c.Dir() == types.RecvOnly {
			return "chan (" + RuntimeName(c) + ")"
		}
		return "chan " + RuntimeName(t.Elem())
	case *types.Struct:
		if t.NumFields() == 0 {
			return "struct {}"
		}
		fields := make([]string, t.NumFields())
		for i := range fields {
			f := t.Field(i)
			fields[i] = RuntimeName(f.Type())
			if !f.Embedded() {
				fields[i] = f.Name() + " " + fields[i]
			}
			if tag := t.Tag(i); tag != "" {
				fields[i] += " " + strconv.Quote(tag)
			}
		}
		return "struct { " + strings.Join(fields, "; ") + " }"
	case *types.Interface:
		if t.NumMethods() == 0 {
			return "interface {}"
		}
		methods := make([]string, t.NumMethods())
		for i := range methods {
			m := t.Method(i)
			methods[i] = m.Name() + runtimeSignature(m.Signature())
		}
		return "interface { " + strings.Join(methods, "; ") + " }"
	case *types.Signature:
		return "func" + runtimeSignature(t)
	case *types.Named:
		name := t.Obj().Name()
		if t.Obj().Pkg() != nil {
			name = t.Obj().Pkg().Name() + "." + name
		}
		if t.TypeArgs().Len() > 0 {
			args := make([]string, t.TypeArgs().Len())
			for i := range args {
				args[i] = argumentName(t.TypeArgs().At(i))
			}
			name += "[" + strings.Join(args, ",") + "]"
		}
		return name
	}
	return types.TypeString(t, shortQualifier)
}

// argumentName names a type argument: with the whole path of its package.
func argumentName(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		path := named.Obj().Pkg().Path()
		return path + strings.TrimPrefix(RuntimeName(t), named.Obj().Pkg().Name())
	}
	return RuntimeName(t)
}

func runtimeSignature(sig *types.Signature) string {
	params := make([]string, sig.Params().Len())
	for i := range params {
		t := sig.Params().At(i).Type()
		params[i] = RuntimeName(t)
		if sig.Variadic() && i == len(params)-1 {
			params[i] = "..." + strings.TrimPrefix(params[i], "[]")
		}
	}
	text := "(" + strings.Join(params, ", ") + ")"
	results := make([]string, sig.Results().Len())
	for i := range results {
		results[i] = RuntimeName(sig.Results().At(i).Type())
	}
	switch len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}
