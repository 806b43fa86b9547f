package conversion

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// Conversions are those of a cell.
type Conversions struct{ *shape.Shapes }

// Convert writes the conversion of a value of type from to type to. It is the one place that
// decides how a value becomes an interface.
func (c Conversions) Convert(text string, from, to types.Type, pos token.Pos) string {
	if to == nil || !types.IsInterface(to) || types.Identical(from, to) {
		return text
	}
	c.Pos = pos
	compiled := shape.IsCompiledInterface(to)
	if types.IsInterface(from) {
		fromCompiled := shape.IsCompiledInterface(from)
		switch {
		case fromCompiled && !compiled:
			return Unwrapped(text, from)
		case !fromCompiled && compiled, fromCompiled && carries(to) && !carries(from):
			return fmt.Sprintf("func(x interface{}) %s { var v %s; %s.Assign(x, &v); return v }(%s)", c.Typ(to), c.Typ(to), shape.Bridge, Unwrapped(text, from))
		}
		return text
	}
	if c.Native(from) {
		return text
	}
	switch {
	case !compiled:
		return c.Carried(text, from, pos)
	case typed.IsError(to):
		return fmt.Sprintf("%s.CarryError(%d, %s)", shape.Bridge, c.Describe(from), text)
	case isStringer(to):
		return fmt.Sprintf("%s.CarryStringer(%d, %s)", shape.Bridge, c.Describe(from), text)
	}
	return c.Wrapped(text, from, to, pos)
}

// carries reports compiled interfaces that hold a carrier.
func carries(t types.Type) bool { return typed.IsError(t) || isStringer(t) }

func isStringer(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "fmt" && named.Obj().Name() == "Stringer"
}

// Unwrapped writes a value of a compiled interface as one of an empty interface.
func Unwrapped(text string, from types.Type) string {
	if shape.IsCompiledInterface(from) && !carries(from) {
		return shape.Bridge + ".Unwrap(" + text + ")"
	}
	return text
}

// Compared writes a value of a non-interface type from, which was converted to an interface type
// to, as an operand of a comparison.
func (c Conversions) Compared(text string, from, to types.Type) string {
	if !c.Native(from) || shape.IsCompiledInterface(to) {
		return text
	}
	return "interface{}(" + text + ")"
}

// CommonType returns the type that the interpreter needs for comparing two values of different
// types: the declared one, or the channel for one direction. It is nil if the types are the same.
func CommonType(x, y types.TypeAndValue) types.Type {
	if x.Value != nil || y.Value != nil || types.Identical(x.Type, y.Type) || types.IsInterface(x.Type) || types.IsInterface(y.Type) {
		return nil
	}
	untyped := func(t types.Type) bool {
		basic, ok := t.(*types.Basic)
		return ok && basic.Info()&types.IsUntyped != 0
	}
	_, declared := types.Unalias(x.Type).(*types.Named)
	if c, ok := x.Type.Underlying().(*types.Chan); ok && c.Dir() != types.SendRecv {
		declared = true
	}
	switch {
	case untyped(x.Type) || untyped(y.Type):
		return nil
	case declared:
		return x.Type
	}
	return y.Type
}

// Assertion writes x.(T) for the text of x, of type from, as two values if two are wanted.
func (c Conversions) Assertion(x string, from, to types.Type, two bool, pos token.Pos) string {
	x = Unwrapped(x, from)
	if two && c.Native(to) && !types.IsInterface(to) && !shape.IsCompiledInterface(from) {
		return x + ".(" + c.Typ(to) + ")"
	}
	question := c.Question("x", to, pos)
	if shape.Erased(to) || typed.IsEmptyInterface(to) {
		if two {
			return fmt.Sprintf("func(x interface{}) (interface{}, bool) { if %s { return x, true }; return nil, false }(%s)", question, x)
		}
		return fmt.Sprintf("func(x interface{}) interface{} { if %s { return x }; %s; return nil }(%s)", question, c.failure("x", from, to), x)
	}
	typ := c.Typ(to)
	if two {
		return fmt.Sprintf("func(x interface{}) (%s, bool) { var v %s; if %s { %s.Take(x, &v); return v, true }; return v, false }(%s)",
			typ, typ, question, shape.Bridge, x)
	}
	return fmt.Sprintf("func(x interface{}) %s { var v %s; if %s { %s.Take(x, &v) } else { %s }; return v }(%s)",
		typ, typ, question, shape.Bridge, c.failure("x", from, to), x)
}

// failure panics as a failed assertion does.
func (c Conversions) failure(x string, from, to types.Type) string {
	switch {
	case shape.Erased(to):
		names, texts, samples := c.MethodLists(to.Underlying().(*types.Interface))
		return fmt.Sprintf("%s.Lacks(%s, %q, %s, %s, %s)", shape.Bridge, x, shape.RuntimeName(to), names, texts, samples)
	case types.IsInterface(to) && !typed.IsEmptyInterface(to):
		return fmt.Sprintf("%s.LacksCompiled(%s, %q, (*%s)(nil))", shape.Bridge, x, shape.RuntimeName(to), c.Typ(to))
	}
	return fmt.Sprintf("%s.NotA(%s, %q, %q, %v)", shape.Bridge, x, shape.RuntimeName(from), shape.RuntimeName(to), types.IsInterface(to))
}

// Question writes whether the value of the variable x, of an interface type, is a value of type to.
func (c Conversions) Question(x string, to types.Type, pos token.Pos) string {
	c.Pos = pos
	switch {
	case typed.IsEmptyInterface(to):
		return x + " != nil"
	case shape.Erased(to):
		names, texts, samples := c.MethodLists(to.Underlying().(*types.Interface))
		return fmt.Sprintf("%s.Has(%s, %s, %s, %s)", shape.Bridge, x, names, texts, samples)
	case types.IsInterface(to):
		return fmt.Sprintf("%s.Implements(%s, (*%s)(nil))", shape.Bridge, x, c.Typ(to))
	case c.Native(to):
		return fmt.Sprintf("%s.IsNative(%s, (*%s)(nil))", shape.Bridge, x, c.Typ(to))
	}
	return fmt.Sprintf("%s.Is(%s, %d)", shape.Bridge, x, c.Describe(to))
}
