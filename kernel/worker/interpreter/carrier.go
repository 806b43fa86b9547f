package interpreter

import (
	"fmt"
	"reflect"
	"sort"
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
	p := printer{c.d.types, s, verb}
	p.value(reflect.ValueOf(c.value), c.d, 0, true)
}

// String is the value's text, so that it is a fmt.Stringer if its type is: the
// bridge answers for it whether that is so.
func (c carrier) String() string {
	if text, ok := c.call("String"); ok {
		s, _ := text.(string)
		return s
	}
	return fmt.Sprint(c)
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
	if c.d.kind == "basic" {
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

// An errorCarrier is a carrier whose type is an error.
type errorCarrier struct{ carrier }

// Error calls the method of the value.
func (c errorCarrier) Error() string {
	text, _ := c.call("Error")
	s, _ := text.(string)
	return s
}

// Unwrap calls the method of the value, if it has one.
func (c errorCarrier) Unwrap() error {
	v, _ := c.call("Unwrap")
	err, _ := v.(error)
	return err
}

// Is calls the method of the value, if it has one.
func (c errorCarrier) Is(target error) bool {
	m := reflect.ValueOf(c.d.method("Is"))
	if !m.IsValid() {
		return false
	}
	out := m.Call([]reflect.Value{reflect.ValueOf(&c.value).Elem(), reflect.ValueOf(&target).Elem()})
	return len(out) == 1 && out[0].Kind() == reflect.Bool && out[0].Bool()
}

// A joinCarrier is a carrier whose type is an error of several.
type joinCarrier struct{ errorCarrier }

// Unwrap calls the method of the value.
func (c joinCarrier) Unwrap() []error {
	v, _ := c.call("Unwrap")
	errs, _ := v.([]error)
	return errs
}

// carried returns the carrier in an interface.
func carried(v any) (carrier, bool) {
	switch c := v.(type) {
	case carrier:
		return c, true
	case errorCarrier:
		return c.carrier, true
	case joinCarrier:
		return c.carrier, true
	}
	return carrier{}, false
}

type printer struct {
	types *types
	state fmt.State
	verb  rune
}

// value prints v, whose type d describes; nil stands for a type that needs no
// description. Methods are called on values that can be reached through
// exported fields only, as fmt has it.
func (p printer) value(v reflect.Value, d *description, depth int, exported bool) {
	if d == nil {
		p.native(v)
		return
	}
	sharp := p.state.Flag('#') && p.verb == 'v'
	if exported && !sharp && strings.ContainsRune("vsxXq", p.verb) && v.IsValid() {
		for _, name := range []string{"Error", "String"} {
			if d.method(name) != nil {
				if text, ok := p.call(carrier{d, v.Interface()}, name); ok {
					fmt.Fprintf(p.state, fmt.FormatString(p.state, p.verb), text)
				}
				return
			}
		}
	}
	switch d.kind {
	case "struct":
		p.structure(v, d, depth, exported)
	case "slice", "array":
		p.list(v, d, depth, exported)
	case "map":
		p.mapping(v, d, depth, exported)
	case "pointer":
		elem := p.types.get(d.elems[0])
		if depth == 0 && elem != nil && !v.IsNil() && (elem.kind == "struct" || elem.kind == "slice" || elem.kind == "array" || elem.kind == "map") {
			fmt.Fprint(p.state, "&")
			p.value(v.Elem(), elem, depth+1, exported)
			return
		}
		switch {
		case sharp && v.IsNil():
			fmt.Fprintf(p.state, "(%s)(nil)", d.name)
		case sharp:
			fmt.Fprintf(p.state, "(%s)(%#x)", d.name, v.Pointer())
		default:
			p.native(v)
		}
	case "interface":
		if v.IsNil() {
			fmt.Fprint(p.state, "<nil>")
			return
		}
		p.native(v.Elem())
	default:
		p.basic(v, d)
	}
}

// call calls a method that makes text of a value. What fmt prints of one that
// panics is printed.
func (p printer) call(c carrier, name string) (text any, ok bool) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		ok = false
		if v := reflect.ValueOf(c.value); v.Kind() == reflect.Pointer && v.IsNil() {
			fmt.Fprint(p.state, "<nil>")
			return
		}
		fmt.Fprintf(p.state, "%%!%c(PANIC=%s method: %v)", p.verb, name, panicText(r))
	}()
	return c.call(name)
}

