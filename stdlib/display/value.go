package display

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// Typed is a value whose type the program knows better than reflection, such as the types that
// interpreted cells declare.
type Typed interface {
	// Typed returns the value and its type.
	Typed() (any, Type)
	// Call calls a method without arguments that has one result, or a second one that is an error.
	// It reports whether the value, or a pointer to it, has such a method.
	Call(method string) (result any, has bool, err error)
	// Implementing returns the value as an implementation of an interface, if its type has the
	// methods.
	Implementing(iface reflect.Type) (v reflect.Value, ok bool)
}

// As returns a value as an implementation of an interface, if its type has the methods. These are
// the methods that its type would have in Go, not those that a [Typed] value has for its own
// purposes.
func As[T any](v any) (as T, ok bool) {
	if t, typed := v.(Typed); typed {
		if found, ok := t.Implementing(reflect.TypeFor[T]()); ok {
			return found.Interface().(T), true
		}
		return as, false
	}
	as, ok = v.(T)
	return as, ok
}

// Type is a type of a [Typed] value.
type Type interface {
	// Name is the type's name as printed by fmt.
	Name() string
	// Field is the name of a field of a struct.
	Field(i int) string
	// Part returns a part of a value with the type that it has there. i is the index of a field of
	// a struct; 0 for the element of a slice, an array or a pointer; 0 for the key and 1 for the
	// element of a map; or the index of a parameter of a function, with the results numbered after
	// the parameters.
	Part(i int, v any) any
	// Takes reports whether a value has the methods of the type, an interface.
	Takes(v any) bool
}

// A value is a Go value, with its type where reflection does not know it.
type value struct {
	reflect.Value
	typ   Type
	typed Typed // the value itself, if it has such a type
}

func valueOf(v any) value {
	if t, ok := v.(Typed); ok {
		inner, typ := t.Typed()
		return value{reflect.ValueOf(inner), typ, t}
	}
	return value{Value: reflect.ValueOf(v)}
}

// part returns a part of the value: r, at the index used by Type.Part.
func (v value) part(i int, r reflect.Value) value {
	if r.Kind() == reflect.Interface {
		if r = r.Elem(); r.IsValid() && r.CanInterface() {
			return valueOf(r.Interface())
		}
		return value{Value: r}
	}
	if v.typ != nil && r.IsValid() && r.CanInterface() {
		return valueOf(v.typ.Part(i, r.Interface()))
	}
	return value{Value: r}
}

func (v value) index(i int) value { return v.part(0, v.Index(i)) }

func (v value) field(i int) value {
	f := v.Field(i)
	if !f.CanInterface() && v.own() && v.CanInterface() {
		// Values that the program itself declares are shown completely, with the methods of their
		// parts.
		whole := reflect.New(v.Type()).Elem()
		whole.Set(v.Value)
		f = reflect.NewAt(f.Type(), unsafe.Pointer(whole.Field(i).UnsafeAddr())).Elem()
	}
	return v.part(i, f)
}

// own reports whether the program itself, such as a notebook, declares the type of a struct.
func (v value) own() bool {
	return v.typ != nil || v.Type().Name() == "" || strings.HasPrefix(v.Type().String(), "main.")
}

// pointed returns the value that a pointer points to.
func (v value) pointed() value { return v.part(0, v.Elem()) }

// fieldName is the name of a field of a struct.
func (v value) fieldName(i int) string {
	if v.typ != nil {
		return v.typ.Field(i)
	}
	return v.Type().Field(i).Name
}

// typeName is the type's name as printed by fmt.
func (v value) typeName() string {
	if v.typ != nil {
		return v.typ.Name()
	}
	return v.Type().String()
}

// any returns the value with its type, or nil if it must not be read.
func (v value) any() any {
	switch {
	case v.typed != nil:
		return v.typed
	case v.IsValid() && v.CanInterface():
		return v.Interface()
	}
	return nil
}

// speaks reports whether the value has its own text.
func (v value) speaks() bool {
	if v.typed != nil {
		_, fails := As[error](v.typed)
		_, says := As[fmt.Stringer](v.typed)
		return fails || says // it is a fmt.Formatter only because of its type
	}
	switch v.any().(type) {
	case error, fmt.Formatter, fmt.Stringer:
		return true
	}
	return false
}
