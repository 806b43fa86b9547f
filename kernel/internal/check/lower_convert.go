package check

import (
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

func IsEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// shown names a type as the user knows it.
func Shown(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == state.PackagePath {
			return ""
		}
		return p.Name()
	})
}
