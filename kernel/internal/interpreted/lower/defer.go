package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
)

// The interpreter's own defer holds a lock on the function's variables while deferred calls run,
// which function literals made there wait for. So a function with deferred calls becomes
//
//	func f(p T) (r R) {
//		defers := bridge.Defers()
//		body := func() { ... bridge.Defer(defers, func() { ... }) ... }
//		bridge.Protect(defers, body)
//		return r
//	}
//
// and recover asks the bridge for the panic that Protect has caught.

// protected writes the statements of a function that has deferred calls. write lowers them.
func (b *body) protected(write func() string) string {
	n := b.l.S.Unique()
	b.deferring = fmt.Sprintf("defers__%d", n)
	text := write()
	var out strings.Builder
	fmt.Fprintf(&out, "%s := %s.Defers()\n", b.deferring, shape.Bridge)
	fmt.Fprintf(&out, "body__%d := func() {\n%s}\n%s.Protect(%s, body__%d)\n", n, text, shape.Bridge, b.deferring, n)
	if b.results.Len() > 0 {
		out.WriteString("return " + strings.Join(b.resultNames, ", ") + "\n")
	}
	return out.String()
}

// recover has an effect only in the deferred function itself. So each function that calls it has a
// number, and the defer statement tells the bridge the number of the deferred function. 0 means
// that the function is not known before it runs: then functions that call recover report their
// numbers when they begin, and the bridge counts the functions of lowered code in between. For
// deferred calls of interface methods the number is the negative count of these functions.

// entered writes the beginning of a function that calls recover. A literal deferred in place needs
// none.
func (b *body) entered(block *ast.BlockStmt) string {
	if b.enclosing != nil && b.l.deferredLiterals[b.enclosing] || b.enclosing == nil && b.function == nil || !typed.Recovers(b.Info, block) {
		return ""
	}
	return fmt.Sprintf("%s.Entered(%d)\n", shape.Bridge, b.recoverer())
}

// recoverer returns the number of the function whose body is lowered. The body of a range over a
// function is called by that.
func (b *body) recoverer() int {
	switch {
	case b.rangeFunc() != nil:
		return -1
	case b.enclosing != nil:
		return b.l.recovererOf(b.enclosing)
	case b.function != nil:
		return b.l.recovererOfFunction(b.function)
	}
	return -1
}

func (l *lowering) recovererOf(lit *ast.FuncLit) int {
	n := l.recoverers[lit]
	if n == 0 {
		n = l.S.Unique()
		l.recoverers[lit] = n
	}
	return n
}

func (l *lowering) recovererOfFunction(fn *state.Function) int {
	if fn.Recoverer == 0 {
		fn.Recoverer = l.S.Unique()
	}
	return fn.Recoverer
}

// deferee returns the number of the function that a call names.
func (b *body) deferee(e *ast.CallExpr) int {
	fun := ast.Unparen(e.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok {
		return b.l.recovererOf(lit)
	}
	if b.Info.Types[e.Fun].IsBuiltin() {
		return -1
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := b.Info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			_, fn, iface := b.receiver(sel, s)
			if fn != nil {
				return b.l.recovererOfFunction(fn)
			}
			if m := s.Obj().(*types.Func); iface || types.IsInterface(m.Signature().Recv().Type()) {
				return -shape.Between(m.Signature().Recv().Type()) - 2
			}
			return 0
		}
	}
	obj := b.CalleeObject(fun)
	if obj == nil {
		return 0
	}
	if fn := b.l.S.Funcs[obj.Origin()]; fn != nil && !fn.Generic {
		return b.l.recovererOfFunction(fn)
	}
	return 0
}

// deferred writes a call whose operands are evaluated before it: statements that do that, and a
// function which makes the call.
func (b *body) deferred(e *ast.CallExpr) (before, call string) {
	var out strings.Builder
	defer b.overriding()()
	fun := ast.Unparen(e.Fun)
	b.contents(e, b.CalleeObject(fun))
	if lit, ok := fun.(*ast.FuncLit); ok && lit.Type.Params.NumFields() == 0 && lit.Type.Results.NumFields() == 0 {
		return "", b.literalText(lit)
	}
	// In a loop the function is made by one that gets the operands.
	var names []string
	var typs []types.Type
	keep := func(x ast.Expr, t types.Type, text string) string {
		name := fmt.Sprintf("g__%d", b.l.S.Unique())
		fmt.Fprintf(&out, "%s := %s\n", name, text)
		names = append(names, name)
		typs = append(typs, t)
		b.override[x] = name
		return name
	}
	evaluate := func(x ast.Expr) {
		tv := b.Info.Types[x]
		if tv.Value != nil || tv.IsNil() || tv.IsType() || tv.IsBuiltin() {
			return
		}
		if _, tuple := tv.Type.(*types.Tuple); tuple {
			b.l.Refuse(x.Pos(), "the interpreter cannot run go or defer with a call such as f(g()), where g returns several values")
		}
		keep(x, tv.Type, b.expr(x))
	}
	switch f := fun.(type) {
	case *ast.SelectorExpr:
		if s := b.Info.Selections[f]; s != nil && s.Kind() == types.MethodVal {
			_, isPointer := b.TypeOf(f.X).(*types.Pointer)
			_, wantsPointer := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
			if wantsPointer && !isPointer {
				t := types.NewPointer(b.Info.TypeOf(f.X))
				name := keep(f.X, t, "&"+b.operand(f.X))
				b.override[f.X] = "(*" + name + ")"
			} else if p, ok := b.TypeOf(f.X).(*types.Pointer); ok && !wantsPointer && len(s.Index()) == 1 && state.IsSession(s.Obj()) {
				// The receiver is a copy that is made now.
				name := keep(f.X, p.Elem(), "*"+b.operand(f.X))
				b.override[f.X] = "(&" + name + ")"
			} else {
				evaluate(f.X)
			}
			if name, ok := b.override[f.X]; ok && types.IsInterface(b.Info.TypeOf(f.X)) {
				fmt.Fprintf(&out, "%s.NotNil(%s)\n", shape.Bridge, name)
			}
		} else if s != nil {
			evaluate(f)
		}
	case *ast.Ident:
		if _, ok := b.Info.Uses[f].(*types.Var); ok {
			evaluate(f)
		}
	case *ast.FuncLit:
		keep(f, b.Info.TypeOf(f), b.literalText(f))
	default:
		if !b.Info.Types[e.Fun].IsBuiltin() && !b.Info.Types[e.Fun].IsType() && b.CalleeObject(fun) == nil {
			evaluate(fun)
		}
	}
	for _, a := range e.Args {
		evaluate(a)
	}
	inner := *b
	inner.literal++
	inner.loops = 0
	text := inner.expr(e)
	if len(names) == 0 {
		return out.String(), "func() { " + text + " }"
	}
	maker := fmt.Sprintf("make__%d", b.l.S.Unique())
	b.l.Temporary = append(b.l.Temporary, maker)
	params := make([]string, len(names))
	for i := range names {
		params[i] = names[i] + " " + b.l.Typ(typs[i])
	}
	b.l.Funcs = append(b.l.Funcs, fmt.Sprintf("func %s(%s) func() { return func() { %s } }", maker, strings.Join(params, ", "), text))
	return out.String(), maker + "(" + strings.Join(names, ", ") + ")"
}
