package engine

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// enterInterface decides about a value of a session type that becomes an
// interface. Interfaces with methods get a type that has them; an empty one
// would lose the type, and is refused.
func (l *lowering) enterInterface(from, to types.Type, pos token.Pos) {
	iface := to.Underlying().(*types.Interface)
	base := from
	if p, ok := from.Underlying().(*types.Pointer); ok {
		base = p.Elem()
	}
	named, ok := types.Unalias(base).(*types.Named)
	if iface.NumMethods() == 0 || !ok || !isSession(named.Obj()) {
		l.refuse(pos, fmt.Sprintf("a value of type %s in a value of type %s: the interpreter would lose what type it is", shown(from), shown(to)))
	}
	for i := range iface.NumMethods() {
		m := iface.Method(i)
		obj, index, _ := types.LookupFieldOrMethod(from, true, m.Pkg(), m.Name())
		method, ok := obj.(*types.Func)
		if !ok {
			l.refuse(pos, fmt.Sprintf("%s has no method %s", shown(from), m.Name()))
		}
		l.thunk(named, m.Name(), method, index)
	}
}

// identity decides about a question for the type of what an interface holds.
func (b *body) identity(pos token.Pos, from, to types.Type) {
	if !b.l.native(to) {
		b.l.refuse(pos, fmt.Sprintf("asking a value of type %s whether it is a %s: the interpreter would not tell types with the same fields apart", shown(from), shown(to)))
	}
}

func (b *body) assertion(e *ast.TypeAssertExpr) string {
	t := b.info.TypeOf(e.Type)
	b.identity(e.Pos(), b.info.TypeOf(e.X), t)
	return b.operand(e.X) + ".(" + b.l.typ(t) + ")"
}

// comparison writes == or !=.
func (b *body) comparison(e *ast.BinaryExpr) string {
	xt, yt := b.info.TypeOf(e.X), b.info.TypeOf(e.Y)
	x, y := "", ""
	switch {
	case b.info.Types[e.X].IsNil() || b.info.Types[e.Y].IsNil():
		x, y = b.expr(e.X), b.expr(e.Y)
	case types.IsInterface(xt) && !types.IsInterface(yt):
		b.comparable(e.X, xt)
		x, y = b.expr(e.X), b.to(e.Y, xt)
	case types.IsInterface(yt) && !types.IsInterface(xt):
		b.comparable(e.Y, yt)
		x, y = b.to(e.X, yt), b.expr(e.Y)
	default:
		b.comparable(e.X, xt)
		b.comparable(e.Y, yt)
		x, y = b.operandLike(e.X, e.Y), b.operandLike(e.Y, e.X)
	}
	return x + " " + e.Op.String() + " " + y
}

func (b *body) operandLike(e, other ast.Expr) string {
	if b.info.Types[other].Value == nil {
		return b.like(e)
	}
	return b.expr(e)
}

// comparable decides about an operand of a comparison.
func (b *body) comparable(e ast.Expr, t types.Type) {
	if i, ok := t.Underlying().(*types.Interface); ok && i.NumMethods() > 0 && !b.info.Types[e].IsNil() {
		if named, ok := types.Unalias(t).(*types.Named); !ok || isSession(named.Obj()) {
			b.l.refuse(e.Pos(), fmt.Sprintf("comparing values of type %s: the interpreter would find equal ones different", shown(t)))
		}
	}
}

// prints reports the functions that print their arguments with fmt's verbs.
func prints(obj *types.Func) bool {
	if obj.Pkg() == nil {
		return false
	}
	switch obj.Pkg().Path() {
	case "fmt":
		switch obj.Name() {
		case "Print", "Println", "Printf", "Sprint", "Sprintln", "Sprintf", "Fprint", "Fprintln", "Fprintf", "Errorf", "Append", "Appendf", "Appendln":
			return true
		}
	case "log":
		switch obj.Name() {
		case "Print", "Println", "Printf", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln":
			return true
		}
	}
	return false
}

