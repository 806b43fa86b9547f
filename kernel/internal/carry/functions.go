package carry

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/hierml/notebook/stdlib/host"
)

// madeByReflection is where the code of functions begins that reflection made, as those of the
// interpreter are.
var madeByReflection = reflect.MakeFunc(reflect.TypeFor[func()](), nil).Pointer()

const interpreterPath = "github.com/hierml/notebook/kernel/internal/interpreted."

// interpreted reports whether the code of a function is the interpreter's.
func interpreted(code uintptr) bool {
	if code == madeByReflection {
		return true
	}
	f := runtime.FuncForPC(code)
	return f != nil && (strings.HasPrefix(f.Name(), interpreterPath) || strings.HasPrefix(f.Name(), "github.com/traefik/yaegi/"))
}

// function looks at a function value. In place of the interpreter's is put one that says so when it
// is called.
func (m *mover) function(at *place, p unsafe.Pointer, from, to reflect.Type) (changed bool) {
	word := *(*unsafe.Pointer)(p)
	if word == nil || m.in == nil || m.gone[word] || !interpreted(*(*uintptr)(word)) {
		return false
	}
	text := at.of(m.variable.Name)
	stand := reflect.MakeFunc(to, func([]reflect.Value) []reflect.Value {
		panic(host.Failure{Err: fmt.Errorf("%s: this function was made by interpreted code and could not be carried over: run the cell that makes it again", text)})
	})
	reflect.NewAt(to, p).Elem().Set(stand)
	m.gone[*(*unsafe.Pointer)(p)] = true
	m.lose(at, "a function value made by interpreted code")
	return true
}

// channel looks at what is in the buffer of a channel.
func (m *mover) channel(at *place, p unsafe.Pointer, from, to reflect.Type) (changed bool) {
	channel := *(*unsafe.Pointer)(p)
	key := seen{channel, to}
	if channel == nil || m.seen[key] > 0 {
		return false
	}
	m.seen[key] = 1
	source, target := part(from, elem), to.Elem()
	if source == nil {
		source = target
	}
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
