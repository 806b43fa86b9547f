package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/interpreted/conversion"
	"github.com/hierml/notebook/kernel/internal/state"
)

// interruptible is to for a value that compiled code may call. Functions of the session check for
// interrupts there.
func (b *body) interruptible(e ast.Expr, t types.Type) string {
	text := b.to(e, t)
	if b.Info.Types[e].IsNil() {
		return text
	}
	if obj := b.CalleeObject(ast.Unparen(e)); obj != nil && !state.IsSession(obj) && obj.Signature().TypeParams() == nil {
		return text
	}
	if types.IsInterface(t) {
		return text
	}
	return b.l.Interruptible(b.typedFunction(e, text), t)
}

// argument writes an argument of a call. obj is the compiled function that is called, nil for
// others.
func (b *body) argument(e ast.Expr, t types.Type, obj *types.Func) string {
	if obj != nil && state.IsSession(obj) {
		if fn := b.l.S.Funcs[obj.Origin()]; fn != nil && fn.Bridge != "" {
			return b.expr(e)
		}
	}
	if obj == nil || state.IsSession(obj) || b.Info.Types[e].IsNil() {
		return b.to(e, t)
	}
	from := types.Default(b.Info.TypeOf(e))
	if b.l.AsIs(obj, from, t, b.literal > 0, e.Pos()) {
		return b.expr(e)
	}
	return b.l.Given(b.interruptible(e, t), from, t, obj)
}

// argumentText is argument for a value that is in a variable.
func (b *body) argumentText(text string, from, to types.Type, obj *types.Func, pos token.Pos) string {
	if obj == nil || state.IsSession(obj) {
		return b.l.Convert(text, from, to, pos)
	}
	if b.l.AsIs(obj, from, to, b.literal > 0, pos) {
		return text
	}
	return b.l.Given(b.l.Interruptible(b.l.Convert(text, from, to, pos), to), from, to, obj)
}

// formatted writes a call of f, a function with a format, if there may be verbs in it that fmt
// answers without asking the operand, which may be a carrier: then the bridge looks at format and
// operands first.
func (b *body) formatted(e *ast.CallExpr, f string, obj *types.Func, sig *types.Signature) (string, bool) {
	at, ok := conversion.FormatParameter(obj)
	if !ok || !b.asksType(e, obj, at) {
		return "", false
	}
	return b.apply(e, b.l.Formatter(obj, sig), []string{f}, sig, obj), true
}

// asksType reports whether a call prints a value that may be of a session type with a verb that
// asks for its type. at is the parameter of the format.
func (b *body) asksType(e *ast.CallExpr, obj *types.Func, at int) bool {
	if len(e.Args) <= at || e.Ellipsis.IsValid() {
		return true
	}
	if _, ok := b.Info.TypeOf(e.Args[0]).(*types.Tuple); ok {
		return true
	}
	var operands []types.Type
	for _, a := range e.Args[at+1:] {
		operands = append(operands, b.Info.TypeOf(a))
	}
	return b.l.AsksType(obj, b.Info.Types[e.Args[at]].Value, operands)
}
