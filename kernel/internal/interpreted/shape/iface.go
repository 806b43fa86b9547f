package shape

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// How interfaces are represented. The interpreter knows a type only by its shape, and an interface
// of the session only through a wrapper that hides what it holds. So neither is left to it:
//
//   - An empty interface, and every interface that the session declares, is an empty interface. A
//     value of a compiled type is in it as itself; a value of a session type as a carrier, a
//     compiled comparable struct of the value and its type
//     (kernel/internal/interpreted/carrier.go). So ==, map keys, channels and printing are Go's
//     own.
//   - Methods are called through a dispatcher, which finds them by name.
//   - Assertions and type switches on session types ask the bridge.
//   - An interface of a compiled package holds a compiled value, or a wrapper of a carrier, a
//     struct with the methods (only error and fmt.Stringer hold carriers themselves). The wrapper
//     is taken off when such a value becomes one of an empty interface, is compared or asked what
//     it is.

// Dispatcher returns the function that calls a method of an interface of the session.
func (l *Shapes) Dispatcher(m *types.Func) string {
	sig := m.Signature()
	text := l.methodType(sig)
	key := "call " + m.Name() + " " + text
	if name, ok := l.Sent.Made[key]; ok {
		return name
	}
	name := fmt.Sprintf("%s__c%d", state.InternalName(m.Name()), l.S.Unique())
	l.Note(key, name)
	params := strings.TrimPrefix(l.Signature(sig, true), "(")
	head := "(s interface{}, " + params
	if sig.Params().Len() == 0 {
		head = "(s interface{}" + params
	}
	call := fmt.Sprintf("%s.Find(s, %q, (%s)(nil)).(%s)(%s)", Bridge, m.Name(), text, text, Forwarded(sig, "s"))
	l.Funcs = append(l.Funcs, fmt.Sprintf("func %s%s { %s }", name, head, Returning(sig, call)))
	return name
}

// methodType writes the type of a method as a function of an empty interface and its parameters.
func (l *Shapes) methodType(sig *types.Signature) string {
	rest := strings.TrimPrefix(l.Signature(sig, false), "(")
	if sig.Params().Len() == 0 {
		return "func(interface{}" + rest
	}
	return "func(interface{}, " + rest
}

// methods tells the bridge how to call the methods of a session type.
func (l *Shapes) methods(id int, t types.Type) {
	if types.IsInterface(t) {
		return
	}
	base, pointer := t, false
	if p, ok := t.Underlying().(*types.Pointer); ok {
		base, pointer = p.Elem(), true
	}
	switch types.Unalias(base).(type) {
	case *types.Named, *types.Struct: // that may have methods by what is embedded in it
	default:
		return
	}
	if types.IsInterface(base) {
		return
	}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		sel := set.At(i)
		m := sel.Obj().(*types.Func)
		key, way := methodKey(id, m.Name()), fmt.Sprint(m.FullName(), sel.Index())
		if l.Sent.Made[key] == way || l.hidden(sel) {
			continue
		}
		if fn := l.S.Funcs[m.Origin()]; fn != nil && fn.Pending != nil {
			continue
		}
		l.Note(key, way)
		sig := m.Signature()
		typ := l.Typ(t)
		args := forwarded(sig)
		call := l.promotedCall("x", pointer, base, sel.Index(), m, args)
		params := strings.TrimPrefix(l.Signature(sig, true), "(")
		head := "func(r interface{}, " + params
		if len(args) == 0 {
			head = "func(r interface{}" + params
		}
		through, nilPointer := "", ""
		if recv := m.Signature().Recv().Type(); types.IsInterface(recv) {
			through = l.Through(m, 1, Between(recv))
		} else if named, ok := types.Unalias(recv).(*types.Named); ok && named.TypeArgs() == nil && pointer && len(sel.Index()) == 1 {
			nilPointer = fmt.Sprintf("if x == nil { %s.NilPointer(%q, %q) }; ", Bridge, named.Obj().Name(), m.Name())
		}
		l.Setup = append(l.Setup, fmt.Sprintf("%s.Method(%d, %q, %q, %s { %svar x %s; %s.Get(r, &x); %s%s })",
			Bridge, id, m.Name(), l.methodType(sig), head, through, typ, Bridge, nilPointer, Returning(sig, call)))
	}
}

// methodKey is where Made keeps the way to a method that the bridge calls of a described type.
func methodKey(id int, name string) string { return fmt.Sprintf("method %d %s", id, name) }

// Note sets a text of Made, until the cell is taken back. An empty text deletes it.
func (l *Shapes) Note(key, text string) {
	was := l.Sent.Made[key]
	set := func(text string) {
		if l.Sent.Made[key] = text; text == "" {
			delete(l.Sent.Made, key)
		}
	}
	set(text)
	l.Later(func() { set(was) })
}

