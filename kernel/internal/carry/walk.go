package carry

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// A mover carries over the variables of one call.
type mover struct {
	forms *forms
	types *typeTable
	anew  bool // there are newer types than those of older units

	variable *variable // the current one
	lost     []Lost

	todo []job
	// seen are the values behind pointers, in slices and in maps that have been examined, or will
	// be.
	seen map[seen]int
	// plain are types of values in interfaces that stay unchanged.
	plain map[reflect.Type]bool
}

// seen is memory that was examined with a type. Its map value is the number of elements of an
// array.
type seen struct {
	at unsafe.Pointer
	to reflect.Type
}

// A job is memory to examine: a value, or n in a row.
type job struct {
	place    *place
	at       unsafe.Pointer
	from, to reflect.Type
	n        int // -1 for a value outside an array
}

func newMover() *mover {
	return &mover{
		anew:  cell.Anew(),
		forms: newForms(),
		types: newTypeTable(),
		seen:  map[seen]int{},
		plain: map[reflect.Type]bool{},
	}
}

// drain does the remaining jobs.
func (m *mover) drain() {
	for len(m.todo) > 0 {
		j := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		switch {
		case j.to.Kind() == reflect.Map && j.n < 0:
			m.entries(j)
		case j.n < 0:
			m.inline(j.place, j.at, j.from, j.to)
		default:
			size := j.to.Size()
			for i := range j.n {
				if p := unsafe.Add(j.at, uintptr(i)*size); !m.quiet(p, j.from, j.to) {
					m.inline(j.place.index(i), p, j.from, j.to)
				}
			}
		}
	}
}

// inline examines the value at an address, without following it to other memory, and changes it
// where necessary; the rest becomes jobs. It reports whether the value changed.
func (m *mover) inline(at *place, p unsafe.Pointer, from, to reflect.Type) (changed bool) {
	if !m.inside(from, to) {
		return false
	}
	switch to.Kind() {
	case reflect.Pointer:
		m.pointer(at, p, from, to)
	case reflect.Slice:
		m.slice(at, p, from, to)
	case reflect.Array:
		for i := range to.Len() {
			q := unsafe.Add(p, uintptr(i)*to.Elem().Size())
			if m.quiet(q, from.Elem(), to.Elem()) {
				continue
			}
			changed = m.inline(at.index(i), q, from.Elem(), to.Elem()) || changed
		}
	case reflect.Struct:
		if t, ok := atomicPointer(to); ok {
			// Its last word is the pointer.
			word := unsafe.Add(p, to.Size()-unsafe.Sizeof(p))
			m.pointer(at, word, reflect.PointerTo(t), reflect.PointerTo(t))
			return false
		}
		switch to {
		case syncMap:
			return m.syncMap(at, (*sync.Map)(p))
		case reflectValue:
			return m.reflected((*reflect.Value)(p))
		}
		for i := range to.NumField() {
			f := to.Field(i)
			q := unsafe.Add(p, f.Offset)
			if m.quiet(q, from.Field(i).Type, f.Type) {
				continue
			}
			changed = m.inline(at.field(f.Name), q, from.Field(i).Type, f.Type) || changed
		}
	case reflect.Map:
		m.mapping(at, p, from, to)
	case reflect.Chan:
		return m.channel(at, p, from, to)
	case reflect.Interface:
		return m.iface(at, p, from, to)
	}
	return changed
}

// quiet reports whether there is nothing to examine, for the many values for which that is easy to
// see.
func (m *mover) quiet(p unsafe.Pointer, from, to reflect.Type) bool {
	switch to.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return *(*unsafe.Pointer)(p) == nil || !m.inside(from, to)
	case reflect.Interface:
		if from != to {
			return false
		}
		slot := reflect.NewAt(from, p).Elem()
		return slot.IsNil() || m.plain[slot.Elem().Type()]
	}
	return !m.inside(from, to)
}

// pointer examines the target of a pointer.
func (m *mover) pointer(at *place, p unsafe.Pointer, from, to reflect.Type) {
	if word := *(*unsafe.Pointer)(p); word != nil {
		m.later(job{at, word, from.Elem(), to.Elem(), -1})
	}
}

// slice examines the elements reachable from a slice.
func (m *mover) slice(at *place, p unsafe.Pointer, from, to reflect.Type) {
	// Any slice type will do to get the parts.
	if n := cap(*(*[]struct{})(p)); n > 0 {
		m.later(job{at, *(*unsafe.Pointer)(p), from.Elem(), to.Elem(), n})
	}
}

// later schedules memory, unless it was examined before or needs nothing.
func (m *mover) later(j job) {
	if j.to.Size() == 0 || !m.inside(j.from, j.to) {
		return
	}
	key := seen{j.at, j.to}
	n := max(j.n, 1)
	if m.seen[key] >= n {
		return
	}
	m.seen[key] = n
	m.todo = append(m.todo, j)
}

var syncMap, reflectValue = reflect.TypeFor[sync.Map](), reflect.TypeFor[reflect.Value]()

// reflected gives a reflect.Value its newest type: packages keep functions in this form.
func (m *mover) reflected(v *reflect.Value) (changed bool) {
	if !v.IsValid() {
		return false
	}
	t := m.types.current(v.Type())
	if t == v.Type() || !m.forms.same(v.Type(), t) {
		return false
	}
	(*[3]unsafe.Pointer)(unsafe.Pointer(v))[0] = reflect.ValueOf(t).UnsafePointer()
	return true
}

// atomicPointer returns the element type of an instance of atomic.Pointer.
func atomicPointer(t reflect.Type) (reflect.Type, bool) {
	if t.PkgPath() != "sync/atomic" || !strings.HasPrefix(t.Name(), "Pointer[") || t.NumField() == 0 {
		return nil, false
	}
	first := t.Field(0).Type // [0]*T
	if first.Kind() != reflect.Array || first.Elem().Kind() != reflect.Pointer {
		return nil, false
	}
	return first.Elem().Elem(), true
}