// replaced writes calls that the bridge carries out instead of the function
// that the user names.
func (b *body) replaced(e *ast.CallExpr, obj *types.Func, sig *types.Signature) (string, bool) {
	if obj == nil {
		return "", false
	}
	if i, ok := formatParameter(obj); ok && !e.Ellipsis.IsValid() && i < len(e.Args) {
		return b.formatted(e, obj, sig, i)
	}
	return "", false
}

// formatParameter returns which parameter of a printing function is its
// format.
func formatParameter(obj *types.Func) (int, bool) {
	if !prints(obj) || !strings.HasSuffix(obj.Name(), "f") {
		return 0, false
	}
	if obj.Name() == "Fprintf" || obj.Name() == "Appendf" {
		return 1, true
	}
	return 0, true
}

// formatted writes a call with a format in which %T or %p is given a value of
// a session type: no method of a value is asked for these verbs.
func (b *body) formatted(e *ast.CallExpr, obj *types.Func, sig *types.Signature, at int) (string, bool) {
	session := false
	for _, a := range e.Args[at+1:] {
		if t := b.info.TypeOf(a); t != nil && !b.l.native(t) {
			session = true
		}
	}
	if !session {
		return "", false
	}
	format := b.info.Types[e.Args[at]].Value
	if format == nil || format.Kind() != constant.String {
		b.l.refuse(e.Args[at].Pos(), "a format that is not a constant, with values of session types: the interpreter could not print %T")
	}
	text := constant.StringVal(format)
	if !strings.ContainsAny(text, "Tp") {
		return "", false
	}
	var out strings.Builder
	arg := at + 1
	replacedArgs := map[int]string{}
	for i := 0; i < len(text); i++ {
		out.WriteByte(text[i])
		if text[i] != '%' {
			continue
		}
		i++
		for i < len(text) && strings.IndexByte("+-# 0123456789.", text[i]) >= 0 {
			out.WriteByte(text[i])
			i++
		}
		if i >= len(text) {
			break
		}
		switch verb := text[i]; verb {
		case '%':
			out.WriteByte(verb)
			continue
		case '[', '*':
			b.l.refuse(e.Args[at].Pos(), "a format with * or [n], and values of session types: the interpreter could not print %T")
		case 'T', 'p':
			if arg < len(e.Args) {
				t := b.info.TypeOf(e.Args[arg])
				switch {
				case t != nil && !types.IsInterface(t) && !b.l.native(t) && verb == 'T':
					replacedArgs[arg] = strconv.Quote(types.TypeString(t, func(p *types.Package) string { return p.Name() }))
					out.WriteByte('s')
					arg++
					continue
				case t != nil && !b.l.native(t) && verb == 'p':
					b.l.refuse(e.Args[arg].Pos(), "%p of a value of a session type")
				}
			}
			out.WriteByte(verb)
			arg++
		default:
			out.WriteByte(verb)
			arg++
		}
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		switch {
		case i == at:
			args[i] = strconv.Quote(out.String())
		case replacedArgs[i] != "":
			args[i] = replacedArgs[i]
		default:
			args[i] = b.argument(a, parameter(sig, i, false), obj)
		}
	}
	return b.operandOf(ast.Unparen(e.Fun)) + "(" + strings.Join(args, ", ") + ")", true
}

// replacedMethod is replaced for methods of compiled types.
func (b *body) replacedMethod(e *ast.CallExpr, recv string, m *types.Func, sig *types.Signature) (string, bool) {
	return "", false
}

func (b *body) panicValue(e ast.Expr) string {
	t := b.info.TypeOf(e)
	if b.info.Types[e].Value == nil && !types.IsInterface(t) && !b.l.native(t) {
		return b.l.carried(b.expr(e), t, e.Pos())
	}
	return b.to(e, types.Universe.Lookup("any").Type())
}

func (b *body) printed(e ast.Expr) string {
	t := b.info.TypeOf(e)
	if b.info.Types[e].Value == nil && !types.IsInterface(t) && !b.l.native(t) {
		return b.l.carried(b.expr(e), t, e.Pos())
	}
	return b.to(e, types.Universe.Lookup("any").Type())
}
