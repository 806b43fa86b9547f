package lower

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

// to writes an expression as a value of type t. All conversions that Go makes by itself (in
// assignments, calls, returns, literals, sends, comparisons) come through here or through
// [conversion.Conversions.Convert].
func (b *body) to(e ast.Expr, t types.Type) string {
	if b.override[e] == "" {
		e = ast.Unparen(e) // the interpreter loses some values in parentheses
	}
	tv := b.Info.Types[e]
	if tv.IsNil() {
		return "nil"
	}
	if tv.Value != nil {
		if types.IsInterface(t) {
			from := types.Default(tv.Type)
			return b.l.Convert(b.l.Constant(tv.Value, from), from, t, e.Pos())
		}
		return b.like(e)
	}
	if text, ok := b.standardValue(e, t); ok {
		return text
	}
	text := b.typedVariadic(e, b.expr(e))
	if types.IsInterface(t) {
		text = b.typedFunction(e, text)
		if own := types.Default(tv.Type); b.override[e] == "" && b.operates(e) && b.l.Native(own) {
			// The interpreter would write it to the place of the interface as if it had its type.
			text = b.l.Parenthesized(own) + "(" + text + ")"
		}
	}
	return b.l.Convert(text, types.Default(tv.Type), t, e.Pos())
}

// typedVariadic converts the text of an expression to its type if it is a variadic function in a
// field or behind a pointer: otherwise the interpreter would take it for a function with as many
// parameters as there are arguments.
func (b *body) typedVariadic(e ast.Expr, text string) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if s := b.Info.Selections[e]; s == nil || s.Kind() != types.FieldVal {
			return text
		}
	case *ast.StarExpr:
	default:
		return text
	}
	t := b.Info.TypeOf(e)
	if sig, ok := t.Underlying().(*types.Signature); !ok || !sig.Variadic() {
		return text
	}
	return "(" + b.l.Typ(t) + ")(" + text + ")"
}

// functionAs is to for appended and returned values, for which the interpreter takes the bare name
// of a declared function for its own node, as it does in interfaces.
func (b *body) functionAs(e ast.Expr, t types.Type) string {
	text := b.to(e, t)
	if types.IsInterface(t) {
		return text
	}
	return b.typedFunction(e, text)
}

// typedFunction converts the text of an expression that names a declared function to the function's
// type.
func (b *body) typedFunction(e ast.Expr, text string) string {
	obj := b.CalleeObject(ast.Unparen(e))
	if obj == nil || !state.IsSession(obj) || obj.Signature().Recv() != nil {
		return text
	}
	return "(" + b.l.Typ(b.Info.TypeOf(e)) + ")(" + text + ")"
}

// temp returns a name for a temporary variable.
func (l *lowering) temp() string { return fmt.Sprintf("t__%d", l.S.Unique()) }
