package carry

import "reflect"

// forms records for pairs of types whether their values have the same memory layout, except for the
// contents of interfaces and functions.
type forms struct {
	alike map[pair]bool
	needs map[pair]bool
}

// A pair is the old and the new type of a value.
type pair struct{ from, to reflect.Type }

func newForms() *forms { return &forms{map[pair]bool{}, map[pair]bool{}} }

// same reports whether the two types have the same form.
func (f *forms) same(from, to reflect.Type) bool {
	if from == to {
		return true
	}
	p := pair{from, to}
	if alike, ok := f.alike[p]; ok {
		return alike
	}
	f.alike[p] = true // the pairs inside that lead back to this one rely on it
	alike := f.compare(from, to)
	if !alike {
		// Decisions that assumed that they are alike are open again.
		clear(f.alike)
	}
	f.alike[p] = alike
	return alike
}

func (f *forms) compare(from, to reflect.Type) bool {
	if from.Kind() != to.Kind() || from.Size() != to.Size() || from.Align() != to.Align() || from.Comparable() != to.Comparable() {
		return false
	}
	switch to.Kind() {
	case reflect.Pointer, reflect.Slice:
		return f.same(from.Elem(), to.Elem())
	case reflect.Array:
		return from.Len() == to.Len() && f.same(from.Elem(), to.Elem())
	case reflect.Map:
		return f.same(from.Key(), to.Key()) && f.same(from.Elem(), to.Elem())
	case reflect.Chan:
		return f.same(from.Elem(), to.Elem())
	case reflect.Struct:
		if from.NumField() != to.NumField() {
			return false
		}
		for i := range to.NumField() {
			a, b := from.Field(i), to.Field(i)
			if a.Offset != b.Offset || !f.same(a.Type, b.Type) {
				return false
			}
		}
	case reflect.Interface:
		return from.Implements(to) && to.Implements(from) || f.methods(from, to)
	}
	return true
}

// methods reports whether two interfaces of the session, or without names, have the same methods,
// whose types have the same forms.
func (f *forms) methods(from, to reflect.Type) bool {
	ours := func(t reflect.Type) bool { return t.Name() == "" || isSession(t) }
	if !ours(from) || !ours(to) || from.NumMethod() != to.NumMethod() {
		return false
	}
	for i := range to.NumMethod() {
		a, b := from.Method(i), to.Method(i)
		if a.Name != b.Name || a.Type.NumIn() != b.Type.NumIn() || a.Type.NumOut() != b.Type.NumOut() || a.Type.IsVariadic() != b.Type.IsVariadic() {
			return false
		}
		for i := range b.Type.NumIn() {
			if !f.same(a.Type.In(i), b.Type.In(i)) {
				return false
			}
		}
		for i := range b.Type.NumOut() {
			if !f.same(a.Type.Out(i), b.Type.Out(i)) {
				return false
			}
		}
	}
	return true
}

// isSession reports named types of compiled cells.
func isSession(t reflect.Type) bool {
	return t.PkgPath() == "main"
}
