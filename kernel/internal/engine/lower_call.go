package engine

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// call writes a call: a conversion, a builtin, a function or a method.
func (b *body) call(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	if tv := b.info.Types[e.Fun]; tv.IsType() {
		return b.conversion(e, tv.Type)
	} else if tv.IsBuiltin() {
		return b.builtin(e)
	}
	sig, ok := b.info.TypeOf(e.Fun).Underlying().(*types.Signature)
	if !ok {
		b.l.refuse(e.Pos(), "a call of what is not a function")
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := b.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			return b.methodCall(e, sel, s, sig)
		}
	}
	if id, ok := fun.(*ast.Ident); ok {
		if r := b.l.k.recalled[id.Name]; r != nil {
			return b.recall(r.output)
		}
	}
	obj := b.calleeObject(fun)
	if text, ok := b.replaced(e, obj, sig); ok {
		return text
	}
	if obj != nil && obj.Signature().TypeParams().Len() > 0 {
		obj = nil // an instance is lowered code, whatever the package
	}
	if obj != nil && obj.Pkg() != nil && !isSession(obj) && obj.Signature().TypeParams() == nil && obj.Signature().Recv() == nil {
		return b.apply(e, b.l.use(obj.Pkg())+"."+obj.Name(), nil, sig, obj)
	}
	return b.apply(e, b.operandOf(fun), nil, sig, obj)
}

func (b *body) operandOf(fun ast.Expr) string {
	if lit, ok := fun.(*ast.FuncLit); ok {
		if text, ok := b.override[lit]; ok {
			return text
		}
		return b.plainLiteral(lit) // called at once, it needs no state of its own
	}
	return b.typedVariadic(fun, b.operand(fun))
}

// calleeObject returns the declared function that an expression names.
func (t tree) calleeObject(fun ast.Expr) *types.Func {
	switch f := fun.(type) {
	case *ast.Ident:
		obj, _ := t.info.Uses[f].(*types.Func)
		return obj
	case *ast.SelectorExpr:
		obj, _ := t.info.Uses[f.Sel].(*types.Func)
		return obj
	case *ast.IndexExpr:
		return t.calleeObject(ast.Unparen(f.X))
	case *ast.IndexListExpr:
		return t.calleeObject(ast.Unparen(f.X))
	}
	return nil
}

// apply writes the call of the function f with first, if any, before the
// arguments of e.
func (b *body) apply(e *ast.CallExpr, f string, first []string, sig *types.Signature, obj *types.Func) string {
	if len(e.Args) == 1 {
		if tuple, ok := b.info.TypeOf(e.Args[0]).(*types.Tuple); ok {
			return b.spread(e, f, first, sig, tuple, obj)
		}
	}
	args := append([]string(nil), first...)
	for i, a := range e.Args {
		args = append(args, b.argument(a, parameter(sig, i, e.Ellipsis.IsValid()), obj))
	}
	if e.Ellipsis.IsValid() {
		if last := e.Args[len(e.Args)-1]; b.info.Types[last].IsNil() {
			args[len(args)-1] = b.key(last, sig.Params().At(sig.Params().Len()-1).Type())
		}
		return f + "(" + strings.Join(args, ", ") + "...)"
	}
	if obj == nil || len(first) > 0 || isSession(obj) {
		given := make([]types.Type, len(e.Args))
		for i, a := range e.Args {
			given[i] = b.info.TypeOf(a)
		}
		args = b.listed(args, len(first), given, sig)
	}
	return f + "(" + strings.Join(args, ", ") + ")"
}

// listed writes variadic arguments as a list where the interpreter could take
// one of them for the list: it goes by the type that it finds at run time. Where
// there are none, it would make an empty list for a function that is called
// without having been in a variable.
func (b *body) listed(args []string, first int, given []types.Type, sig *types.Signature) []string {
	n := sig.Params().Len() - 1
	if !sig.Variadic() || len(given) < n {
		return args
	}
	list := sig.Params().At(n).Type()
	if len(given) == n {
		return append(args, b.l.parenthesized(list)+"(nil)...")
	}
	if s, ok := list.Underlying().(*types.Slice); !ok || !isEmptyInterface(s.Elem()) && !erased(s.Elem()) {
		return args
	}
	for _, t := range given[n:] {
		if _, ok := t.Underlying().(*types.Slice); ok || types.IsInterface(t) {
			return append(args[:first+n:first+n], b.l.typ(list)+"{"+strings.Join(args[first+n:], ", ")+"}...")
		}
	}
	return args
}

