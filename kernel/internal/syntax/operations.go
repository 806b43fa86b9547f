package syntax

import (
	"go/token"

	"github.com/hierml/notebook/kernel/internal/program"
)

// An operation can panic when it is run. Its kind is a word of Frame.Operation.
type Operation struct {
	Kind string
	Pos  token.Pos
}

// A site is the note of a statement with several operations that can panic.
type Site struct{ Cell, Place int }

// remember notes which operations a site has.
func (c *Files) Remember(cell, place int, ops []Operation) {
	c.Sites[Site{cell, place}] = ops
}

// failed returns the place of a frame: that of the operation in the noted
// statement, if it is known which one it was.
func (c *Files) Failed(f program.Frame) (line, column int) {
	found := token.NoPos
	for _, op := range c.Sites[Site{f.Cell, f.Line*Columns + f.Column}] {
		if op.Kind != f.Operation {
			continue
		}
		if found.IsValid() {
			return f.Line, f.Column // one of several
		}
		found = op.Pos
	}
	if found.IsValid() {
		if src, offset := c.At(found); src != nil {
			return src.Position(offset)
		}
	}
	return f.Line, f.Column
}
