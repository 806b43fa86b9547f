package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
)

// handOver decides about an argument of a compiled function that becomes an empty interface.
func (b *body) handOver(from, to types.Type, obj *types.Func, pos token.Pos) {
	if b.literal > 0 && shape.TreatmentBy(obj) == shape.AsEncoded && !b.l.Native(from) {
		b.l.Encodes(from)
	}
	if shape.TreatmentBy(obj) != shape.AsRefused && shape.TreatmentBy(obj) != shape.AsEncoded || obj.Pkg() == nil || b.l.TakesAsIs(obj, from) {
		return
	}
	if typed.IsEmptyInterface(to) && !types.IsInterface(from) && !b.l.Native(from) {
		if shape.TreatmentBy(obj) == shape.AsEncoded {
			b.l.Encodable(from, pos)
		}
		b.l.Refuse(pos, fmt.Sprintf("a value of type %s given to %s: compiled code would not find its type, its methods and the names of its fields", typed.Shown(from), shape.FuncName(obj)))
	}
}

// looked writes an argument of a compiled function that looks into what it is given: no value of a
// session type must be in it.
func looked(text string, from, to types.Type, obj *types.Func) string {
	if shape.TreatmentBy(obj) != shape.AsRefused || obj.Pkg() == nil || !shape.TakesAny(to) || !shape.HoldsInterface(from, map[types.Type]bool{}) {
		return text
	}
	if typed.IsEmptyInterface(to) {
		return fmt.Sprintf("%s.Plain(%q, %s)", shape.Bridge, shape.FuncName(obj), text)
	}
	return fmt.Sprintf("%s.PlainList(%q, %s)", shape.Bridge, shape.FuncName(obj), text)
}

// valueOf writes a compiled function as a value: what it will be given is not known here.
func (b *body) valueOf(text string, obj *types.Func, pos token.Pos) string {
	sig := obj.Signature()
	if at, ok := shape.FormatParameter(obj); ok {
		return "func" + b.l.Signature(sig, true) + " { " + shape.Returning(sig, b.l.formatter(obj, sig, at)+"("+text+", "+shape.Forwarded(sig)+")") + " }"
	}
	switch shape.TreatmentBy(obj) {
	case shape.AsRefused, shape.AsRaw, shape.AsEncoded:
		for p := range sig.Params().Variables() {
			if shape.TakesAny(p.Type()) {
				b.l.Refuse(pos, fmt.Sprintf("%s as a value: it could be given values of types of this session, and would not find what they are", shape.FuncName(obj)))
			}
		}
	}
	return text
}

// heeding is to for what compiled code gets to call. Functions of the session are to heed
// interrupts there.
func (b *body) heeding(e ast.Expr, t types.Type) string {
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
	return b.heedful(b.typedFunction(e, text), t)
}

// heedful is heeding for a value that is written already.
func (b *body) heedful(text string, t types.Type) string {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok {
		return text
	}
	return shape.Bridge + ".Heeds(" + text + ").(func" + b.l.Signature(sig, false) + ")"
}

// ending writes a context that a compiled function is given as one that ends with the cell.
func ending(text string, t types.Type, obj *types.Func) string {
	if !check.EndsWithCell(obj, t) {
		return text
	}
	return shape.Bridge + ".EndsWithCell(" + text + ")"
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
	b.handOver(from, t, obj, e.Pos())
	if typed.IsEmptyInterface(t) && !types.IsInterface(from) && b.l.TakesAsIs(obj, from) {
		return b.expr(e)
	}
	text := ending(b.heeding(e, t), t, obj)
	if !shape.Spaces(obj) {
		return looked(text, from, t, obj)
	}
	// Between operands that are strings fmt prints no blank.
	switch list, ok := t.Underlying().(*types.Slice); {
	case typed.IsEmptyInterface(t) && typed.IsString(from) && !b.l.Native(from):
		return shape.Bridge + ".Text(" + text + ")"
	case typed.IsEmptyInterface(t) && types.IsInterface(from):
		return shape.Bridge + ".Operand(" + text + ")"
	case ok && typed.IsEmptyInterface(list.Elem()): // f(list...)
		return shape.Bridge + ".Operands(" + text + ")"
	}
	return text
}

// argumentText is argument for a value that is in a variable.
func (b *body) argumentText(text string, from, to types.Type, obj *types.Func, pos token.Pos) string {
	if obj == nil || state.IsSession(obj) {
		return b.convert(text, from, to, pos)
	}
	b.handOver(from, to, obj, pos)
	if typed.IsEmptyInterface(to) && !types.IsInterface(from) && b.l.TakesAsIs(obj, from) {
		return text
	}
	text = ending(looked(b.heedful(b.convert(text, from, to, pos), to), from, to, obj), to, obj)
	if shape.Spaces(obj) && typed.IsEmptyInterface(to) && (types.IsInterface(from) || typed.IsString(from) && !b.l.Native(from)) {
		return shape.Bridge + ".Operand(" + text + ")"
	}
	return text
}
