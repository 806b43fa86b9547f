package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// To the interpreter what a nil pointer points to is no value, of which it complains where it needs
// one. Where it does not (a map takes no value for the removal of an entry, and as a string it
// reads "<invalid Value>"), a function of the pointer's type reads it.

// deref writes *p.
func (b *body) deref(e *ast.StarExpr) string {
	if b.readByFunction(e) {
		return b.pointedTo(e)
	}
	return "*" + b.operand(e.X)
}

// readByFunction reports strings, and functions, of which to call none would wait for ever.
func (b *body) readByFunction(e *ast.StarExpr) bool {
	switch t := b.TypeOf(e).(type) {
	case *types.Signature:
		return true
	case *types.Basic:
		return t.Info()&types.IsString != 0
	}
	return false
}

// pointedTo writes *p so that it fails where it stands.
func (b *body) pointedTo(e *ast.StarExpr) string {
	typ := b.l.Typ(b.Info.TypeOf(e))
	f := b.l.TypedFunc("value", typ, func(name string) string {
		return fmt.Sprintf("func %s(p *%s) %s { v := *p; return v }", name, typ, typ)
	})
	return f + "(" + b.operand(e.X) + ")"
}

// placed writes what is assigned to, or whose address is taken.
func (b *body) placed(e ast.Expr) string {
	if _, ok := b.override[e]; ok {
		return b.expr(e)
	}
	if star, ok := ast.Unparen(e).(*ast.StarExpr); ok {
		return "*" + b.operand(star.X)
	}
	return b.expr(e)
}

// addressOf writes &*p, which fails where p is nil.
func (b *body) addressOf(e *ast.StarExpr) string {
	typ := b.l.Typ(b.Info.TypeOf(e))
	f := b.l.TypedFunc("pointer", typ, func(name string) string {
		return fmt.Sprintf("func %s(p *%s) *%s { v := *p; _ = v; return p }", name, typ, typ)
	})
	return f + "(" + b.operand(e.X) + ")"
}

// failing has a value that is *p, also in parentheses, as an interface or behind a plus, written by
// pointedTo until end is called.
func (b *body) failing(e ast.Expr) (end func()) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.UnaryExpr:
			if x.Op == token.ADD {
				e = x.X
				continue
			}
		case *ast.CallExpr:
			if tv := b.Info.Types[x.Fun]; tv.IsType() {
				e = x.Args[0]
				continue
			}
		case *ast.StarExpr:
			if _, ok := b.override[x]; !ok && !b.Info.Types[x].IsType() {
				text := b.pointedTo(x)
				end = b.overriding()
				b.override[x] = text
				return end
			}
		}
		return func() {}
	}
}
