package cell

import "reflect"

// types are those of the session that packages declare.
var types = struct {
	newest map[string]reflect.Type
	keys   map[reflect.Type][]string
	named  map[string][]reflect.Type
	again  bool // a type was compiled anew
}{map[string]reflect.Type{}, map[reflect.Type][]string{}, map[string][]reflect.Type{}, false}

// note makes the types of a package known. The caller holds mu.
func note(list map[string]reflect.Type) {
	for key, t := range list {
		if old, ok := types.newest[key]; ok && old != t {
			types.again = true
		}
		types.newest[key] = t
		if _, ok := types.keys[t]; !ok {
			types.named[t.String()] = append(types.named[t.String()], t)
		}
		types.keys[t] = append(types.keys[t], key)
	}
}

// TypeOf returns the type that the last package which has one by a key has
// by it.
func TypeOf(key string) (reflect.Type, bool) {
	mu.Lock()
	defer mu.Unlock()
	t, ok := types.newest[key]
	return t, ok
}

// Newest returns what a type of the session is in the last package that has one
// by a key of it.
func Newest(t reflect.Type) (reflect.Type, bool) {
	mu.Lock()
	defer mu.Unlock()
	for _, key := range types.keys[t] {
		if newest := types.newest[key]; newest != t {
			return newest, true
		}
	}
	return t, false
}

// Anew reports whether a type of the session was compiled more than once.
func Anew() bool {
	mu.Lock()
	defer mu.Unlock()
	return types.again
}

// TypesNamed returns the types of the session that print as a name.
func TypesNamed(name string) []reflect.Type {
	mu.Lock()
	defer mu.Unlock()
	return append([]reflect.Type(nil), types.named[name]...)
}
