package debugger

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/hierml/notebook/stdlib/display"
)

// A value is one of the program's values, with its type and that of the pointer to it, if
// reflection does not know them.
type value struct {
	rv      reflect.Value
	typ     display.Type
	pointer display.Type
}

// valueOf returns the content of an interface.
func valueOf(v any) value {
	if t, ok := v.(display.Typed); ok {
		inner, typ := t.Typed()
		return value{rv: reflect.ValueOf(inner), typ: typ}
	}
	return value{rv: reflect.ValueOf(v)}
}

// pointed returns the value that a pointer points to.
func pointed(pointer any) value {
	p := valueOf(pointer)
	if p.rv.Kind() != reflect.Pointer || p.rv.IsNil() {
		return value{}
	}
	v := p.part(0, p.rv.Elem())
	v.pointer = p.typ
	return v
}

// part returns a part of a value, at the index used by display.Type.
func (v value) part(i int, r reflect.Value) value {
	if v.typ != nil && r.IsValid() && r.CanInterface() && r.Kind() != reflect.Interface {
		if t, ok := v.typ.Part(i, r.Interface()).(display.Typed); ok {
			_, typ := t.Typed()
			return value{rv: r, typ: typ}
		}
	}
	return value{rv: r}
}

// open returns the content of an interface value, and other values unchanged.
func (v value) open() value {
	for v.rv.Kind() == reflect.Interface && !v.rv.IsNil() {
		if !v.rv.CanInterface() {
			return value{rv: v.rv.Elem()}
		}
		v = valueOf(v.rv.Interface())
	}
	return v
}

// field returns a field of a struct, even if it is unexported.
func (v value) field(i int) value {
	r := v.rv
	if !r.CanAddr() {
		whole := reflect.New(r.Type()).Elem()
		if r.CanInterface() {
			whole.Set(r)
			r = whole
		}
	}
	f := r.Field(i)
	if !f.CanInterface() && f.CanAddr() {
		f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
	}
	return v.part(i, f)
}

func (v value) fieldName(i int) string {
	if v.typ != nil {
		return v.typ.Field(i)
	}
	return v.rv.Type().Field(i).Name
}

// typeName returns the type in the notation of cells.
func (v value) typeName() string {
	switch {
	case !v.rv.IsValid():
		return ""
	case v.typ != nil:
		return strings.ReplaceAll(v.typ.Name(), "main.", "")
	}
	return strings.ReplaceAll(v.rv.Type().String(), "main.", "")
}

// Bounds of the text of a value: its bytes, its elements, and its depth.
const (
	maxText     = 200
	maxElements = 10
	deepest     = 3
)

// text returns the value in one line.
func (v value) text() string { return bounded(v.brief(0)) }

func bounded(text string) string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	return text
}

func (v value) brief(depth int) string {
	v = v.open()
	r := v.rv
	if !r.IsValid() {
		return "nil"
	}
	if own, ok := v.own(); ok {
		return own
	}
	switch r.Kind() {
	case reflect.String:
		return strconv.Quote(r.String()[:min(r.Len(), maxText)])
	case reflect.Pointer:
		if r.IsNil() {
			return "nil"
		}
		if depth < deepest && r.Elem().Kind() == reflect.Struct {
			return "&" + v.part(0, r.Elem()).brief(depth+1)
		}
		return fmt.Sprintf("%#x", r.Pointer())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if r.IsNil() {
			return "nil"
		}
		return v.typeName()
	case reflect.Interface:
		return "nil"
	case reflect.Struct:
		return v.typeName() + "{" + v.list(depth, r.NumField(), func(i int) string { return v.fieldName(i) + ": " + v.field(i).brief(depth+1) }) + "}"
	case reflect.Slice, reflect.Array:
		if r.Kind() == reflect.Slice && r.IsNil() {
			return "nil"
		}
		text := "[" + v.list(depth, r.Len(), func(i int) string { return v.part(0, r.Index(i)).brief(depth + 1) }) + "]"
		if r.Len() > maxElements {
			return fmt.Sprintf("len %d %s", r.Len(), text)
		}
		return text
	case reflect.Map:
		if r.IsNil() {
			return "nil"
		}
		keys := sortedKeys(r)
		return "map[" + v.list(depth, len(keys), func(i int) string {
			return v.part(0, keys[i]).brief(depth+1) + ":" + v.part(1, r.MapIndex(keys[i])).brief(depth+1)
		}) + "]"
	}
	return v.basic()
}

// basic formats a number or a boolean, without calling methods.
func (v value) basic() string {
	r := v.rv
	switch {
	case r.CanInt():
		return strconv.FormatInt(r.Int(), 10)
	case r.CanUint():
		return strconv.FormatUint(r.Uint(), 10)
	case r.CanFloat():
		return strconv.FormatFloat(r.Float(), 'g', -1, r.Type().Bits())
	case r.CanComplex():
		return strconv.FormatComplex(r.Complex(), 'g', -1, r.Type().Bits())
	case r.Kind() == reflect.Bool:
		return strconv.FormatBool(r.Bool())
	}
	return v.typeName()
}

