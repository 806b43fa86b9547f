package interpreted

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// types knows the types of the session by the numbers that the engine gave them: at run time they
// have neither names nor methods.
type types struct {
	mu    sync.RWMutex
	known map[int]*description

	wrappers     wrappers
	wrapperTypes map[reflect.Type]reflect.Type // those found, by interfaces

	heed func() // ends a goroutine whose cell was interrupted
}

// A description is what is lost of a type at run time. There is one for each type, so that its
// address stands for the type.
type description struct {
	types  *types
	id     int
	kind   string
	name   string // as %T prints it
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

func newTypes(w wrappers) *types {
	return &types{known: map[int]*description{}, wrappers: w, wrapperTypes: map[reflect.Type]reflect.Type{}}
}

func (t *types) describe(id int, kind, name string, named bool, fields []string, elems []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[id] = &description{
		types: t, id: id, kind: kind, name: name, named: named, fields: fields, elems: elems,
		methods: map[string]any{}, texts: map[string]string{},
	}
}

func (t *types) embed(id int, fields []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.known[id]; d != nil {
		d.embedded = map[int]bool{}
		for _, i := range fields {
			d.embedded[i] = true
		}
	}
}

func (t *types) address(id, pointer int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.known[id]; d != nil {
		d.pointer = pointer
	}
}

// addMethod gives a type a method, in place of one of that name. A nil f takes it away.
func (t *types) addMethod(id int, name, text string, f any) {
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

func (t *types) get(id int) *description {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.known[id]
}

// method returns a method of the type, nil if it has none of that name.
func (d *description) method(name string) any {
	d.types.mu.RLock()
	defer d.types.mu.RUnlock()
	return d.methods[name]
}

func (d *description) text(name string) string {
	d.types.mu.RLock()
	defer d.types.mu.RUnlock()
	return d.texts[name]
}

// carry puts a value of a session type into an empty interface.
func (t *types) carry(id int, value any) any {
	d := t.get(id)
	if d == nil {
		return value
	}
	return carrier{d, value}
}

func (t *types) carryError(id int, value any) error { return t.carry(id, value).(error) }

func (t *types) carryStringer(id int, value any) fmt.Stringer {
	return t.carry(id, value).(fmt.Stringer)
}

// get copies a value into the variable that pointer points to.
func get(value, pointer any) {
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

// take copies what an interface holds into a variable of its type.
func (t *types) take(value, pointer any) {
	c, ok := carried(value)
	target := reflect.ValueOf(pointer).Elem()
	switch {
	case ok && target.Kind() != reflect.Interface:
		get(c.value, pointer)
	case ok && target.NumMethod() > 0:
		target.Set(t.wrapped(value, target.Type()))
	default:
		get(value, pointer)
	}
}

// assign makes a value in an interface of the session one of a compiled interface.
func (t *types) assign(value, pointer any) {
	if value == nil {
		return
	}
	target := reflect.ValueOf(pointer).Elem()
	if _, ok := carried(value); ok {
		target.Set(t.wrapped(value, target.Type()))
		return
	}
	target.Set(reflect.ValueOf(value))
}

// is reports whether an interface holds a value of a session type.
func (t *types) is(value any, id int) bool {
	c, ok := carried(value)
	return ok && c.d.id == id
}

// isNative reports whether an interface holds a value of the compiled type that pointer points to.
func isNative(value, pointer any) bool {
	return value != nil && reflect.TypeOf(value) == reflect.TypeOf(pointer).Elem()
}

// implements reports whether what an interface holds implements the compiled interface that pointer
// points to.
func implements(value, pointer any) bool {
	if value == nil {
		return false
	}
	iface := reflect.TypeOf(pointer).Elem()
	if c, ok := carried(value); ok {
		return c.d.implements(iface)
	}
	return reflect.TypeOf(value).Implements(iface)
}

// has reports whether what an interface holds has methods of given names and types. For session
// types these are compared as text, for compiled ones with the types of the samples.
func (t *types) has(value any, names, texts []string, samples []any) bool {
	if value == nil {
		return false
	}
	c, session := carried(value)
	for i, name := range names {
		if session {
			if c.d.text(name) != texts[i] {
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

// find returns a method of what an interface holds, as a function of the type of sample: of an
// empty interface and the parameters.
func (t *types) find(value any, name string, sample any) any {
	if value == nil {
		panic(nilDereference)
	}
	if c, ok := carried(value); ok {
		f := reflect.ValueOf(c.d.method(name))
		if !f.IsValid() {
			panic(fmt.Sprintf("hierml: %s has no method %s", c.d.name, name))
		}
		return reflect.MakeFunc(reflect.TypeOf(sample), func(in []reflect.Value) []reflect.Value {
			in[0] = reflect.ValueOf(&c.value).Elem()
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

// notA panics as the failed assertion of a value to a type without methods does.
func notA(value any, from, to string, iface bool) {
	switch {
	case iface:
		lacksMethod(nil, to, "")
	case value == nil:
		panic(conversionError(fmt.Sprintf("interface conversion: %s is nil, not %s", from, to)))
	}
	name := typeName(value)
	text := fmt.Sprintf("interface conversion: %s is %s, not %s", from, name, to)
	if name == to {
		text += " (types from different scopes)"
	}
	panic(conversionError(text))
}

// lacks panics as the failed assertion of a value to an interface of the session does, given the
// methods of the interface as has gets them.
func (t *types) lacks(value any, to string, names, texts []string, samples []any) {
	for i, name := range names {
		if value != nil && !t.has(value, names[i:i+1], texts[i:i+1], samples[i:i+1]) {
			lacksMethod(value, to, name)
		}
	}
	lacksMethod(nil, to, "")
}

// lacksCompiled does so for a compiled interface, which iface is a pointer to.
func lacksCompiled(value any, to string, iface any) {
	if value != nil {
		t := reflect.TypeOf(iface).Elem()
		for i := range t.NumMethod() {
			want := t.Method(i)
			method, ok := reflect.TypeOf(value).MethodByName(want.Name)
			found := method.Type
			if c, session := carried(value); session {
				found, ok = reflect.TypeOf(c.d.method(want.Name)), c.d.method(want.Name) != nil
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
	panic(conversionError(fmt.Sprintf("interface conversion: %s is not %s: missing method %s", typeName(value), to, method)))
}

// typeName is the name of a value's type.
func typeName(value any) string {
	if c, ok := carried(value); ok {
		return c.d.name
	}
	return reflect.TypeOf(value).String()
}

// conversionError is a failed type assertion.
type conversionError string

func (e conversionError) Error() string { return string(e) }

// RuntimeError makes it a runtime.Error.
func (conversionError) RuntimeError() {}

// notNil returns a value, and panics like a nil pointer for nil.
func notNil(value any) any {
	if value == nil {
		panic(nilDereference)
	}
	return value
}

// nilPointer panics because an interface holds a nil pointer to a type, and the method of the
// type's values was called.
func nilPointer(typ, method string) {
	panic(plainError(fmt.Sprintf("value method main.%s.%s called using nil *%s pointer", typ, method, typ)))
}

// errorsAs is errors.As for a target of a session type: a pointer to a variable of the type id, of
// an interface with the methods of the given names and types, or, if there are neither, of a
// compiled interface. Errors find the target in their method As as a value of the type pointer.
func (t *types) errorsAs(err error, id, pointer int, target any, names, texts []string, samples []any) bool {
	if reflect.ValueOf(target).IsNil() {
		panic("errors: target cannot be nil")
	}
	var visit func(err error) bool
	visit = func(err error) bool {
		for err != nil {
			c, session := carried(err)
			switch {
			case len(names) > 0 && t.has(err, names, texts, samples):
				reflect.ValueOf(target).Elem().Set(reflect.ValueOf(err))
				return true
			case len(names) == 0 && session && id != 0 && c.d.id == id:
				get(c.value, target)
				return true
			case len(names) == 0 && id == 0 && implements(err, target):
				t.take(err, target)
				return true
			}
			if session {
				if c.finds(t.carry(pointer, target)) {
					return true
				}
				if errs := c.joined(); errs != nil {
					return slices.ContainsFunc(errs, visit)
				}
			} else if e, ok := err.(interface{ As(any) bool }); ok && e.As(t.carry(pointer, target)) {
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
