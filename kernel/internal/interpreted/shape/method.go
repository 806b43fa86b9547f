package shape

import (
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/state"
)

// promotedCall writes the call of a method of a type, reached by a path of embedded fields, on the
// variable recv.
func (l *Shapes) promotedCall(recv string, isPointer bool, t types.Type, index []int, m *types.Func, args []string) string {
	path := recv
	for _, i := range index[:len(index)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			break
		}
		if private(t, st.Field(i)) {
			break
		}
		path += "." + FieldName(st.Field(i))
		t = st.Field(i).Type()
		_, isPointer = t.Underlying().(*types.Pointer)
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if Erased(t) {
		return l.Dispatcher(m) + "(" + strings.Join(append([]string{path}, args...), ", ") + ")"
	}
	if base, ok := types.Unalias(t).(*types.Named); ok && InLowered(base) {
		if fn := l.MethodOf(m, base); fn != nil {
			l.Value(fn)
			switch {
			case fn.Pointer && !isPointer:
				path = "&" + path
			case !fn.Pointer && isPointer:
				path = "*" + path
			}
			return fn.Variable + "(" + strings.Join(append([]string{path}, args...), ", ") + ")"
		}
	}
	return path + "." + m.Name() + "(" + strings.Join(args, ", ") + ")"
}

// private reports an embedded field that cannot be named outside the package of its struct. The
// methods that it leads to are the struct's own there.
func private(t types.Type, field *types.Var) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && !InLowered(named) && !field.Exported()
}

// MethodOf returns the function behind a method of a session type, making an instance of it if the
// type is one.
func (l *Shapes) MethodOf(m *types.Func, named *types.Named) *state.Function {
	origin := m.Origin()
	fn := l.S.Funcs[origin]
	if fn == nil {
		return nil
	}
	if fn.Generic {
		return l.Instance(fn, origin, named.TypeArgs())
	}
	return fn
}

// MethodExpr writes T.M.
func (l *Shapes) MethodExpr(s *types.Selection) string {
	m := s.Obj().(*types.Func)
	sig := s.Type().(*types.Signature)
	recv := sig.Params().At(0).Type()
	base, pointer := recv, false
	if p, ok := recv.Underlying().(*types.Pointer); ok {
		base, pointer = p.Elem(), true
	}
	args := forwarded(sig)[1:]
	head := "func" + l.Signature(sig, true)
	if Erased(base) {
		return head + " { " + l.Through(m, 0, 1+Between(base)) + Returning(sig, l.Dispatcher(m)+"("+Forwarded(sig)+")") + " }"
	}
	through := 1
	if types.IsInterface(m.Signature().Recv().Type()) {
		through += Between(m.Signature().Recv().Type())
	}
	head += " { " + l.Through(m, 0, through)
	switch types.Unalias(base).(type) {
	case *types.Named, *types.Struct:
	default:
		return head + Returning(sig, "p0."+m.Name()+"("+strings.Join(args, ", ")+")") + " }"
	}
	return head + Returning(sig, l.promotedCall("p0", pointer, base, s.Index(), m, args)) + " }"
}