// basic prints a value of a named basic type, whose name appears where the
// verb does not fit.
func (p printer) basic(v reflect.Value, d *description) {
	text := fmt.Sprintf(fmt.FormatString(p.state, p.verb), v.Interface())
	if wrong := fmt.Sprintf("%%!%c(%s=", p.verb, v.Type()); strings.HasPrefix(text, wrong) {
		text = fmt.Sprintf("%%!%c(%s=", p.verb, d.name) + strings.TrimPrefix(text, wrong)
	}
	fmt.Fprint(p.state, text)
}

func (p printer) native(v reflect.Value) {
	format := fmt.FormatString(p.state, p.verb)
	if !v.IsValid() {
		fmt.Fprint(p.state, "<nil>")
		return
	}
	fmt.Fprintf(p.state, format, v.Interface())
}

func (p printer) structure(v reflect.Value, d *description, depth int, exported bool) {
	sharp, plus := p.state.Flag('#') && p.verb == 'v', p.state.Flag('+') && p.verb == 'v'
	if sharp {
		fmt.Fprint(p.state, d.name)
	}
	fmt.Fprint(p.state, "{")
	for i, name := range d.fields {
		if i > 0 {
			if sharp {
				fmt.Fprint(p.state, ", ")
			} else {
				fmt.Fprint(p.state, " ")
			}
		}
		if sharp || plus {
			fmt.Fprint(p.state, name, ":")
		}
		f := v.Field(i)
		up := exported && name != "" && (name[0] >= 'A' && name[0] <= 'Z')
		p.value(f, p.types.get(d.elems[i]), depth+1, up)
	}
	fmt.Fprint(p.state, "}")
}

func (p printer) list(v reflect.Value, d *description, depth int, exported bool) {
	sharp := p.state.Flag('#') && p.verb == 'v'
	open, sep, end := "[", " ", "]"
	if sharp {
		if v.Kind() == reflect.Slice && v.IsNil() {
			fmt.Fprintf(p.state, "%s(nil)", d.name)
			return
		}
		open, sep, end = d.name+"{", ", ", "}"
	}
	if (p.verb == 's' || p.verb == 'x' || p.verb == 'X' || p.verb == 'q') && v.Type().Elem().Kind() == reflect.Uint8 && p.types.get(d.elems[0]) == nil {
		p.native(v)
		return
	}
	fmt.Fprint(p.state, open)
	for i := range v.Len() {
		if i > 0 {
			fmt.Fprint(p.state, sep)
		}
		p.value(v.Index(i), p.types.get(d.elems[0]), depth+1, exported)
	}
	fmt.Fprint(p.state, end)
}

func (p printer) mapping(v reflect.Value, d *description, depth int, exported bool) {
	sharp := p.state.Flag('#') && p.verb == 'v'
	open, sep, end := "map[", " ", "]"
	if sharp {
		if v.IsNil() {
			fmt.Fprintf(p.state, "%s(nil)", d.name)
			return
		}
		open, sep, end = d.name+"{", ", ", "}"
	}
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return less(keys[i], keys[j]) })
	fmt.Fprint(p.state, open)
	for i, k := range keys {
		if i > 0 {
			fmt.Fprint(p.state, sep)
		}
		p.value(k, p.types.get(d.elems[0]), depth+1, exported)
		fmt.Fprint(p.state, ":")
		p.value(v.MapIndex(k), p.types.get(d.elems[1]), depth+1, exported)
	}
	fmt.Fprint(p.state, end)
}

// less orders map keys as fmt does.
func less(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return a.Int() < b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return a.Uint() < b.Uint()
	case reflect.Float32, reflect.Float64:
		return a.Float() < b.Float() || a.Float() != a.Float() && b.Float() == b.Float()
	case reflect.String:
		return a.String() < b.String()
	case reflect.Bool:
		return !a.Bool() && b.Bool()
	case reflect.Struct:
		for i := range a.NumField() {
			if less(a.Field(i), b.Field(i)) {
				return true
			}
			if less(b.Field(i), a.Field(i)) {
				return false
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if less(a.Index(i), b.Index(i)) {
				return true
			}
			if less(b.Index(i), a.Index(i)) {
				return false
			}
		}
	}
	return false
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
