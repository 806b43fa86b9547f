package state

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A follower is a function of an earlier cell that is declared again.
type Follower struct {
	Fn *Function
	// names are those for which it follows; none of a function that waited.
	Names []string
	// late says that it follows variables of the cell before.
	Late bool
	// waits names an undeclared function that the body calls, and problems
	// says why else it does not compile.
	Waits    string
	Problems []string
}

// why says why a function does not compile.
func (f *Follower) Why() string {
	if f.Waits != "" {
		return "undefined: " + f.Waits
	}
	return strings.Join(f.Problems, "; ")
}

// current reports whether a function of an earlier cell is what its name means.
func (s *Session) Current(fn *Function) bool {
	if fn.Written == nil {
		return false
	}
	if fn.Receiver == nil {
		d := s.Live[fn.Name]
		return d != nil && d.Function == fn
	}
	base := syntax.ReceiverBase(fn.Written)
	if base == nil {
		return false
	}
	d := s.Live[base.Name]
	if d == nil {
		return false
	}
	name, ok := d.Object.(*types.TypeName)
	if !ok {
		return false
	}
	owner := s.ByObject[OwnerOf(name)]
	return owner != nil && owner.Spec == fn.Receiver
}

// mentions returns which of some names a function mentions as those of
// declarations of the session.
func (s *Session) Mentions(fn *Function, names map[string]bool) []string {
	var out []string
	ast.Inspect(fn.Written, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || !names[id.Name] || slices.Contains(out, id.Name) {
			return true
		}
		obj := fn.Info.Uses[id]
		if obj == nil {
			return true
		}
		f, _ := obj.(*types.Func)
		_, imported := obj.(*types.PkgName)
		if imported || s.ByObject[obj] != nil || f != nil && s.Funcs[f.Origin()] != nil && f.Signature().Recv() == nil {
			out = append(out, id.Name)
		}
		return true
	})
	return out
}
