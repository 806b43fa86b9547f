package carry

import (
	"reflect"
	"slices"
	"strings"
)

// inside reports whether something inside values of a pair of types may have to change, so that
// they must be examined.
func (m *mover) inside(from, to reflect.Type) bool {
	p := pair{from, to}
	if needs, ok := m.forms.needs[p]; ok {
		return needs
	}
	seen := map[pair]bool{}
	needs := m.look(p, seen)
	if !needs {
		for p := range seen {
			m.forms.needs[p] = false
		}
	}
	m.forms.needs[p] = needs
	return needs
}

func (m *mover) look(p pair, seen map[pair]bool) bool {
	if needs, ok := m.forms.needs[p]; ok {
		return needs
	}
	if seen[p] {
		return false // on this path
	}
	seen[p] = true
	from, to := p.from, p.to
	if to == reflectValue {
		return m.anew
	}
	if opaque(to) {
		return false
	}
	switch to.Kind() {
	case reflect.Interface:
		return m.anew
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return m.look(pair{from.Elem(), to.Elem()}, seen)
	case reflect.Map:
		return rehashed(from, to) || m.look(pair{from.Key(), to.Key()}, seen) || m.look(pair{from.Elem(), to.Elem()}, seen)
	case reflect.Struct:
		if to == syncMap {
			return m.look(pair{anyType, anyType}, seen)
		}
		if t, ok := atomicPointer(to); ok {
			return m.look(pair{reflect.PointerTo(t), reflect.PointerTo(t)}, seen)
		}
		for i := range to.NumField() {
			if m.look(pair{from.Field(i).Type, to.Field(i).Type}, seen) {
				return true
			}
		}
	}
	return false
}

// rehashed reports maps whose keys the compiled code may hash differently.
func rehashed(from, to reflect.Type) bool {
	if from == to {
		return false
	}
	switch to.Key().Kind() {
	case reflect.Struct, reflect.Array:
		return true
	}
	return false
}

// opaque reports structs that are not examined: others may be using them, and they hold no values
// of the session openly.
func opaque(t reflect.Type) bool {
	path := t.PkgPath()
	if t.Kind() != reflect.Struct {
		return false
	}
	switch path {
	case "reflect", "runtime", "unsafe", "os", "net", "syscall", "testing", "plugin", "time", "unique", "weak",
		"github.com/hierml/notebook/stdlib/host",
		"github.com/hierml/notebook/kernel/internal/program",
		"github.com/hierml/notebook/kernel/internal/worker/cells",
		"github.com/hierml/notebook/kernel/internal/worker/child",
		"github.com/hierml/notebook/kernel/internal/compiled":
		return true
	case "context":
		return t.Name() != "valueCtx"
	case "sync":
		return t.Name() == "Pool"
	case "net/http": // handlers of the session are in there
		name, _, _ := strings.Cut(t.Name(), "[")
		return !slices.Contains([]string{"ServeMux", "routingNode", "mapping", "entry"}, name)
	}
	for _, prefix := range []string{"internal/", "runtime/", "os/", "net/", "golang.org/x/sys/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
