package lower

import (
	"strconv"
)

// refuseForeignImports refuses a cell for the interpreter that imports a package which the
// program does not consist of.
func (l *lowering) refuseForeignImports() {
	for _, spec := range l.K.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && l.C.Foreign(path) {
			l.Refuse(spec.Path.Pos(), "the interpreter has no package "+path)
		}
	}
}
