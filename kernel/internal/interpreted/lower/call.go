package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/conversion"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
)

// call writes a call: a conversion, a builtin, a function or a method.
func (b *body) call(e *ast.CallExpr) string {
	if b.spreadLate(e) {
		defer b.overriding()()
		sig := b.TypeOf(e.Fun).(*types.Signature)
		return "func()" + b.l.Results(sig) + " {\n" + b.makeCalls(e.Fun) + shape.Returning(sig, b.made(e)) + " }()"
	}
	return b.made(e)
}

// made is call when the calls inside the callee are already made.
func (b *body) made(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	if tv := b.Info.Types[e.Fun]; tv.IsType() {
		return b.conversion(e, tv.Type)
	} else if tv.IsBuiltin() {
		return b.builtin(e)
	}
	sig, ok := b.Info.TypeOf(e.Fun).Underlying().(*types.Signature)
	if !ok {
		b.l.Refuse(e.Pos(), "a call of a value that is not a function")
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := b.Info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			return b.methodCall(e, sel, s, sig)
		}
	}
	if id, ok := fun.(*ast.Ident); ok {
		if r := b.l.K.Recalled[id.Name]; r != nil {
			return b.recall(r.Shown)
		}
	}
	if call, ok := typed.Stops(e); ok {
		return b.stopping(call, sig)
	}
	obj := b.CalleeObject(fun)
	if text, ok := b.replaced(e, obj, sig); ok {
		return text
	}
	if obj != nil && obj.Signature().TypeParams().Len() > 0 {
		obj = nil // an instance is lowered code, whatever the package
	}
	if obj != nil && obj.Pkg() != nil && !state.IsSession(obj) && obj.Signature().TypeParams() == nil && obj.Signature().Recv() == nil {
		name := obj.Name()
		if sel, ok := fun.(*ast.SelectorExpr); ok && b.override[sel.Sel] != "" {
			name = b.override[sel.Sel]
		}
		return b.apply(e, b.l.Use(obj.Pkg())+"."+name, nil, sig, obj)
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
	b.called = functionName(fun)
	return b.typedVariadic(fun, b.operand(fun))
}

// apply writes the call of the function f with first, if any, before the arguments of e.
func (b *body) apply(e *ast.CallExpr, f string, first []string, sig *types.Signature, obj *types.Func) string {
	defer b.overriding()()
	b.contents(e, obj)
	if len(e.Args) == 1 {
		if tuple, ok := b.Info.TypeOf(e.Args[0]).(*types.Tuple); ok {
			return b.spread(e, f, first, sig, tuple, obj)
		}
	}
	args := append([]string(nil), first...)
	for i, a := range e.Args {
		args = append(args, b.argument(a, typed.Parameter(sig, i, e.Ellipsis.IsValid()), obj))
	}
	if e.Ellipsis.IsValid() {
		if last := e.Args[len(e.Args)-1]; b.Info.Types[last].IsNil() {
			args[len(args)-1] = b.key(last, sig.Params().At(sig.Params().Len()-1).Type())
		}
		return f + "(" + strings.Join(args, ", ") + "...)"
	}
	if obj == nil || len(first) > 0 || state.IsSession(obj) {
		given := make([]types.Type, len(e.Args))
		for i, a := range e.Args {
			given[i] = b.Info.TypeOf(a)
		}
		args = b.listed(args, len(first), given, sig)
	}
	return f + "(" + strings.Join(args, ", ") + ")"
}

// contents records the arguments of a call of obj that must not show themselves.
func (b *body) contents(e *ast.CallExpr, obj *types.Func) {
	if obj == nil {
		return
	}
	for _, name := range check.Content(b.Info, obj, e) {
		b.override[name] = "Content." + name.Name
	}
}

