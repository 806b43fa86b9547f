package interpreted

import (
	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"reflect"
	"slices"
	"unsafe"
)

// uncomparable returns Go's name for the type in an interface that an operation of yaegi cannot
// compare, or look up in a map; empty if there is none.
func (fs *faults) uncomparable(n, frame unsafe.Pointer) string {
	children := at[[]unsafe.Pointer](n, fs.node.child)
	switch kind := at[uint](n, fs.node.kind); {
	case kind == fs.index && len(children) == 2 && fs.value(children[0], frame).Kind() == reflect.Map:
		return uncomparableKey(fs.value(children[0], frame), fs.value(children[1], frame))
	case kind == fs.call && len(children) == 3 && at[string](children[0], fs.node.ident) == "delete":
		return uncomparableKey(fs.value(children[1], frame), fs.value(children[2], frame))
	case kind == fs.composite:
		for _, entry := range children {
			if parts := at[[]unsafe.Pointer](entry, fs.node.child); at[uint](entry, fs.node.kind) == fs.entry && len(parts) == 2 {
				if name := uncomparableKey(fs.value(n, frame), fs.value(parts[0], frame)); name != "" {
					return name
				}
			}
		}
	case kind == fs.binary && len(children) == 2:
		x, y := fs.value(children[0], frame), fs.value(children[1], frame)
		if x.Kind() == reflect.Interface && y.Kind() == reflect.Interface && typeIn(x) != typeIn(y) {
			return ""
		}
		if name := uncomparableIn(x); name != "" && uncomparableIn(y) == name {
			return name
		}
	}
	return ""
}

// assigned reports whether a node is on the left of an assignment.
func (fs *faults) assigned(n unsafe.Pointer) bool {
	around := at[unsafe.Pointer](n, fs.node.anc)
	if around == nil {
		return false
	}
	kind, places := at[uint](around, fs.node.kind), at[[]unsafe.Pointer](around, fs.node.child)
	return kind == fs.step && places[0] == n || kind == fs.assign && slices.Index(places, n) < max(1, at[int](around, fs.node.nleft))
}

// uncomparableKey is uncomparableIn for a key of a map, which the map may take as an interface.
func uncomparableKey(m, key reflect.Value) string {
	if m.Kind() == reflect.Pointer {
		m = m.Elem()
	}
	if m.Kind() == reflect.Map && m.Type().Key().Kind() == reflect.Interface && key.IsValid() && key.Type().AssignableTo(m.Type().Key()) {
		held := reflect.New(m.Type().Key()).Elem()
		held.Set(key)
		key = held
	}
	return uncomparableIn(key)
}

// typeIn returns a value that identifies the dynamic type of an interface value.
func typeIn(v reflect.Value) any {
	if v.IsNil() || !v.CanInterface() {
		return nil
	}
	if c, ok := values.Carried(v.Interface()); ok {
		return c.Description
	}
	return v.Elem().Type()
}

// uncomparableIn returns the name of the first uncomparable type in the interfaces of a value.
func uncomparableIn(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() || !v.CanInterface() {
			return ""
		}
		held, name := v.Elem(), ""
		if c, ok := values.Carried(v.Interface()); ok {
			held, name = reflect.ValueOf(c.Value), c.Description.Name
		}
		switch {
		case !held.IsValid() || held.Comparable():
			return ""
		case held.Type().Comparable():
			return uncomparableIn(held)
		case name != "":
			return name
		}
		return held.Type().String()
	case reflect.Struct:
		for i := range v.NumField() {
			if name := uncomparableIn(v.Field(i)); name != "" {
				return name
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if name := uncomparableIn(v.Index(i)); name != "" {
				return name
			}
		}
	}
	return ""
}
