package change

import (
	"go/ast"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
)

// unchanged reports whether a function is declared again unchanged: in the same words with the same
// meaning. It is not compiled again then.
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

// relocate records the new place of the source of a function that is declared again unchanged.
func (ch *Change) relocate(old, fn *state.Function) {
	was, line, column, end := ch.C.Span(old.Written)
	is, toLine, toColumn, _ := ch.C.Span(fn.Written)
	if was != nil && is != nil {
		ch.Relocate(program.Relocation{Function: old.Name, Cell: was.Cell.Number, Line: line, End: end, Now: is.Cell.Number, Lines: toLine - line, Columns: toColumn - column})
	}
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
