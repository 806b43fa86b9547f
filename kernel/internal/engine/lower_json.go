package engine

import (
	"go/ast"
	"go/types"
)

// encoded writes json.Marshal and json.MarshalIndent of what holds, or may
// hold, values of session types, and json.Unmarshal into such: the bridge shows
// encoding/json what it needs of these.
func (b *body) encoded(e *ast.CallExpr, obj *types.Func, sig *types.Signature) (string, bool) {
	switch obj.FullName() {
	case "encoding/json.Marshal", "encoding/json.MarshalIndent":
		if len(e.Args) > 0 && b.encodes(e.Args[0]) {
			return b.apply(e, bridge+"."+obj.Name(), nil, sig, nil), true
		}
	case "encoding/json.Unmarshal":
		if len(e.Args) == 2 && (!b.l.native(b.info.TypeOf(e.Args[1])) || types.IsInterface(b.info.TypeOf(e.Args[1]))) {
			return b.apply(e, bridge+".Unmarshal", nil, sig, nil), true
		}
	}
	return "", false
}

// encodes reports whether what is to be encoded as JSON must be shown by the
// bridge.
func (b *body) encodes(e ast.Expr) bool {
	t := b.info.TypeOf(e)
	if t == nil || b.info.Types[e].IsNil() {
		return false
	}
	if b.l.native(t) {
		return holdsInterface(t, map[types.Type]bool{})
	}
	return !b.l.shapeOnly(t, map[types.Type]bool{})
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
