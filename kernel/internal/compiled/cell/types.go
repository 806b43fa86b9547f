package cell

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// types are the types of the session that packages declare.
var types = struct {
	newest  map[string]reflect.Type
	keys    map[reflect.Type][]string
	instead map[reflect.Type]reflect.Type
	// instances are those of generic types that were compiled again, by their printed names.
	instances map[string][]reflect.Type
	anew      bool
}{map[string]reflect.Type{}, map[reflect.Type][]string{}, map[reflect.Type]reflect.Type{}, map[string][]reflect.Type{}, false}

// note registers the types of a package. The caller holds mu.
func note(code Code) {
	for _, name := range code.Generics {
		maps.DeleteFunc(types.instances, func(text string, _ []reflect.Type) bool { return strings.HasPrefix(text, "main."+name+"[") })
	}
	for _, t := range code.Instances {
		types.instances[t.String()] = append(types.instances[t.String()], t)
		types.anew = true
	}
	for key, t := range code.Types {
		if old, ok := types.newest[key]; ok && old != t {
			types.anew = true
		}
		types.newest[key] = t
		types.keys[t] = append(types.keys[t], key)
	}
}

// Supersede records that values of a type must become values of another type of the same form, from
// a newer package.
func Supersede(old, t reflect.Type) {
	mu.Lock()
	defer mu.Unlock()
	types.instead[old] = t
	types.anew = true
}

// TypeOf returns the type with a key in the newest package that has one.
func TypeOf(key string) (reflect.Type, bool) {
	mu.Lock()
	defer mu.Unlock()
	t, ok := types.newest[key]
	return t, ok
}

// Newest returns the current version of a type of the session, if that is another type: the type
// with one of its keys in the newest package.
func Newest(t reflect.Type) (reflect.Type, bool) {
	mu.Lock()
	defer mu.Unlock()
	if newest, ok := types.instead[t]; ok {
		return newest, true
	}
	for _, key := range types.keys[t] {
		if newest := types.newest[key]; newest != t {
			return newest, true
		}
	}
	return t, false
}

// Instances returns the instances of generic types that were compiled again and have a printed
// name, the newest last.
func Instances(name string) []reflect.Type {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(types.instances[name])
}

// Anew reports whether a type was compiled again since the last call.
func Anew() bool {
	mu.Lock()
	defer mu.Unlock()
	anew := types.anew
	types.anew = false
	return anew
}

// Variables returns pointers to the variables of all packages.
func Variables() iter.Seq2[string, any] {
	mu.Lock()
	defer mu.Unlock()
	all := map[string]any{}
	for path, code := range cells {
		for name, p := range code.Variables {
			all[path+"."+name] = p
		}
	}
	return maps.All(all)
}

// KeyOf returns a key of a type of the session: its name in the session, if it has one.
func KeyOf(t reflect.Type) (key string, ok bool) {
	mu.Lock()
	defer mu.Unlock()
	for _, k := range types.keys[t] {
		if !ok || k > key {
			key, ok = k, true
		}
	}
	return key, ok
}
