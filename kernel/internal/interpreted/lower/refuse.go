package lower

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/conversion"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
)

// elsewhere is what asks for something that the interpreter has another answer to, by packages, and
// why.
var elsewhere = []struct {
	objects map[string]string
	why     string
}{
	{map[string]string{
		"runtime": "Caller Callers CallersFrames FuncForPC Stack", "runtime/debug": "Stack PrintStack",
		"log": "Lshortfile Llongfile", "log/slog": "AddSource",
	}, "the interpreter would show calls and lines of its own instead of those of the cell"},
	{map[string]string{"testing": "AllocsPerRun", "runtime": "ReadMemStats"}, "the interpreter allocates for itself, too"},
	{map[string]string{"runtime": "SetFinalizer"}, "the interpreter keeps what variables pointed to, and the finalizer might never run"},
}

// refuseNames refuses the first of the names in a text that asks for such a thing, or for a method
// with type parameters of its own.
func (l *lowering) refuseNames(names []*ast.Ident, info *types.Info) {
	slices.SortFunc(names, func(a, b *ast.Ident) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for _, id := range names {
		obj := info.Uses[id]
		if obj == nil {
			obj = info.Defs[id]
		}
		f, isFunc := obj.(*types.Func)
		if isFunc && f.Signature().Recv() != nil {
			if f.Origin().Signature().TypeParams() != nil {
				l.Refuse(id.Pos(), "the interpreter has no methods with type parameters, such as "+id.Name)
			}
			continue
		}
		if obj == nil || obj.Pkg() == nil {
			continue
		}
		for _, e := range elsewhere {
			if slices.Contains(strings.Fields(e.objects[obj.Pkg().Path()]), obj.Name()) {
				l.Refuse(id.Pos(), obj.Pkg().Name()+"."+obj.Name()+": "+e.why)
			}
		}
	}
}

// refuseOldLoops refuses a loop of a program in a version of Go in which all rounds share what a
// loop declares.
func (l *lowering) refuseOldLoops(of ast.Node, goVersion string) {
	if goVersion == "" || version.Compare(goVersion, "go1.22") >= 0 {
		return
	}
	ast.Inspect(of, func(n ast.Node) bool {
		declares := false
		switch n := n.(type) {
		case *ast.ForStmt:
			init, ok := n.Init.(*ast.AssignStmt)
			declares = ok && init.Tok == token.DEFINE
		case *ast.RangeStmt:
			declares = n.Tok == token.DEFINE
		}
		if declares {
			l.Refuse(n.Pos(), "the variables of a loop are those of all its rounds in "+goVersion+", which //go:build asks for: the interpreter has only the loops of newer versions")
		}
		return true
	})
}

// refuseCompiled refuses a function of an earlier cell for what that cell would have been refused
// for: it may have been compiled then.
func (l *lowering) refuseCompiled(fn *state.Function) {
	of := fn
	if fn.Origin != nil {
		of = fn.Origin
	}
	if of.Written == nil || of.Cell == l.K.Source.Cell.Number {
		return
	}
	var names []*ast.Ident
	ast.Inspect(of.Written, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names = append(names, id)
		}
		return true
	})
	l.refuseNames(names, of.Info)
	l.refuseOldLoops(of.Written, of.GoVersion)
}

// comparison writes == or !=.
func (b *body) comparison(e *ast.BinaryExpr) string {
	xt, yt := b.Info.TypeOf(e.X), b.Info.TypeOf(e.Y)
	x, y := "", ""
	switch {
	case b.Info.Types[e.X].IsNil() || b.Info.Types[e.Y].IsNil():
		x, y = b.expr(e.X), b.expr(e.Y)
	case types.IsInterface(xt) && !types.IsInterface(yt):
		x, y = conversion.Unwrapped(b.expr(e.X), xt), conversion.Unwrapped(b.inInterface(e.Y, xt), xt)
	case types.IsInterface(yt) && !types.IsInterface(xt):
		x, y = conversion.Unwrapped(b.inInterface(e.X, yt), yt), conversion.Unwrapped(b.expr(e.Y), yt)
	default:
		x, y = conversion.Unwrapped(b.operandLike(e.X, e.Y), xt), conversion.Unwrapped(b.operandLike(e.Y, e.X), yt)
		switch conversion.CommonType(b.Info.Types[e.X], b.Info.Types[e.Y]) {
		case xt:
			y = b.l.Parenthesized(xt) + "(" + y + ")"
		case yt:
			x = b.l.Parenthesized(yt) + "(" + x + ")"
		}
	}
	return x + " " + e.Op.String() + " " + y
}

// inInterface writes an operand that is compared with one of interface type.
func (b *body) inInterface(e ast.Expr, t types.Type) string {
	text, from := b.to(e, t), b.Info.TypeOf(e)
	if types.IsInterface(from) || b.Info.Types[e].IsNil() {
		return text
	}
	return b.l.Compared(text, from, t)
}

func (b *body) operandLike(e, other ast.Expr) string {
	if b.Info.Types[other].Value == nil {
		return b.like(e)
	}
	return b.expr(e)
}

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

// panicValue writes the value of a panic. What may be nil becomes what a panic with nil is.
func (b *body) panicValue(e ast.Expr) string {
	text := b.to(e, types.Universe.Lookup("any").Type())
	if types.IsInterface(b.Info.TypeOf(e)) || b.Info.Types[e].IsNil() {
		return shape.Bridge + ".PanicValue(" + text + ")"
	}
	return text
}

// printed writes an operand of print or println.
func (b *body) printed(e ast.Expr) string {
	text := b.to(e, types.Universe.Lookup("any").Type())
	if types.IsInterface(b.Info.TypeOf(e)) {
		return shape.Bridge + ".Words(" + text + ")"
	}
	return text
}
