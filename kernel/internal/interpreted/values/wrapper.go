package values

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/traefik/yaegi/interp"
)

// A value of a session type becomes one of a compiled interface by way of the wrapper that the
// symbols of a package have for each of its interfaces: a struct of functions, one for each method,
// which has the methods. In its field IValue it has the carrier, so that what was wrapped is not
// lost.

// Wrappers finds wrappers by their interfaces.
type Wrappers interp.Exports

// of returns the type of the wrapper for an interface.
func (w Wrappers) of(iface reflect.Type) (reflect.Type, bool) {
	for key, symbols := range w {
		rest, ok := strings.CutPrefix(key, iface.PkgPath()+"/")
		if !ok || strings.Contains(rest, "/") {
			continue
		}
		if s, ok := symbols["_"+iface.Name()]; ok && s.Type().Kind() == reflect.Pointer && s.Type().Elem().Implements(iface) {
			return s.Type().Elem(), true
		}
	}
	return nil, false
}

// Wrap makes a value of a session type one of the compiled interface that pointer points to.
func (t *Types) Wrap(id int, value, pointer any) {
	target := reflect.ValueOf(pointer).Elem()
	target.Set(t.wrapped(t.Carry(id, value), target.Type()))
}

// wrapped returns a carrier as a value of a compiled interface.
func (t *Types) wrapped(carrier any, iface reflect.Type) reflect.Value {
	if carries(iface) {
		return reflect.ValueOf(carrier)
	}
	c, _ := Carried(carrier)
	more, ok := c.Description.companion(iface)
	if ok {
		return t.wrapIn(more.wrapper, more.methods, carrier, c)
	}
	t.mu.Lock()
	wrapper, ok := t.wrapperTypes[iface]
	if !ok {
		if wrapper, ok = t.wrappers.of(iface); ok {
			t.wrapperTypes[iface] = wrapper
		}
	}
	t.mu.Unlock()
	if !ok {
		panic(fmt.Sprintf("hierml: the interpreter cannot make a %s of a value of type %s", iface, c.Description.Name))
	}
	return t.wrapIn(wrapper, iface, carrier, c)
}

// wrapIn makes a wrapper of a type whose methods are those of an interface. They check for
// interrupts.
func (t *Types) wrapIn(wrapper, iface reflect.Type, value any, c Carrier) reflect.Value {
	w := reflect.New(wrapper).Elem()
	w.FieldByName("IValue").Set(reflect.ValueOf(value))
	for i := range iface.NumMethod() {
		m := iface.Method(i)
		receiver := reflect.ValueOf(&c.Value).Elem()
		w.FieldByName("W" + m.Name).Set(reflect.MakeFunc(m.Type, func(in []reflect.Value) []reflect.Value {
			t.StopIfCancelled()
			f := reflect.ValueOf(c.Description.method(m.Name)) // a later cell may declare it again, or hide a promoted one
			if !f.IsValid() {
				panic(fmt.Sprintf("hierml: %s has no method %s", c.Description.Name, m.Name))
			}
			results := apply(f, append([]reflect.Value{receiver}, in...))
			t.StopIfCancelled()
			return results
		}))
	}
	return w
}

// Unwrap returns the carrier that a compiled interface holds, or else what it holds.
func Unwrap(v any) any {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Struct || !strings.HasPrefix(t.Name(), "_") || t.NumField() == 0 || t.Field(0).Name != "IValue" {
		return v
	}
	inner := reflect.ValueOf(v).Field(0).Interface()
	if _, ok := Carried(inner); ok {
		return inner
	}
	return v
}

// carries reports the compiled interfaces that hold carriers themselves.
func carries(iface reflect.Type) bool {
	return iface == reflect.TypeFor[error]() || iface == reflect.TypeFor[fmt.Stringer]()
}

// implements reports whether the type has the methods of a compiled interface.
func (d *Description) implements(iface reflect.Type) bool {
	for i := range iface.NumMethod() {
		m := iface.Method(i)
		f := d.method(m.Name)
		if f == nil || !m.IsExported() || !sameMethod(m.Type, reflect.TypeOf(f)) {
			return false
		}
	}
	return true
}
