package shape

import (
	"fmt"

	"github.com/hierml/notebook/kernel/internal/state"
)

// value makes sure that the variable which holds a function exists.
func (l *Shapes) Value(fn *state.Function) {
	l.Ready(fn)
	if !fn.Emitted {
		l.Need(fn)
	}
	if fn.Valued {
		return
	}
	fn.Valued = true
	l.Later(func() { fn.Valued = false })
	l.Pos = fn.Decl.Pos()
	l.Vars = append(l.Vars, Variable{fn.Variable, "func" + l.Signature(state.SignatureOf(fn), false)})
	if !l.Queued[fn] || l.Done[fn] {
		l.Setup = append([]string{fmt.Sprintf("%s = %s", fn.Variable, fn.Lowered())}, l.Setup...)
	}
}
