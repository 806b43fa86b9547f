package check

import (
	"go/ast"
	"go/types"
)

// shownTypes returns the types of the values that the last expression of a
// cell shows.
func (k *Checked) ShownTypes(s *ast.ExprStmt) []types.Type {
	tv := k.Info.Types[s.X]
	if tv.IsVoid() || k.tree().Writes(s.X) {
		return nil
	}
	if results, ok := k.LastError(s.X); ok {
		if len(results) == 1 {
			return nil
		}
		return results[:len(results)-1]
	}
	tuple, ok := tv.Type.(*types.Tuple)
	if !ok {
		return []types.Type{types.Default(tv.Type)}
	}
	var all []types.Type
	for v := range tuple.Variables() {
		all = append(all, v.Type())
	}
	return all
}
