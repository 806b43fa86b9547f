package state

import (
	"go/constant"
	"go/token"
	"go/types"
)

// samePlace reports whether compiled code finds the same under two objects: it
// does for what is local to a function in equal texts.
func (s *Session) SamePlace(a, b types.Object) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	switch b := b.(type) {
	case *types.PkgName:
		p, ok := a.(*types.PkgName)
		return ok && p.Imported() == b.Imported()
	case *types.Const:
		c, ok := a.(*types.Const)
		return ok && types.Identical(c.Type(), b.Type()) && constant.Compare(c.Val(), token.EQL, b.Val())
	case *types.Func:
		f, ok := a.(*types.Func)
		if !ok || b.Signature().Recv() != nil {
			return ok && f.Name() == b.Name()
		}
		fn := s.FunctionOf(b)
		if d := s.Live[b.Name()]; fn == nil && d != nil && types.Identical(d.Object.Type(), b.Type()) {
			fn = d.Function // which the cell declares again further down
		}
		return fn != nil && s.FunctionOf(a) == fn
	case *types.TypeName:
		return s.ByObject[a] == nil && s.ByObject[b] == nil && types.Identical(a.Type(), b.Type())
	}
	d, e := s.ByObject[a], s.ByObject[b]
	if d == nil || e == nil {
		return d == e
	}
	return d.Lowered != "" && d.Lowered == e.Lowered
}
