package carry

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// A mover carries the variables of one time.
type mover struct {
	in    Interpreter
	forms *forms
	types *typeTable
	slots slots
	anew  bool // there are newer types than those of older units

	variable *variable // under way
	lost     []Lost

	todo []job
	// seen are the values behind pointers, in slices and in maps that have been looked through, or
	// will be.
	seen map[seen]int
	// turned are the empty interfaces of the interpreter that are interfaces with methods by now,
	// by their addresses.
	turned map[unsafe.Pointer]bool
	// plain are types of values in interfaces that stay as they are.
	plain map[reflect.Type]bool
	// gone are the functions that stand for the interpreter's.
	gone map[unsafe.Pointer]bool
}

// seen is memory that was looked through as a type. The number that goes with it is that of the
// elements of an array.
type seen struct {
	at unsafe.Pointer
	to reflect.Type
}

// A job is memory to be looked through: a value, or n in a row.
type job struct {
	place    *place
	at       unsafe.Pointer
	from, to reflect.Type
	n        int // -1 for what is not part of an array
}

func newMover(in Interpreter) *mover {
	return &mover{
		in:     in,
		anew:   cell.Anew(),
		forms:  newForms(),
		types:  newTypeTable(in),
		slots:  slots{within: map[reflect.Type]bool{}},
		seen:   map[seen]int{},
		turned: map[unsafe.Pointer]bool{},
		plain:  map[reflect.Type]bool{},
		gone:   map[unsafe.Pointer]bool{},
	}
}

// drain does what is to be done.
func (m *mover) drain() {
	for len(m.todo) > 0 {
		j := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		switch {
		case j.to.Kind() == reflect.Map && j.n < 0:
			m.entries(j)
		case j.n < 0:
			m.inline(j.place, j.at, j.from, j.to, false)
		default:
			size := j.to.Size()
			for i := range j.n {
				if p := unsafe.Add(j.at, uintptr(i)*size); !m.quiet(p, j.from, j.to) {
					m.inline(j.place.index(i), p, j.from, j.to, false)
				}
			}
		}
	}
}

// inline looks through the value at an address, as far as it lies there, and changes what has to
// be; the rest is left to be done. It reports whether the value changed. The memory of a copy,
// which nothing else refers to, is looked through once only.
func (m *mover) inline(at *place, p unsafe.Pointer, from, to reflect.Type, copied bool) (changed bool) {
	if !m.inside(from, to) {
		return false
	}
	switch to.Kind() {
	case reflect.Pointer:
		return m.pointer(at, p, from, to)
	case reflect.Slice:
		return m.slice(at, p, from, to)
	case reflect.Array:
		for i := range to.Len() {
			q := unsafe.Add(p, uintptr(i)*to.Elem().Size())
			if m.quiet(q, part(from, elem), to.Elem()) {
				continue
			}
			changed = m.inline(at.index(i), q, part(from, elem), to.Elem(), copied) || changed
		}
	case reflect.Struct:
		if t, ok := atomicPointer(to); ok {
			// Its last word is the pointer.
			word := unsafe.Add(p, to.Size()-unsafe.Sizeof(p))
			return m.pointer(at, word, reflect.PointerTo(t), reflect.PointerTo(t))
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
			if m.quiet(q, part(from, field(i)), f.Type) {
				continue
			}
			changed = m.inline(at.field(f.Name), q, part(from, field(i)), f.Type, copied) || changed
		}
	case reflect.Map:
		m.mapping(at, p, from, to)
	case reflect.Chan:
		return m.channel(at, p, from, to)
	case reflect.Func:
		return m.function(at, p, from, to)
	case reflect.Interface:
		return m.iface(at, p, from, to, copied)
	}
	return changed
}

// quiet reports, for the many values of which this is easily seen, that there is nothing to look
// at.
func (m *mover) quiet(p unsafe.Pointer, from, to reflect.Type) bool {
	switch to.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return *(*unsafe.Pointer)(p) == nil || !m.inside(from, to)
	case reflect.Interface:
		was := interfaceBefore(from, to)
		if was != to {
			return false
		}
		slot := reflect.NewAt(was, p).Elem()
		return slot.IsNil() || m.plain[slot.Elem().Type()]
	}
	return !m.inside(from, to)
}

// pointer looks at a pointer, and at what it points to.
func (m *mover) pointer(at *place, p unsafe.Pointer, from, to reflect.Type) (changed bool) {
	word := (*unsafe.Pointer)(p)
	if *word == nil {
		return false
	}
	if moved, ok := m.slots.moved(*word); ok && m.slots.within[to.Elem()] {
		*word = moved
		changed = true
	}
	m.later(job{at, *word, part(from, elem), to.Elem(), -1})
	return changed
}

// slice looks at a slice, and at the elements that can be reached from it.
func (m *mover) slice(at *place, p unsafe.Pointer, from, to reflect.Type) (changed bool) {
	// Any slice will do to get at the parts of one.
	s := (*[]struct{})(p)
	if cap(*s) == 0 {
		return false
	}
	word := (*unsafe.Pointer)(p)
	if moved, ok := m.slots.moved(*word); ok && m.slots.within[to.Elem()] {
		*word = moved
		changed = true
	}
	m.later(job{at, *word, part(from, elem), to.Elem(), cap(*s)})
	return changed
}

// later has memory looked through, if that has not been done and is of use.
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

// reflected gives a value of reflection its type in the newest code: packages keep functions so.
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

// atomicPointer returns what the values of an instance of atomic.Pointer point to.
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
