// Package values has what the interpreter lacks of the types that cells declare: names, methods and
// interfaces. yaegi represents a declared type by the reflect.Type of what it is made of, which has
// neither a name nor methods.
//
// The engine numbers the types of the session and describes each to [Types]. A value of such a type
// that goes into an interface is wrapped in a [Carrier], which has the value and its [Description]
// (carrier.go). Carriers format and encode themselves as the value would in a compiled program
// (printer.go, verbs.go, keys.go, json.go). Compiled code that needs an interface with methods gets
// a wrapper (wrapper.go, companion.go), and compiled code that must not see carriers gets the bare
// value (plain.go, wrapper.go).
//
// Wrong when a type switch, ==, fmt or encoding/json sees another type than in compiled Go.
package values

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Types knows the types of the session by the numbers that the engine gave them: at run time they
// have neither names nor methods.
type Types struct {
	mu    sync.RWMutex
	known map[int]*Description

	wrappers     Wrappers
	wrapperTypes map[reflect.Type]reflect.Type // those found, by interfaces

	// stopIfCancelled ends a goroutine whose cell was interrupted, and translate returns the value
	// with which compiled Go would have panicked.
	StopIfCancelled func()
	Translate       func(panicked any) any
}

// A Description is what is lost of a type at run time. There is one for each type, so that its
// address stands for the type.
type Description struct {
	types  *Types
	id     int
	kind   string
	Name   string // as %T prints it
	named  bool
	fields []string // of a struct; of an interface, its methods
	elems  []int    // the types of its parts, as display.Type counts them
	// embedded holds the indices of the embedded fields.
	embedded map[int]bool
	// pointer is the number of the type's pointer type, if that has methods that encode or show the
	// value and the type itself does not.
	pointer int

	methods map[string]any    // functions of an empty interface and the parameters
	texts   map[string]string // their types
}

func NewTypes(w Wrappers) *Types {
	return &Types{known: map[int]*Description{}, wrappers: w, wrapperTypes: map[reflect.Type]reflect.Type{}}
}

func (t *Types) Describe(id int, kind, name string, named bool, fields []string, elems []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[id] = &Description{
		types: t, id: id, kind: kind, Name: name, named: named, fields: fields, elems: elems,
		methods: map[string]any{}, texts: map[string]string{},
	}
}

func (t *Types) Embed(id int, fields []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.known[id]; d != nil {
		d.embedded = map[int]bool{}
		for _, i := range fields {
			d.embedded[i] = true
		}
	}
}

func (t *Types) Address(id, pointer int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.known[id]; d != nil {
		d.pointer = pointer
	}
}

// AddMethod gives a type a method, in place of one of that name. A nil f takes it away.
func (t *Types) AddMethod(id int, name, text string, f any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.known[id]
	switch {
	case d == nil:
	case f == nil:
		delete(d.methods, name)
		delete(d.texts, name)
	default:
		d.methods[name] = f
		d.texts[name] = text
	}
}

func (t *Types) get(id int) *Description {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.known[id]
}

// method returns a method of the type, nil if it has none of that name.
func (d *Description) method(name string) any {
	d.types.mu.RLock()
	defer d.types.mu.RUnlock()
	return d.methods[name]
}

func (d *Description) text(name string) string {
	d.types.mu.RLock()
	defer d.types.mu.RUnlock()
	return d.texts[name]
}

// Carry puts a value of a session type into an empty interface.
func (t *Types) Carry(id int, value any) any {
	d := t.get(id)
	if d == nil {
		return value
	}
	return Carrier{d, value}
}

func (t *Types) CarryError(id int, value any) error { return t.Carry(id, value).(error) }

func (t *Types) CarryStringer(id int, value any) fmt.Stringer {
	return t.Carry(id, value).(fmt.Stringer)
}

// Get copies a value into the variable that pointer points to.
func Get(value, pointer any) {
	target := reflect.ValueOf(pointer).Elem()
	v := reflect.ValueOf(value)
	if !v.IsValid() {
		return
	}
	if v.Type() != target.Type() && v.CanConvert(target.Type()) {
		v = v.Convert(target.Type())
	}
	target.Set(v)
}