// parameter returns the type that the i'th argument is converted to.
func parameter(sig *types.Signature, i int, ellipsis bool) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 {
		last := sig.Params().At(n - 1).Type()
		if ellipsis {
			return last
		}
		if s, ok := last.Underlying().(*types.Slice); ok {
			return s.Elem()
		}
	}
	if i >= n {
		return types.Typ[types.Invalid]
	}
	return sig.Params().At(i).Type()
}

// spread writes f(g()) where g returns several values.
func (b *body) spread(e *ast.CallExpr, f string, first []string, sig *types.Signature, tuple *types.Tuple, obj *types.Func) string {
	var names []string
	var given []types.Type
	args := append([]string(nil), first...)
	for i := range tuple.Len() {
		name := fmt.Sprintf("v__%d", b.l.s.unique())
		names = append(names, name)
		args = append(args, b.argumentText(name, tuple.At(i).Type(), parameter(sig, i, false), obj, e.Args[0].Pos()))
		given = append(given, tuple.At(i).Type())
	}
	if obj == nil || len(first) > 0 || isSession(obj) {
		args = b.listed(args, len(first), given, sig)
	}
	text := fmt.Sprintf("%s := %s; ", strings.Join(names, ", "), b.expr(e.Args[0]))
	call := f + "(" + strings.Join(args, ", ") + ")"
	if sig.Results().Len() > 0 {
		call = "return " + call
	}
	return "func()" + b.l.results(sig) + " { " + text + call + " }()"
}

// methodCall writes x.M(args).
func (b *body) methodCall(e *ast.CallExpr, sel *ast.SelectorExpr, s *types.Selection, sig *types.Signature) string {
	m := s.Obj().(*types.Func)
	recv, fn, iface := b.receiver(sel, s)
	if iface {
		return b.apply(e, b.l.dispatcher(m), []string{recv}, sig, nil)
	}
	if fn == nil {
		if text, ok := b.replacedMethod(e, sel, s, recv, sig, m); ok {
			return text
		}
		if text, ok := b.waiting(e, sel, s, recv, sig, m); ok {
			return text
		}
		if text, ok := b.formatted(e, recv+"."+m.Name(), m, sig); ok {
			return text
		}
		return b.apply(e, recv+"."+m.Name(), nil, sig, m)
	}
	return b.apply(e, b.callee(fn), []string{recv}, sig, nil)
}

// receiver writes the operand that a method is called on. If the method is
// the session's, the function behind it is returned too and the operand has
// the type of its first parameter. iface says that the operand is of an
// interface of the session, and the method to be found by name.
func (b *body) receiver(sel *ast.SelectorExpr, s *types.Selection) (text string, fn *function, iface bool) {
	m := s.Obj().(*types.Func)
	t := b.info.TypeOf(sel.X)
	text = b.operand(sel.X)
	if standard, ok := b.standardReceiver(sel.X, m); ok {
		return standard, nil, false
	}
	index := s.Index()
	path, reached, _ := b.l.path(t, index[:len(index)-1])
	text += path
	pointer := false
	base := reached
	if p, ok := reached.Underlying().(*types.Pointer); ok {
		pointer, base = true, p.Elem()
	}
	if erased(base) {
		return text, nil, true
	}
	named, ok := types.Unalias(base).(*types.Named)
	if !ok || !inLowered(named) {
		return text, nil, false
	}
	if fn = b.l.methodOf(m, named); fn == nil {
		return text, nil, false
	}
	switch {
	case fn.pointer && !pointer:
		text = "&" + text
	case !fn.pointer && pointer:
		text = "*" + text
	}
	return text, fn, false
}

// methodValue writes x.M as a value. The receiver is evaluated now.
func (b *body) methodValue(e *ast.SelectorExpr, s *types.Selection) string {
	m := s.Obj().(*types.Func)
	recv, fn, iface := b.receiver(e, s)
	sig := s.Type().(*types.Signature)
	if iface {
		call := b.l.dispatcher(m) + "(" + strings.TrimSuffix("r, "+forwarded(sig), ", ") + ")"
		return fmt.Sprintf("func(r interface{}) func%s { return func%s { %s } }(%s.NotNil(%s))", b.l.signature(sig, false),
			b.l.signature(sig, true), returning(sig, call), bridge, recv)
	}
	if fn == nil {
		return b.compiledMethodValue(e, s, recv)
	}
	first := signatureOf(fn).Params().At(0).Type()
	call := b.callee(fn) + "(" + strings.TrimSuffix("r, "+forwarded(sig), ", ") + ")"
	return fmt.Sprintf("func(r %s) func%s { return func%s { %s } }(%s)", b.l.typ(first), b.l.signature(sig, false),
		b.l.signature(sig, true), returning(sig, call), recv)
}

