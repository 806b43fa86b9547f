package engine

import (
	"go/ast"
	"go/types"
	"slices"
)

// locate remembers the operations within a node of compiled text that can panic.
// Compiled code tells the line of a panic; its kind then tells which of the
// line's operations it was, and so the column.
func (u *unit) locate(root ast.Node, info *types.Info) {
	t := tree{info: info}
	found := t.operations(nil, root)
	ast.Inspect(root, func(n ast.Node) bool {
		if block, ok := n.(*ast.BlockStmt); ok {
			for _, s := range block.List {
				found = t.operations(found, s)
			}
		}
		return true
	})
	for _, op := range found {
		src, offset := u.at(op.pos)
		if src == nil {
			continue
		}
		line, _ := src.position(offset)
		key := site{src.cell.Number, line * columns}
		if !slices.Contains(u.sites[key], op) {
			u.remember(key.cell, key.place, append(slices.Clip(u.sites[key]), op))
		}
	}
}
