package interpreted

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/display"
)

// A carrier is a value of a session type in an interface: the value, and what is lost of its type
// at run time. It is comparable where the value is, and formats itself as the value would in a
// compiled program. All carriers are errors and Stringers for compiled code, whatever methods their
// type has: a later cell may declare them, and values must stay equal to those made before.
type carrier struct {
	d     *description
	value any
}

// Format prints the value for any verb.
func (c carrier) Format(s fmt.State, verb rune) {
	p := newPrinter(c.d.types, s, verb)
	v := reflect.ValueOf(c.value)
	switch verb {
	case typeVerb:
		fmt.Fprintf(s, fmt.FormatString(s, 's'), c.d.name)
		return
	case pointerVerb:
		switch v.Kind() {
		case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
			p.pointer(v, c.d, 'p')
		default:
			p.badVerb(v, c.d, 'p')
		}
		return
	case wrongVerb:
		p.badVerb(v, c.d, 'w')
		return
	}
	depth := 0
	if nested(s) {
		depth = 1
	}
	p.print(v, c.d, verb, depth, true, true)
}

// call calls a method that has no parameters and one result.
func (c carrier) call(name string) (any, bool) {
	f, ok := c.d.method(name).(func(any) any)
	if ok {
		return f(c.value), true
	}
	m := reflect.ValueOf(c.d.method(name))
	if !m.IsValid() || m.Type().NumIn() != 1 || m.Type().NumOut() != 1 {
		return nil, false
	}
	return m.Call([]reflect.Value{reflect.ValueOf(&c.value).Elem()})[0].Interface(), true
}

// Typed implements display.Typed.
func (c carrier) Typed() (any, display.Type) { return c.value, displayed{c.d} }

// Call implements display.Typed. A method of the pointer is called with one to a copy.
func (c carrier) Call(name string) (result any, has bool, err error) {
	d, v := c.d, c.value
	if d.method(name) == nil {
		if d = d.types.get(d.pointer); d == nil || d.method(name) == nil {
			return nil, false, nil
		}
		p := reflect.New(reflect.TypeOf(v))
		p.Elem().Set(reflect.ValueOf(v))
		v = p.Interface()
	}
	m := reflect.ValueOf(d.method(name))
	t := m.Type()
	failing := t.NumOut() == 2 && t.Out(1) == reflect.TypeFor[error]()
	if t.NumIn() != 1 || t.NumOut() != 1 && !failing {
		return nil, false, nil
	}
	out := m.Call([]reflect.Value{reflect.ValueOf(&v).Elem()})
	if failing {
		err, _ = out[1].Interface().(error)
	}
	return out[0].Interface(), true, err
}

// Method returns a method of a value of a type that Typed has told, or of its pointer, and what it
// is given before its arguments; the zero value if there is none.
func Method(t display.Type, v reflect.Value, name string) (f reflect.Value, bound []reflect.Value) {
	told, ok := t.(displayed)
	if !ok {
		return reflect.Value{}, nil
	}
	d := told.description
	if d.method(name) == nil {
		if d = d.types.get(d.pointer); d == nil || d.method(name) == nil || !v.CanAddr() {
			return reflect.Value{}, nil
		}
		v = v.Addr()
	}
	receiver := v.Interface()
	return reflect.ValueOf(d.method(name)), []reflect.Value{reflect.ValueOf(&receiver).Elem()}
}

// Carry returns a value of a type that Typed has told as an interface has it.
func Carry(t display.Type, v any) any {
	if told, ok := t.(displayed); ok {
		return told.types.carry(told.id, v)
	}
	return v
}

// displayed is a description for package display.
type displayed struct{ *description }

// Name implements display.Type.
func (d displayed) Name() string { return d.name }

// Field implements display.Type.
func (d displayed) Field(i int) string { return d.fields[i] }

// Part implements display.Type.
func (d displayed) Part(i int, v any) any {
	if i >= len(d.elems) {
		return v
	}
	return d.types.carry(d.elems[i], v)
}

// Takes implements display.Type.
func (d displayed) Takes(v any) bool {
	c, session := carried(v)
	for _, name := range d.fields {
		if session && c.d.method(name) == nil || !session && !reflect.ValueOf(v).MethodByName(name).IsValid() {
			return false
		}
	}
	return v != nil
}

// Implementing returns the value as one of a compiled interface, if it has its methods.
func (c carrier) Implementing(iface reflect.Type) (v reflect.Value, ok bool) {
	if !c.d.implements(iface) {
		return reflect.Value{}, false
	}
	return c.d.types.wrapped(c, iface), true
}

