package shape

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
)

// bridgePath is the import path of the compiled functions that lowered code calls, and bridge the
// name it calls them by. The interpreter provides it.
const (
	BridgePath = "hierml/bridge"
	Bridge     = "b__"
)

// Shapes are what the types of a cell are in lowered code, and the declarations that have to be
// written for them.
type Shapes struct {
	*change.Change
	*Preludes
	Sent *Sent

	Imports []string
	Types   []string
	// Declared are the types of Types, by their names.
	Declared []Declared
	Vars     []Variable
	Funcs    []string
	// Temporary are the names that no other program mentions.
	Temporary []string
	// Setup holds the statements that come before the cell's own.
	Setup []string
	// Done holds the functions that are written.
	Done map[*state.Function]bool
	// describing holds the numbers of the types whose parts are being described.
	describing map[int]bool
}

// NewShapes returns the shapes of a cell for which nothing is written yet.
func NewShapes(ch *change.Change, p *Preludes, sent *Sent) *Shapes {
	return &Shapes{Change: ch, Preludes: p, Sent: sent, Done: map[*state.Function]bool{}, describing: map[int]bool{}}
}

// Preludes hold the stand-ins for generic functions and types of compiled packages, by import path.
type Preludes struct {
	checker *check.Checker
	known   map[string]*prelude
}

// NewPreludes returns preludes of which none is loaded.
func NewPreludes(c *check.Checker) *Preludes {
	return &Preludes{c, map[string]*prelude{}}
}

// A Declared is a type that lowered code declares.
type Declared struct {
	Name string
	Type types.Type
}

// A Variable is one at package level, with its type, in lowered words.
type Variable struct{ Name, Typ string }

// EnsureType makes sure that the interpreter has a type of the session.
func (l *Shapes) EnsureType(name string, t types.Type) {
	if l.Sent.Types[name] || types.IsInterface(t) {
		return
	}
	l.Sent.Types[name] = true
	l.Later(func() { delete(l.Sent.Types, name) })
	l.declareType(name, t)
}

// Returning writes the last statement of a function that returns what a call does.
func Returning(sig *types.Signature, call string) string {
	if sig.Results().Len() > 0 {
		return "return " + call
	}
	return call
}

// Forwarded lists the first arguments of a call, and then the parameters that Signature(sig, true)
// names.
func Forwarded(sig *types.Signature, first ...string) string {
	return strings.Join(append(first, forwarded(sig)...), ", ")
}

func forwarded(sig *types.Signature) []string {
	args := make([]string, sig.Params().Len())
	for i := range args {
		args[i] = fmt.Sprintf("p%d", i)
	}
	if sig.Variadic() {
		args[len(args)-1] += "..."
	}
	return args
}

// Value makes sure that the variable which holds a function exists.
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
