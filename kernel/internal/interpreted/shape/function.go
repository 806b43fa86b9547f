package shape

import (
	"fmt"
	"go/types"
)

// CopyFunc returns a function that returns what it is given, for values of a type.
func (l *Shapes) CopyFunc(t types.Type) string {
	typ := l.Typ(t)
	return l.TypedFunc("copy", typ, func(name string) string {
		return fmt.Sprintf("func %s(v %s) %s { return v }", name, typ, typ)
	})
}

// MinMaxFunc returns a function that is min or max for two values of a type.
func (l *Shapes) MinMaxFunc(name string, t types.Type) string {
	typ := l.Typ(t)
	op := map[string]string{"min": "<", "max": ">"}[name]
	return l.TypedFunc(name, typ, func(f string) string {
		return fmt.Sprintf("func %s(a, b %s) %s { if a %s b { return a }; return b }", f, typ, typ, op)
	})
}

// TypedFunc returns a function that is declared once for a type.
func (l *Shapes) TypedFunc(name, typ string, declare func(name string) string) string {
	key := name + " " + typ
	if f, ok := l.Sent.Made[key]; ok {
		return f
	}
	f := fmt.Sprintf("%s__t%d", name, l.S.Unique())
	l.Note(key, f)
	l.Funcs = append(l.Funcs, declare(f))
	return f
}