// listed writes variadic arguments as a list if the interpreter could mistake one of them for the
// list: it goes by the type at run time. Without arguments, it would make an empty list for a
// function that is called directly.
func (b *body) listed(args []string, first int, given []types.Type, sig *types.Signature) []string {
	n := sig.Params().Len() - 1
	if !sig.Variadic() || len(given) < n {
		return args
	}
	list := sig.Params().At(n).Type()
	if len(given) == n {
		return append(args, b.l.Parenthesized(list)+"(nil)...")
	}
	if s, ok := list.Underlying().(*types.Slice); !ok || !typed.IsEmptyInterface(s.Elem()) && !shape.Erased(s.Elem()) {
		return args
	}
	for _, t := range given[n:] {
		if _, ok := t.Underlying().(*types.Slice); ok || types.IsInterface(t) {
			return append(args[:first+n:first+n], b.l.Typ(list)+"{"+strings.Join(args[first+n:], ", ")+"}...")
		}
	}
	return args
}

// spreadLate reports whether the arguments of a call are the results of another call, and the
// callee contains calls, which come first.
func (b *body) spreadLate(e *ast.CallExpr) bool {
	if len(e.Args) != 1 || b.Info.Types[e.Fun].IsBuiltin() {
		return false
	}
	tuple, ok := b.Info.TypeOf(e.Args[0]).(*types.Tuple)
	return ok && tuple.Len() > 1 && b.runs(e.Fun)
}

// spread writes f(g()) where g returns several values.
func (b *body) spread(e *ast.CallExpr, f string, first []string, sig *types.Signature, tuple *types.Tuple, obj *types.Func) string {
	var names []string
	var given []types.Type
	args := append([]string(nil), first...)
	for i := range tuple.Len() {
		name := fmt.Sprintf("v__%d", b.l.S.Unique())
		names = append(names, name)
		args = append(args, b.argumentText(name, tuple.At(i).Type(), typed.Parameter(sig, i, false), obj, e.Args[0].Pos()))
		given = append(given, tuple.At(i).Type())
	}
	if obj == nil || len(first) > 0 || state.IsSession(obj) {
		args = b.listed(args, len(first), given, sig)
	}
	text := fmt.Sprintf("%s := %s; ", strings.Join(names, ", "), b.expr(e.Args[0]))
	call := f + "(" + strings.Join(args, ", ") + ")"
	if sig.Results().Len() > 0 {
		call = "return " + call
	}
	return "func()" + b.l.Results(sig) + " { " + text + call + " }()"
}

// methodCall writes x.M(args).
func (b *body) methodCall(e *ast.CallExpr, sel *ast.SelectorExpr, s *types.Selection, sig *types.Signature) string {
	m := s.Obj().(*types.Func)
	recv, fn, iface := b.receiver(sel, s)
	if iface {
		return b.apply(e, b.l.Dispatcher(m), []string{recv}, sig, nil)
	}
	if fn == nil {
		if text, ok := b.replacedMethod(e, sel, s, recv, sig, m); ok {
			return text
		}
		if text, ok := b.waiting(e, sel, s, recv, sig, m); ok {
			return text
		}
		if _, format := conversion.FormatParameter(m); format && !token.IsIdentifier(recv) {
			// As a value it would have the receiver among its parameters.
			return b.apply(e, b.compiledMethodValue(sel, s, recv), nil, sig, m)
		}
		if text, ok := b.formatted(e, recv+"."+m.Name(), m, sig); ok {
			return text
		}
		return b.apply(e, recv+"."+m.Name(), nil, sig, m)
	}
	return b.apply(e, b.callee(fn), []string{recv}, sig, nil)
}

