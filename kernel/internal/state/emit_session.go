package state

import (
	"go/types"
)

// namesOf collects the declared types that a type is written with.
func NamesOf(t types.Type, into map[types.Object]bool) {
	switch t := t.(type) {
	case *types.Alias:
		into[t.Obj()] = true
		NamesOf(types.Unalias(t), into)
	case *types.Named:
		into[t.Origin().Obj()] = true
		for arg := range t.TypeArgs().Types() {
			NamesOf(arg, into)
		}
	case *types.Map:
		NamesOf(t.Key(), into)
		NamesOf(t.Elem(), into)
	case interface{ Elem() types.Type }:
		NamesOf(t.Elem(), into)
	case *types.Signature:
		NamesOf(t.Params(), into)
		NamesOf(t.Results(), into)
	case *types.Tuple:
		for v := range t.Variables() {
			NamesOf(v.Type(), into)
		}
	case *types.Struct:
		for f := range t.Fields() {
			NamesOf(f.Type(), into)
		}
	case *types.Interface:
		for m := range t.Methods() {
			NamesOf(m.Type(), into)
		}
		for e := range t.EmbeddedTypes() {
			NamesOf(e, into)
		}
	}
}
