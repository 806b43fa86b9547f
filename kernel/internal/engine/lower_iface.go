package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// How interfaces are represented. The interpreter knows a type only by its
// shape, and an interface of the session only through a wrapper that hides
// what it holds. So neither is left to it:
//
//   - An empty interface, and every interface that the session declares, is an
//     empty interface. A value of a compiled type is in it as itself; a value of
//     a session type as a carrier, a compiled comparable struct of the value and
//     its type (kernel/internal/interpreted/carrier.go). So ==, map keys, channels
//     and printing are Go's own.
//   - Methods are called through a dispatcher, which finds them by name.
//   - Assertions and type switches on session types ask the bridge.
//   - An interface of a compiled package holds a compiled value, or a wrapper of
//     a carrier, a struct with the methods (only error and fmt.Stringer hold
//     carriers themselves). The wrapper is taken off when such a value becomes
//     one of an empty interface, is compared or asked what it is.

// dispatcher returns the function that calls a method of an interface of the
// session.
func (l *shapes) dispatcher(m *types.Func) string {
	sig := m.Signature()
	text := l.methodType(sig)
	key := "call " + m.Name() + " " + text
	if name, ok := l.s.instances[key]; ok {
		return name
	}
	name := fmt.Sprintf("%s__c%d", internalName(m.Name()), l.s.unique())
	l.s.instances[key] = name
	l.later(func() { delete(l.s.instances, key) })
	params := strings.TrimPrefix(l.signature(sig, true), "(")
	head := "(s interface{}, " + params
	if sig.Params().Len() == 0 {
		head = "(s interface{}" + params
	}
	call := fmt.Sprintf("%s.Find(s, %q, (%s)(nil)).(%s)(%s)", bridge, m.Name(), text, text, strings.TrimSuffix("s, "+forwarded(sig), ", "))
	l.funcs = append(l.funcs, fmt.Sprintf("func %s%s { %s }", name, head, returning(sig, call)))
	return name
}

// methodType writes the type of a method as a function of an empty interface
// and its parameters.
func (l *shapes) methodType(sig *types.Signature) string {
	rest := strings.TrimPrefix(l.signature(sig, false), "(")
	if sig.Params().Len() == 0 {
		return "func(interface{}" + rest
	}
	return "func(interface{}, " + rest
}

// methods tells the bridge how to call the methods of a session type.
func (l *shapes) methods(id int, t types.Type) {
	if types.IsInterface(t) {
		return
	}
	base, pointer := t, false
	if p, ok := t.Underlying().(*types.Pointer); ok {
		base, pointer = p.Elem(), true
	}
	named, ok := types.Unalias(base).(*types.Named)
	if !ok || types.IsInterface(named) {
		return
	}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		sel := set.At(i)
		m := sel.Obj().(*types.Func)
		key := fmt.Sprintf("method %d %s", id, m.Name())
		if l.s.instances[key] != "" || l.hidden(sel) {
			continue
		}
		if fn := l.s.funcs[m.Origin()]; fn != nil && fn.pending != "" {
			continue
		}
		l.s.instances[key] = "known"
		l.later(func() { delete(l.s.instances, key) })
		sig := m.Signature()
		typ := l.typ(t)
		args := make([]string, sig.Params().Len())
		for j := range args {
			args[j] = fmt.Sprintf("p%d", j)
		}
		if sig.Variadic() {
			args[len(args)-1] += "..."
		}
		call := l.promotedCall("x", pointer, named, sel.Index(), m, args)
		params := strings.TrimPrefix(l.signature(sig, true), "(")
		head := "func(r interface{}, " + params
		if len(args) == 0 {
			head = "func(r interface{}" + params
		}
		l.setup = append(l.setup, fmt.Sprintf("%s.Method(%d, %q, %q, %s { var x %s; %s.Get(r, &x); %s })",
			bridge, id, m.Name(), l.methodType(sig), head, typ, bridge, returning(sig, call)))
	}
}

// hidden reports methods of embedded compiled types whose signature cannot be
// written down; they cannot be called by name.
func (l *shapes) hidden(sel *types.Selection) bool {
	hidden := false
	var visit func(t types.Type, depth int)
	visit = func(t types.Type, depth int) {
		if depth > 10 {
			return
		}
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			if !isSession(t.Obj()) && t.Obj().Pkg() != nil && (!t.Obj().Exported() || t.TypeArgs().Len() > 0 && l.standIn(t) == nil) {
				hidden = true
			}
		case *types.Pointer:
			visit(t.Elem(), depth+1)
		case *types.Slice:
			visit(t.Elem(), depth+1)
		case *types.Array:
			visit(t.Elem(), depth+1)
		case *types.Chan:
			visit(t.Elem(), depth+1)
		case *types.Map:
			visit(t.Key(), depth+1)
			visit(t.Elem(), depth+1)
		case *types.Signature:
			for i := range t.Params().Len() {
				visit(t.Params().At(i).Type(), depth+1)
			}
			for i := range t.Results().Len() {
				visit(t.Results().At(i).Type(), depth+1)
			}
		}
	}
	m := sel.Obj().(*types.Func)
	visit(m.Signature(), 0)
	return hidden || !m.Exported() && !isSession(m)
}

