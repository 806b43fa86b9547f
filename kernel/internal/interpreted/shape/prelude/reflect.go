//go:build ignore

// Package reflect is what the engine runs in place of the generic functions
// of the standard package of this name. Types of the session are refused
// where they reach the compiled ones.
package reflect

import "reflect"

func TypeFor[T any]() reflect.Type { return reflect.TypeOf((*T)(nil)).Elem() }

func TypeAssert[T any](v reflect.Value) (T, bool) {
	x, ok := v.Interface().(T)
	return x, ok
}
