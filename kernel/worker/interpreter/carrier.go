package interpreter

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"

	"github.com/hierml/notebook/kernel/engine"
)

// types knows the types of the session by the numbers that the engine gave
// them: at run time they have neither names nor methods.
type types struct {
	mu    sync.RWMutex
	known map[int]*description
}

// A description is what is lost of a type at run time.
type description struct {
	id      int
	kind    string
	name    string // as %T prints it
	named   bool
	fields  []string
	elems   []int
	methods map[string]func(any) any
}

func newTypes() *types { return &types{known: map[int]*description{}} }

func (t *types) describe(id int, kind, name string, named bool, fields []string, elems []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[id] = &description{id: id, kind: kind, name: name, named: named, fields: fields, elems: elems, methods: map[string]func(any) any{}}
}

func (t *types) method(id int, name string, f func(any) any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.known[id]; d != nil {
		d.methods[name] = f
	}
}

func (t *types) get(id int) *description {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.known[id]
}

// get copies a value into the variable that pointer points to.
func get(value, pointer any) {
	target := reflect.ValueOf(pointer).Elem()
	if v := reflect.ValueOf(value); v.IsValid() {
		if v.Type() != target.Type() && v.CanConvert(target.Type()) {
			v = v.Convert(target.Type())
		}
		target.Set(v)
	}
}

// A carrier is a value of a session type with its description. It formats
// itself as the value would in a compiled program.
type carrier struct {
	types *types
	d     *description
	value any
}

func (t *types) carry(id int, value any) any {
	d := t.get(id)
	if d == nil {
		return value
	}
	return &carrier{t, d, value}
}

// Shower is implemented by values of session types: Show calls a method of
// the value that takes nothing and returns one result.
type Shower interface {
	Show(method string) (any, bool)
}

// Show calls the named method, if the value has it.
func (c *carrier) Show(method string) (any, bool) {
	f := c.d.methods[method]
	if f == nil {
		return nil, false
	}
	return f(c.value), true
}

// TypeName is the name of the value's type, as %T prints it.
func (c *carrier) TypeName() string { return c.d.name }

func (c *carrier) panicText() string {
	for _, name := range []string{"Error", "String"} {
		if v, ok := c.Show(name); ok {
			return fmt.Sprint(v)
		}
	}
	if c.d.kind == "basic" {
		return fmt.Sprintf("%s(%#v)", c.d.name, c.value)
	}
	return fmt.Sprintf("(%s) %+v", c.d.name, c)
}

// Format prints the value for any verb.
func (c *carrier) Format(s fmt.State, verb rune) {
	p := printer{c.types, s, verb}
	p.value(reflect.ValueOf(c.value), c.d, 0, true)
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
			if f := d.methods[name]; f != nil {
				if text, ok := p.call(f, v); ok {
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
		p.native(v)
	default:
		if sharp && d.kind == "basic" && d.named && v.Kind() != reflect.String && v.Kind() != reflect.Bool {
			p.native(v)
			return
		}
		p.native(v)
	}
}

// call calls a method that makes text of a value. A nil receiver that it
// cannot take prints as fmt prints it.
func (p printer) call(f func(any) any, v reflect.Value) (text any, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if v.Kind() == reflect.Pointer && v.IsNil() {
				fmt.Fprint(p.state, "<nil>")
			} else {
				fmt.Fprintf(p.state, "%%!%c(PANIC=String method: %v)", p.verb, panicText(r))
			}
			ok = false
		}
	}()
	return f(readable(v).Interface()), true
}

// readable lifts the ban on values of unexported fields, of which the
// interpreter makes none.
func readable(v reflect.Value) reflect.Value { return v }

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
	c, ok := v.(*carrier)
	if !ok {
		return fmt.Sprintf("%+v", v)
	}
	text := fmt.Sprintf("%+v", v)
	if (c.d.kind == "struct" || c.d.kind == "pointer") && c.d.methods["String"] == nil && c.d.methods["Error"] == nil {
		name := strings.TrimPrefix(strings.TrimPrefix(c.d.name, "*"), "main.")
		if strings.HasPrefix(text, "&") {
			return "&" + name + text[1:]
		}
		return name + text
	}
	return text
}