// compiledMethodValue writes x.M for a method of a compiled type. Of a variable
// the interpreter would find the receiver when the value is called, and of a
// pointer it would take it for a parameter.
func (b *body) compiledMethodValue(e *ast.SelectorExpr, s *types.Selection, recv string) string {
	m := s.Obj().(*types.Func)
	sig := s.Type().(*types.Signature)
	index := s.Index()
	_, t, _ := b.l.path(b.info.TypeOf(e.X), index[:len(index)-1])
	base, pointer := t, false
	if p, ok := t.Underlying().(*types.Pointer); ok {
		base, pointer = p.Elem(), true
	}
	named, ok := types.Unalias(base).(*types.Named)
	if _, standard := b.standardReceiver(e.X, m); standard || !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() != nil && !named.Obj().Exported() {
		return b.valueOf(recv+"."+m.Name(), m, e.Pos())
	}
	_, wanted := m.Signature().Recv().Type().(*types.Pointer)
	switch {
	case wanted && !pointer:
		recv, t = "&"+recv, types.NewPointer(t)
	case !wanted && pointer:
		recv, t = "*"+recv, base
	}
	check := ""
	if types.IsInterface(t) {
		check = bridge + ".NotNil(r); "
	}
	call := "func" + b.l.signature(sig, true) + " { " + returning(sig, "r."+m.Name()+"("+forwarded(sig)+")") + " }"
	return fmt.Sprintf("func(r %s) func%s { %sreturn %s }(%s)", b.l.typ(t), b.l.signature(sig, false), check, b.valueOf(call, m, e.Pos()), recv)
}

// methodExpr writes T.M.
func (b *body) methodExpr(e *ast.SelectorExpr, s *types.Selection) string {
	m := s.Obj().(*types.Func)
	sig := s.Type().(*types.Signature)
	recv := sig.Params().At(0).Type()
	base, pointer := recv, false
	if p, ok := recv.Underlying().(*types.Pointer); ok {
		base, pointer = p.Elem(), true
	}
	var args []string
	for i := 1; i < sig.Params().Len(); i++ {
		args = append(args, fmt.Sprintf("p%d", i))
	}
	if sig.Variadic() {
		args[len(args)-1] += "..."
	}
	head := "func" + b.l.signature(sig, true)
	if erased(base) {
		return head + " { " + returning(sig, b.l.dispatcher(m)+"("+strings.Join(append([]string{"p0"}, args...), ", ")+")") + " }"
	}
	named, ok := types.Unalias(base).(*types.Named)
	if !ok {
		return head + " { " + returning(sig, "p0."+m.Name()+"("+strings.Join(args, ", ")+")") + " }"
	}
	return head + " { " + returning(sig, b.l.promotedCall("p0", pointer, named, s.Index(), m, args)) + " }"
}

func returning(sig *types.Signature, call string) string {
	if sig.Results().Len() > 0 {
		return "return " + call
	}
	return call
}

// forwarded lists the parameters that signature(sig, true) names.
func forwarded(sig *types.Signature) string {
	args := make([]string, sig.Params().Len())
	for i := range args {
		args[i] = fmt.Sprintf("p%d", i)
	}
	if sig.Variadic() {
		args[len(args)-1] += "..."
	}
	return strings.Join(args, ", ")
}

// conversion writes T(x).
func (b *body) conversion(e *ast.CallExpr, t types.Type) string {
	x := e.Args[0]
	if types.IsInterface(t) {
		if b.info.Types[x].IsNil() {
			return b.l.parenthesized(t) + "(nil)"
		}
		if erased(t) || t.Underlying().(*types.Interface).NumMethods() == 0 {
			return "interface{}(" + b.to(x, t) + ")"
		}
		return b.l.parenthesized(t) + "(" + b.to(x, t) + ")"
	}
	b.l.pos = e.Pos()
	text := b.l.typ(t)
	if strings.HasPrefix(text, "*") || strings.HasPrefix(text, "func") || strings.HasPrefix(text, "chan") || strings.HasPrefix(text, "<-") {
		text = "(" + text + ")"
	}
	return text + "(" + b.expr(x) + ")"
}

