package debugger

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"reflect"
	"unsafe"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A beyond is the error of an expression that reflection cannot evaluate, such as a call of a
// cell's function or of an unexported method.
type beyond struct{ what string }

func (e *beyond) Error() string {
	return fmt.Sprintf("the debugger cannot evaluate %s here", e.what)
}

func uncallable(name string) error { return &beyond{"a call of " + name} }

// A Beyond is the body of the response to evaluate if reflection cannot evaluate the expression. It
// lists the variables of the call that the expression mentions, for a caller that can run it as a
// cell.
type Beyond struct {
	Beyond    bool                     `json:"beyond"`
	Variables []program.HookedVariable `json:"variables"`
}

// mentioned returns the variables of a call that an expression mentions, or may mention.
func (c *call) mentioned(expression string) (found []program.HookedVariable) {
	x, err := parser.ParseExpr(expression)
	if err != nil || c == nil {
		return nil
	}
	names := map[string]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	for _, v := range c.place.Variables {
		if names[v.Name] {
			found = append(found, v)
		}
	}
	return found
}

// call evaluates a call: of len and cap, of a conversion to a basic type, of a function of a
// package, or of a method of a value.
func (e evaluator) call(x *ast.CallExpr) (operand, error) {
	switch fun := ast.Unparen(x.Fun).(type) {
	case *ast.Ident:
		if o, err := e.name(fun.Name); err == nil {
			if o.rv.Kind() != reflect.Func || o.rv.IsNil() || o.typ != nil {
				return operand{}, fmt.Errorf("%s is a variable of type %s here, and the debugger cannot call it", fun.Name, o.typeName())
			}
			return e.called(fun.Name, o.rv, nil, x)
		}
		if len(x.Args) == 1 && (fun.Name == "len" || fun.Name == "cap" || basics[fun.Name] != nil) {
			return e.builtin(fun.Name, x.Args[0])
		}
		return operand{}, uncallable(fun.Name)
	case *ast.SelectorExpr:
		if f := e.packaged(fun); f.IsValid() {
			name := fun.X.(*ast.Ident).Name + "." + fun.Sel.Name
			if f.Kind() != reflect.Func {
				return operand{}, uncallable(name)
			}
			return e.called(name, f, nil, x)
		}
		v, err := e.eval(fun.X)
		if err != nil {
			return operand{}, err
		}
		o, err := v.typed(nil)
		if err != nil {
			return operand{}, err
		}
		if f, bound := e.method(o, fun.Sel.Name); f.IsValid() {
			return e.called(fun.Sel.Name, f, bound, x)
		}
		if f, err := selected(o, fun.Sel.Name, 0); err == nil && f.rv.Kind() == reflect.Func && !f.rv.IsNil() && f.typ == nil {
			return e.called(fun.Sel.Name, f.rv, nil, x)
		}
		return operand{}, uncallable(fun.Sel.Name)
	}
	return operand{}, uncallable("the expression before the arguments")
}

// packaged returns the named member of a package, if the selector is one of a package.
func (e evaluator) packaged(x *ast.SelectorExpr) reflect.Value {
	id, ok := x.X.(*ast.Ident)
	if !ok || e.d.config.Symbol == nil {
		return reflect.Value{}
	}
	if _, err := e.name(id.Name); err == nil {
		return reflect.Value{} // a variable hides the package
	}
	return e.d.config.Symbol(id.Name, x.Sel.Name)
}

// method returns the method of a value, or of its pointer, and the arguments to insert before its
// own.
func (e evaluator) method(v value, name string) (f reflect.Value, bound []reflect.Value) {
	v = v.open()
	switch {
	case !v.rv.IsValid() || !v.rv.CanInterface():
	case v.typ != nil:
		if e.d.config.Method != nil {
			if f, bound = e.d.config.Method(v.typ, v.rv, name); !f.IsValid() && v.pointer != nil {
				f, bound = e.d.config.Method(v.pointer, v.rv.Addr(), name)
			}
		}
	default:
		if f = v.rv.MethodByName(name); !f.IsValid() && v.rv.CanAddr() {
			f = v.rv.Addr().MethodByName(name)
		}
	}
	if f.IsValid() && v.rv.CanAddr() {
		e.c.mayChange(v.rv)
	}
	return f, bound
}

// mayChange makes the hook of a call copy back the variable that contains a value, since a method
// may change it.
func (c *call) mayChange(v reflect.Value) {
	if c == nil || !c.top {
		return
	}
	at := v.UnsafeAddr()
	for i, pointer := range c.variables {
		if p := valueOf(pointer).rv; p.Kind() == reflect.Pointer && !p.IsNil() {
			begin := uintptr(unsafe.Pointer(p.Pointer()))
			if begin <= at && at < begin+p.Elem().Type().Size() {
				c.changed |= 1 << i
			}
		}
	}
}

// called returns the result of a function: the first of several, unless the last is a non-nil
// error.
func (e evaluator) called(name string, f reflect.Value, bound []reflect.Value, x *ast.CallExpr) (operand, error) {
	t := f.Type()
	given := len(bound) + len(x.Args)
	fixed := t.NumIn()
	if t.IsVariadic() {
		fixed--
	}
	if given < fixed || given > fixed && !t.IsVariadic() || x.Ellipsis.IsValid() && given != t.NumIn() {
		return operand{}, fmt.Errorf("%s has %d arguments and wants %d", name, len(x.Args), fixed-len(bound))
	}
	args := bound
	for i, arg := range x.Args {
		at := len(bound) + i
		var want reflect.Type
		switch {
		case at < fixed || x.Ellipsis.IsValid():
			want = t.In(at)
		default:
			want = t.In(fixed).Elem()
		}
		o, err := e.eval(arg)
		if err != nil {
			return operand{}, err
		}
		v, err := e.argument(o, want)
		if err != nil {
			return operand{}, err
		}
		args = append(args, v)
	}
	call := f.Call
	if x.Ellipsis.IsValid() {
		call = f.CallSlice
	}
	results := call(args)
	if n := len(results); n > 0 && results[n-1].Type() == reflect.TypeFor[error]() && n > 1 {
		if err, _ := results[n-1].Interface().(error); err != nil {
			return operand{}, err
		}
		results = results[:n-1]
	}
	if len(results) == 0 {
		return operand{null: true}, nil
	}
	return operand{value: value{rv: results[0]}}, nil
}

// argument returns an operand as an argument of a type.
func (e evaluator) argument(o operand, t reflect.Type) (reflect.Value, error) {
	if o.constant == nil && !o.null && t.Kind() == reflect.Interface {
		o.value = o.open()
		if !o.rv.IsValid() {
			return reflect.Zero(t), nil
		}
		if !o.rv.CanInterface() {
			return reflect.Value{}, errors.New("an argument is an unexported field")
		}
		if o.typ != nil && e.d.config.Carry != nil {
			o.value = value{rv: reflect.ValueOf(e.d.config.Carry(o.typ, o.rv.Interface()))}
		}
	}
	v, err := o.typed(t)
	return v.rv, err
}
