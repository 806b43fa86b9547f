package shape

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
)

// wrapped writes a value of a session type as one of a compiled interface.
func (l *Shapes) Wrapped(text string, from, to types.Type, pos token.Pos) string {
	base := from
	if p, ok := from.Underlying().(*types.Pointer); ok {
		base = p.Elem()
	}
	named, ok := types.Unalias(base).(*types.Named)
	if !ok || !state.IsSession(named.Obj()) {
		l.Refuse(pos, fmt.Sprintf("a value of type %s as a %s: the interpreter has no way to wrap it", check.Shown(from), check.Shown(to)))
	}
	set := types.NewMethodSet(from)
	for _, name := range companions[RuntimeName(to)] {
		if set.Lookup(named.Obj().Pkg(), name) != nil {
			l.Refuse(pos, fmt.Sprintf("a %s as a %s: compiled code would look for its method %s and not find it", check.Shown(from), check.Shown(to), name))
		}
	}
	iface := to.Underlying().(*types.Interface)
	for i := range iface.NumMethods() {
		m := iface.Method(i)
		if sel := set.Lookup(m.Pkg(), m.Name()); sel == nil || l.hidden(sel) {
			l.Refuse(pos, fmt.Sprintf("a %s as a %s: the interpreter cannot call its method %s", check.Shown(from), check.Shown(to), m.Name()))
		}
	}
	return fmt.Sprintf("func(x %s) %s { var v %s; %s.Wrap(%d, x, &v); return v }(%s)", l.Typ(from), l.Typ(to), l.Typ(to), Bridge, l.Describe(from), text)
}

// companions lists, for interfaces of compiled packages, the methods that
// these look for beyond the interface's own, and which the interpreter's wrapper
// does not have.
var companions = map[string][]string{
	"io.ReadCloser":       {"WriteTo"},
	"io.WriteCloser":      {"ReadFrom", "WriteString"},
	"mat.Matrix":          {"RawMatrix", "RawSymmetric", "RawTriangular", "RawVector", "RawBand", "SymmetricDim", "Triangle", "AtVec", "Len", "TTri", "Bandwidth", "Untranspose"},
	"http.ResponseWriter": {"Flush", "Hijack", "ReadFrom", "Unwrap"},
	"http.Handler":        {},
	"fs.FS":               {"ReadFile", "ReadDir", "Stat", "Glob", "Sub", "ReadLink"},
	"fs.File":             {"ReadDir", "Seek", "ReadAt"},
	"flag.Value":          {"IsBoolFlag", "Get"},
	"slog.Handler":        {},
}
