package change

import (
	"go/ast"
	"slices"
)

// idle reports whether a cell does nothing when it is run, and declares nothing
// but names of packages.
func (ch *Change) Idle() bool {
	blank := slices.ContainsFunc(ch.K.Imports, func(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == "_" })
	return !blank && ch.K.Declarations == nil && len(ch.K.Body) == 0 && len(ch.Queue) == 0
}
