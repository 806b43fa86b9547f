package change

import (
	"go/ast"

	"github.com/hierml/notebook/kernel/internal/state"
)

// unchanged reports whether a function is declared again as it is: in the same words, which mean
// the same. It is not compiled again then.
func (ch *Change) unchanged(old, fn *state.Function) bool {
	if old.Written == nil || old.Receiver != fn.Receiver || ch.C.Text(old.Written) != ch.C.Text(fn.Written) {
		return false
	}
	was, is := identifiersOf(old.Written), identifiersOf(fn.Written)
	if len(was) != len(is) {
		return false
	}
	for i, id := range is {
		if !ch.S.SamePlace(old.Info.Uses[was[i]], fn.Info.Uses[id]) {
			return false
		}
	}
	if ch.Kept == nil {
		ch.Kept = map[*state.Function]bool{}
	}
	ch.Kept[old] = true
	return true
}

func identifiersOf(root ast.Node) []*ast.Ident {
	var out []*ast.Ident
	ast.Inspect(root, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out = append(out, id)
		}
		return true
	})
	return out
}