func (c carrier) panicText() string {
	for _, name := range []string{"Error", "String"} {
		if v, ok := c.call(name); ok {
			return fmt.Sprint(v)
		}
	}
	switch {
	case c.d.kind == "basic" && reflect.TypeOf(c.value).Kind() == reflect.String:
		return fmt.Sprintf("%s(\"%v\")", c.d.name, c.value)
	case c.d.kind == "basic":
		return fmt.Sprintf("%s(%#v)", c.d.name, c.value)
	}
	return fmt.Sprintf("(%s) %+v", c.d.name, c)
}

func (c carrier) refusal(what string) error {
	return fmt.Errorf("%s: a value of type %s in an interface: the interpreter cannot show its fields to compiled code", what, c.d.name)
}

// MarshalText fails: compiled code would not find the names of the fields.
func (c carrier) MarshalText() ([]byte, error) { return nil, c.refusal("encoding") }

// GobEncode fails, for the same reason.
func (c carrier) GobEncode() ([]byte, error) { return nil, c.refusal("gob") }

// text calls a method that returns a string.
func (c carrier) text(method string) string {
	v, _ := c.call(method)
	s, _ := v.(string)
	return s
}

// String calls the method of the value. A type without one has its name, as package context prints
// keys.
func (c carrier) String() string {
	if !c.isStringer() {
		return c.d.name
	}
	return c.text("String")
}

// Error calls the method of the value.
func (c carrier) Error() string { return c.text("Error") }

func (c carrier) isError() bool    { return c.d.text("Error") == "func(interface{}) string" }
func (c carrier) isStringer() bool { return c.d.text("String") == "func(interface{}) string" }

// Unwrap calls the method of the value, if it has one.
func (c carrier) Unwrap() error {
	if c.d.text("Unwrap") != "func(interface{}) error" {
		return nil
	}
	v, _ := c.call("Unwrap")
	err, _ := v.(error)
	return err
}

// joined calls the method Unwrap of an error that joins several.
func (c carrier) joined() []error {
	if c.d.text("Unwrap") != "func(interface{}) []error" {
		return nil
	}
	v, _ := c.call("Unwrap")
	errs, _ := v.([]error)
	return errs
}

// Is calls the method of the value, if it has one, and asks the errors that the value joins.
func (c carrier) Is(target error) bool {
	return c.d.text("Is") == "func(interface{}, error) bool" && c.answer("Is", reflect.ValueOf(&target).Elem()) ||
		slices.ContainsFunc(c.joined(), func(err error) bool { return errors.Is(err, target) })
}

// As calls the method of the value, if it has one, and asks the errors that the value joins.
func (c carrier) As(target any) bool {
	return c.finds(target) || slices.ContainsFunc(c.joined(), func(err error) bool { return errors.As(err, target) })
}

// finds calls the method As of the value, if it has one.
func (c carrier) finds(target any) bool {
	return c.d.text("As") == "func(interface{}, interface{}) bool" && c.answer("As", reflect.ValueOf(&target).Elem())
}

// Timeout calls the method of the value; without one the error is no timeout.
func (c carrier) Timeout() bool { return c.says("Timeout") }

// Temporary is Timeout for the method of that name.
func (c carrier) Temporary() bool { return c.says("Temporary") }

func (c carrier) says(method string) bool {
	if c.d.text(method) != "func(interface{}) bool" {
		return false
	}
	v, _ := c.call(method)
	yes, _ := v.(bool)
	return yes
}

// answer calls a method that takes one value and says yes or no.
func (c carrier) answer(method string, value reflect.Value) bool {
	out := reflect.ValueOf(c.d.method(method)).Call([]reflect.Value{reflect.ValueOf(&c.value).Elem(), value})
	return out[0].Bool()
}

// carried returns the carrier in an interface.
func carried(v any) (carrier, bool) {
	c, ok := v.(carrier)
	return c, ok
}

// Text shows values as text: what %+v makes of each, with the name of the type before a struct of
// the session.
func Text(values []any) *program.Bundle {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = TextOf(v)
	}
	return &program.Bundle{Data: map[string]any{"text/plain": strings.Join(parts, " ")}}
}

// TextOf is the text of one value.
func TextOf(v any) string {
	text := fmt.Sprintf("%+v", v)
	c, ok := carried(v)
	if !ok || c.d.kind != "struct" && c.d.kind != "pointer" || c.d.method("String") != nil || c.d.method("Error") != nil {
		return text
	}
	name := strings.ReplaceAll(strings.TrimPrefix(c.d.name, "*"), "main.", "")
	if strings.HasPrefix(text, "&{") {
		return "&" + name + text[1:]
	}
	if strings.HasPrefix(text, "{") && c.d.named {
		return name + text
	}
	return text
}
