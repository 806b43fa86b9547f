package carry

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// iface looks at an interface and at what it holds.
func (m *mover) iface(at *place, p unsafe.Pointer, from, to reflect.Type, copied bool) (changed bool) {
	was := interfaceBefore(from, to)
	turns := was.NumMethod() == 0 && to.NumMethod() > 0
	if turns && !copied {
		if m.turned[p] {
			return false
		}
		m.turned[p] = true
	}
	slot := reflect.NewAt(was, p).Elem()
	if slot.IsNil() {
		return false
	}
	value, changed, why := m.held(at, slot.Elem())
	if why == "" && !changed && was == to {
		return false
	}
	if why == "" && !value.Type().AssignableTo(to) {
		why = "a value of type " + value.Type().String() + ", which does not implement " + to.String()
	}
	if why != "" {
		m.lose(at, why)
		slot.SetZero()
		return true
	}
	reflect.NewAt(to, p).Elem().Set(value)
	return true
}

// held returns what an interface is to hold in place of a value, and whether that is another.
func (m *mover) held(at *place, v reflect.Value) (held reflect.Value, changed bool, why string) {
	from := v.Type()
	to := m.types.current(from)
	session := false
	if m.in != nil {
		var inner any
		var number int
		if inner, number, session = m.in.Held(v.Interface()); session {
			if v = reflect.ValueOf(inner); !v.IsValid() {
				return v, false, "a value of a type without a value"
			}
			from = v.Type()
			if to, why = m.types.ofSession(number, from); why != "" {
				return v, false, why
			}
			if !m.forms.same(from, to) {
				return v, false, formOther(from, to)
			}
			changed = true
		}
	}
	if isInterpreters(from) {
		return v, false, "a value of the interpreter itself"
	}
	if from != to {
		changed = true
	} else if !m.inside(from, to) {
		m.plain[from] = !session
		return v, false, ""
	}
	held, inner := m.copyOf(at, v, from, to)
	return held, changed || inner, ""
}

// copyOf returns a copy of a value as the other type, with what is in it changed, and reports
// whether anything was.
func (m *mover) copyOf(at *place, v reflect.Value, from, to reflect.Type) (reflect.Value, bool) {
	box := reflect.New(to)
	reflect.NewAt(from, box.UnsafePointer()).Elem().Set(v)
	changed := m.inline(at, box.UnsafePointer(), from, to, true)
	return box.Elem(), changed
}

// isInterpreters reports types of the interpreter's own.
func isInterpreters(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), "github.com/traefik/yaegi/")
}

// syncMap looks through the entries of a sync.Map.
func (m *mover) syncMap(at *place, s *sync.Map) bool {
	if m.seen[seen{unsafe.Pointer(s), syncMap}] > 0 {
		return false
	}
	m.seen[seen{unsafe.Pointer(s), syncMap}] = 1
	type entry struct{ key, value any }
	var removed []any
	var stored []entry
	anyType := reflect.TypeFor[any]()
	s.Range(func(key, value any) bool {
		k, v := key, value
		here := at.entry(keyText(reflect.ValueOf(key)))
		changed := m.inline(here, unsafe.Pointer(&k), anyType, anyType, true)
		if changed {
			removed = append(removed, key)
		}
		if m.inline(here, unsafe.Pointer(&v), anyType, anyType, true) || changed {
			stored = append(stored, entry{k, v})
		}
		return true
	})
	for _, key := range removed {
		s.Delete(key)
	}
	for _, e := range stored {
		s.Store(e.key, e.value)
	}
	return false
}
