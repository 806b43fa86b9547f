package interpreter

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// trees lets go of syntax trees. yaegi keeps the tree of everything that it
// has compiled, at some ten kilobytes a cell: in a list and in the inner scopes
// of the package, both for its debugger, and with every name at package level.
// What trees releases lives on as long as functions that were made of it do.
//
// The fields are not exported; newTrees fails if a version of yaegi does not
// have them.
type trees struct {
	roots  reflect.Value // a slice
	scopes reflect.Value // a slice
	names  reflect.Value // a map by name
}

func newTrees(i *interp.Interpreter) (*trees, error) {
	v := reflect.ValueOf(i).Elem()
	roots, scopes := v.FieldByName("roots"), v.FieldByName("scopes")
	if roots.IsValid() && roots.Kind() == reflect.Slice && scopes.IsValid() && scopes.Type().Key() == reflect.TypeFor[string]() {
		if scope := scopes.MapIndex(reflect.ValueOf("main")); scope.IsValid() && isStructPointer(scope) {
			inner, names := scope.Elem().FieldByName("child"), scope.Elem().FieldByName("sym")
			if inner.IsValid() && inner.Kind() == reflect.Slice && names.IsValid() && names.Type().Key() == reflect.TypeFor[string]() {
				return &trees{settable(roots), settable(inner), settable(names)}, nil
			}
		}
	}
	return nil, fmt.Errorf("interpreter: this version of yaegi keeps its syntax trees elsewhere: it lacks the fields roots, scopes, child and sym")
}

// settable returns a field that is not exported as one that can be changed.
func settable(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// release drops the trees of what was compiled before, except for those that
// belong to names; and of these the ones that are no longer used. Nothing may
// be compiled meanwhile.
func (t *trees) release(names ...string) {
	t.roots.SetZero()
	t.scopes.SetZero()
	for _, name := range names {
		t.names.SetMapIndex(reflect.ValueOf(name), reflect.Value{})
	}
}
