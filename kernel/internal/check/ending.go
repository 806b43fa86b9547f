package check

import (
	"go/types"
	"slices"
)

// keeping are functions of compiled packages that keep a context for later calls.
var keeping = []string{"net/http.NewRequestWithContext", "(*net/http.Request).WithContext", "(*net/http.Request).Clone"}

// prompt are packages whose functions never block. Some pass the context to functions of the cell,
// which may compare it with their own.
var prompt = []string{"context", "log/slog", "runtime/pprof", "runtime/trace"}

// EndsWithCell reports whether an argument of a call of f is a context that must end with the cell.
// That is so if f is compiled, unless it derives another context that the cell itself uses.
func EndsWithCell(f *types.Func, param types.Type) bool {
	if f.Pkg() == nil || !isContext(param) || slices.Contains(prompt, f.Pkg().Path()) || slices.Contains(keeping, f.FullName()) {
		return false
	}
	for result := range f.Signature().Results().Variables() {
		if isContext(result.Type()) {
			return false
		}
	}
	return true
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "Context"
}
