package debugger

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
)

// Expressions consist of names, fields, indices, operators, conversions to basic types, the
// builtins len and cap, and calls that reflection can make (call.go).

// evaluate returns the value of an expression in a call; a nil call means the session.
func (d *Debugger) evaluate(expression string, c *call) (v value, err error) {
	return d.evaluateAs(expression, c, nil)
}

// evaluateAs returns the value of an expression as one of a type; nil keeps the expression's own
// type.
func (d *Debugger) evaluateAs(expression string, c *call, t reflect.Type) (v value, err error) {
	x, err := parser.ParseExpr(expression)
	if err != nil {
		return value{}, fmt.Errorf("%s: %w", expression, err)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", expression, r)
		}
	}()
	o, err := (evaluator{d, c}).eval(x)
	if err != nil {
		return value{}, err
	}
	return o.typed(t)
}

// names returns the variables of a call.
func (c *call) names() []variable {
	var list []variable
	for i, v := range c.place.Variables {
		if i < len(c.variables) {
			list = append(list, variable{name: v.Name, evaluate: v.Name, value: pointed(c.variables[i]), typ: v.Type})
		}
	}
	return list
}

// globals returns the variables of the session.
func (d *Debugger) globals() []variable {
	if d.config.Globals == nil {
		return nil
	}
	var list []variable
	for _, v := range d.config.Globals() {
		list = append(list, variable{name: v.Name, evaluate: v.Name, value: pointed(v.Pointer), typ: v.Type})
	}
	return list
}

type evaluator struct {
	d *Debugger
	c *call
}

// An operand is a value, or a constant without a type.
type operand struct {
	value
	constant constant.Value
	null     bool
}

// typed returns the operand as a value of a type; nil keeps the operand's own type.
func (o operand) typed(t reflect.Type) (value, error) {
	if o.null {
		if t == nil {
			return value{}, nil
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
			return value{rv: reflect.Zero(t)}, nil
		}
		return value{}, fmt.Errorf("nil cannot be used as %s", t)
	}
	if o.constant == nil {
		if t == nil || o.rv.Type() == t {
			return o.value, nil
		}
		if o.rv.Type().AssignableTo(t) {
			v := reflect.New(t).Elem()
			v.Set(o.rv)
			return value{rv: v}, nil
		}
		return value{}, fmt.Errorf("a %s cannot be used as %s", o.typeName(), t)
	}
	if t == nil || t.Kind() == reflect.Interface {
		v, err := o.typed(map[constant.Kind]reflect.Type{constant.Bool: reflect.TypeFor[bool](), constant.String: reflect.TypeFor[string](),
			constant.Int: reflect.TypeFor[int](), constant.Float: reflect.TypeFor[float64](), constant.Complex: reflect.TypeFor[complex128]()}[o.constant.Kind()])
		if err != nil || t == nil {
			return v, err
		}
		return operand{value: v}.typed(t)
	}
	v := reflect.New(t).Elem()
	wrong := fmt.Errorf("%s cannot be used as %s", o.constant, t)
	switch {
	case v.CanInt():
		n, exact := constant.Int64Val(constant.ToInt(o.constant))
		if !exact || v.OverflowInt(n) {
			return value{}, wrong
		}
		v.SetInt(n)
	case v.CanUint():
		n, exact := constant.Uint64Val(constant.ToInt(o.constant))
		if !exact || v.OverflowUint(n) {
			return value{}, wrong
		}
		v.SetUint(n)
	case v.CanFloat():
		c := constant.ToFloat(o.constant)
		if c.Kind() != constant.Float && c.Kind() != constant.Int {
			return value{}, wrong
		}
		n, _ := constant.Float64Val(c)
		v.SetFloat(n)
	case v.CanComplex():
		c := constant.ToComplex(o.constant)
		re, _ := constant.Float64Val(constant.Real(c))
		im, _ := constant.Float64Val(constant.Imag(c))
		v.SetComplex(complex(re, im))
	case v.Kind() == reflect.String && o.constant.Kind() == constant.String:
		v.SetString(constant.StringVal(o.constant))
	case v.Kind() == reflect.Bool && o.constant.Kind() == constant.Bool:
		v.SetBool(constant.BoolVal(o.constant))
	default:
		return value{}, wrong
	}
	return value{rv: v}, nil
}

