package syntax

import (
	"go/ast"
)

// textOf returns the user's text of a node.
func (c *Files) TextOf(n ast.Node) string {
	src, start := c.Within(n.Pos())
	if src == nil {
		return ""
	}
	return src.Text[start : start+int(n.End()-n.Pos())]
}
