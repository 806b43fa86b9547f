package conversion

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// AsIs reports whether a compiled function takes an argument of type from, for a parameter of type
// to, without any conversion. It refuses an argument whose type the function would need but not
// find. literal says that the call is in a function literal.
func (c Conversions) AsIs(obj *types.Func, from, to types.Type, literal bool, pos token.Pos) bool {
	treatment, native := treatmentBy(obj), c.Native(from)
	if literal && treatment == asEncoded && !native {
		c.Encodes(from)
	}
	if !typed.IsEmptyInterface(to) || types.IsInterface(from) {
		return false
	}
	if treatment == asRaw || treatment == asEncoded && c.EncodedByShape(from) {
		return true
	}
	if native || obj.Pkg() == nil {
		return false
	}
	switch treatment {
	case asEncoded:
		c.Encodable(from, pos)
	case asRefused:
		c.Refuse(pos, fmt.Sprintf("a value of type %s given to %s: compiled code would not find its type, its methods and the names of its fields", typed.Shown(from), funcName(obj)))
	}
	return false
}

// Given writes an argument of a compiled function: a value of type from, converted for a parameter
// of type to, which does not accept it unchanged.
func (c Conversions) Given(text string, from, to types.Type, obj *types.Func) string {
	if check.EndsWithCell(obj, to) {
		return shape.Bridge + ".EndsWithCell(" + text + ")"
	}
	if !spaces(obj) {
		return looked(text, from, to, obj)
	}
	// Between operands that are strings fmt prints no blank.
	switch list, ok := to.Underlying().(*types.Slice); {
	case typed.IsEmptyInterface(to) && (types.IsInterface(from) || typed.IsString(from) && !c.Native(from)):
		return shape.Bridge + ".Operand(" + text + ")"
	case ok && typed.IsEmptyInterface(list.Elem()): // f(list...)
		return shape.Bridge + ".Operands(" + text + ")"
	}
	return text
}

// looked writes an argument of a compiled function that examines it: it must contain no value of a
// session type.
func looked(text string, from, to types.Type, obj *types.Func) string {
	if treatmentBy(obj) != asRefused || obj.Pkg() == nil || !takesAny(to) || !holdsInterface(from, map[types.Type]bool{}) {
		return text
	}
	if typed.IsEmptyInterface(to) {
		return fmt.Sprintf("%s.Plain(%q, %s)", shape.Bridge, funcName(obj), text)
	}
	return fmt.Sprintf("%s.PlainList(%q, %s)", shape.Bridge, funcName(obj), text)
}

// Interruptible writes a value that compiled code may call. Functions check for interrupts there.
func (c Conversions) Interruptible(text string, t types.Type) string {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok {
		return text
	}
	return shape.Bridge + ".Interruptible(" + text + ").(func" + c.Signature(sig, false) + ")"
}

// FunctionValue writes a compiled function as a value: its future arguments are unknown here.
func (c Conversions) FunctionValue(text string, obj *types.Func, pos token.Pos) string {
	sig := obj.Signature()
	if _, ok := FormatParameter(obj); ok {
		return "func" + c.Signature(sig, true) + " { " + shape.Returning(sig, c.Formatter(obj, sig)+"("+text+", "+shape.Forwarded(sig)+")") + " }"
	}
	switch treatmentBy(obj) {
	case asRefused, asRaw, asEncoded:
		for p := range sig.Params().Variables() {
			if takesAny(p.Type()) {
				c.Refuse(pos, fmt.Sprintf("%s as a value: a call could pass it values of types of this session, and it would not find their types and methods", funcName(obj)))
			}
		}
	}
	return text
}

// MethodValue writes x.M for a method of a compiled type, where recv is the text of x and t its
// type. For a variable, the interpreter would evaluate the receiver at the time of the call, and
// for a pointer, it would treat it as a parameter. bare says that recv is not x itself.
func (c Conversions) MethodValue(m *types.Func, sig *types.Signature, recv string, t types.Type, bare bool, pos token.Pos) string {
	base, pointer := t, false
	if p, ok := t.Underlying().(*types.Pointer); ok {
		base, pointer = p.Elem(), true
	}
	named, ok := types.Unalias(base).(*types.Named)
	if bare || !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() != nil && !named.Obj().Exported() {
		return c.FunctionValue(recv+"."+m.Name(), m, pos)
	}
	_, wanted := m.Signature().Recv().Type().(*types.Pointer)
	switch {
	case wanted && !pointer:
		recv, t = "&"+recv, types.NewPointer(t)
	case !wanted && pointer:
		recv, t = "*"+recv, base
	}
	notNil, through := "", ""
	if types.IsInterface(t) {
		notNil = shape.Bridge + ".NotNil(r); "
		through = c.Through(m, 0, 1+shape.Between(t))
	}
	call := "r." + m.Name() + "(" + shape.Forwarded(sig) + ")"
	if function, ok := Replacement(m); ok {
		call = function + "(" + shape.Forwarded(sig, "r") + ")"
	}
	call = "func" + c.Signature(sig, true) + " { " + through + shape.Returning(sig, call) + " }"
	return fmt.Sprintf("func(r %s) func%s { %sreturn %s }(%s)", c.Typ(t), c.Signature(sig, false), notNil, c.FunctionValue(call, m, pos), recv)
}
