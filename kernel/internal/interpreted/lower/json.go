package lower

import (
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// decoded writes json.Unmarshal into what is, or may be, of a session type: the bridge names these
// types in its errors.
func (b *body) decoded(e *ast.CallExpr, obj *types.Func, sig *types.Signature) (string, bool) {
	if obj.FullName() != "encoding/json.Unmarshal" || len(e.Args) != 2 || !b.decodes(e.Args[1]) {
		return "", false
	}
	return b.apply(e, shape.Bridge+".Unmarshal", nil, sig, nil), true
}

// decodes reports a target of decoding that is, or may be, of a session type.
func (b *body) decodes(e ast.Expr) bool {
	t := b.Info.TypeOf(e)
	if b.l.Native(t) {
		return types.IsInterface(t)
	}
	b.l.Encodable(t, e.Pos())
	if b.literal > 0 {
		b.l.Encodes(t)
	}
	return true
}
