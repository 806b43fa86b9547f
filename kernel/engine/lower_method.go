package engine

import (
	"fmt"
	"go/types"
	"strings"
)

// thunk gives a running type a method of its own, so that the type can be
// used as an interface.
func (l *lowering) thunk(named *types.Named, name string, m *types.Func, index []int) {
	owner := l.typ(named)
	key := owner + "." + name
	if l.s.instances[key] != "" {
		return
	}
	l.s.instances[key] = "thunk"
	l.later(func() { delete(l.s.instances, key) })
	sig := m.Signature()
	recv := "r " + owner
	direct := len(index) == 1
	if fn := l.methodOf(m, named); fn != nil && direct && fn.pointer || !direct {
		recv = "r *" + owner
		if !direct && !l.needsPointer(named, index, m) {
			recv = "r " + owner
		}
	}
	args := make([]string, sig.Params().Len())
	for i := range args {
		args[i] = fmt.Sprintf("p%d", i)
		if sig.Variadic() && i == len(args)-1 {
			args[i] += "..."
		}
	}
	call := l.promotedCall("r", strings.HasPrefix(recv, "r *"), named, index, m, args)
	if sig.Results().Len() > 0 {
		call = "return " + call
	}
	l.funcs = append(l.funcs, fmt.Sprintf("func (%s) %s%s { %s }", recv, name, l.signature(sig, true), call))
}

// needsPointer reports whether a promoted method can only be called through a
// pointer to the outer value.
func (l *lowering) needsPointer(named *types.Named, index []int, m *types.Func) bool {
	set := types.NewMethodSet(named)
	return set.Lookup(m.Pkg(), m.Name()) == nil
}

// promotedCall writes the call of a method of named, reached by a path of
// embedded fields, on the variable recv.
func (l *lowering) promotedCall(recv string, isPointer bool, named *types.Named, index []int, m *types.Func, args []string) string {
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
func (l *lowering) methodOf(m *types.Func, named *types.Named) *function {
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
