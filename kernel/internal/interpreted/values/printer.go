package values

import (
	"fmt"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// A printer prints values as fmt does: it is fmt's printValue for values whose types have lost
// their names, methods, and which of their fields are exported. What is left of a value in the end,
// a number or a text, it gives to fmt.
type printer struct {
	types *Types
	state fmt.State
	// plus and sharp say that the verb is %+v or %#v.
	plus, sharp bool
	// bad says that a value is printed that its verb does not fit: as %v prints it, and without its
	// methods.
	bad bool
}

func newPrinter(t *Types, s fmt.State, verb rune) *printer {
	return &printer{types: t, state: s, plus: verb == 'v' && s.Flag('+'), sharp: verb == 'v' && s.Flag('#')}
}

// nested reports whether fmt prints an operand that is part of another one, where pointers are not
// followed. Of the printer that is behind a fmt.State, value is what the operand is part of.
func nested(s fmt.State) bool {
	v := reflect.ValueOf(s)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return false
	}
	part := v.Elem().FieldByName("value")
	return part.IsValid() && !part.IsZero()
}

// print prints v, whose type d describes; nil stands for a type that needs no description. Methods
// are called on values that can be reached through exported fields only, and where methods says
// that there may be some.
func (p *printer) print(v reflect.Value, d *Description, verb rune, depth int, exported, methods bool) {
	if d == nil && v.IsValid() && v.CanInterface() {
		if c, ok := Carried(Unwrap(v.Interface())); ok {
			v, d = reflect.ValueOf(c.Value), c.Description
		}
	}
	if exported && methods && !p.bad && v.IsValid() && p.handled(v, d, verb) {
		return
	}
	switch v.Kind() {
	case reflect.Invalid:
		if verb == 'v' {
			p.text("<nil>")
		} else {
			p.text("%!" + string(verb) + "(<nil>)")
		}
	case reflect.Map:
		p.mapping(v, d, verb, depth, exported)
	case reflect.Struct:
		p.structure(v, d, verb, depth, exported)
	case reflect.Interface:
		switch {
		case !v.IsNil():
			p.print(v.Elem(), nil, verb, depth+1, exported, true)
		case p.sharp:
			p.text(d.typeName(v) + "(nil)")
		default:
			p.text("<nil>")
		}
	case reflect.Array, reflect.Slice:
		p.list(v, d, verb, depth, exported)
	case reflect.Pointer:
		if depth == 0 && !v.IsNil() {
			switch v.Elem().Kind() {
			case reflect.Array, reflect.Slice, reflect.Struct, reflect.Map:
				p.text("&")
				p.print(v.Elem(), p.elem(d, 0), verb, depth+1, exported, true)
				return
			}
		}
		p.pointer(v, d, verb)
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		p.pointer(v, d, verb)
	default:
		p.basic(v, d, verb)
	}
}

// elem describes a part of the values that d describes.
func (p *printer) elem(d *Description, i int) *Description {
	if d == nil || i >= len(d.elems) {
		return nil
	}
	return p.types.get(d.elems[i])
}

func (p *printer) text(s string) { fmt.Fprint(p.state, s) }

// between separates the parts of a value.
func (p *printer) between(i int) {
	switch {
	case i == 0:
	case p.sharp:
		p.text(", ")
	default:
		p.text(" ")
	}
}

func (p *printer) structure(v reflect.Value, d *Description, verb rune, depth int, exported bool) {
	t := v.Type()
	if p.sharp {
		p.text(d.typeName(v))
	}
	p.text("{")
	for i := range v.NumField() {
		p.between(i)
		name, up := t.Field(i).Name, t.Field(i).IsExported()
		if d != nil {
			name = d.fields[i]
			up = token.IsExported(name)
		}
		if p.plus || p.sharp {
			p.text(name + ":")
		}
		f, elem := v.Field(i), p.elem(d, i)
		if f.Kind() == reflect.Interface && !f.IsNil() {
			f, elem = f.Elem(), nil
		}
		p.print(f, elem, verb, depth+1, exported && up, true)
	}
	p.text("}")
}

