package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check"
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
	b.l.encodable(t, e.Pos())
	return true
}

// encodable refuses a session type whose values encoding/json would not encode and decode as those
// of a compiled program.
func (l *lowering) encodable(t types.Type, pos token.Pos) {
	if !l.shapeOnly(t, map[types.Type]bool{}) {
		l.Refuse(pos, fmt.Sprintf("json of a type of the session needs compiled cells: in %s there are methods that encode it, embedded structs or interfaces with methods", check.Shown(t)))
	}
}

// holdsInterface reports whether values of a type have interfaces in them, in which there may be
// values of session types.
func holdsInterface(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Pointer:
		return holdsInterface(u.Elem(), seen)
	case *types.Slice:
		return holdsInterface(u.Elem(), seen)
	case *types.Array:
		return holdsInterface(u.Elem(), seen)
	case *types.Map:
		return holdsInterface(u.Key(), seen) || holdsInterface(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if holdsInterface(u.Field(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}
