package carry

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// describe describes a type, without its parts, so that another process finds it.
func describe(t reflect.Type) string {
	if key, ok := cell.KeyOf(t); ok {
		return "session " + key
	}
	if t.Name() != "" || t.Kind() == reflect.Struct || t.Kind() == reflect.Interface {
		return fmt.Sprintf("named %s %s", pathOf(t), t)
	}
	switch t.Kind() {
	case reflect.Array:
		return fmt.Sprintf("array %d", t.Len())
	case reflect.Chan:
		return fmt.Sprintf("chan %d", t.ChanDir())
	case reflect.Func:
		return fmt.Sprintf("func %d %t", t.NumIn(), t.IsVariadic())
	}
	return t.Kind().String()
}

// pathOf returns the path of a type's package: the same for all types of the session.
func pathOf(t reflect.Type) string {
	if isSession(t) {
		return "main"
	}
	return t.PkgPath()
}

// formOf distinguishes types with the same description.
func formOf(t reflect.Type) string { return fmt.Sprintf("%d %d", t.Size(), t.Kind()) }

// partsOf returns the parts of an unnamed type.
func partsOf(t reflect.Type) []reflect.Type {
	if _, ok := cell.KeyOf(t); ok || t.Name() != "" {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return []reflect.Type{t.Elem()}
	case reflect.Map:
		return []reflect.Type{t.Key(), t.Elem()}
	case reflect.Func:
		var parts []reflect.Type
		for i := range t.NumIn() {
			parts = append(parts, t.In(i))
		}
		for i := range t.NumOut() {
			parts = append(parts, t.Out(i))
		}
		return parts
	}
	return nil
}

// names finds types by their descriptions.
type names struct {
	// known are the types that are parts of found ones.
	known map[string]reflect.Type
}

// note records a type and its parts.
func (n *names) note(t reflect.Type) {
	key := describe(t)
	if !strings.HasPrefix(key, "session ") {
		key = fmt.Sprintf("named %s %s", pathOf(t), t)
	}
	if n.known[key] == t {
		return
	}
	n.known[key] = t
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		n.note(t.Elem())
	case reflect.Map:
		n.note(t.Key())
		n.note(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			n.note(t.Field(i).Type)
		}
	}
}

// find returns the type with a description, a form, and parts, or nil.
func (n *names) find(text, form string, parts []reflect.Type) reflect.Type {
	t := n.look(text, form, parts)
	if t == nil || formOf(t) != form {
		return nil
	}
	n.note(t)
	return t
}

func (n *names) look(text, form string, parts []reflect.Type) reflect.Type {
	if key, ok := strings.CutPrefix(text, "session "); ok {
		t, _ := cell.TypeOf(key)
		return t
	}
	if rest, ok := strings.CutPrefix(text, "named "); ok {
		if t := n.known[text]; t != nil && formOf(t) == form {
			return t
		}
		path, name, _ := strings.Cut(rest, " ")
		return listedName(path, name, form)
	}
	for _, part := range parts {
		if part == nil {
			return nil
		}
	}
	var kind string
	var length int
	var variadic bool
	if _, err := fmt.Sscan(text, &kind); err != nil {
		return nil
	}
	if len(parts) == 0 && kind != "func" || kind == "map" && len(parts) != 2 {
		return nil
	}
	switch kind {
	case "ptr":
		return reflect.PointerTo(parts[0])
	case "slice":
		return compiledLike(reflect.SliceOf(parts[0]))
	case "array":
		if _, err := fmt.Sscan(text, &kind, &length); err == nil && length >= 0 && (parts[0].Size() == 0 || uint64(length) < 1<<40/uint64(parts[0].Size())) {
			return compiledLike(reflect.ArrayOf(length, parts[0]))
		}
	case "chan":
		if _, err := fmt.Sscan(text, &kind, &length); err == nil && length > 0 && length <= int(reflect.BothDir) && parts[0].Size() < 1<<16 {
			return compiledLike(reflect.ChanOf(reflect.ChanDir(length), parts[0]))
		}
	case "map":
		if parts[0].Comparable() {
			return compiledLike(reflect.MapOf(parts[0], parts[1]))
		}
	case "func":
		if _, err := fmt.Sscan(text, &kind, &length, &variadic); err == nil && length >= 0 && length <= len(parts) &&
			(!variadic || length > 0 && parts[length-1].Kind() == reflect.Slice) && len(parts) <= 50 {
			return compiledLike(reflect.FuncOf(parts[:length], parts[length:], variadic))
		}
	}
	return nil
}

// predeclared are the types that no package declares.
var predeclared = func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[error](), reflect.TypeFor[any](), reflect.TypeFor[struct{}](),
		reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
	} {
		all[t.String()] = t
	}
	return all
}()

// listedName returns a type of the program by its package, printed name, and form; nil also if
// there are several, such as types declared in functions.
func listedName(path, name, form string) reflect.Type {
	if t := predeclared[name]; t != nil && path == "" {
		return t
	}
	var found reflect.Type
	for _, prefix := range []string{"*", "[]", ""} {
		for _, t := range listed(prefix + name) {
			if prefix != "" {
				t = t.Elem()
			}
			if _, other := cell.KeyOf(t); other || pathOf(t) != path || t.String() != name || formOf(t) != form || t == found {
				continue
			}
			if found != nil && t.Name() != "" {
				return nil
			}
			found = cmp.Or(found, t)
		}
	}
	return found
}
