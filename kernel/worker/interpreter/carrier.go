package interpreter

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hierml/notebook/kernel/engine"
)

// A carrier is a value of a session type in an interface: the value, and what
// is lost of its type at run time. It is comparable where the value is, and
// formats itself as the value would in a compiled program.
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

// held is the carrier itself, for those that embed it.
func (c carrier) held() carrier { return c }

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

// MimeBundle collects what the methods by which a value shows itself return.
func (c carrier) MimeBundle() map[string]any {
	bundle := map[string]any{"text/plain": TextOf(c)}
	if m, ok := c.call("MimeBundle"); ok {
		if more, ok := m.(map[string]any); ok {
			for k, v := range more {
				bundle[k] = v
			}
		}
	}
	for method, mime := range map[string]string{
		"HTML": "text/html", "Markdown": "text/markdown", "LaTeX": "text/latex",
		"SVG": "image/svg+xml", "PNG": "image/png", "JPEG": "image/jpeg",
	} {
		if v, ok := c.call(method); ok {
			switch v.(type) {
			case string, []byte:
				bundle[mime] = v
			}
		}
	}
	return bundle
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

// A stringCarrier is a carrier whose type is a fmt.Stringer.
type stringCarrier struct{ carrier }

// String calls the method of the value.
func (c stringCarrier) String() string { return c.text("String") }

// text calls a method that returns a string.
func (c carrier) text(method string) string {
	v, _ := c.call(method)
	s, _ := v.(string)
	return s
}

// An errorCarrier is a carrier whose type is an error.
type errorCarrier struct{ carrier }

// Error calls the method of the value.
func (c errorCarrier) Error() string { return c.text("Error") }

// Unwrap calls the method of the value, if it has one.
func (c errorCarrier) Unwrap() error {
	if c.d.text("Unwrap") != "func(interface{}) error" {
		return nil
	}
	v, _ := c.call("Unwrap")
	err, _ := v.(error)
	return err
}

// Is calls the method of the value, if it has one.
func (c errorCarrier) Is(target error) bool {
	return c.d.text("Is") == "func(interface{}, error) bool" && c.answer("Is", reflect.ValueOf(&target).Elem())
}

// As calls the method of the value, if it has one.
func (c errorCarrier) As(target any) bool {
	return c.d.text("As") == "func(interface{}, interface{}) bool" && c.answer("As", reflect.ValueOf(&target).Elem())
}

// answer calls a method that takes one value and says yes or no.
func (c carrier) answer(method string, value reflect.Value) bool {
	out := reflect.ValueOf(c.d.method(method)).Call([]reflect.Value{reflect.ValueOf(&c.value).Elem(), value})
	return out[0].Bool()
}

// An errorStringCarrier is an errorCarrier whose type is a fmt.Stringer too.
type errorStringCarrier struct{ errorCarrier }

// String calls the method of the value.
func (c errorStringCarrier) String() string { return c.text("String") }

// A joinCarrier is a carrier whose type is an error of several.
type joinCarrier struct{ errorCarrier }

// Unwrap calls the method of the value.
func (c joinCarrier) Unwrap() []error {
	v, _ := c.call("Unwrap")
	errs, _ := v.([]error)
	return errs
}

// A joinStringCarrier is a joinCarrier whose type is a fmt.Stringer too.
type joinStringCarrier struct{ joinCarrier }

// String calls the method of the value.
func (c joinStringCarrier) String() string { return c.text("String") }

// carried returns the carrier in an interface.
func carried(v any) (carrier, bool) {
	if c, ok := v.(interface{ held() carrier }); ok {
		return c.held(), true
	}
	return carrier{}, false
}

// Text shows values as text: what %+v makes of each, with the name of the
// type before a struct of the session.
func Text(values []any) *engine.Bundle {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = TextOf(v)
	}
	return &engine.Bundle{Data: map[string]any{"text/plain": strings.Join(parts, " ")}}
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
