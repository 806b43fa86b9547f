package shape

import (
	"go/types"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
)

// bridgePath is the import path of the compiled functions that lowered code
// calls, and bridge the name it calls them by. The interpreter provides it.
const (
	BridgePath = "hierml/bridge"
	Bridge     = "b__"
)

// Shapes are what the types of a cell are in lowered code, and the declarations
// that have to be written for them.
type Shapes struct {
	*change.Change
	*Preludes

	Imports []string
	Types   []string
	Vars    []Variable
	Funcs   []string
	// setup holds the statements that come before the cell's own.
	Setup []string
	// done holds the functions that are written.
	Done map[*state.Function]bool
	// describing holds the numbers of the types whose parts are being
	// described.
	describing map[int]bool
}

func NewShapes(ch *change.Change, p *Preludes) *Shapes {
	return &Shapes{Change: ch, Preludes: p, Done: map[*state.Function]bool{}, describing: map[int]bool{}}
}

// Preludes hold the stand-ins for generic functions and types of compiled
// packages, by import path.
type Preludes struct {
	checker *check.Checker
	known   map[string]*prelude
}

func NewPreludes(c *check.Checker) *Preludes {
	return &Preludes{c, map[string]*prelude{}}
}

// A variable is one at package level, with its type, in lowered words.
type Variable struct{ Name, Typ string }

// ensureType makes sure that the interpreter has a type of the session.
func (l *Shapes) EnsureType(name string, t types.Type) {
	if l.S.Emitted[name] || types.IsInterface(t) {
		return
	}
	l.S.Emitted[name] = true
	l.Later(func() { delete(l.S.Emitted, name) })
	l.declareType(name, t)
}
