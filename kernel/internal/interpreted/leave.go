package interpreted

import (
	"maps"
	"reflect"
	"slices"
)

// What follows shows the variables of the session to those who take them out of the interpreter.

// Variable returns a variable by the name that it has in lowered code. The value is addressable,
// and its type is the one that the interpreter made for that of the session: types are told apart
// by their underlying types only, fields are exported, and the interfaces of the session are empty
// ones.
func (in *Interpreter) Variable(lowered string) (reflect.Value, bool) {
	in.evaluating.Lock()
	defer in.evaluating.Unlock()
	v, ok := in.yaegi.Globals()[lowered]
	if !ok || !v.IsValid() {
		return reflect.Value{}, false
	}
	if !v.CanAddr() {
		slot := reflect.New(v.Type()).Elem()
		slot.Set(v)
		v = slot
	}
	return v, true
}

// Held returns the value of a session type that an interface holds, and the number of its type.
func (in *Interpreter) Held(v any) (value any, number int, ok bool) {
	if c, ok := carried(unwrap(v)); ok {
		return c.value, c.d.id, true
	}
	return nil, 0, false
}

// Type tells what was described of a type of the session: its kind, its name as %T prints it,
// whether that was declared, and the numbers of the types that it is made of, 0 for those that need
// no description.
func (in *Interpreter) Type(number int) (kind, name string, declared bool, elems []int) {
	if d := in.types.get(number); d != nil {
		return d.kind, d.name, d.named, d.elems
	}
	return "", "", false, nil
}

// Shown returns the values that cells showed and that others may ask for. They may be set.
func (in *Interpreter) Shown() [][]any {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Collect(maps.Values(in.kept))
}
