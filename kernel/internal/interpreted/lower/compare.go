package lower

import (
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/interpreted/conversion"
)

// comparison writes == or !=.
func (b *body) comparison(e *ast.BinaryExpr) string {
	xt, yt := b.Info.TypeOf(e.X), b.Info.TypeOf(e.Y)
	x, y := "", ""
	switch {
	case b.Info.Types[e.X].IsNil() || b.Info.Types[e.Y].IsNil():
		x, y = b.expr(e.X), b.expr(e.Y)
	case types.IsInterface(xt) && !types.IsInterface(yt):
		x, y = conversion.Unwrapped(b.expr(e.X), xt), conversion.Unwrapped(b.inInterface(e.Y, xt), xt)
	case types.IsInterface(yt) && !types.IsInterface(xt):
		x, y = conversion.Unwrapped(b.inInterface(e.X, yt), yt), conversion.Unwrapped(b.expr(e.Y), yt)
	default:
		x, y = conversion.Unwrapped(b.operandLike(e.X, e.Y), xt), conversion.Unwrapped(b.operandLike(e.Y, e.X), yt)
		switch conversion.CommonType(b.Info.Types[e.X], b.Info.Types[e.Y]) {
		case xt:
			y = b.l.Parenthesized(xt) + "(" + y + ")"
		case yt:
			x = b.l.Parenthesized(yt) + "(" + x + ")"
		}
	}
	return x + " " + e.Op.String() + " " + y
}

// inInterface writes an operand that is compared with one of interface type.
func (b *body) inInterface(e ast.Expr, t types.Type) string {
	text, from := b.to(e, t), b.Info.TypeOf(e)
	if types.IsInterface(from) || b.Info.Types[e].IsNil() {
		return text
	}
	return b.l.Compared(text, from, t)
}

func (b *body) operandLike(e, other ast.Expr) string {
	if b.Info.Types[other].Value == nil {
		return b.like(e)
	}
	return b.expr(e)
}
