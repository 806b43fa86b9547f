package carry

import (
	"reflect"
	"sync"
	"unsafe"
)

// iface examines an interface and its content.
func (m *mover) iface(at *place, p unsafe.Pointer, from, to reflect.Type) (changed bool) {
	slot := reflect.NewAt(from, p).Elem()
	if slot.IsNil() {
		return false
	}
	value, changed := m.held(at, slot.Elem())
	if !changed && from == to {
		return false
	}
	if !value.Type().AssignableTo(to) {
		m.lose(at, "a value of type "+value.Type().String()+", which does not implement "+to.String())
		slot.SetZero()
		return true
	}
	reflect.NewAt(to, p).Elem().Set(value)
	return true
}

// held returns the new content of an interface, and whether it differs.
func (m *mover) held(at *place, v reflect.Value) (held reflect.Value, changed bool) {
	from := v.Type()
	to := m.types.current(from)
	if from == to && !m.inside(from, to) {
		m.plain[from] = true
		return v, false
	}
	held, inner := m.copyOf(at, v, from, to)
	return held, from != to || inner
}

// copyOf returns a copy of a value with the other type, with its content changed, and reports
// whether anything was.
func (m *mover) copyOf(at *place, v reflect.Value, from, to reflect.Type) (reflect.Value, bool) {
	box := reflect.New(to)
	reflect.NewAt(from, box.UnsafePointer()).Elem().Set(v)
	changed := m.inline(at, box.UnsafePointer(), from, to)
	return box.Elem(), changed
}

// syncMap examines the entries of a sync.Map.
func (m *mover) syncMap(at *place, s *sync.Map) bool {
	if m.seen[seen{unsafe.Pointer(s), syncMap}] > 0 {
		return false
	}
	m.seen[seen{unsafe.Pointer(s), syncMap}] = 1
	type entry struct{ key, value any }
	var removed []any
	var stored []entry
	s.Range(func(key, value any) bool {
		k, v := key, value
		here := at.entry(keyText(reflect.ValueOf(key)))
		changed := m.inline(here, unsafe.Pointer(&k), anyType, anyType)
		if changed {
			removed = append(removed, key)
		}
		if m.inline(here, unsafe.Pointer(&v), anyType, anyType) || changed {
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

// channel examines the buffer of a channel.
func (m *mover) channel(at *place, p unsafe.Pointer, from, to reflect.Type) (changed bool) {
	channel := *(*unsafe.Pointer)(p)
	key := seen{channel, to}
	if channel == nil || m.seen[key] > 0 {
		return false
	}
	m.seen[key] = 1
	source, target := from.Elem(), to.Elem()
	before := reflect.NewAt(reflect.ChanOf(reflect.BothDir, source), p).Elem()
	after := reflect.NewAt(reflect.ChanOf(reflect.BothDir, target), p).Elem()
	for i := range before.Len() {
		v, ok := before.TryRecv()
		if !ok {
			break
		}
		value, _ := m.copyOf(at.index(i), v, source, target)
		if !after.TrySend(value) {
			m.lose(at, "values in a channel that is in use")
			break
		}
	}
	return false
}
