package syntax

import (
	"go/ast"
)

// text returns the source of a node, which tells whether it is the same.
func (c *Files) Text(n ast.Node) string {
	file := c.Fset.File(n.Pos())
	src := c.Sources[file]
	if src == nil {
		return ""
	}
	start := Clamp(file.Offset(n.Pos())-PrefixLength, src.Text)
	return src.Text[start:min(start+int(n.End()-n.Pos()), len(src.Text))]
}