// receiver writes the operand of a method call. If the method belongs to the session, it also
// returns the function behind it, and the operand has the type of its first parameter. iface says
// that the operand is of an interface of the session, and that the method is found by name.
func (b *body) receiver(sel *ast.SelectorExpr, s *types.Selection) (text string, fn *state.Function, iface bool) {
	m := s.Obj().(*types.Func)
	t := b.Info.TypeOf(sel.X)
	star, isStar := ast.Unparen(sel.X).(*ast.StarExpr)
	if isStar = isStar && b.override[sel.X] == "" && b.override[star] == ""; isStar {
		text = "(" + b.placed(star) + ")"
	} else {
		text = b.operand(sel.X)
	}
	if standard, ok := b.standardReceiver(sel.X, m); ok {
		return standard, nil, false
	}
	index := s.Index()
	path, reached, _ := b.l.EmbeddedPath(t, index[:len(index)-1])
	text += path
	pointer := false
	base := reached
	if p, ok := reached.Underlying().(*types.Pointer); ok {
		pointer, base = true, p.Elem()
	}
	if shape.Erased(base) {
		return text, nil, true
	}
	named, ok := types.Unalias(base).(*types.Named)
	if !ok || !shape.InLowered(named) {
		return text, nil, false
	}
	if fn = b.l.MethodOf(m, named); fn == nil {
		return text, nil, false
	}
	switch {
	case fn.Pointer && !pointer && isStar && path == "":
		text = b.addressOf(star)
	case fn.Pointer && !pointer:
		text = "&" + text
	case !fn.Pointer && pointer:
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
		call := b.l.Dispatcher(m) + "(" + shape.Forwarded(sig, "r") + ")"
		return fmt.Sprintf("func(r interface{}) func%s { return func%s { %s%s } }(%s.NotNil(%s))", b.l.Signature(sig, false),
			b.l.Signature(sig, true), b.l.Through(m, 0, 1+shape.Between(m.Signature().Recv().Type())), shape.Returning(sig, call), shape.Bridge, recv)
	}
	if fn == nil {
		return b.compiledMethodValue(e, s, recv)
	}
	first := state.SignatureOf(fn).Params().At(0).Type()
	b.literal++ // It outlives what the method calls.
	call := b.callee(fn) + "(" + shape.Forwarded(sig, "r") + ")"
	b.literal--
	return fmt.Sprintf("func(r %s) func%s { return func%s { %s%s } }(%s)", b.l.Typ(first), b.l.Signature(sig, false),
		b.l.Signature(sig, true), b.l.Through(m, 0, 1), shape.Returning(sig, call), recv)
}

// compiledMethodValue writes x.M for a method of a compiled type.
func (b *body) compiledMethodValue(e *ast.SelectorExpr, s *types.Selection, recv string) string {
	m, index := s.Obj().(*types.Func), s.Index()
	_, t, _ := b.l.EmbeddedPath(b.Info.TypeOf(e.X), index[:len(index)-1])
	_, standard := b.standardReceiver(e.X, m)
	return b.l.MethodValue(m, s.Type().(*types.Signature), recv, t, standard, e.Pos())
}

