package interpreted

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// trees lets go of syntax trees. yaegi keeps the tree of everything that it has compiled, at some
// ten kilobytes a cell: in a list and in the inner scopes of the package, both for its debugger,
// and with every name at package level. What trees releases lives on as long as functions that were
// made of it do.
//
// The fields are not exported; newTrees fails if a version of yaegi does not have them.
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
			if inner.IsValid() && inner.Kind() == reflect.Slice && names.IsValid() && names.Type().Key() == reflect.TypeFor[string]() && hasNode(names.Type().Elem()) {
				return &trees{settable(roots), settable(inner), settable(names)}, nil
			}
		}
	}
	return nil, fmt.Errorf("interpreter: this version of yaegi keeps its syntax trees elsewhere: it lacks the fields roots, scopes, child, sym and node")
}

// hasNode reports whether t is a pointer to a struct that points to a tree.
func hasNode(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return false
	}
	node, ok := t.Elem().FieldByName("node")
	return ok && node.Type.Kind() == reflect.Pointer
}

// settable returns a field that is not exported as one that can be changed.
func settable(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// release drops the trees of what was compiled before, but for those of names that are neither of
// variables, which do without, nor temporary. Nothing may be compiled meanwhile.
func (t *trees) release(variables, temporary []string) {
	t.roots.SetZero()
	t.scopes.SetZero()
	for _, name := range variables {
		if symbol := t.names.MapIndex(reflect.ValueOf(name)); symbol.IsValid() {
			settable(symbol.Elem().FieldByName("node")).SetZero()
		}
	}
	for _, name := range temporary {
		t.names.SetMapIndex(reflect.ValueOf(name), reflect.Value{})
	}
}