// known returns the constant value of an operand of a basic type.
func (o operand) known() constant.Value {
	if o.constant != nil {
		return o.constant
	}
	switch r := o.rv; {
	case !r.IsValid():
	case r.CanInt():
		return constant.MakeInt64(r.Int())
	case r.CanUint():
		return constant.MakeUint64(r.Uint())
	case r.Kind() == reflect.String:
		return constant.MakeString(r.String())
	case r.Kind() == reflect.Bool:
		return constant.MakeBool(r.Bool())
	}
	return nil
}

func (e evaluator) eval(x ast.Expr) (operand, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.eval(x.X)
	case *ast.BasicLit:
		return operand{constant: constant.MakeFromLiteral(x.Value, x.Kind, 0)}, nil
	case *ast.Ident:
		return e.name(x.Name)
	case *ast.SelectorExpr:
		if v := e.packaged(x); v.IsValid() {
			if c, ok := v.Interface().(constant.Value); ok {
				return operand{constant: c}, nil
			}
			return operand{value: value{rv: v}}, nil
		}
		v, err := e.eval(x.X)
		if err != nil {
			return operand{}, err
		}
		return selected(v.value, x.Sel.Name, 0)
	case *ast.IndexExpr:
		return e.index(x)
	case *ast.SliceExpr:
		return e.slice(x)
	case *ast.StarExpr:
		v, err := e.eval(x.X)
		if err != nil {
			return operand{}, err
		}
		o := v.open()
		if o.rv.Kind() != reflect.Pointer || o.rv.IsNil() {
			return operand{}, errors.New("* needs a pointer that is not nil")
		}
		return operand{value: o.part(0, o.rv.Elem())}, nil
	case *ast.UnaryExpr:
		return e.unary(x)
	case *ast.BinaryExpr:
		return e.binary(x)
	case *ast.CallExpr:
		return e.call(x)
	}
	return operand{}, &beyond{"anything other than names, fields, indices, operators and calls"}
}

func (e evaluator) name(name string) (operand, error) {
	if e.c != nil {
		for _, n := range e.c.names() {
			if n.name == name {
				return operand{value: n.value}, nil
			}
		}
	}
	for _, n := range e.d.globals() {
		if n.name == name {
			return operand{value: n.value}, nil
		}
	}
	switch name {
	case "true", "false":
		return operand{constant: constant.MakeBool(name == "true")}, nil
	case "nil":
		return operand{null: true}, nil
	}
	return operand{}, fmt.Errorf("undefined: %s", name)
}

// selected returns a field of a struct, or of one that is embedded in it.
func selected(v value, name string, depth int) (operand, error) {
	v = v.open()
	if v.rv.Kind() == reflect.Pointer && !v.rv.IsNil() {
		v = v.part(0, v.rv.Elem())
	}
	missing := fmt.Errorf("no field %s in %s", name, v.typeName())
	if v.rv.Kind() != reflect.Struct || depth > 5 {
		return operand{}, missing
	}
	for i := range v.rv.NumField() {
		if v.fieldName(i) == name {
			return operand{value: v.field(i)}, nil
		}
	}
	for i := range v.rv.NumField() {
		if v.rv.Type().Field(i).Anonymous {
			if o, err := selected(v.field(i), name, depth+1); err == nil {
				return o, nil
			}
		}
	}
	return operand{}, missing
}

func (e evaluator) index(x *ast.IndexExpr) (operand, error) {
	v, err := e.eval(x.X)
	if err != nil {
		return operand{}, err
	}
	at, err := e.eval(x.Index)
	if err != nil {
		return operand{}, err
	}
	o := v.open()
	if c := v.constant; c != nil && c.Kind() == constant.String {
		o = value{rv: reflect.ValueOf(constant.StringVal(c))}
	}
	if o.rv.Kind() == reflect.Pointer && !o.rv.IsNil() {
		o = o.part(0, o.rv.Elem())
	}
	if o.rv.Kind() == reflect.Map {
		key, err := at.typed(o.rv.Type().Key())
		if err != nil {
			return operand{}, err
		}
		r := o.rv.MapIndex(key.rv)
		if !r.IsValid() {
			r = reflect.Zero(o.rv.Type().Elem())
		}
		return operand{value: o.part(1, r)}, nil
	}
	i, err := number(at)
	if err != nil {
		return operand{}, err
	}
	switch o.rv.Kind() {
	case reflect.Slice, reflect.Array, reflect.String:
		if i < 0 || i >= o.rv.Len() {
			return operand{}, fmt.Errorf("index out of range [%d] with length %d", i, o.rv.Len())
		}
		return operand{value: o.part(0, o.rv.Index(i))}, nil
	}
	return operand{}, fmt.Errorf("a %s cannot be indexed", o.typeName())
}

