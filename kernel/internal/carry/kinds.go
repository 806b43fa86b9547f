package carry

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// A kind says how a value is encoded.
type kind int

const (
	rawKind kind = iota // as its memory
	stringKind
	pointerKind
	sliceKind
	mapKind
	interfaceKind
	arrayKind
	structKind
	syncMapKind
	atomicPointerKind
	mutexKind // in its unused state
	poolKind  // empty
	neverKind // not at all
)

var (
	anyType   = reflect.TypeFor[any]()
	rtypeType = reflect.TypeOf(reflect.TypeFor[int]())
)

var kinds sync.Map // of types

func kindOf(t reflect.Type) kind {
	if k, ok := kinds.Load(t); ok {
		return k.(kind)
	}
	k := findKind(t)
	kinds.Store(t, k)
	return k
}

func findKind(t reflect.Type) kind {
	if mortal(t) {
		return neverKind
	}
	switch t {
	case reflect.TypeFor[sync.Mutex](), reflect.TypeFor[sync.RWMutex](), reflect.TypeFor[sync.WaitGroup]():
		return mutexKind
	case reflect.TypeFor[sync.Pool]():
		return poolKind
	case syncMap:
		return syncMapKind
	}
	if _, ok := atomicPointer(t); ok {
		return atomicPointerKind
	}
	switch t.Kind() {
	case reflect.String:
		return stringKind
	case reflect.Pointer:
		return pointerKind
	case reflect.Slice:
		return sliceKind
	case reflect.Map:
		return mapKind
	case reflect.Interface:
		return interfaceKind
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return neverKind
	case reflect.Array:
		if t.Len() == 0 || kindOf(t.Elem()) == rawKind {
			return rawKind
		}
		return arrayKind
	case reflect.Struct:
		for i := range t.NumField() {
			if kindOf(t.Field(i).Type) != rawKind {
				return structKind
			}
		}
	}
	return rawKind
}

func isRaw(t reflect.Type) bool { return kindOf(t) == rawKind }

// mortal reports types whose values are useful only in their process.
func mortal(t reflect.Type) bool {
	path := t.PkgPath()
	switch path {
	case "":
		return false
	case "time":
		return t.Name() == "Timer" || t.Name() == "Ticker"
	case "context":
		return strings.Contains(t.Name(), "ancel") || strings.HasPrefix(t.Name(), "timer") || strings.HasPrefix(t.Name(), "afterFunc")
	case "reflect":
		return t.Name() == "Value"
	case "os", "net", "plugin", "runtime", "testing", "unique", "weak", "os/exec", "os/signal", "net/http",
		"github.com/hierml/notebook/stdlib/host",
		"github.com/hierml/notebook/kernel/internal/program",
		"github.com/hierml/notebook/kernel/internal/worker/cells",
		"github.com/hierml/notebook/kernel/internal/worker/child",
		"github.com/hierml/notebook/kernel/internal/compiled":
		return t.Kind() == reflect.Struct
	}
	return t.Kind() == reflect.Struct && strings.HasPrefix(path, "internal/poll")
}

func neverWhy(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Func:
		return "a function value"
	case reflect.Chan:
		return "a channel"
	case reflect.UnsafePointer:
		return "an unsafe.Pointer"
	}
	return "a value of type " + t.String()
}

// atomicWord returns the pointer in an instance of atomic.Pointer.
func atomicWord(p unsafe.Pointer, t reflect.Type) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(p, t.Size()-unsafe.Sizeof(p)))
}

// least returns the minimum size of an encoded value in bytes.
func least(t reflect.Type) uint64 {
	switch kindOf(t) {
	case rawKind:
		return uint64(t.Size())
	case arrayKind:
		return uint64(t.Len()) * least(t.Elem())
	case structKind:
		var n uint64
		for i := range t.NumField() {
			n += least(t.Field(i).Type)
		}
		return n
	}
	return 1
}
