package shape

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// Erased reports the interfaces of the session: those with methods that no compiled package
// declares.
func Erased(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return !ok || state.IsSession(named.Obj())
}

// Native reports whether values of a type are at run time exactly what the Go compiler would have
// made: whether no type of the session, and no field that the interpreter renames, is part of it.
func (l *Shapes) Native(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Interface); ok {
		return true
	}
	return l.isNative(t, map[types.Type]bool{})
}

func (l *Shapes) isNative(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if state.IsSession(t.Obj()) {
			return false
		}
		return t.TypeArgs().Len() == 0
	case *types.Map:
		return l.isNative(t.Key(), seen) && l.isNative(t.Elem(), seen)
	case interface{ Elem() types.Type }:
		return l.isNative(t.Elem(), seen)
	case *types.Signature:
		return l.isNative(t.Params(), seen) && l.isNative(t.Results(), seen)
	case *types.Tuple:
		for i := range t.Len() {
			if !l.isNative(t.At(i).Type(), seen) {
				return false
			}
		}
		return true
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			if !f.Exported() || f.Embedded() || !l.isNative(f.Type(), seen) {
				return false
			}
		}
		return true
	case *types.Interface:
		return t.NumMethods() == 0 // others become the empty one
	}
	return true
}

// byAddress are the methods by which values encode, decode and show themselves.
var byAddress = []string{
	"MarshalJSON", "MarshalText", "IsZero", "UnmarshalJSON", "UnmarshalText",
	"MimeBundle", "HTML", "Markdown", "LaTeX", "SVG", "PNG", "JPEG",
}

// worksByAddress reports a session type that encodes, decodes or shows itself only where it has an
// address.
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

// Wrapped writes a value of a session type as one of a compiled interface.
func (l *Shapes) Wrapped(text string, from, to types.Type, pos token.Pos) string {
	base := from
	if p, ok := from.Underlying().(*types.Pointer); ok {
		base = p.Elem()
	}
	named, ok := types.Unalias(base).(*types.Named)
	_, unnamed := types.Unalias(base).(*types.Struct)
	if !unnamed && (!ok || !state.IsSession(named.Obj())) {
		l.Refuse(pos, fmt.Sprintf("a value of type %s as a %s: the interpreter has no way to wrap it", typed.Shown(from), typed.Shown(to)))
	}
	set := types.NewMethodSet(from)
	for _, name := range companions[RuntimeName(to)] {
		if set.Lookup(nil, name) != nil {
			l.Refuse(pos, fmt.Sprintf("a %s as a %s: compiled code would look for its method %s and not find it", typed.Shown(from), typed.Shown(to), name))
		}
	}
	if key := wrappedKey(l.S.TypeNumber(from)); !slices.Contains(strings.Fields(l.Sent.Made[key]), RuntimeName(to)) {
		l.Note(key, l.Sent.Made[key]+" "+RuntimeName(to))
	}
	iface := to.Underlying().(*types.Interface)
	for i := range iface.NumMethods() {
		m := iface.Method(i)
		if sel := set.Lookup(m.Pkg(), m.Name()); sel == nil || l.hidden(sel) {
			l.Refuse(pos, fmt.Sprintf("a %s as a %s: the interpreter cannot call its method %s", typed.Shown(from), typed.Shown(to), m.Name()))
		}
	}
	return fmt.Sprintf("func(x %s) %s { var v %s; %s.Wrap(%d, x, &v); return v }(%s)", l.Typ(from), l.Typ(to), l.Typ(to), Bridge, l.Describe(from), text)
}

// companions lists, for interfaces of compiled packages, the methods that these look for beyond the
// interface's own, and which the interpreter's wrapper does not have.
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
	"graph.Node":          {"DOTID", "SetDOTID", "Attributes", "SetAttribute", "Subgraph"},
	"graph.Edge":          parts,
	"graph.WeightedEdge":  parts,
	"graph.Line":          parts,
	"graph.WeightedLine":  parts,
	"graph.Graph":         graphs,
	"graph.Directed":      graphs,
	"graph.Undirected":    graphs,
	"graph.Multigraph":    graphs,
	"traverse.Graph":      graphs,
	"encoding.Builder":    graphs,
}

// companionsHad lists those that it has (kernel/internal/interpreted/companion.go), if the value
// has them when it is wrapped.
var companionsHad = map[string][]string{
	"io.Reader":    {"WriteTo"},
	"io.Writer":    {"ReadFrom", "WriteString"},
	"plot.Plotter": {"DataRange", "GlyphBoxes"},
}

// What gonum looks for in edges and in graphs.
var (
	parts  = []string{"Attributes", "SetAttribute", "FromPort", "ToPort", "SetFromPort", "SetToPort"}
	graphs = []string{"DOTID", "SetDOTID", "DOTAttributers", "DOTAttributeSetters", "Structure", "Weight"}
)
