package carry

import (
	"reflect"
	"slices"
	"unsafe"
)

// slots are the memory of the variables that move.
type slots struct {
	list []slot // by address
	// within holds the types of the variables and of the values within them: what a pointer to one
	// of them points to.
	within map[reflect.Type]bool
}

// A slot is the memory of one.
type slot struct {
	from uintptr
	size uintptr
	to   unsafe.Pointer
	keep reflect.Value // so that the address is that of no other
}

func (s *slots) add(from, to reflect.Value) {
	if from.Type().Size() == 0 {
		return
	}
	s.list = append(s.list, slot{from.Addr().Pointer(), from.Type().Size(), to.Addr().UnsafePointer(), from})
	s.note(to.Type())
}

func (s *slots) note(t reflect.Type) {
	if s.within[t] {
		return
	}
	s.within[t] = true
	switch t.Kind() {
	case reflect.Array:
		s.note(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			s.note(t.Field(i).Type)
		}
	}
}

func (s *slots) sort() {
	slices.SortFunc(s.list, func(a, b slot) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
}

// moved returns where what p points to is now, if it was in a variable that moves.
func (s *slots) moved(p unsafe.Pointer) (unsafe.Pointer, bool) {
	i, found := slices.BinarySearchFunc(s.list, uintptr(p), func(x slot, p uintptr) int {
		switch {
		case x.from < p:
			return -1
		case x.from > p:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	if i < 0 || uintptr(p)-s.list[i].from >= s.list[i].size {
		return nil, false
	}
	return unsafe.Add(s.list[i].to, uintptr(p)-s.list[i].from), true
}