// assertion writes x.(T), as one value or as two where two are wanted.
func (b *body) assertion(e *ast.TypeAssertExpr) string {
	from, to := b.info.TypeOf(e.X), b.info.TypeOf(e.Type)
	_, two := b.info.TypeOf(e).(*types.Tuple)
	x := unwrapped(b.operand(e.X), from)
	if two && b.l.native(to) && !types.IsInterface(to) && !isCompiledInterface(from) {
		return x + ".(" + b.l.typ(to) + ")"
	}
	question := b.question("x", from, to, e.Pos())
	if erased(to) || isEmptyInterface(to) {
		if two {
			return fmt.Sprintf("func(x interface{}) (interface{}, bool) { if %s { return x, true }; return nil, false }(%s)", question, x)
		}
		return fmt.Sprintf("func(x interface{}) interface{} { if %s { return x }; %s; return nil }(%s)", question, b.failure("x", from, to), x)
	}
	typ := b.l.typ(to)
	if two {
		return fmt.Sprintf("func(x interface{}) (%s, bool) { var v %s; if %s { %s.Take(x, &v); return v, true }; return v, false }(%s)",
			typ, typ, question, bridge, x)
	}
	return fmt.Sprintf("func(x interface{}) %s { var v %s; if %s { %s.Take(x, &v) } else { %s }; return v }(%s)",
		typ, typ, question, bridge, b.failure("x", from, to), x)
}

// failure panics as a failed assertion does.
func (b *body) failure(x string, from, to types.Type) string {
	switch {
	case erased(to):
		names, texts, samples := b.l.methodLists(to.Underlying().(*types.Interface))
		return fmt.Sprintf("%s.Lacks(%s, %q, %s, %s, %s)", bridge, x, runtimeName(to), names, texts, samples)
	case types.IsInterface(to) && !isEmptyInterface(to):
		return fmt.Sprintf("%s.LacksCompiled(%s, %q, (*%s)(nil))", bridge, x, runtimeName(to), b.l.typ(to))
	}
	return fmt.Sprintf("%s.NotA(%s, %q, %q, %v)", bridge, x, runtimeName(from), runtimeName(to), types.IsInterface(to))
}

func isCompiledInterface(t types.Type) bool {
	return types.IsInterface(t) && !isEmptyInterface(t) && !erased(t)
}

// question writes whether the value of the variable x, of interface type
// from, is a value of type to.
func (b *body) question(x string, from, to types.Type, pos token.Pos) string {
	b.l.pos = pos
	switch {
	case isEmptyInterface(to):
		return x + " != nil"
	case erased(to):
		names, texts, samples := b.l.methodLists(to.Underlying().(*types.Interface))
		return fmt.Sprintf("%s.Has(%s, %s, %s, %s)", bridge, x, names, texts, samples)
	case types.IsInterface(to):
		return fmt.Sprintf("%s.Implements(%s, (*%s)(nil))", bridge, x, b.l.typ(to))
	case b.l.native(to):
		return fmt.Sprintf("%s.IsNative(%s, (*%s)(nil))", bridge, x, b.l.typ(to))
	}
	return fmt.Sprintf("%s.Is(%s, %d)", bridge, x, b.l.describe(to))
}

// methodLists writes the names of an interface's methods, their types as text,
// and functions of these types.
func (l *shapes) methodLists(i *types.Interface) (names, texts, samples string) {
	var n, t, s []string
	for j := range i.NumMethods() {
		m := i.Method(j)
		text := l.methodType(m.Signature())
		n, t, s = append(n, m.Name()), append(t, text), append(s, "("+text+")(nil)")
	}
	return "[]string{" + quoted(n) + "}", "[]string{" + quoted(t) + "}", "[]interface{}{" + strings.Join(s, ", ") + "}"
}

// typeSwitch writes a type switch as a switch on the bridge's answers.
func (b *body) typeSwitch(s *ast.TypeSwitchStmt, label string) string {
	var init ast.Node
	if s.Init != nil {
		init = s.Init
	}
	var x ast.Expr
	bound := false
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = ast.Unparen(a.X).(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = ast.Unparen(a.Rhs[0]).(*ast.TypeAssertExpr).X
		bound = true
	}
	var out strings.Builder
	out.WriteString("{\n" + b.mark(init, x))
	if s.Init != nil {
		out.WriteString(b.ahead(s.Init))
	}
	from := b.info.TypeOf(x)
	subject := fmt.Sprintf("x__%d", b.l.s.unique())
	fmt.Fprintf(&out, "%s := %s\n", subject, b.expr(x))
	held := subject
	if isCompiledInterface(from) && !carries(from) {
		held = fmt.Sprintf("x__%d", b.l.s.unique())
		fmt.Fprintf(&out, "%s := %s\n", held, unwrapped(subject, from))
	}
	text := b.within(&target{label: label}, func() string {
		var out strings.Builder
		out.WriteString("switch {\n")
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			var single types.Type
			if c.List == nil {
				out.WriteString("default:\n")
			} else {
				questions := make([]string, len(c.List))
				for i, e := range c.List {
					tv := b.info.Types[e]
					if tv.IsNil() {
						questions[i] = subject + " == nil"
						continue
					}
					questions[i] = b.question(held, from, tv.Type, e.Pos())
					if len(c.List) == 1 {
						single = tv.Type
					}
				}
				out.WriteString("case " + strings.Join(questions, " || ") + ":\n")
			}
			if obj := b.info.Implicits[c]; bound && obj != nil {
				name := b.local(obj)
				switch {
				case single == nil:
					fmt.Fprintf(&out, "%s := %s\n", name, subject)
				case erased(single) || isEmptyInterface(single):
					fmt.Fprintf(&out, "%s := interface{}(%s)\n", name, held)
				default:
					fmt.Fprintf(&out, "var %s %s\n%s.Take(%s, &%s)\n", name, b.l.typ(single), bridge, held, name)
				}
			}
			b.noted = 0
			out.WriteString(b.stmts(c.Body))
			b.noted = 0
		}
		out.WriteString("}\n")
		return out.String()
	})
	out.WriteString(labelled(label, text) + "}\n")
	return out.String()
}
