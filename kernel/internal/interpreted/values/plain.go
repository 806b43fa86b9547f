package values

import (
	"fmt"
	"reflect"
)

// Plain is a value for a compiled function that looks into it. It panics if there is a value of a
// session type in it: the function would not find what that is.
func Plain(function string, v any) any {
	if c, ok := carrierIn(reflect.ValueOf(v), 0); ok {
		panic(fmt.Sprintf("hierml: a value of type %s given to %s in an interface: compiled code would not find its type, its methods and the names of its fields", c.Description.Name, function))
	}
	return v
}

func PlainList(function string, list []any) []any {
	Plain(function, list)
	return list
}

// carrierIn returns a carrier that is part of a value.
func carrierIn(v reflect.Value, depth int) (c Carrier, ok bool) {
	if !v.IsValid() || !v.CanInterface() || depth > 20 {
		return Carrier{}, false
	}
	if c, ok := Carried(Unwrap(v.Interface())); ok {
		return c, true
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return carrierIn(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if !holdsInterfaces(v.Type().Elem(), depth) {
			return Carrier{}, false
		}
		for i := range v.Len() {
			if c, ok := carrierIn(v.Index(i), depth+1); ok {
				return c, true
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			for _, part := range []reflect.Value{entries.Key(), entries.Value()} {
				if c, ok := carrierIn(part, depth+1); ok {
					return c, true
				}
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if c, ok := carrierIn(v.Field(i), depth+1); ok {
				return c, true
			}
		}
	}
	return Carrier{}, false
}

// holdsInterfaces reports whether there can be interfaces in the values of a type.
func holdsInterfaces(t reflect.Type, depth int) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Pointer:
		return depth > 20 || holdsInterfaces(t.Elem(), depth+1)
	case reflect.Interface, reflect.Map, reflect.Struct:
		return true
	}
	return false
}