func (p *printer) list(v reflect.Value, d *Description, verb rune, depth int, exported bool) {
	if strings.ContainsRune("sqxX", verb) && v.Type().Elem().Kind() == reflect.Uint8 {
		bytes := make([]byte, v.Len())
		for i := range bytes {
			bytes[i] = byte(v.Index(i).Uint())
		}
		fmt.Fprintf(p.state, fmt.FormatString(p.state, verb), bytes)
		return
	}
	begin, end := "[", "]"
	if p.sharp {
		begin, end = d.typeName(v)+"{", "}"
		if v.Kind() == reflect.Slice && v.IsNil() {
			p.text(d.typeName(v) + "(nil)")
			return
		}
	}
	p.text(begin)
	for i := range v.Len() {
		p.between(i)
		p.print(v.Index(i), p.elem(d, 0), verb, depth+1, exported, true)
	}
	p.text(end)
}

func (p *printer) mapping(v reflect.Value, d *Description, verb rune, depth int, exported bool) {
	begin, end := "map[", "]"
	if p.sharp {
		begin, end = d.typeName(v)+"{", "}"
		if v.IsNil() {
			p.text(d.typeName(v) + "(nil)")
			return
		}
	}
	p.text(begin)
	for i, k := range sortedKeys(v) {
		p.between(i)
		p.print(k, p.elem(d, 0), verb, depth+1, exported, true)
		p.text(":")
		p.print(v.MapIndex(k), p.elem(d, 1), verb, depth+1, exported, true)
	}
	p.text(end)
}

// pointer prints the address that a pointer, channel or function holds.
func (p *printer) pointer(v reflect.Value, d *Description, verb rune) {
	address := uint64(v.Pointer())
	switch verb {
	case 'v':
		switch {
		case p.sharp && address == 0:
			p.text("(" + d.typeName(v) + ")(nil)")
		case p.sharp:
			p.text(fmt.Sprintf("(%s)(%#x)", d.typeName(v), address))
		case address == 0:
			fmt.Fprintf(p.state, p.format('s', false), "<nil>")
		default:
			p.hexadecimal(address)
		}
	case 'p':
		p.hexadecimal(address)
	case 'b', 'o', 'd', 'x', 'X':
		fmt.Fprintf(p.state, fmt.FormatString(p.state, verb), address)
	default:
		p.badVerb(v, d, verb)
	}
}

func (p *printer) hexadecimal(n uint64) {
	fmt.Fprintf(p.state, p.format('x', !p.state.Flag('#')), n)
}

// format is the format for a part of the value with another verb.
func (p *printer) format(verb rune, sharp bool) string {
	text := "%"
	for _, flag := range " +-0" {
		if p.state.Flag(int(flag)) && !(flag == '+' && p.plus) {
			text += string(flag)
		}
	}
	if sharp {
		text += "#"
	}
	if w, ok := p.state.Width(); ok {
		text += strconv.Itoa(w)
	}
	if n, ok := p.state.Precision(); ok && verb != 's' {
		text += "." + strconv.Itoa(n)
	}
	return text + string(verb)
}

// basic prints a number, a text or a truth value.
func (p *printer) basic(v reflect.Value, d *Description, verb rune) {
	value, verbs, plain := any(nil), "", 'v'
	switch v.Kind() {
	case reflect.Bool:
		value, verbs, plain = v.Bool(), "tv", 't'
	case reflect.String:
		value, verbs, plain = v.String(), "vsxXq", 's'
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		value, verbs, plain = v.Int(), "vdboOxXcqU", 'd'
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		value, verbs, plain = v.Uint(), "vdboOxXcqU", 'd'
	case reflect.Float32:
		value, verbs, plain = float32(v.Float()), "vbgGxXfFeE", 'g'
	case reflect.Float64:
		value, verbs, plain = v.Float(), "vbgGxXfFeE", 'g'
	case reflect.Complex64:
		value, verbs, plain = complex64(v.Complex()), "vbgGxXfFeE", 'g'
	case reflect.Complex128:
		value, verbs, plain = v.Complex(), "vbgGxXfFeE", 'g'
	}
	if !strings.ContainsRune(verbs, verb) {
		p.badVerb(v, d, verb)
		return
	}
	if p.bad {
		verb = plain // with the flags of a verb that is not v
	}
	fmt.Fprintf(p.state, fmt.FormatString(p.state, verb), value)
}

