package check

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// interact is the function whose calls also get the names of the parameters of their function
// argument: only the check knows them.
const interact = "github.com/hierml/notebook/stdlib/nb.Interact"

// InteractLabelled is the function that takes these names, before the arguments of interact.
const InteractLabelled = "InteractLabelled"

// ParameterNames returns the names of the parameters of the function that a call of interact is
// for, quoted and with commas between; empty for other calls.
func ParameterNames(e *ast.CallExpr, callee types.Object, info *types.Info) string {
	if !isInteract(callee) || len(e.Args) == 0 {
		return ""
	}
	sig, ok := info.TypeOf(e.Args[0]).Underlying().(*types.Signature)
	if !ok || sig.Params().Len() == 0 {
		return ""
	}
	names := make([]string, sig.Params().Len())
	for i := range names {
		if name := sig.Params().At(i).Name(); name != "_" {
			names[i] = name
		}
		names[i] = strconv.Quote(names[i])
	}
	return strings.Join(names, ", ")
}

func isInteract(callee types.Object) bool {
	f, ok := callee.(*types.Func)
	return ok && f != nil && f.FullName() == interact
}