// number returns an operand as an index.
func number(o operand) (int, error) {
	v, err := operand{value: o.open(), constant: o.constant}.typed(nil)
	if err != nil {
		return 0, err
	}
	switch {
	case v.rv.CanInt():
		return int(v.rv.Int()), nil
	case v.rv.CanUint():
		return int(v.rv.Uint()), nil
	}
	return 0, errors.New("an index is not a number")
}

func (e evaluator) slice(x *ast.SliceExpr) (operand, error) {
	v, err := e.eval(x.X)
	if err != nil {
		return operand{}, err
	}
	o := v.open()
	switch o.rv.Kind() {
	case reflect.Slice, reflect.String:
	case reflect.Array:
		if !o.rv.CanAddr() {
			return operand{}, errors.New("an array that is not a variable cannot be sliced")
		}
	default:
		return operand{}, fmt.Errorf("a %s cannot be sliced", o.typeName())
	}
	bounds := [2]int{0, o.rv.Len()}
	for i, b := range []ast.Expr{x.Low, x.High} {
		if b != nil {
			n, err := e.eval(b)
			if err != nil {
				return operand{}, err
			}
			if bounds[i], err = number(n); err != nil {
				return operand{}, err
			}
		}
	}
	return operand{value: value{rv: o.rv.Slice(bounds[0], bounds[1]), typ: o.typ}}, nil
}

func (e evaluator) unary(x *ast.UnaryExpr) (operand, error) {
	v, err := e.eval(x.X)
	if err != nil {
		return operand{}, err
	}
	v.value = v.open()
	if v.rv.IsValid() && v.rv.CanFloat() && x.Op == token.SUB {
		return converted(constant.MakeFloat64(-v.rv.Float()), v.rv.Type())
	}
	c := v.known()
	if c == nil {
		return operand{}, fmt.Errorf("%s needs a number or a boolean", x.Op)
	}
	return result(constant.UnaryOp(x.Op, c, 0), v)
}

// converted returns a constant as a value of a type.
func converted(c constant.Value, t reflect.Type) (operand, error) {
	v, err := operand{constant: c}.typed(t)
	return operand{value: v}, err
}

// result returns a constant with the type of the operand that it comes from.
func result(c constant.Value, of operand) (operand, error) {
	if of.constant != nil {
		return operand{constant: c}, nil
	}
	return converted(c, of.rv.Type())
}

func (e evaluator) binary(x *ast.BinaryExpr) (operand, error) {
	a, err := e.eval(x.X)
	if err != nil {
		return operand{}, err
	}
	if x.Op == token.LAND || x.Op == token.LOR {
		c := a.known()
		if c == nil || c.Kind() != constant.Bool {
			return operand{}, fmt.Errorf("%s needs a boolean", x.Op)
		}
		if constant.BoolVal(c) == (x.Op == token.LOR) {
			return operand{constant: c}, nil
		}
		return e.eval(x.Y)
	}
	b, err := e.eval(x.Y)
	if err != nil {
		return operand{}, err
	}
	a.value, b.value = a.open(), b.open()
	if a.null || b.null {
		return isNil(x.Op, a, b)
	}
	compares := strings.ContainsAny(x.Op.String(), "=<>") && x.Op != token.SHL && x.Op != token.SHR
	typed := a
	if a.constant != nil {
		typed = b
	}
	if typed.constant == nil && typed.rv.CanFloat() {
		return floats(x.Op, a, b, typed, compares)
	}
	p, q := a.known(), b.known()
	if p == nil || q == nil || p.Kind() != q.Kind() && !(numeric(p) && numeric(q)) {
		if compares && a.rv.IsValid() && b.rv.IsValid() && a.rv.Type() == b.rv.Type() && a.rv.Comparable() {
			return operand{constant: constant.MakeBool(a.rv.Equal(b.rv) == (x.Op == token.EQL))}, nil
		}
		return operand{}, fmt.Errorf("the debugger cannot apply %s to these values", x.Op)
	}
	op := x.Op
	switch {
	case compares:
		return operand{constant: constant.MakeBool(constant.Compare(p, op, q))}, nil
	case op == token.SHL || op == token.SHR:
		n, _ := constant.Uint64Val(q)
		return result(constant.Shift(p, op, uint(min(n, 512))), a)
	case (op == token.QUO || op == token.REM) && constant.Sign(q) == 0:
		return operand{}, errors.New("division by zero")
	case op == token.QUO && p.Kind() == constant.Int && q.Kind() == constant.Int:
		op = token.QUO_ASSIGN // the constant operator for integers
	}
	return result(constant.BinaryOp(p, op, q), typed)
}

