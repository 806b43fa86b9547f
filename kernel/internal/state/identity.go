package state

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/types/typeutil"
)

// identities numbers types: two have the same number if they are identical. What types become in
// lowered code does not tell them apart, since all interfaces of the session become the empty one.
type identities struct {
	Numbers typeutil.Map
	last    int
}

// Of returns the number of a type.
func (i *identities) Of(t types.Type) int {
	if n, ok := i.Numbers.At(t).(int); ok {
		return n
	}
	i.last++
	i.Numbers.Set(t, i.last)
	return i.last
}

// Key returns the numbers of types as a text.
func (i *identities) Key(list *types.TypeList) string {
	text := ""
	for t := range list.Types() {
		text += "," + strconv.Itoa(i.Of(t))
	}
	return text
}
