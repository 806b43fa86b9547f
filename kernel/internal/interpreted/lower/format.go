package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// formatted writes a call of f, a function with a format, if there may be verbs in it that fmt
// answers without asking the operand, which may be a carrier: then the bridge looks at format and
// operands first.
func (b *body) formatted(e *ast.CallExpr, f string, obj *types.Func, sig *types.Signature) (string, bool) {
	at, ok := shape.FormatParameter(obj)
	if !ok || !b.asksType(e, obj, at) {
		return "", false
	}
	return b.apply(e, b.l.formatter(obj, sig, at), []string{f}, sig, obj), true
}

// asksType reports whether a call prints a value that may be of a session type with a verb that
// asks for its type.
func (b *body) asksType(e *ast.CallExpr, obj *types.Func, at int) bool {
	if len(e.Args) <= at || e.Ellipsis.IsValid() {
		return true
	}
	if _, ok := b.Info.TypeOf(e.Args[0]).(*types.Tuple); ok {
		return true
	}
	carriers := false
	for _, a := range e.Args[at+1:] {
		if t := b.Info.TypeOf(a); t != nil && (types.IsInterface(t) || !b.l.Native(t)) {
			carriers = true
		}
	}
	format := b.Info.Types[e.Args[at]].Value
	if !carriers || format == nil || format.Kind() != constant.String {
		return carriers
	}
	text, verbs := constant.StringVal(format), 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		i++
		for i < len(text) && strings.IndexByte("+-# 0123456789.", text[i]) >= 0 {
			i++
		}
		if i < len(text) && text[i] == '%' {
			continue
		}
		if i >= len(text) || strings.IndexByte("[*Tp", text[i]) >= 0 {
			return true
		}
		verbs++
		if text[i] == 'w' && (obj.Name() != "Errorf" || at+verbs >= len(e.Args) || !typed.IsError(b.Info.TypeOf(e.Args[at+verbs]))) {
			return true
		}
	}
	return verbs != len(e.Args)-at-1
}

// formatter returns the function that calls another one with the format and the operands that the
// bridge makes of those given.
func (l *lowering) formatter(obj *types.Func, sig *types.Signature, at int) string {
	key := fmt.Sprintf("format %s %v", l.Signature(sig, false), obj.Name() == "Errorf")
	if name, ok := l.S.Instances[key]; ok {
		return name
	}
	name := fmt.Sprintf("format__c%d", l.S.Unique())
	l.S.Instances[key] = name
	l.Later(func() { delete(l.S.Instances, key) })
	last := sig.Params().Len() - 1
	verbs := fmt.Sprintf("p%d, p%d = %s.Verbs(%v, p%d, p%d); ", at, last, shape.Bridge, obj.Name() == "Errorf", at, last)
	l.Funcs = append(l.Funcs, fmt.Sprintf("func %s(f func%s, %s { %s%s }", name, l.Signature(sig, false),
		strings.TrimPrefix(l.Signature(sig, true), "("), verbs, shape.Returning(sig, "f("+shape.Forwarded(sig)+")")))
	return name
}