func numeric(c constant.Value) bool {
	switch c.Kind() {
	case constant.Int, constant.Float, constant.Complex:
		return true
	}
	return false
}

func isNil(op token.Token, a, b operand) (operand, error) {
	null := true
	for _, o := range []operand{a, b} {
		if o.null || !o.rv.IsValid() {
			continue
		}
		switch o.rv.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
			null = null && o.rv.IsNil()
		default:
			null = false
		}
	}
	return operand{constant: constant.MakeBool(null == (op == token.EQL))}, nil
}

// floats computes with floating-point numbers as the program does, including NaN and infinity.
func floats(op token.Token, a, b, typed operand, compares bool) (operand, error) {
	var n [2]float64
	for i, o := range []operand{a, b} {
		v, err := o.typed(typed.rv.Type())
		if err != nil {
			return operand{}, err
		}
		n[i] = v.rv.Float()
	}
	if compares {
		var is bool
		switch op {
		case token.EQL:
			is = n[0] == n[1]
		case token.NEQ:
			is = n[0] != n[1]
		case token.LSS:
			is = n[0] < n[1]
		case token.LEQ:
			is = n[0] <= n[1]
		case token.GTR:
			is = n[0] > n[1]
		case token.GEQ:
			is = n[0] >= n[1]
		}
		return operand{constant: constant.MakeBool(is)}, nil
	}
	v := reflect.New(typed.rv.Type()).Elem()
	switch op {
	case token.ADD:
		v.SetFloat(n[0] + n[1])
	case token.SUB:
		v.SetFloat(n[0] - n[1])
	case token.MUL:
		v.SetFloat(n[0] * n[1])
	case token.QUO:
		v.SetFloat(n[0] / n[1])
	default:
		return operand{}, fmt.Errorf("%s is not possible with floating-point numbers", op)
	}
	return operand{value: value{rv: v}}, nil
}

// basics are the types that the debugger converts to, by name.
var basics = func() map[string]reflect.Type {
	types := map[string]reflect.Type{"byte": reflect.TypeFor[byte](), "rune": reflect.TypeFor[rune]()}
	for _, t := range []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[string](),
		reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
	} {
		types[t.Name()] = t
	}
	return types
}()

// conversion converts an operand to a basic type.
func conversion(o operand, t reflect.Type) (operand, error) {
	if o.constant != nil && !(t.Kind() == reflect.String && o.constant.Kind() == constant.Int) {
		v, err := o.typed(t)
		return operand{value: v}, err
	}
	v, err := o.typed(nil)
	if err != nil {
		return operand{}, err
	}
	if v.rv.IsValid() && v.rv.Kind() != reflect.Interface && v.rv.CanConvert(t) {
		return operand{value: value{rv: v.rv.Convert(t)}}, nil
	}
	return operand{}, fmt.Errorf("a %s cannot be converted to %s", v.typeName(), t)
}

// builtin evaluates len, cap, and conversions to basic types.
func (e evaluator) builtin(name string, arg ast.Expr) (operand, error) {
	v, err := e.eval(arg)
	if err != nil {
		return operand{}, err
	}
	if t := basics[name]; t != nil {
		return conversion(v, t)
	}
	o, err := v.typed(nil)
	if err != nil {
		return operand{}, err
	}
	o = o.open()
	switch k := o.rv.Kind(); {
	case name == "len" && (k == reflect.Slice || k == reflect.Array || k == reflect.Map || k == reflect.String || k == reflect.Chan):
		return operand{value: value{rv: reflect.ValueOf(o.rv.Len())}}, nil
	case name == "cap" && (k == reflect.Slice || k == reflect.Array || k == reflect.Chan):
		return operand{value: value{rv: reflect.ValueOf(o.rv.Cap())}}, nil
	}
	return operand{}, fmt.Errorf("%s of a %s", name, o.typeName())
}
