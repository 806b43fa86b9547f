package values

import (
	"cmp"
	"reflect"
	"slices"
)

// sortedKeys returns the keys of a map in the order in which fmt prints them.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortStableFunc(keys, compareKeys)
	return keys
}

// compareKeys orders map keys as fmt does.
func compareKeys(a, b reflect.Value) int {
	switch a.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cmp.Compare(a.Uint(), b.Uint())
	case reflect.Float32, reflect.Float64:
		return cmp.Compare(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y)))
	case reflect.String:
		return cmp.Compare(a.String(), b.String())
	case reflect.Bool:
		switch {
		case a.Bool() == b.Bool():
			return 0
		case b.Bool():
			return -1
		}
		return 1
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan:
		return cmp.Compare(a.Pointer(), b.Pointer())
	case reflect.Struct:
		for i := range a.NumField() {
			if c := compareKeys(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if c := compareKeys(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	case reflect.Interface:
		return compareHeld(a, b)
	}
	return 0
}

// compareHeld orders what interfaces hold: nil, then by types in no order that means anything, then
// by values.
func compareHeld(a, b reflect.Value) int {
	if a.IsNil() || b.IsNil() {
		switch {
		case a.IsNil() && b.IsNil():
			return 0
		case a.IsNil():
			return -1
		}
		return 1
	}
	a, b = a.Elem(), b.Elem()
	x, y := 0, 0
	if a.CanInterface() && b.CanInterface() {
		if c, ok := Carried(a.Interface()); ok {
			a, x = reflect.ValueOf(c.Value), c.Description.id
		}
		if c, ok := Carried(b.Interface()); ok {
			b, y = reflect.ValueOf(c.Value), c.Description.id
		}
	}
	if c := cmp.Or(cmp.Compare(x, y), cmp.Compare(reflect.ValueOf(a.Type()).Pointer(), reflect.ValueOf(b.Type()).Pointer())); c != 0 {
		return c
	}
	return compareKeys(a, b)
}
