package lower

import (
	"fmt"
	"go/ast"

	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// stop writes what ends the cell if an error is not nil.
func (b *body) stop(err string, call ast.Expr) string {
	line, column := 0, 0
	if src, offset := b.l.C.At(call.Pos()); src != nil {
		line, column = src.Position(offset)
	}
	return fmt.Sprintf("%s.Stop(%s, %d, %d, %d)\n", shape.Bridge, err, b.frame.cell, line, column)
}

// checkedCall writes a statement of a cell that is a call with an error.
func (b *body) checkedCall(s *ast.ExprStmt) (text string, ok bool) {
	results, ok := b.l.K.LastError(s.X)
	if !ok {
		return "", false
	}
	left := ""
	for range len(results) - 1 {
		left += "_, "
	}
	err := b.l.temp()
	return b.mark(s) + left + err + " := " + b.expr(s.X) + "\n" + b.stop(err, s.X), true
}
