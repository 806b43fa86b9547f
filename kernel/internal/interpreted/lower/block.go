package lower

import (
	"go/ast"
	"go/types"

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
	if !goesOn {
		name = ""
	}
	f := shape.Bridge + ".Waits(\"" + name + "\", " + recv + "." + m.Name() + ").(func" + b.l.Signature(sig, false) + ")"
	return b.apply(e, f, nil, sig, m), true
}
