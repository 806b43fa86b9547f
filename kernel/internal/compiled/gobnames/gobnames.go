// Package gobnames replaces gob.Register and gob.RegisterName in compiled cells. Package gob panics
// when a name is given to a second type. In a session, a type that is declared again, or whose cell
// runs again, is a second type, and takes over the name.
package gobnames

import (
	"encoding/gob"
	"reflect"
	"strings"
	"sync"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// Types is package gob's own table of types by name. Only the linker of cells knows its address, so
// the units that call this package set it.
var Types *sync.Map

// Register is gob.Register.
func Register(value any) {
	t := reflect.TypeOf(value)
	name, star := t.String(), ""
	if t.Name() == "" && t.Kind() == reflect.Pointer {
		t, star = t.Elem(), "*"
	}
	if t.Name() != "" {
		if name = star + t.Name(); t.PkgPath() != "" {
			name = star + t.PkgPath() + "." + t.Name()
		}
	}
	giveUp(name, value)
	gob.Register(value)
}

// RegisterName is gob.RegisterName.
func RegisterName(name string, value any) {
	giveUp(name, value)
	gob.RegisterName(name, value)
}

// giveUp removes a name from the older type of the same declaration as the value's.
func giveUp(name string, value any) {
	if held, ok := Types.Load(name); ok && value != nil && declaredAgain(held.(reflect.Type), reflect.TypeOf(value)) {
		Types.Delete(name)
	}
}

// declaredAgain reports whether two types differ only because names of the session were declared
// again.
func declaredAgain(old, t reflect.Type) bool {
	if old == t {
		return true
	}
	if old.Name() != "" || t.Name() != "" {
		return old.Name() == t.Name() && ofSession(old) && ofSession(t)
	}
	if old.Kind() != t.Kind() || old.String() != t.String() {
		return false
	}
	switch old.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return declaredAgain(old.Elem(), t.Elem())
	case reflect.Map:
		return declaredAgain(old.Key(), t.Key()) && declaredAgain(old.Elem(), t.Elem())
	}
	return false
}

// ofSession reports whether a type was declared at the top of a cell. For instances of generic
// types there is no other sign.
func ofSession(t reflect.Type) bool {
	_, ok := cell.KeyOf(t)
	return ok || t.PkgPath() == "main" && strings.HasSuffix(t.Name(), "]")
}
