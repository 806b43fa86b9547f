package interpreted

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// globals reserves room for the variables of the session, so that they never move while code runs.
//
// Before yaegi runs something it copies its table of global variables to a longer one, and replaces
// the slice of it, while other goroutines may read the slice: they could see the old table with the
// new length. Here the table is long enough for nearly all sessions, and only the length of the
// slice changes.
//
// The fields are unexported; newGlobals fails if a version of yaegi lacks them.
type globals struct {
	frame *sync.RWMutex // yaegi's, of the table
	data  *[]reflect.Value
	types *[]reflect.Type
}

// room is how many variables, and intermediate values of evaluated source, there may be before the
// table must move.
const room = 1 << 17

func newGlobals(i *interp.Interpreter) (*globals, error) {
	lacks := fmt.Errorf("interpreter: this version of yaegi keeps its variables elsewhere: it lacks the fields frame.data and universe.types")
	v := reflect.ValueOf(i).Elem()
	frame, universe := v.FieldByName("frame"), v.FieldByName("universe")
	if !isStructPointer(frame) || !isStructPointer(universe) {
		return nil, lacks
	}
	mutex, data, types := frame.Elem().FieldByName("mutex"), frame.Elem().FieldByName("data"), universe.Elem().FieldByName("types")
	if !mutex.IsValid() || mutex.Type() != reflect.TypeFor[sync.RWMutex]() ||
		!data.IsValid() || data.Type() != reflect.TypeFor[[]reflect.Value]() ||
		!types.IsValid() || types.Type() != reflect.TypeFor[[]reflect.Type]() {
		return nil, lacks
	}
	g := &globals{
		frame: (*sync.RWMutex)(unsafe.Pointer(mutex.UnsafeAddr())),
		data:  (*[]reflect.Value)(unsafe.Pointer(data.UnsafeAddr())),
		types: (*[]reflect.Type)(unsafe.Pointer(types.UnsafeAddr())),
	}
	table := make([]reflect.Value, len(*g.data), room)
	copy(table, *g.data)
	*g.data = table
	return g, nil
}

func isStructPointer(v reflect.Value) bool {
	return v.IsValid() && v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct
}

// extend gives the variables compiled last their places.
func (g *globals) extend() {
	g.frame.Lock()
	defer g.frame.Unlock()
	from, to := len(*g.data), len(*g.types)
	if to <= from {
		return
	}
	if to > cap(*g.data) {
		table := make([]reflect.Value, from, 2*to)
		copy(table, *g.data)
		*g.data = table
	}
	all := (*g.data)[:to]
	for i := from; i < to; i++ {
		all[i] = reflect.New((*g.types)[i]).Elem()
	}
	// Change only the length: the rest of the slice stays.
	length := (*int)(unsafe.Add(unsafe.Pointer(g.data), unsafe.Sizeof(uintptr(0))))
	*length = to
}

// length returns how many variables there are.
func (g *globals) length() int { return len(*g.data) }

// forget drops the values of the variables from an index on, which nothing reads any more.
func (g *globals) forget(from int) {
	g.frame.Lock()
	defer g.frame.Unlock()
	clear((*g.data)[from:])
}