// conversion writes T(x).
func (b *body) conversion(e *ast.CallExpr, t types.Type) string {
	x := e.Args[0]
	if types.IsInterface(t) {
		if b.Info.Types[x].IsNil() {
			return b.l.Parenthesized(t) + "(nil)"
		}
		if shape.Erased(t) || t.Underlying().(*types.Interface).NumMethods() == 0 {
			return "interface{}(" + b.to(x, t) + ")"
		}
		return b.l.Parenthesized(t) + "(" + b.to(x, t) + ")"
	}
	b.l.Pos = e.Pos()
	text := b.l.Parenthesized(t)
	if strings.HasPrefix(text, "*") {
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
		b.l.Refuse(e.Pos(), "package unsafe: the interpreter cannot run code that uses it")
	}
	if obj, ok := b.Info.Uses[fun.(*ast.Ident)].(*types.Builtin); ok {
		name = obj.Name()
	}
	if len(e.Args) == 1 {
		if tuple, ok := b.Info.TypeOf(e.Args[0]).(*types.Tuple); ok {
			return b.builtinOf(e, tuple)
		}
	}
	plain := func() string {
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = b.expr(a)
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	}
	switch name {
	case "append":
		return b.appendCall(e)
	case "make":
		t := b.Info.TypeOf(e.Args[0])
		if c, ok := t.Underlying().(*types.Chan); ok && c.Dir() != types.SendRecv {
			t = types.NewChan(types.SendRecv, c.Elem())
		}
		args := []string{b.l.Typ(t)}
		for _, a := range e.Args[1:] {
			args = append(args, b.like(a))
		}
		text := "make(" + strings.Join(args, ", ") + ")"
		if made := b.Info.TypeOf(e.Args[0]); made != t {
			return b.l.Parenthesized(made) + "(" + text + ")"
		}
		return text
	case "new":
		t := b.Info.TypeOf(e).Underlying().(*types.Pointer).Elem()
		if b.Info.Types[e.Args[0]].IsType() {
			return "new(" + b.l.Typ(t) + ")"
		}
		n := b.l.S.Unique()
		return fmt.Sprintf("func() *%s { n__%d := %s; return &n__%d }()", b.l.Typ(t), n, b.initial(e.Args[0], t), n)
	case "delete":
		m := b.Info.TypeOf(e.Args[0]).Underlying().(*types.Map)
		return "delete(" + b.expr(e.Args[0]) + ", " + b.key(e.Args[1], m.Key()) + ")"
	case "panic":
		return "panic(" + b.panicValue(e.Args[0]) + ")"
	case "recover":
		return fmt.Sprintf("%s.Recover(%d)", shape.Bridge, b.recoverer())
	case "print", "println":
		parts := make([]string, len(e.Args))
		for i, a := range e.Args {
			parts[i] = b.printed(a)
		}
		f := map[string]string{"print": "Print", "println": "Println"}[name]
		return shape.Bridge + "." + f + "(" + strings.Join(parts, ", ") + ")"
	case "min", "max":
		return b.minMax(e, name)
	case "clear":
		return shape.Bridge + ".Clear(" + b.expr(e.Args[0]) + ")"
	case "len", "cap":
		if p, ok := b.TypeOf(e.Args[0]).(*types.Pointer); ok {
			return b.lengthBehind(e.Args[0], p)
		}
		return plain()
	case "complex", "real", "imag", "copy", "close":
		return plain()
	}
	b.l.Refuse(e.Pos(), "the interpreter has no builtin "+name)
	return ""
}

// panicValue writes the value of a panic. A value that may be nil gets the treatment of panic(nil).
func (b *body) panicValue(e ast.Expr) string {
	text := b.to(e, types.Universe.Lookup("any").Type())
	if types.IsInterface(b.Info.TypeOf(e)) || b.Info.Types[e].IsNil() {
		return shape.Bridge + ".PanicValue(" + text + ")"
	}
	return text
}

// printed writes an operand of print or println.
func (b *body) printed(e ast.Expr) string {
	text := b.to(e, types.Universe.Lookup("any").Type())
	if types.IsInterface(b.Info.TypeOf(e)) {
		return shape.Bridge + ".Words(" + text + ")"
	}
	return text
}

// builtinOf writes the call of a predeclared function with the results of another.
func (b *body) builtinOf(e *ast.CallExpr, tuple *types.Tuple) string {
	defer b.overriding()()
	spread := &ast.CallExpr{Fun: e.Fun, Lparen: e.Lparen, Rparen: e.Rparen}
	var names []string
	for v := range tuple.Variables() {
		id := &ast.Ident{NamePos: e.Args[0].Pos(), Name: b.l.temp()}
		b.Info.Types[id] = types.TypeAndValue{Type: v.Type()}
		defer delete(b.Info.Types, id)
		b.override[id] = id.Name
		names = append(names, id.Name)
		spread.Args = append(spread.Args, id)
	}
	tv := b.Info.Types[e]
	b.Info.Types[spread] = tv
	defer delete(b.Info.Types, spread)
	sig := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	if !tv.IsVoid() {
		sig = types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewVar(e.Pos(), nil, "", tv.Type)), false)
	}
	before := strings.Join(names, ", ") + " := " + b.expr(e.Args[0]) + "; "
	return "func()" + b.l.Results(sig) + " { " + before + shape.Returning(sig, b.builtin(spread)) + " }()"
}