// builtin writes the call of a predeclared function.
func (b *body) builtin(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	name := ""
	switch f := fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		b.l.refuse(e.Pos(), "package unsafe: the interpreter cannot run code that uses it")
	}
	if obj, ok := b.info.Uses[fun.(*ast.Ident)].(*types.Builtin); ok {
		name = obj.Name()
	}
	all := func() []string {
		out := make([]string, len(e.Args))
		for i, a := range e.Args {
			out[i] = b.expr(a)
		}
		return out
	}
	list := func() string { return strings.Join(all(), ", ") }
	switch name {
	case "append":
		return b.appendCall(e)
	case "make":
		t := b.info.TypeOf(e.Args[0])
		if c, ok := t.Underlying().(*types.Chan); ok && c.Dir() != types.SendRecv {
			t = types.NewChan(types.SendRecv, c.Elem())
		}
		args := []string{b.l.typ(t)}
		for _, a := range e.Args[1:] {
			args = append(args, b.like(a))
		}
		text := "make(" + strings.Join(args, ", ") + ")"
		if made := b.info.TypeOf(e.Args[0]); made != t {
			return b.l.parenthesized(made) + "(" + text + ")"
		}
		return text
	case "new":
		t := b.info.TypeOf(e).Underlying().(*types.Pointer).Elem()
		if b.info.Types[e.Args[0]].IsType() {
			return "new(" + b.l.typ(t) + ")"
		}
		n := b.l.s.unique()
		return fmt.Sprintf("func() *%s { n__%d := %s; return &n__%d }()", b.l.typ(t), n, b.initial(e.Args[0], t), n)
	case "delete":
		m := b.info.TypeOf(e.Args[0]).Underlying().(*types.Map)
		return "delete(" + b.expr(e.Args[0]) + ", " + b.key(e.Args[1], m.Key()) + ")"
	case "panic":
		return "panic(" + b.panicValue(e.Args[0]) + ")"
	case "recover":
		return fmt.Sprintf("%s.Recover(%d)", bridge, b.recoverer())
	case "print", "println":
		parts := make([]string, len(e.Args))
		for i, a := range e.Args {
			parts[i] = b.printed(a)
		}
		f := map[string]string{"print": "Print", "println": "Println"}[name]
		return bridge + "." + f + "(" + strings.Join(parts, ", ") + ")"
	case "min", "max":
		return b.minMax(e, name)
	case "clear":
		return bridge + ".Clear(" + b.expr(e.Args[0]) + ")"
	case "complex", "real", "imag", "len", "cap", "copy", "close":
		return name + "(" + list() + ")"
	}
	b.l.refuse(e.Pos(), "the interpreter has no builtin "+name)
	return ""
}

// initial writes a value for a variable that the text declares with :=.
func (b *body) initial(e ast.Expr, t types.Type) string {
	text := b.to(e, t)
	if b.info.Types[e].Value != nil || types.IsInterface(t) {
		return b.l.parenthesized(t) + "(" + text + ")"
	}
	return text
}

func (b *body) appendCall(e *ast.CallExpr) string {
	t := b.info.TypeOf(e.Args[0])
	s, ok := t.Underlying().(*types.Slice)
	args := []string{b.expr(e.Args[0])}
	if args[0] == "nil" {
		args[0] = b.l.typ(b.info.TypeOf(e)) + "(nil)"
	}
	for _, a := range e.Args[1:] {
		if e.Ellipsis.IsValid() || !ok {
			args = append(args, b.expr(a))
			continue
		}
		args = append(args, b.functionAs(a, s.Elem()))
	}
	if e.Ellipsis.IsValid() {
		if basic, ok := b.info.TypeOf(e.Args[1]).Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
			args[1] = "[]byte(" + args[1] + ")"
		}
		return "append(" + strings.Join(args, ", ") + "...)"
	}
	return "append(" + strings.Join(args, ", ") + ")"
}

// minMax writes min or max: of floating point numbers as a call of the bridge,
// of others as nested calls of a function of two parameters that is made for
// the type.
func (b *body) minMax(e *ast.CallExpr, name string) string {
	t := types.Default(b.info.TypeOf(e))
	if basic, ok := t.Underlying().(*types.Basic); ok && basic.Info()&types.IsFloat != 0 {
		// NaN wins, and -0 is less than 0: the interpreter's calls lose its sign.
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = "float64(" + b.expr(a) + ")"
		}
		return fmt.Sprintf("%s(%s.%s(%s))", b.l.typ(t), bridge, map[string]string{"min": "Min", "max": "Max"}[name], strings.Join(args, ", "))
	}
	f := b.l.minMaxFunc(name, t)
	text := b.expr(e.Args[0])
	for _, a := range e.Args[1:] {
		text = f + "(" + text + ", " + b.expr(a) + ")"
	}
	return text
}

func (l *lowering) minMaxFunc(name string, t types.Type) string {
	typ := l.typ(t)
	key := name + " " + typ
	if f, ok := l.s.instances[key]; ok {
		return f
	}
	f := fmt.Sprintf("%s__t%d", name, l.s.unique())
	l.s.instances[key] = f
	l.later(func() { delete(l.s.instances, key) })
	op := map[string]string{"min": "<", "max": ">"}[name]
	l.funcs = append(l.funcs, fmt.Sprintf("func %s(a, b %s) %s { if a %s b { return a }; return b }", f, typ, typ, op))
	return f
}