func (v value) list(depth, n int, at func(int) string) string {
	if depth >= deepest && n > 0 {
		return "..."
	}
	var parts []string
	for i := range min(n, maxElements) {
		parts = append(parts, at(i))
	}
	if n > maxElements {
		parts = append(parts, "...")
	}
	return strings.Join(parts, ", ")
}

// own returns the text that a value of a compiled type has by its own methods. Types of cells are
// excluded: their methods may have hooks.
func (v value) own() (text string, ok bool) {
	t := v.rv.Type()
	if v.typ != nil || !v.rv.CanInterface() || v.rv.Kind() == reflect.Pointer && v.rv.IsNil() {
		return "", false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.PkgPath() == "" || t.PkgPath() == "main" {
		return "", false
	}
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	switch x := v.rv.Interface().(type) {
	case error:
		text = x.Error()
	case fmt.Stringer:
		text = x.String()
	default:
		return "", false
	}
	return strings.Join(strings.Fields(text), " "), true
}

func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		for a.Kind() == reflect.Interface && !a.IsNil() && b.Kind() == reflect.Interface && !b.IsNil() {
			a, b = a.Elem(), b.Elem()
		}
		switch {
		case a.Kind() != b.Kind():
			return cmp.Compare(a.Kind(), b.Kind())
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		case a.CanUint():
			return cmp.Compare(a.Uint(), b.Uint())
		case a.CanFloat():
			return cmp.Compare(a.Float(), b.Float())
		}
		return cmp.Compare(value{rv: a}.brief(deepest), value{rv: b}.brief(deepest))
	})
	return keys
}

// A variable is a part of a value, by the name that front ends show.
type variable struct {
	name, evaluate string
	value          value
	typ            string // in the notation of cells; empty if the value has it
	set            func(reflect.Value)
}

// text returns the value in one line. The name of its struct, which reflection may not know, is
// that of the variable's type.
func (n *variable) text() string {
	text, r, name, pointer := n.value.brief(0), n.value.rv, n.typ, ""
	if r.Kind() == reflect.Pointer && !r.IsNil() && strings.HasPrefix(name, "*") {
		r, name, pointer = r.Elem(), name[1:], "&"
	}
	if name != "" && n.value.typ == nil && r.Kind() == reflect.Struct && r.Type().Name() == "" {
		if rest, ok := strings.CutPrefix(text, pointer+value{rv: r}.typeName()+"{"); ok {
			text = pointer + name + "{" + rest
		}
	}
	return bounded(text)
}

// count returns how many parts a value has, and whether they are indexed.
func (v value) count() (n int, indexed bool) {
	v = v.open()
	switch v.rv.Kind() {
	case reflect.Pointer:
		if v.rv.IsNil() {
			return 0, false
		}
		if v.rv.Elem().Kind() == reflect.Struct {
			return v.rv.Elem().NumField(), false
		}
		return 1, false
	case reflect.Struct:
		return v.rv.NumField(), false
	case reflect.Slice, reflect.Array:
		return v.rv.Len(), true
	case reflect.Map:
		return v.rv.Len(), false
	}
	return 0, false
}

// parts returns some of the parts of a value with the given expression.
func (v value) parts(expression string, start, count int) []variable {
	v = v.open()
	r := v.rv
	switch r.Kind() {
	case reflect.Pointer:
		switch {
		case r.IsNil():
			return nil
		case r.Elem().Kind() == reflect.Struct:
			return v.part(0, r.Elem()).parts(expression, start, count)
		}
		return []variable{{name: "*", evaluate: "*" + expression, value: v.part(0, r.Elem())}}
	case reflect.Struct:
		return page(r.NumField(), start, count, func(i int) variable {
			return variable{name: v.fieldName(i), evaluate: expression + "." + v.fieldName(i), value: v.field(i)}
		})
	case reflect.Slice, reflect.Array:
		return page(r.Len(), start, count, func(i int) variable {
			return variable{name: fmt.Sprintf("[%d]", i), evaluate: fmt.Sprintf("%s[%d]", expression, i), value: v.part(0, r.Index(i))}
		})
	case reflect.Map:
		keys := sortedKeys(r)
		return page(len(keys), start, count, func(i int) variable {
			key := v.part(0, keys[i]).brief(deepest - 1)
			return variable{name: "[" + key + "]", evaluate: expression + "[" + key + "]", value: v.part(1, r.MapIndex(keys[i])), set: func(x reflect.Value) { r.SetMapIndex(keys[i], x) }}
		})
	}
	return nil
}

// maxParts bounds the parts in one response if the front end asks for all of them.
const maxParts = 1000

func page(n, start, count int, at func(int) variable) []variable {
	if count <= 0 {
		count = maxParts
	}
	var list []variable
	for i := max(start, 0); i < min(n, start+count); i++ {
		list = append(list, at(i))
	}
	return list
}