// lengthBehind writes the length of the array that a returned pointer points to; the pointer may be
// nil.
func (b *body) lengthBehind(e ast.Expr, p *types.Pointer) string {
	typ := b.l.Typ(b.Info.TypeOf(e))
	return b.l.TypedFunc("length", typ, func(name string) string {
		return fmt.Sprintf("func %s(p %s) int { return %d }", name, typ, p.Elem().Underlying().(*types.Array).Len())
	}) + "(" + b.expr(e) + ")"
}

// initial writes a value for a variable that the text declares with :=.
func (b *body) initial(e ast.Expr, t types.Type) string {
	text := b.to(e, t)
	if b.Info.Types[e].Value != nil || types.IsInterface(t) {
		return b.l.Parenthesized(t) + "(" + text + ")"
	}
	return text
}

func (b *body) appendCall(e *ast.CallExpr) string {
	t := b.Info.TypeOf(e.Args[0])
	s, ok := t.Underlying().(*types.Slice)
	args := []string{b.expr(e.Args[0])}
	if args[0] == "nil" {
		args[0] = b.l.Typ(b.Info.TypeOf(e)) + "(nil)"
	}
	for i, a := range e.Args[1:] {
		if e.Ellipsis.IsValid() || !ok {
			args = append(args, b.key(a, t)) // of nil, the interpreter has to be told the type
			continue
		}
		text := b.functionAs(a, s.Elem())
		if b.Info.Types[a].IsNil() { // the interpreter keeps the type that nil had in its first call
			text = "*new(" + b.l.Typ(s.Elem()) + ")"
		}
		if i > 0 && b.mayBeElement(a, s.Elem()) {
			text = b.l.CopyFunc(s.Elem()) + "(" + text + ")"
		}
		args = append(args, text)
	}
	if e.Ellipsis.IsValid() {
		if basic, ok := b.Info.TypeOf(e.Args[1]).Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
			args[1] = "[]byte(" + args[1] + ")"
		}
		return "append(" + strings.Join(args, ", ") + "...)"
	}
	return "append(" + strings.Join(args, ", ") + ")"
}

// mayBeElement reports whether an appended argument may be an element that the earlier ones
// overwrite: the interpreter reads it only when it writes it.
func (b *body) mayBeElement(e ast.Expr, elem types.Type) bool {
	e = ast.Unparen(e)
	if _, overridden := b.override[e]; overridden || !types.Identical(b.Info.TypeOf(e), elem) {
		return false
	}
	switch e := e.(type) {
	case *ast.IndexExpr:
		switch b.TypeOf(e.X).(type) {
		case *types.Slice, *types.Array, *types.Pointer:
			return true
		}
	case *ast.StarExpr:
		return true
	}
	return false
}

// minMax writes min or max: of floating point numbers as a call of the bridge, of others as nested
// calls of a function of two parameters that is made for the type.
func (b *body) minMax(e *ast.CallExpr, name string) string {
	t := types.Default(b.Info.TypeOf(e))
	if basic, ok := t.Underlying().(*types.Basic); ok && basic.Info()&types.IsFloat != 0 {
		// NaN wins, and -0 is less than 0: the interpreter's calls lose its sign.
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = "float64(" + b.expr(a) + ")"
		}
		return fmt.Sprintf("%s(%s.%s(%s))", b.l.Typ(t), shape.Bridge, map[string]string{"min": "Min", "max": "Max"}[name], strings.Join(args, ", "))
	}
	f := b.l.MinMaxFunc(name, t)
	text := b.expr(e.Args[0])
	for _, a := range e.Args[1:] {
		text = f + "(" + text + ", " + b.expr(a) + ")"
	}
	return text
}

// compiledGeneric writes an instance of a generic function of a compiled package.
func (b *body) compiledGeneric(id *ast.Ident, obj *types.Func) string {
	fn := b.l.PreludeOf(obj.Pkg()).Funcs[obj.Name()]
	if fn == nil {
		b.l.NoStandIn(obj, id.Pos())
	}
	b.l.Pos = id.Pos()
	return b.functionNamed(b.l.Instance(fn, obj, b.Info.Instances[id].TypeArgs), id)
}
