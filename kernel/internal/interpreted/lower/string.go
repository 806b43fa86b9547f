package lower

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// rangeOverString writes a range over the string x. The interpreter counts characters where Go
// counts bytes, and takes bytes that are not UTF-8 for as many as their replacement has.
func (b *body) rangeOverString(s *ast.RangeStmt, label, x string) string {
	k, v, prologue := b.rangeVariables(s, types.Typ[types.Int], types.Typ[types.Rune])
	switch {
	case k == "_" && v == "_":
		v = fmt.Sprintf("r__%d", b.l.S.Unique())
		fallthrough
	case k == "_":
		return labelled(label, fmt.Sprintf("for _, %s := range []rune(%s) ", v, x)+b.loopBody(s.Body, label, prologue)) + "\n"
	case v == "_":
		return labelled(label, fmt.Sprintf("for _, %s := range %s.Starts(%s) ", k, shape.Bridge, x)+b.loopBody(s.Body, label, prologue)) + "\n"
	}
	n := b.l.S.Unique()
	prologue = fmt.Sprintf("%s := runes__%d[j__%d]\n", v, n, n) + prologue
	head := fmt.Sprintf("for j__%d, %s := range %s.Starts(s__%d) ", n, k, shape.Bridge, n)
	return fmt.Sprintf("{\ns__%d := %s\nrunes__%d := []rune(s__%d)\n%s\n}\n", n, x, n, n, labelled(label, head+b.loopBody(s.Body, label, prologue)))
}
