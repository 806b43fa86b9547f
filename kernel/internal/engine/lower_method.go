package engine

import (
	"go/types"
	"strings"
)

// promotedCall writes the call of a method of named, reached by a path of
// embedded fields, on the variable recv.
func (l *shapes) promotedCall(recv string, isPointer bool, named *types.Named, index []int, m *types.Func, args []string) string {
	t := types.Type(named)
	path := recv
	for _, i := range index[:len(index)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			break
		}
		path += "." + fieldName(st.Field(i))
		t = st.Field(i).Type()
		_, isPointer = t.Underlying().(*types.Pointer)
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if erased(t) {
		return l.dispatcher(m) + "(" + strings.Join(append([]string{path}, args...), ", ") + ")"
	}
	if base, ok := types.Unalias(t).(*types.Named); ok && inLowered(base) {
		if fn := l.methodOf(m, base); fn != nil {
			l.value(fn)
			switch {
			case fn.pointer && !isPointer:
				path = "&" + path
			case !fn.pointer && isPointer:
				path = "*" + path
			}
			return fn.variable + "(" + strings.Join(append([]string{path}, args...), ", ") + ")"
		}
	}
	return path + "." + m.Name() + "(" + strings.Join(args, ", ") + ")"
}

// methodOf returns the function behind a method of a session type, making an
// instance of it if the type is one.
func (l *shapes) methodOf(m *types.Func, named *types.Named) *function {
	origin := m.Origin()
	fn := l.s.funcs[origin]
	if fn == nil {
		return nil
	}
	if fn.generic {
		return l.instance(fn, origin, named.TypeArgs())
	}
	return fn
}
