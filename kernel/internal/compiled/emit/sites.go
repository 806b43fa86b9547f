package emit

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// locate records the operations in a node of compiled text that can panic. Compiled code tells the
// line of a panic; the kind of the panic then identifies the operation on the line, and so the
// column. If a line has several operations of that kind, the column is unknown. Operations in
// function literals do not count for the function around these.
func (u *Unit) locate(root ast.Node, info *types.Info) {
	t := typed.Tree{Info: info}
	found := t.Operations(nil, root)
	ast.PreorderStack(root, nil, func(n ast.Node, around []ast.Node) bool {
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		literal := slices.ContainsFunc(around, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
		for _, s := range block.List {
			for _, op := range t.Operations(nil, s) {
				op.Literal = literal
				found = append(found, op)
			}
		}
		return true
	})
	lines := map[*syntax.Source][]int{} // where they begin
	for _, op := range found {
		u.StopIfCancelled()
		src, offset := u.At(op.Pos)
		if src == nil {
			continue
		}
		if lines[src] == nil {
			lines[src] = []int{0}
			for at, b := range []byte(src.Cell.Source) {
				if b == '\n' {
					lines[src] = append(lines[src], at+1)
				}
			}
		}
		line, _ := slices.BinarySearch(lines[src], offset+1)
		key := syntax.Site{Cell: src.Cell.Number, Place: line * syntax.Columns}
		before := u.Sites[key]
		if slices.Contains(before, op) {
			continue
		}
		if u.l != nil { // a cell that is compiled ahead is emitted again
			u.l.Later(func() { u.Remember(key.Cell, key.Place, before) })
		}
		u.Remember(key.Cell, key.Place, append(slices.Clip(before), op))
	}
}
