package values

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/display"
)

// A Carrier is a value of a session type in an interface: the value, and what is lost of its type
// at run time. It is comparable where the value is, and formats itself as the value would in a
// compiled program. All carriers are errors and Stringers for compiled code, whatever methods their
// type has: a later cell may declare them, and values must stay equal to those made before.
type Carrier struct {
	Description *Description
	Value       any
}

// Format prints the value for any verb.
func (c Carrier) Format(s fmt.State, verb rune) {
	p := newPrinter(c.Description.types, s, verb)
	v := reflect.ValueOf(c.Value)
	switch verb {
	case typeVerb:
		fmt.Fprintf(s, fmt.FormatString(s, 's'), c.Description.Name)
		return
	case pointerVerb:
		switch v.Kind() {
		case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
			p.pointer(v, c.Description, 'p')
		default:
			p.badVerb(v, c.Description, 'p')
		}
		return
	case wrongVerb:
		p.badVerb(v, c.Description, 'w')
		return
	}
	depth := 0
	if nested(s) {
		depth = 1
	}
	p.print(v, c.Description, verb, depth, true, true)
}

// call calls a method that has no parameters and one result.
func (c Carrier) call(name string) (any, bool) {
	f, ok := c.Description.method(name).(func(any) any)
	if ok {
		return f(c.Value), true
	}
	m := reflect.ValueOf(c.Description.method(name))
	if !m.IsValid() || m.Type().NumIn() != 1 || m.Type().NumOut() != 1 {
		return nil, false
	}
	return m.Call([]reflect.Value{reflect.ValueOf(&c.Value).Elem()})[0].Interface(), true
}

// Typed implements display.Typed.
func (c Carrier) Typed() (any, display.Type) { return c.Value, displayed{c.Description} }

// Call implements display.Typed. A method of the pointer is called with one to a copy.
func (c Carrier) Call(name string) (result any, has bool, err error) {
	d, v := c.Description, c.Value
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
	d := told.Description
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
		return told.types.Carry(told.id, v)
	}
	return v
}

// displayed is a description for package display.
type displayed struct{ *Description }

// Name implements display.Type.
func (d displayed) Name() string { return d.Description.Name }

// Field implements display.Type.
func (d displayed) Field(i int) string { return d.fields[i] }

// Part implements display.Type.
func (d displayed) Part(i int, v any) any {
	if i >= len(d.elems) {
		return v
	}
	return d.types.Carry(d.elems[i], v)
}

// Takes implements display.Type.
func (d displayed) Takes(v any) bool {
	c, session := Carried(v)
	for _, name := range d.fields {
		if session && c.Description.method(name) == nil || !session && !reflect.ValueOf(v).MethodByName(name).IsValid() {
			return false
		}
	}
	return v != nil
}

// Implementing returns the value as one of a compiled interface, if it has its methods.
func (c Carrier) Implementing(iface reflect.Type) (v reflect.Value, ok bool) {
	if !c.Description.implements(iface) {
		return reflect.Value{}, false
	}
	return c.Description.types.wrapped(c, iface), true
}

func (c Carrier) PanicText() string {
	for _, name := range []string{"Error", "String"} {
		if v, ok := c.call(name); ok {
			return fmt.Sprint(v)
		}
	}
	switch {
	case c.Description.kind == "basic" && reflect.TypeOf(c.Value).Kind() == reflect.String:
		return fmt.Sprintf("%s(\"%v\")", c.Description.Name, c.Value)
	case c.Description.kind == "basic":
		return fmt.Sprintf("%s(%#v)", c.Description.Name, c.Value)
	}
	return fmt.Sprintf("(%s) %+v", c.Description.Name, c)
}

func (c Carrier) refusal(what string) error {
	return fmt.Errorf("%s: a value of type %s in an interface: the interpreter cannot show its fields to compiled code", what, c.Description.Name)
}

// MarshalText fails: compiled code would not find the names of the fields.
func (c Carrier) MarshalText() ([]byte, error) { return nil, c.refusal("encoding") }

// GobEncode fails, for the same reason.
func (c Carrier) GobEncode() ([]byte, error) { return nil, c.refusal("gob") }

// text calls a method that returns a string.
func (c Carrier) text(method string) string {
	v, _ := c.call(method)
	s, _ := v.(string)
	return s
}

// String calls the method of the value. A type without one has its name, as package context prints
// keys.
func (c Carrier) String() string {
	if !c.isStringer() {
		return c.Description.Name
	}
	return c.text("String")
}

// Error calls the method of the value.
func (c Carrier) Error() string { return c.text("Error") }

func (c Carrier) isError() bool    { return c.Description.text("Error") == "func(interface{}) string" }
func (c Carrier) isStringer() bool { return c.Description.text("String") == "func(interface{}) string" }

// Unwrap calls the method of the value, if it has one.
func (c Carrier) Unwrap() error {
	if c.Description.text("Unwrap") != "func(interface{}) error" {
		return nil
	}
	v, _ := c.call("Unwrap")
	err, _ := v.(error)
	return err
}

// joined calls the method Unwrap of an error that joins several.
func (c Carrier) joined() []error {
	if c.Description.text("Unwrap") != "func(interface{}) []error" {
		return nil
	}
	v, _ := c.call("Unwrap")
	errs, _ := v.([]error)
	return errs
}

// Is calls the method of the value, if it has one, and asks the errors that the value joins.
func (c Carrier) Is(target error) bool {
	return c.Description.text("Is") == "func(interface{}, error) bool" && c.answer("Is", reflect.ValueOf(&target).Elem()) ||
		slices.ContainsFunc(c.joined(), func(err error) bool { return errors.Is(err, target) })
}

// As calls the method of the value, if it has one, and asks the errors that the value joins.
func (c Carrier) As(target any) bool {
	return c.finds(target) || slices.ContainsFunc(c.joined(), func(err error) bool { return errors.As(err, target) })
}

// finds calls the method As of the value, if it has one.
func (c Carrier) finds(target any) bool {
	return c.Description.text("As") == "func(interface{}, interface{}) bool" && c.answer("As", reflect.ValueOf(&target).Elem())
}

// Timeout calls the method of the value; without one the error is no timeout.
func (c Carrier) Timeout() bool { return c.says("Timeout") }

// Temporary is Timeout for the method of that name.
func (c Carrier) Temporary() bool { return c.says("Temporary") }

func (c Carrier) says(method string) bool {
	if c.Description.text(method) != "func(interface{}) bool" {
		return false
	}
	v, _ := c.call(method)
	yes, _ := v.(bool)
	return yes
}

// answer calls a method that takes one value and says yes or no.
func (c Carrier) answer(method string, value reflect.Value) bool {
	out := reflect.ValueOf(c.Description.method(method)).Call([]reflect.Value{reflect.ValueOf(&c.Value).Elem(), value})
	return out[0].Bool()
}

// Carried returns the carrier in an interface.
func Carried(v any) (Carrier, bool) {
	c, ok := v.(Carrier)
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
	c, ok := Carried(v)
	if !ok || c.Description.kind != "struct" && c.Description.kind != "pointer" || c.Description.method("String") != nil || c.Description.method("Error") != nil {
		return text
	}
	name := strings.ReplaceAll(strings.TrimPrefix(c.Description.Name, "*"), "main.", "")
	if strings.HasPrefix(text, "&{") {
		return "&" + name + text[1:]
	}
	if strings.HasPrefix(text, "{") && c.Description.named {
		return name + text
	}
	return text
}
