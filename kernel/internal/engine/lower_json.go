package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// decoded writes json.Unmarshal into what is, or may be, of a session type: the
// bridge names these types in its errors.
func (b *body) decoded(e *ast.CallExpr, obj *types.Func, sig *types.Signature) (string, bool) {
	if obj.FullName() != "encoding/json.Unmarshal" || len(e.Args) != 2 || !b.decodes(e.Args[1]) {
		return "", false
	}
	return b.apply(e, bridge+".Unmarshal", nil, sig, nil), true
}

// decodes reports a target of decoding that is, or may be, of a session type.
func (b *body) decodes(e ast.Expr) bool {
	t := b.info.TypeOf(e)
	if b.l.native(t) {
		return types.IsInterface(t)
	}
	b.l.encodable(t, e.Pos())
	return true
}

// encodable refuses a session type whose values encoding/json would not encode
// and decode as those of a compiled program.
func (l *lowering) encodable(t types.Type, pos token.Pos) {
	if !l.shapeOnly(t, map[types.Type]bool{}) {
		l.refuse(pos, fmt.Sprintf("json of a type of the session needs compiled cells: in %s there are methods that encode it, embedded structs or interfaces with methods", shown(t)))
	}
}

// byAddress are the methods by which values encode, decode and show themselves.
var byAddress = []string{
	"MarshalJSON", "MarshalText", "IsZero", "UnmarshalJSON", "UnmarshalText",
	"MimeBundle", "HTML", "Markdown", "LaTeX", "SVG", "PNG", "JPEG",
}

// worksByAddress reports a session type that encodes, decodes or shows itself only
// where it has an address.
func worksByAddress(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(named) {
		return false
	}
	values, pointers := types.NewMethodSet(named), types.NewMethodSet(types.NewPointer(named))
	for _, name := range byAddress {
		if pointers.Lookup(nil, name) != nil && values.Lookup(nil, name) == nil {
			return true
		}
	}
	return false
}

// holdsInterface reports whether values of a type have interfaces in them, in
// which there may be values of session types.
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
