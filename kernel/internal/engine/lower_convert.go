package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// to writes an expression as a value of type t. All conversions that Go makes
// by itself (in assignments, calls, returns, literals, sends, comparisons)
// come through here or through convert.
func (b *body) to(e ast.Expr, t types.Type) string {
	if b.override[e] == "" {
		e = ast.Unparen(e) // the interpreter loses some values in parentheses
	}
	tv := b.info.Types[e]
	if tv.IsNil() {
		return "nil"
	}
	if tv.Value != nil {
		if types.IsInterface(t) {
			from := types.Default(tv.Type)
			return b.convert(b.l.constant(tv.Value, from), from, t, e.Pos())
		}
		return b.like(e)
	}
	if text, ok := b.standardValue(e, t); ok {
		return text
	}
	return b.convert(b.typedVariadic(e, b.expr(e)), types.Default(tv.Type), t, e.Pos())
}

// typedVariadic converts the text of an expression to its type if it is a variadic
// function in a field or behind a pointer: the interpreter would take it for one
// of as many parameters as are written.
func (b *body) typedVariadic(e ast.Expr, text string) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if s := b.info.Selections[e]; s == nil || s.Kind() != types.FieldVal {
			return text
		}
	case *ast.StarExpr:
	default:
		return text
	}
	t := b.info.TypeOf(e)
	if sig, ok := t.Underlying().(*types.Signature); !ok || !sig.Variadic() {
		return text
	}
	return "(" + b.l.typ(t) + ")(" + text + ")"
}

// functionAs is to for what is appended or returned: there the interpreter takes the
// bare name of a declared function for its own node.
func (b *body) functionAs(e ast.Expr, t types.Type) string {
	text := b.to(e, t)
	obj := b.calleeObject(ast.Unparen(e))
	if obj == nil || !isSession(obj) || obj.Signature().Recv() != nil {
		return text
	}
	own := b.info.TypeOf(e)
	if types.IsInterface(t) && !b.l.native(own) {
		return text // in a carrier
	}
	return "(" + b.l.typ(own) + ")(" + text + ")"
}

// convert writes the conversion of a value of type from to type to. It is
// the one place that decides how a value becomes an interface.
func (b *body) convert(text string, from, to types.Type, pos token.Pos) string {
	if to == nil || !types.IsInterface(to) || types.Identical(from, to) {
		return text
	}
	l := b.l
	l.pos = pos
	compiled := !isEmptyInterface(to) && !erased(to)
	if types.IsInterface(from) {
		fromCompiled := !isEmptyInterface(from) && !erased(from)
		switch {
		case fromCompiled && !compiled:
			return unwrapped(text, from)
		case !fromCompiled && compiled, fromCompiled && carries(to) && !carries(from):
			return fmt.Sprintf("func(x interface{}) %s { var v %s; %s.Assign(x, &v); return v }(%s)", l.typ(to), l.typ(to), bridge, unwrapped(text, from))
		}
		return text
	}
	if l.native(from) {
		return text
	}
	switch {
	case !compiled:
		return l.carried(text, from, pos)
	case isError(to):
		return fmt.Sprintf("%s.CarryError(%d, %s)", bridge, l.describe(from), text)
	case isStringer(to):
		return fmt.Sprintf("%s.CarryStringer(%d, %s)", bridge, l.describe(from), text)
	}
	return l.wrapped(text, from, to, pos)
}

func isEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// erased reports the interfaces of the session: those with methods that no
// compiled package declares.
func erased(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return !ok || isSession(named.Obj())
}

// carries reports compiled interfaces that hold a carrier.
func carries(t types.Type) bool { return isError(t) || isStringer(t) }

func isStringer(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "fmt" && named.Obj().Name() == "Stringer"
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// native reports whether values of a type are at run time exactly what the
// Go compiler would have made: whether no type of the session, and no field
// that the interpreter renames, is part of it.
func (l *shapes) native(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Interface); ok {
		return true
	}
	return l.isNative(t, map[types.Type]bool{})
}

func (l *shapes) isNative(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if isSession(t.Obj()) {
			return false
		}
		return t.TypeArgs().Len() == 0
	case *types.Pointer:
		return l.isNative(t.Elem(), seen)
	case *types.Slice:
		return l.isNative(t.Elem(), seen)
	case *types.Array:
		return l.isNative(t.Elem(), seen)
	case *types.Chan:
		return l.isNative(t.Elem(), seen)
	case *types.Map:
		return l.isNative(t.Key(), seen) && l.isNative(t.Elem(), seen)
	case *types.Signature:
		return l.isNative(t.Params(), seen) && l.isNative(t.Results(), seen)
	case *types.Tuple:
		for i := range t.Len() {
			if !l.isNative(t.At(i).Type(), seen) {
				return false
			}
		}
		return true
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			if !f.Exported() || f.Embedded() || !l.isNative(f.Type(), seen) {
				return false
			}
		}
		return true
	case *types.Interface:
		return t.NumMethods() == 0 // others become the empty one
	}
	return true
}

// shown names a type as the user knows it.
func shown(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == packagePath {
			return ""
		}
		return p.Name()
	})
}

// temp returns a name for a temporary variable.
func (l *lowering) temp() string { return fmt.Sprintf("t__%d", l.s.unique()) }
