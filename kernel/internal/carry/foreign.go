package carry

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// The run time unifies the types in plugins with those in the program, but not with types that
// reflection made before. A value in an interface may thus have a type that no compiled code asks
// for, until a plugin brings the identical compiled type.

// foreign are the types that values have because no compiled code has them, or has their instances
// of newer types, so far.
var foreign = struct {
	sync.Mutex
	types map[reflect.Type]bool
}{types: map[reflect.Type]bool{}}

// naturalize replaces foreign types with compiled ones that were loaded since.
func naturalize() {
	foreign.Lock()
	list := foreign.types
	foreign.types = map[reflect.Type]bool{}
	foreign.Unlock()
	for t := range list {
		to := t
		if isComposite(t) {
			to = compiledLike(t)
		} else {
			to = instanceLike(t)
		}
		if to != t {
			cell.Supersede(t, to)
		}
	}
}

func leaveForeign(t reflect.Type) reflect.Type {
	foreign.Lock()
	defer foreign.Unlock()
	foreign.types[t] = true
	return t
}

// isComposite reports types that reflection can make, and that programs list.
func isComposite(t reflect.Type) bool {
	if t.Name() != "" {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Chan, reflect.Func, reflect.Struct:
		return true
	}
	return false
}

// compiledLike returns the compiled type that is identical to a composite one, or the type itself
// if there is none.
func compiledLike(t reflect.Type) reflect.Type {
	var found reflect.Type
	for _, c := range listed(t.String()) {
		if c == t {
			return t
		}
		if found == nil && identical(c, t) {
			found = c
		}
	}
	if found == nil {
		return leaveForeign(t)
	}
	return found
}

// instanceLike returns the newest instance for an older one, or the type itself if there is none.
func instanceLike(t reflect.Type) reflect.Type {
	if c := compiledAgain(t); c != t {
		return c
	}
	if !outdated(t) {
		return t
	}
	for _, p := range listed("*" + t.String()) {
		if c := p.Elem(); c != t && newForms().same(t, c) && !outdated(c) {
			return c
		}
	}
	return leaveForeign(t)
}

// compiledAgain returns the newest form of an instance whose generic type was compiled again.
func compiledAgain(t reflect.Type) reflect.Type {
	for _, c := range slices.Backward(cell.Instances(t.String())) {
		if newForms().same(t, c) && sameFields(t, c) {
			return c
		}
	}
	return t
}

// sameFields reports whether the fields of two types have the same names, if they are structures.
func sameFields(a, b reflect.Type) bool {
	if a.Kind() != reflect.Struct {
		return true
	}
	for i := range a.NumField() {
		if a.Field(i).Name != b.Field(i).Name {
			return false
		}
	}
	return true
}

// isInstance reports instances of generic types of the session.
func isInstance(t reflect.Type) bool {
	return isSession(t) && strings.Contains(t.Name(), "[")
}

// outdated reports types that contain types that were compiled again.
func outdated(t reflect.Type) bool { return mentionsOld(t, map[reflect.Type]bool{}) }

func mentionsOld(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if _, ok := cell.Newest(t); ok || isInstance(t) && compiledAgain(t) != t {
		return true
	}
	if t.Name() != "" && !isSession(t) {
		return false
	}
	switch t.Kind() {
	case reflect.Map:
		return mentionsOld(t.Key(), seen) || mentionsOld(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return mentionsOld(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if mentionsOld(t.Field(i).Type, seen) {
				return true
			}
		}
	case reflect.Func:
		for i := range t.NumIn() {
			if mentionsOld(t.In(i), seen) {
				return true
			}
		}
		for i := range t.NumOut() {
			if mentionsOld(t.Out(i), seen) {
				return true
			}
		}
	}
	return false
}

// identical reports whether two undeclared types are identical.
func identical(a, b reflect.Type) bool {
	if a == b {
		return true
	}
	if a.Name() != "" || b.Name() != "" || a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice:
		return identical(a.Elem(), b.Elem())
	case reflect.Array:
		return a.Len() == b.Len() && identical(a.Elem(), b.Elem())
	case reflect.Chan:
		return a.ChanDir() == b.ChanDir() && identical(a.Elem(), b.Elem())
	case reflect.Map:
		return identical(a.Key(), b.Key()) && identical(a.Elem(), b.Elem())
	case reflect.Func:
		if a.NumIn() != b.NumIn() || a.NumOut() != b.NumOut() || a.IsVariadic() != b.IsVariadic() {
			return false
		}
		for i := range a.NumIn() {
			if !identical(a.In(i), b.In(i)) {
				return false
			}
		}
		for i := range a.NumOut() {
			if !identical(a.Out(i), b.Out(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if a.NumField() != b.NumField() {
			return false
		}
		for i := range a.NumField() {
			x, y := a.Field(i), b.Field(i)
			if x.Name != y.Name || x.PkgPath != y.PkgPath || x.Tag != y.Tag || x.Anonymous != y.Anonymous || x.Offset != y.Offset || !identical(x.Type, y.Type) {
				return false
			}
		}
		return true
	}
	return false // interfaces are all in the program, or of the session
}

// listed returns the types with a printed name in the program and its plugins. Declared types are
// not listed, but pointers to them are.
func listed(text string) []reflect.Type {
	var list []reflect.Type
	for _, p := range typesByString(text) {
		var v any
		(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0] = p
		list = append(list, reflect.TypeOf(v))
	}
	return list
}

// typesByString is the function with which reflection finds known types before it makes one. It is
// kept accessible for such uses (go.dev/issue/67401).
//
//go:linkname typesByString reflect.typesByString
func typesByString(s string) []unsafe.Pointer
