package lower

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// waiting writes the call of a method that may wait without end, so that it ends with the cell: the
// method's value is evaluated, as Go does, before the arguments are.
func (b *body) waiting(e *ast.CallExpr, sel *ast.SelectorExpr, s *types.Selection, recv string, sig *types.Signature, m *types.Func) (string, bool) {
	name := m.FullName()
	goesOn, ok := check.Blocking[name]
	if !ok {
		return "", false
	}
	index := s.Index()
	path, _, _ := b.l.path(b.Info.TypeOf(sel.X), index[:len(index)-1])
	if m.Signature().Recv().Type().String() == "*net.conn" && strings.HasSuffix(path, ".conn") {
		// The field cannot be named outside package net.
		recv = strings.TrimSuffix(recv, ".conn")
	}
	if !goesOn {
		name = ""
	}
	f := shape.Bridge + ".Waits(\"" + name + "\", " + recv + "." + m.Name() + ").(func" + b.l.Signature(sig, false) + ")"
	return b.apply(e, f, nil, sig, m), true
}
