package syntax

import (
	"go/token"
)

// within returns the source of a position, and its offset into the Go that the
// source stands for.
func (c *Files) Within(pos token.Pos) (*Source, int) {
	file := c.Fset.File(pos)
	if file == nil || c.Sources[file] == nil {
		return nil, 0
	}
	return c.Sources[file], file.Offset(pos) - PrefixLength
}
