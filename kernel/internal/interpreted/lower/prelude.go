package lower

import (
	"go/ast"
	"go/types"
)

// compiledGeneric writes an instance of a generic function of a compiled
// package.
func (b *body) compiledGeneric(id *ast.Ident, obj *types.Func) string {
	fn := b.l.PreludeOf(obj.Pkg()).Funcs[obj.Name()]
	if fn == nil {
		b.l.NoStandIn(obj, id.Pos())
	}
	b.l.Pos = id.Pos()
	return b.callee(b.l.Instance(fn, obj, b.Info.Instances[id].TypeArgs))
}
