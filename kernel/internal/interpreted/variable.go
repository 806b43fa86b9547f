package interpreted

import "reflect"

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
