package engine

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// unchanged reports whether a function is declared again as it is: in the same
// words, which mean the same. It is not compiled again then.
func (ch *change) unchanged(old, fn *function) bool {
	if old.written == nil || old.receiver != fn.receiver || ch.c.textOf(old.written) != ch.c.textOf(fn.written) {
		return false
	}
	was, is := identifiersOf(old.written), identifiersOf(fn.written)
	if len(was) != len(is) {
		return false
	}
	for i, id := range is {
		if !ch.s.samePlace(old.info.Uses[was[i]], fn.info.Uses[id]) {
			return false
		}
	}
	if ch.kept == nil {
		ch.kept = map[*function]bool{}
	}
	ch.kept[old] = true
	return true
}

// textOf returns the user's text of a node.
func (c *files) textOf(n ast.Node) string {
	src, start := c.within(n.Pos())
	if src == nil {
		return ""
	}
	return src.text[start : start+int(n.End()-n.Pos())]
}

func identifiersOf(root ast.Node) []*ast.Ident {
	var out []*ast.Ident
	ast.Inspect(root, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out = append(out, id)
		}
		return true
	})
	return out
}

// samePlace reports whether compiled code finds the same under two objects: it
// does for what is local to a function in equal texts.
func (s *session) samePlace(a, b types.Object) bool {
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
		fn := s.functionOf(b)
		if d := s.live[b.Name()]; fn == nil && d != nil && types.Identical(d.object.Type(), b.Type()) {
			fn = d.function // which the cell declares again further down
		}
		return fn != nil && s.functionOf(a) == fn
	case *types.TypeName:
		return s.byObject[a] == nil && s.byObject[b] == nil && types.Identical(a.Type(), b.Type())
	}
	d, e := s.byObject[a], s.byObject[b]
	if d == nil || e == nil {
		return d == e
	}
	return d.lowered != "" && d.lowered == e.lowered
}