// Extend tells the bridge about the methods that the cell declares of types which are described:
// values of earlier cells have them, too, and a type that embeds another gets the methods of that,
// or loses one that two embedded types have now.
func (l *Shapes) Extend() {
	names := map[string]bool{}
	for _, f := range l.K.Funcs {
		if f.Receiver != nil {
			names[f.Decl.Name.Name] = true
		}
	}
	if len(names) == 0 {
		return
	}
	described := map[int]types.Type{}
	l.S.NumberedTypes(func(t types.Type, number int) {
		if id := l.Sent.described[number]; id != 0 {
			described[id] = t
		}
		if len(l.Added) > 0 {
			l.refuseLate(t, number)
		}
	})
	for _, id := range slices.Sorted(maps.Keys(described)) {
		t := described[id]
		set := types.NewMethodSet(t)
		has := false
		for name := range names {
			if set.Lookup(l.K.Pkg, name) != nil {
				has = true
			} else if key := methodKey(id, name); l.Sent.Made[key] != "" {
				l.Note(key, "")
				l.Setup = append(l.Setup, fmt.Sprintf("%s.Method(%d, %q, \"\", nil)", Bridge, id, name))
			}
		}
		if has {
			l.methods(id, t)
		}
		l.address(id, t)
	}
}

// refuseLate refuses a method if code or values of earlier cells rest on the type not having it,
// and cannot be made again.
func (l *Shapes) refuseLate(t types.Type, number int) {
	refuse := func(m types.Object, what string) {
		l.Refuse(m.Pos(), fmt.Sprintf("method %s of %s: %s, and would not find the method; declare it in the same cell as the type, in a new session", m.Name(), typed.Shown(t), what))
	}
	set := types.NewMethodSet(t)
	for m := range l.Added {
		if l.Sent.Made[encodedKey(number)] != "" && !l.EncodedByShape(t) {
			refuse(m, "a function literal of an earlier cell encodes such values as JSON")
		}
		sel := set.Lookup(m.Pkg(), m.Name())
		for iface := range strings.FieldsSeq(l.Sent.Made[wrappedKey(number)]) {
			if sel != nil && sel.Obj() == m && (slices.Contains(companions[iface], m.Name()) || slices.Contains(companionsHad[iface], m.Name())) {
				refuse(m, "compiled code may have such a value as "+iface)
			}
		}
	}
}

// encodedKey and wrappedKey are where Made notes that values of a type are encoded as they are
// by a function literal, and of which compiled interfaces there may be values of the type.
func encodedKey(number int) string { return fmt.Sprintf("encoded %d", number) }
func wrappedKey(number int) string { return fmt.Sprintf("wrapped %d", number) }

// Between the call of a method of an interface and the method are, in lowered code, the dispatcher,
// if the interface is the session's, and the function that tells the bridge how to call the method.
const (
	dispatched = 2
	wrapped    = 1
)

// Between returns how many functions of lowered code are between the call of a method of an
// interface and the method.
func Between(iface types.Type) int {
	if Erased(iface) {
		return dispatched
	}
	return wrapped
}

// Through writes what a function of lowered code that stands for nothing in the source begins with,
// if a method that it leads to may call recover: that many functions more are between that and a
// deferred call. It is called by that many before the one that was expected to be the method.
func (l *Shapes) Through(m *types.Func, before, functions int) string {
	for _, fn := range l.S.All {
		if fn.Method == m.Name() && fn.Decl != nil && typed.Recovers(fn.Info, fn.Decl.Body) {
			return fmt.Sprintf("%s.Through(%d, %d); ", Bridge, before, functions)
		}
	}
	return ""
}

// hidden reports methods of embedded compiled types whose signature cannot be written down; they
// cannot be called by name.
func (l *Shapes) hidden(sel *types.Selection) bool {
	hidden := false
	var visit func(t types.Type, depth int)
	visit = func(t types.Type, depth int) {
		if depth > 10 {
			return
		}
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			if !state.IsSession(t.Obj()) && t.Obj().Pkg() != nil && (!t.Obj().Exported() || t.TypeArgs().Len() > 0 && l.standIn(t) == nil) {
				hidden = true
			}
		case *types.Map:
			visit(t.Key(), depth+1)
			visit(t.Elem(), depth+1)
		case interface{ Elem() types.Type }:
			visit(t.Elem(), depth+1)
		case *types.Signature:
			visit(t.Params(), depth)
			visit(t.Results(), depth)
		case *types.Tuple:
			for v := range t.Variables() {
				visit(v.Type(), depth+1)
			}
		}
	}
	m := sel.Obj().(*types.Func)
	visit(m.Signature(), 0)
	return hidden || !m.Exported() && !state.IsSession(m)
}

// IsCompiledInterface reports whether a type is an interface that compiled code knows.
func IsCompiledInterface(t types.Type) bool {
	return types.IsInterface(t) && !typed.IsEmptyInterface(t) && !Erased(t)
}

// MethodLists writes the names of an interface's methods, their types as text, and functions of
// these types.
func (l *Shapes) MethodLists(i *types.Interface) (names, texts, samples string) {
	var n, t, s []string
	for j := range i.NumMethods() {
		m := i.Method(j)
		text := l.methodType(m.Signature())
		n, t, s = append(n, m.Name()), append(t, text), append(s, "("+text+")(nil)")
	}
	return "[]string{" + quoted(n) + "}", "[]string{" + quoted(t) + "}", "[]interface{}{" + strings.Join(s, ", ") + "}"
}