// Take copies what an interface holds into a variable of its type.
func (t *Types) Take(value, pointer any) {
	c, ok := Carried(value)
	target := reflect.ValueOf(pointer).Elem()
	switch {
	case ok && target.Kind() != reflect.Interface:
		Get(c.Value, pointer)
	case ok && target.NumMethod() > 0:
		target.Set(t.wrapped(value, target.Type()))
	default:
		Get(value, pointer)
	}
}

// Assign makes a value in an interface of the session one of a compiled interface.
func (t *Types) Assign(value, pointer any) {
	if value == nil {
		return
	}
	target := reflect.ValueOf(pointer).Elem()
	if _, ok := Carried(value); ok {
		target.Set(t.wrapped(value, target.Type()))
		return
	}
	target.Set(reflect.ValueOf(value))
}

// Is reports whether an interface holds a value of a session type.
func (t *Types) Is(value any, id int) bool {
	c, ok := Carried(value)
	return ok && c.Description.id == id
}

// IsNative reports whether an interface holds a value of the compiled type that pointer points to.
func IsNative(value, pointer any) bool {
	return value != nil && reflect.TypeOf(value) == reflect.TypeOf(pointer).Elem()
}

// Implements reports whether what an interface holds implements the compiled interface that pointer
// points to.
func Implements(value, pointer any) bool {
	if value == nil {
		return false
	}
	iface := reflect.TypeOf(pointer).Elem()
	if c, ok := Carried(value); ok {
		return c.Description.implements(iface)
	}
	return reflect.TypeOf(value).Implements(iface)
}

// Has reports whether what an interface holds has methods of given names and types. For session
// types these are compared as text, for compiled ones with the types of the samples.
func (t *Types) Has(value any, names, texts []string, samples []any) bool {
	if value == nil {
		return false
	}
	c, session := Carried(value)
	for i, name := range names {
		if session {
			if c.Description.text(name) != texts[i] {
				return false
			}
			continue
		}
		m := reflect.ValueOf(value).MethodByName(name)
		if !m.IsValid() || !sameMethod(m.Type(), reflect.TypeOf(samples[i])) {
			return false
		}
	}
	return true
}

// sameMethod compares the type of a method with that of a function which has the receiver as first
// parameter.
func sameMethod(method, function reflect.Type) bool {
	if method.NumIn() != function.NumIn()-1 || method.NumOut() != function.NumOut() || method.IsVariadic() != function.IsVariadic() {
		return false
	}
	for i := range method.NumIn() {
		if method.In(i) != function.In(i+1) {
			return false
		}
	}
	for i := range method.NumOut() {
		if method.Out(i) != function.Out(i) {
			return false
		}
	}
	return true
}

// Find returns a method of what an interface holds, as a function of the type of sample: of an
// empty interface and the parameters.
func (t *Types) Find(value any, name string, sample any) any {
	if value == nil {
		panic(NilDereference)
	}
	if c, ok := Carried(value); ok {
		f := reflect.ValueOf(c.Description.method(name))
		if !f.IsValid() {
			panic(fmt.Sprintf("hierml: %s has no method %s", c.Description.Name, name))
		}
		return reflect.MakeFunc(reflect.TypeOf(sample), func(in []reflect.Value) []reflect.Value {
			in[0] = reflect.ValueOf(&c.Value).Elem()
			return apply(f, in)
		}).Interface()
	}
	m := reflect.ValueOf(value).MethodByName(name)
	if !m.IsValid() {
		panic(fmt.Sprintf("hierml: %T has no method %s", value, name))
	}
	return reflect.MakeFunc(reflect.TypeOf(sample), func(in []reflect.Value) []reflect.Value {
		return apply(m, in[1:])
	}).Interface()
}

func apply(f reflect.Value, in []reflect.Value) []reflect.Value {
	if f.Type().IsVariadic() {
		return f.CallSlice(in)
	}
	return f.Call(in)
}

