package carry

import (
	"fmt"
	"reflect"
	"unsafe"
)

// mapping schedules the entries of a map.
func (m *mover) mapping(at *place, p unsafe.Pointer, from, to reflect.Type) {
	table := *(*unsafe.Pointer)(p)
	key := seen{table, to}
	if table == nil || m.seen[key] > 0 {
		return
	}
	m.seen[key] = 1
	own := new(unsafe.Pointer)
	*own = table
	m.todo = append(m.todo, job{at, unsafe.Pointer(own), from, to, -1})
}

// entries examines the entries of a map. The map keeps its identity.
func (m *mover) entries(j job) {
	from := j.from
	before, after := reflect.NewAt(from, j.at).Elem(), reflect.NewAt(j.to, j.at).Elem()
	type entry struct{ key, value reflect.Value }
	var all, changed []entry
	anew := rehashed(from, j.to)
	keys := anew || m.inside(from.Key(), j.to.Key())
	for entries := before.MapRange(); entries.Next(); {
		at := j.place.entry(keyText(entries.Key()))
		key, keyChanged := m.copyOf(at, entries.Key(), from.Key(), j.to.Key())
		value, valueChanged := m.copyOf(at, entries.Value(), from.Elem(), j.to.Elem())
		anew = anew || keyChanged || valueChanged && mayDifferFromItself(j.to.Key())
		if keys || mayDifferFromItself(j.to.Key()) {
			all = append(all, entry{key, value})
		} else if valueChanged {
			changed = append(changed, entry{key, value})
		}
	}
	if anew {
		before.Clear()
		changed = all
	}
	for _, e := range changed {
		after.SetMapIndex(e.key, e.value)
	}
}

// mayDifferFromItself reports types with values, such as NaN, that cannot be found in a map.
func mayDifferFromItself(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.Struct, reflect.Array, reflect.Interface:
		return true
	}
	return false
}

// keyText formats a key of a map if it is short.
func keyText(v reflect.Value) string {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return "nil"
	case v.Kind() == reflect.String && v.Len() <= 40:
		return fmt.Sprintf("%q", v.String())
	case v.CanInt():
		return fmt.Sprint(v.Int())
	case v.CanUint():
		return fmt.Sprint(v.Uint())
	case v.CanFloat():
		return fmt.Sprint(v.Float())
	case v.Kind() == reflect.Bool:
		return fmt.Sprint(v.Bool())
	}
	return "..."
}
