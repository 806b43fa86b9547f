package shape

import (
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

// erased reports the interfaces of the session: those with methods that no
// compiled package declares.
func Erased(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return !ok || state.IsSession(named.Obj())
}

// native reports whether values of a type are at run time exactly what the
// Go compiler would have made: whether no type of the session, and no field
// that the interpreter renames, is part of it.
func (l *Shapes) Native(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Interface); ok {
		return true
	}
	return l.isNative(t, map[types.Type]bool{})
}

func (l *Shapes) isNative(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if state.IsSession(t.Obj()) {
			return false
		}
		return t.TypeArgs().Len() == 0
	case *types.Pointer:
		return l.isNative(t.Elem(), seen)
	case *types.Slice:
		return l.isNative(t.Elem(), seen)
	case *types.Array:
		return l.isNative(t.Elem(), seen)
	case *types.Chan:
		return l.isNative(t.Elem(), seen)
	case *types.Map:
		return l.isNative(t.Key(), seen) && l.isNative(t.Elem(), seen)
	case *types.Signature:
		return l.isNative(t.Params(), seen) && l.isNative(t.Results(), seen)
	case *types.Tuple:
		for i := range t.Len() {
			if !l.isNative(t.At(i).Type(), seen) {
				return false
			}
		}
		return true
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			if !f.Exported() || f.Embedded() || !l.isNative(f.Type(), seen) {
				return false
			}
		}
		return true
	case *types.Interface:
		return t.NumMethods() == 0 // others become the empty one
	}
	return true
}