// badVerb prints a value that does not fit its verb.
func (p *printer) badVerb(v reflect.Value, d *Description, verb rune) {
	p.text("%!" + string(verb) + "(" + d.typeName(v) + "=")
	bad := p.bad
	p.bad = true
	p.print(v, d, 'v', 0, false, false)
	p.bad = bad
	p.text(")")
}

// handled prints a value by the method it has for that, if it has one.
func (p *printer) handled(v reflect.Value, d *Description, verb rune) (ok bool) {
	method := p.method(v, d, verb)
	if method == "" {
		return false
	}
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		ok = true
		if v.Kind() == reflect.Pointer && v.IsNil() {
			p.text("<nil>")
			return
		}
		p.text(fmt.Sprintf("%%!%c(PANIC=%s method: %v)", verb, method, p.types.Translate(r)))
	}()
	value := v.Interface()
	if method == "Format" {
		if d == nil {
			value.(fmt.Formatter).Format(p.state, verb)
			return true
		}
		reflect.ValueOf(d.method(method)).Call([]reflect.Value{reflect.ValueOf(&value).Elem(), reflect.ValueOf(&p.state).Elem(), reflect.ValueOf(verb)})
		return true
	}
	text := ""
	if d != nil {
		result, _ := Carrier{d, value}.call(method)
		text, _ = result.(string)
	} else {
		switch value := value.(type) {
		case fmt.GoStringer:
			if method == "GoString" {
				text = value.GoString()
			}
		}
		switch value := value.(type) {
		case error:
			if method == "Error" {
				text = value.Error()
			}
		case fmt.Stringer:
			if method == "String" {
				text = value.String()
			}
		}
	}
	if method == "GoString" {
		fmt.Fprintf(p.state, p.format('s', false), text)
		return true
	}
	fmt.Fprintf(p.state, fmt.FormatString(p.state, verb), text)
	return true
}

// method returns the name of the method by which a value is printed, "" if it has none.
func (p *printer) method(v reflect.Value, d *Description, verb rune) string {
	var has func(name string) bool
	if d != nil {
		has = func(name string) bool {
			if name == "Format" {
				return d.formats()
			}
			return d.text(name) == "func(interface{}) string"
		}
	} else {
		if !v.CanInterface() {
			return ""
		}
		value := v.Interface()
		has = func(name string) (ok bool) {
			switch name {
			case "Format":
				_, ok = value.(fmt.Formatter)
			case "GoString":
				_, ok = value.(fmt.GoStringer)
			case "Error":
				_, ok = value.(error)
			case "String":
				_, ok = value.(fmt.Stringer)
			}
			return ok
		}
	}
	switch {
	case has("Format"):
		return "Format"
	case p.sharp:
		if has("GoString") {
			return "GoString"
		}
	case strings.ContainsRune("vsxXq", verb):
		for _, name := range []string{"Error", "String"} {
			if has(name) {
				return name
			}
		}
	}
	return ""
}

// formats reports whether the type is a fmt.Formatter.
func (d *Description) formats() bool {
	m := d.method("Format")
	if m == nil {
		return false
	}
	t := reflect.TypeOf(m)
	return t.NumIn() == 3 && t.NumOut() == 0 && t.In(1) == reflect.TypeFor[fmt.State]() && t.In(2) == reflect.TypeFor[rune]()
}

// typeName is the name of the type of a value that d describes; nil stands for a type that needs no
// description.
func (d *Description) typeName(v reflect.Value) string {
	if d == nil {
		return v.Type().String()
	}
	return d.Name
}
