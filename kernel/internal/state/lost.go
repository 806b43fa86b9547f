package state

import (
	"go/ast"
	"go/types"
)

// NeedsLost returns a lost variable that an object is or that it may mention when it runs: in
// functions that it calls, and in methods of its type, which may be called through interfaces. It
// returns nil if there is none.
func (s *Session) NeedsLost(obj types.Object) *Declaration {
	if !s.loses {
		return nil
	}
	return (&losses{Session: s, seen: map[any]bool{}}).of(obj)
}

// losses searches for a lost variable.
type losses struct {
	*Session
	seen map[any]bool
}

func (l *losses) of(obj types.Object) *Declaration {
	if obj == nil || l.seen[obj] {
		return nil
	}
	l.seen[obj] = true
	switch obj := obj.(type) {
	case *types.Func:
		return l.function(l.FunctionOf(obj))
	case *types.TypeName:
		if d := l.ByObject[obj]; d != nil && d.Spec != nil {
			for _, m := range d.Spec.Methods {
				if lost := l.function(m); lost != nil {
					return lost
				}
			}
		}
	case *types.Var:
		d := l.ByObject[obj]
		if d == nil {
			return nil
		}
		if d.Lost != "" {
			return d
		}
		declared := map[types.Object]bool{}
		NamesOf(obj.Type(), declared)
		for name := range declared {
			if lost := l.of(name); lost != nil {
				return lost
			}
		}
	}
	return nil
}

func (l *losses) function(fn *Function) (lost *Declaration) {
	if fn == nil || fn.Decl == nil || l.seen[fn] {
		return nil
	}
	l.seen[fn] = true
	ast.Inspect(fn.Decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && lost == nil {
			lost = l.of(fn.Info.Uses[id])
		}
		return lost == nil
	})
	return lost
}

// Lose moves the session to a worker without its state. When says in words when the old worker
// ended.
func (s *Session) Lose(when string) {
	for _, d := range s.ByObject {
		if _, ok := d.Object.(*types.Var); ok && d.Lowered != "" && d.Lost == "" {
			s.LoseVariable(d, "the variable was lost "+when)
		}
	}
	for _, fn := range s.All {
		fn.Emitted, fn.Valued = false, false
	}
	s.FuncInstances = map[string]*Function{}
}

// LoseVariable records that a variable is gone, and why.
func (s *Session) LoseVariable(d *Declaration, why string) {
	d.Lost = why
	s.loses = true
	if s.Live[d.Name] == d {
		s.Gone[d.Name] = d
		delete(s.Live, d.Name)
	}
}
