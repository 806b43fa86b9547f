package shape

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// Encodes notes that a function literal, which cannot be written again, gives values of a type to
// encoding/json as they are.
func (l *Shapes) Encodes(t types.Type) { l.Note(encodedKey(l.S.TypeNumber(t)), "by a literal") }

// EncodedByShape reports whether encoding/json finds, in values of a type, what it would find in a
// compiled program.
func (l *Shapes) EncodedByShape(t types.Type) bool { return l.shapeOnly(t, map[types.Type]bool{}) }

// shapeOnly reports whether all that encoding/json looks at in values of a type is there at run
// time: there must be neither embedded structs nor types that encode themselves.
func (l *Shapes) shapeOnly(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if !state.IsSession(named.Obj()) {
			return true
		}
		set := types.NewMethodSet(types.NewPointer(named))
		for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"} {
			if set.Lookup(nil, name) != nil {
				return false
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if u.Field(i).Embedded() || u.Field(i).Exported() && !l.shapeOnly(u.Field(i).Type(), seen) {
				return false
			}
		}
	case *types.Interface:
		return u.NumMethods() == 0
	case *types.Chan, *types.Signature:
		return l.Native(t) // encoding/json complains of it by its name
	case *types.Map:
		return l.shapeOnly(u.Key(), seen) && l.shapeOnly(u.Elem(), seen)
	case interface{ Elem() types.Type }:
		return l.shapeOnly(u.Elem(), seen)
	}
	return true
}

// Encodable refuses a session type whose values encoding/json would not encode and decode as those
// of a compiled program.
func (l *Shapes) Encodable(t types.Type, pos token.Pos) {
	if !l.EncodedByShape(t) {
		l.Refuse(pos, fmt.Sprintf("json of a type of the session needs compiled cells: %s has methods that encode it, embedded structs, or interfaces with methods", typed.Shown(t)))
	}
}
