package engine

import (
	"go/ast"
	"go/types"
)

// needsLost returns a lost variable that what an object stands for is, or may
// mention when it runs: in functions that it calls, and in methods of its type,
// which may be called through interfaces. It is nil if there is none.
func (s *session) needsLost(obj types.Object) *declaration {
	if !s.loses {
		return nil
	}
	return (&losses{session: s, seen: map[any]bool{}}).of(obj)
}

// losses looks for a lost variable.
type losses struct {
	*session
	seen map[any]bool
}

func (l *losses) of(obj types.Object) *declaration {
	if obj == nil || l.seen[obj] {
		return nil
	}
	l.seen[obj] = true
	switch obj := obj.(type) {
	case *types.Func:
		return l.function(l.functionOf(obj))
	case *types.TypeName:
		if d := l.byObject[obj]; d != nil && d.spec != nil {
			for _, m := range d.spec.methods {
				if lost := l.function(m); lost != nil {
					return lost
				}
			}
		}
	case *types.Var:
		d := l.byObject[obj]
		if d == nil {
			return nil
		}
		if d.lost != "" {
			return d
		}
		declared := map[types.Object]bool{}
		namesOf(obj.Type(), declared)
		for name := range declared {
			if lost := l.of(name); lost != nil {
				return lost
			}
		}
	}
	return nil
}

func (l *losses) function(fn *function) (lost *declaration) {
	if fn == nil || fn.decl == nil || l.seen[fn] {
		return nil
	}
	l.seen[fn] = true
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && lost == nil {
			lost = l.of(fn.info.Uses[id])
		}
		return lost == nil
	})
	return lost
}
