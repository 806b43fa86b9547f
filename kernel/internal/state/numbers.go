package state

import (
	"go/types"
	"maps"
	"strconv"

	"golang.org/x/tools/go/types/typeutil"
)

// Numbers distinguish things of the same name: versions of a declaration, declarations of lowered
// code, and types. Each number is given once, even after a failure.
type Numbers struct {
	versions map[string]int
	serial   int
	// types has the numbers of types, equal for identical ones. Types in lowered code would not do,
	// since all interfaces of the session become the empty one there. typed is the last number.
	types typeutil.Map
	typed int
}

// Next returns the next version of a name.
func (n *Numbers) Next(name string) int {
	n.versions[name]++
	return n.versions[name]
}

// Unique returns a number that is used only once in the session.
func (n *Numbers) Unique() int {
	n.serial++
	return n.serial
}

// TypeNumber returns the number of a type.
func (n *Numbers) TypeNumber(t types.Type) int {
	if number, ok := n.types.At(t).(int); ok {
		return number
	}
	n.typed++
	n.types.Set(t, n.typed)
	return n.typed
}

// TypesKey returns the numbers of types as a text.
func (n *Numbers) TypesKey(list *types.TypeList) string {
	text := ""
	for t := range list.Types() {
		text += "," + strconv.Itoa(n.TypeNumber(t))
	}
	return text
}

// NumberedTypes visits the types that have numbers.
func (n *Numbers) NumberedTypes(visit func(t types.Type, number int)) {
	n.types.Iterate(func(t types.Type, number any) { visit(t, number.(int)) })
}

// Anew returns the numbers for the next session of the same interpreter, which has no types yet.
func (n *Numbers) Anew() *Numbers { return &Numbers{versions: n.versions, serial: n.serial} }

func (n *Numbers) snapshot() (restore func()) {
	was := *n
	was.versions = maps.Clone(n.versions)
	return func() { *n = was }
}
