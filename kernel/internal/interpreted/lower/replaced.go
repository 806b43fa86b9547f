package lower

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/conversion"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// replaced writes calls that the bridge carries out instead of the function that the user names.
func (b *body) replaced(e *ast.CallExpr, obj *types.Func, sig *types.Signature) (string, bool) {
	if obj == nil {
		return "", false
	}
	if obj.Pkg() != nil && obj.Pkg().Path() == "errors" && obj.Name() == "As" && len(e.Args) == 2 {
		return b.errorsAs(e)
	}
	if text, ok := b.decoded(e, obj, sig); ok {
		return text, true
	}
	if names := check.ParameterNames(e, obj, b.Info); names != "" {
		return b.apply(e, b.l.Use(obj.Pkg())+"."+check.InteractLabelled, []string{"[]string{" + names + "}"}, sig, obj), true
	}
	if _, ok := conversion.FormatParameter(obj); ok {
		return b.formatted(e, b.l.Use(obj.Pkg())+"."+obj.Name(), obj, sig)
	}
	return "", false
}

// errorsAs writes errors.As for a target of a session type.
func (b *body) errorsAs(e *ast.CallExpr) (string, bool) {
	p, ok := b.TypeOf(e.Args[1]).(*types.Pointer)
	if !ok || b.l.Native(p.Elem()) && (!types.IsInterface(p.Elem()) || typed.IsError(p.Elem())) {
		return "", false
	}
	names, texts, samples := "nil", "nil", "nil"
	if i, ok := p.Elem().Underlying().(*types.Interface); ok {
		if i.NumMethods() == 0 {
			return "", false
		}
		if shape.Erased(p.Elem()) {
			names, texts, samples = b.l.MethodLists(i)
		}
	}
	return fmt.Sprintf("%s.ErrorsAs(%s, %d, %d, %s, %s, %s, %s)", shape.Bridge, b.to(e.Args[0], types.Universe.Lookup("error").Type()),
		b.l.Describe(p.Elem()), b.l.Describe(types.NewPointer(p.Elem())), b.expr(e.Args[1]), names, texts, samples), true
}

// replacedMethod is replaced for methods of compiled types.
func (b *body) replacedMethod(e *ast.CallExpr, sel *ast.SelectorExpr, s *types.Selection, recv string, sig *types.Signature, m *types.Func) (string, bool) {
	function, ok := conversion.Replacement(m)
	if !ok {
		if m.FullName() == "(*encoding/json.Decoder).Decode" && len(e.Args) == 1 && b.decodes(e.Args[0]) {
			return b.apply(e, shape.Bridge+".Decode", []string{recv}, sig, nil), true
		}
		return "", false
	}
	index := s.Index()
	_, holder, _ := b.l.EmbeddedPath(b.Info.TypeOf(sel.X), index[:len(index)-1])
	if _, pointer := holder.Underlying().(*types.Pointer); !pointer && !types.IsInterface(holder) {
		recv = "&" + recv
	}
	return b.apply(e, function, []string{recv}, sig, m), true
}

// waiting writes the call of a method that may wait without end, so that it ends with the cell: the
// method's value is evaluated, as Go does, before the arguments are.
func (b *body) waiting(e *ast.CallExpr, sel *ast.SelectorExpr, s *types.Selection, recv string, sig *types.Signature, m *types.Func) (string, bool) {
	name := m.FullName()
	goesOn, ok := check.Blocking[name]
	if !ok {
		return "", false
	}
	if !goesOn {
		name = ""
	}
	f := shape.Bridge + ".Waits(\"" + name + "\", " + recv + "." + m.Name() + ").(func" + b.l.Signature(sig, false) + ")"
	return b.apply(e, f, nil, sig, m), true
}

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
