package shape

import (
	"fmt"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

// Sent is what the cells of a session have sent to the interpreter, which the next cells need not
// say again.
type Sent struct {
	// aliases maps import paths to the names that lowered code uses, and Imports tells which of
	// them the interpreter has seen.
	aliases map[string]string
	Imports map[string]bool
	// Types are the names of the types at the top of cells that the interpreter has.
	Types map[string]bool
	// Made holds what was made once: names of functions and types by what they are for, and what
	// the bridge was told of types.
	Made map[string]string
	// described has the numbers by which the bridge knows types, by those of the session.
	described map[int]int
	// Obsolete holds the names of functions that no text mentions any more, and of which the
	// interpreter has not been told yet.
	Obsolete []string
}

// NewSent returns what a new interpreter has.
func NewSent() *Sent {
	return &Sent{
		aliases:   map[string]string{},
		Imports:   map[string]bool{},
		Types:     map[string]bool{},
		Made:      map[string]string{},
		described: map[int]int{},
	}
}

// Anew returns what an interpreter has for the next session: only imports.
func (s *Sent) Anew() *Sent {
	next := NewSent()
	next.aliases, next.Imports = s.aliases, s.Imports
	return next
}

// alias returns the name of a package in lowered code. No name that a user can write ends like it:
// identifiers with two underscores are renamed.
func (s *Sent) alias(pkg *types.Package, n *state.Numbers) string {
	if a, ok := s.aliases[pkg.Path()]; ok {
		return a
	}
	a := pkg.Name() + "__p"
	if n := n.Next("import " + pkg.Name()); n > 1 {
		a = fmt.Sprintf("%s%d", a, n)
	}
	s.aliases[pkg.Path()] = a
	return a
}