// NotA panics as the failed assertion of a value to a type without methods does.
func NotA(value any, from, to string, iface bool) {
	switch {
	case iface:
		lacksMethod(nil, to, "")
	case value == nil:
		panic(conversionError(fmt.Sprintf("interface conversion: %s is nil, not %s", from, to)))
	}
	name := TypeName(value)
	text := fmt.Sprintf("interface conversion: %s is %s, not %s", from, name, to)
	if name == to {
		text += " (types from different scopes)"
	}
	panic(conversionError(text))
}

// Lacks panics as the failed assertion of a value to an interface of the session does, given the
// methods of the interface as has gets them.
func (t *Types) Lacks(value any, to string, names, texts []string, samples []any) {
	for i, name := range names {
		if value != nil && !t.Has(value, names[i:i+1], texts[i:i+1], samples[i:i+1]) {
			lacksMethod(value, to, name)
		}
	}
	lacksMethod(nil, to, "")
}

// LacksCompiled does so for a compiled interface, which iface is a pointer to.
func LacksCompiled(value any, to string, iface any) {
	if value != nil {
		t := reflect.TypeOf(iface).Elem()
		for i := range t.NumMethod() {
			want := t.Method(i)
			method, ok := reflect.TypeOf(value).MethodByName(want.Name)
			found := method.Type
			if c, session := Carried(value); session {
				found, ok = reflect.TypeOf(c.Description.method(want.Name)), c.Description.method(want.Name) != nil
			}
			if !ok || !sameMethod(want.Type, found) {
				lacksMethod(value, to, want.Name)
			}
		}
	}
	lacksMethod(nil, to, "")
}

func lacksMethod(value any, to, method string) {
	if value == nil {
		panic(conversionError(fmt.Sprintf("interface conversion: interface is nil, not %s", to)))
	}
	panic(conversionError(fmt.Sprintf("interface conversion: %s is not %s: missing method %s", TypeName(value), to, method)))
}

// TypeName is the name of a value's type.
func TypeName(value any) string {
	if c, ok := Carried(value); ok {
		return c.Description.Name
	}
	return reflect.TypeOf(value).String()
}

// conversionError is a failed type assertion.
type conversionError string

func (e conversionError) Error() string { return string(e) }

// RuntimeError makes it a runtime.Error.
func (conversionError) RuntimeError() {}

// NotNil returns a value, and panics like a nil pointer for nil.
func NotNil(value any) any {
	if value == nil {
		panic(NilDereference)
	}
	return value
}

// NilPointer panics because an interface holds a nil pointer to a type, and the method of the
// type's values was called.
func NilPointer(typ, method string) {
	panic(PlainError(fmt.Sprintf("value method main.%s.%s called using nil *%s pointer", typ, method, typ)))
}

// ErrorsAs is errors.As for a target of a session type: a pointer to a variable of the type id, of
// an interface with the methods of the given names and types, or, if there are neither, of a
// compiled interface. Errors find the target in their method As as a value of the type pointer.
func (t *Types) ErrorsAs(err error, id, pointer int, target any, names, texts []string, samples []any) bool {
	if reflect.ValueOf(target).IsNil() {
		panic("errors: target cannot be nil")
	}
	var visit func(err error) bool
	visit = func(err error) bool {
		for err != nil {
			c, session := Carried(err)
			switch {
			case len(names) > 0 && t.Has(err, names, texts, samples):
				reflect.ValueOf(target).Elem().Set(reflect.ValueOf(err))
				return true
			case len(names) == 0 && session && id != 0 && c.Description.id == id:
				Get(c.Value, target)
				return true
			case len(names) == 0 && id == 0 && Implements(err, target):
				t.Take(err, target)
				return true
			}
			if session {
				if c.finds(t.Carry(pointer, target)) {
					return true
				}
				if errs := c.joined(); errs != nil {
					return slices.ContainsFunc(errs, visit)
				}
			} else if e, ok := err.(interface{ As(any) bool }); ok && e.As(t.Carry(pointer, target)) {
				return true
			}
			if e, ok := err.(interface{ Unwrap() []error }); ok {
				return slices.ContainsFunc(e.Unwrap(), visit)
			}
			err = errors.Unwrap(err)
		}
		return false
	}
	return visit(err)
}
