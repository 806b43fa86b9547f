package state

import (
	"go/types"
)

// ownerOf returns the type that a method belongs to whose receiver is written
// with a name, which may be an alias.
func OwnerOf(name *types.TypeName) *types.TypeName {
	if named, ok := types.Unalias(name.Type()).(*types.Named); ok {
		return named.Obj()
	}
	return name
}
