package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
)

// A treatment says how a compiled function takes a value of a session type as an empty interface.
// At run time the value has neither its type's name, nor its methods, nor the names of its fields;
// its carrier has them, for those who ask in one of the ways that it knows.
type treatment int

const (
	// asRefused is the default: the function would not find what it would find in a compiled
	// program. A value that is known to be of a session type is asRefused before the cell runs, one
	// that turns out to be when it gets there.
	asRefused treatment = iota
	// asPrinted: the function prints values with fmt's verbs. It gets a carrier, which prints
	// itself.
	asPrinted
	// asKept: the function keeps the value, and gives it back or hands it to functions of the
	// session, or shows it as the value of a cell is shown. It gets a carrier.
	asKept
	// asRaw: the function looks at the shape only. It gets the value as it is.
	asRaw
	// asEncoded: encoding/json, which looks at the shape, too, and which finds out about values in
	// interfaces from their carriers. json.go refuses the types whose shape does not suffice.
	asEncoded
)

// treatments says what is not refused: functions and methods by package and name, and the packages
// that only keep values.
var treatments = []struct {
	treatment treatment
	pkg       string
	names     string // all if empty
}{
	{asPrinted, "fmt", "Print Println Printf Sprint Sprintln Sprintf Fprint Fprintln Fprintf Errorf Append Appendf Appendln"},
	{asPrinted, "log", "Print Println Printf Fatal Fatalf Fatalln Panic Panicf Panicln"},
	{asKept, "container/heap", ""},
	{asKept, "container/list", ""},
	{asKept, "container/ring", ""},
	{asKept, "context", ""},
	{asKept, "errors", "As"}, // of compiled types; the bridge has one for the others
	{asKept, "runtime", "KeepAlive"},
	{asKept, "sync", ""},
	{asKept, "sync/atomic", ""},
	{asKept, "github.com/hierml/notebook/stdlib/nb", ""},
	{asRaw, "sort", "Slice SliceStable SliceIsSorted"},
	{asEncoded, "encoding/json", "Marshal MarshalIndent Unmarshal Encode Decode"},
}

// handed is the table by its names, packages with a period behind them.
var handed = func() map[string]treatment {
	m := map[string]treatment{}
	for _, e := range treatments {
		if e.names == "" {
			m[e.pkg+"."] = e.treatment
		}
		for _, name := range strings.Fields(e.names) {
			m[e.pkg+"."+name] = e.treatment
		}
	}
	return m
}()

// treatmentBy returns how a compiled function or method takes values.
func treatmentBy(obj *types.Func) treatment {
	if obj == nil || obj.Pkg() == nil {
		return asRefused
	}
	if t, ok := handed[obj.Pkg().Path()+"."+obj.Name()]; ok {
		return t
	}
	return handed[obj.Pkg().Path()+"."]
}

// prints reports the functions that print their arguments with fmt's verbs.
func prints(obj *types.Func) bool { return treatmentBy(obj) == asPrinted }

// raw reports whether a compiled function gets a value as it is.
func (l *lowering) raw(obj *types.Func, t types.Type) bool {
	switch treatmentBy(obj) {
	case asRaw:
		return true
	case asEncoded:
		return l.shapeOnly(t, map[types.Type]bool{})
	}
	return false
}

// handOver decides about an argument of a compiled function that becomes an empty interface.
func (b *body) handOver(from, to types.Type, obj *types.Func, pos token.Pos) {
	if treatmentBy(obj) != asRefused && treatmentBy(obj) != asEncoded || obj.Pkg() == nil || b.l.raw(obj, from) {
		return
	}
	if check.IsEmptyInterface(to) && !types.IsInterface(from) && !b.l.Native(from) {
		if treatmentBy(obj) == asEncoded {
			b.l.encodable(from, pos)
		}
		b.l.Refuse(pos, fmt.Sprintf("a value of type %s given to %s: compiled code would not find its type, its methods and the names of its fields", check.Shown(from), shownFunc(obj)))
	}
}

// looked writes an argument of a compiled function that looks into what it is given: no value of a
// session type must be in it.
func looked(text string, from, to types.Type, obj *types.Func) string {
	if treatmentBy(obj) != asRefused || obj.Pkg() == nil || !takesAny(to) || !holdsInterface(from, map[types.Type]bool{}) {
		return text
	}
	if check.IsEmptyInterface(to) {
		return fmt.Sprintf("%s.Plain(%q, %s)", shape.Bridge, shownFunc(obj), text)
	}
	return fmt.Sprintf("%s.PlainList(%q, %s)", shape.Bridge, shownFunc(obj), text)
}

// takesAny reports the types of parameters through which values get as empty interfaces: these, and
// lists of them.
func takesAny(t types.Type) bool {
	if s, ok := t.(*types.Slice); ok {
		t = s.Elem()
	}
	return check.IsEmptyInterface(t)
}

// valueOf writes a compiled function as a value: what it will be given is not known here.
func (b *body) valueOf(text string, obj *types.Func, pos token.Pos) string {
	sig := obj.Signature()
	if at, ok := formatParameter(obj); ok {
		return "func" + b.l.Signature(sig, true) + " { " + shape.Returning(sig, b.l.formatter(obj, sig, at)+"("+text+", "+shape.Forwarded(sig)+")") + " }"
	}
	switch treatmentBy(obj) {
	case asRefused, asRaw, asEncoded:
		for p := range sig.Params().Variables() {
			if takesAny(p.Type()) {
				b.l.Refuse(pos, fmt.Sprintf("%s as a value: it could be given values of types of this session, and would not find what they are", shownFunc(obj)))
			}
		}
	}
	return text
}

func shownFunc(obj *types.Func) string { return obj.Pkg().Name() + "." + obj.Name() }

// spaces reports the functions that print blanks between operands which are not strings.
func spaces(obj *types.Func) bool {
	if !prints(obj) {
		return false
	}
	switch obj.Name() {
	case "Print", "Sprint", "Fprint", "Append", "Fatal", "Panic":
		return true
	}
	return false
}

// argument writes an argument of a call. obj is the compiled function that is called, nil for
// others.
func (b *body) argument(e ast.Expr, t types.Type, obj *types.Func) string {
	if obj != nil && state.IsSession(obj) {
		if fn := b.l.S.Funcs[obj.Origin()]; fn != nil && fn.Bridge != "" {
			return b.expr(e)
		}
	}
	if obj == nil || state.IsSession(obj) || b.Info.Types[e].IsNil() {
		return b.to(e, t)
	}
	from := types.Default(b.Info.TypeOf(e))
	b.handOver(from, t, obj, e.Pos())
	if check.IsEmptyInterface(t) && !types.IsInterface(from) && b.l.raw(obj, from) {
		return b.expr(e)
	}
	text := b.to(e, t)
	if !spaces(obj) {
		return looked(text, from, t, obj)
	}
	// Between operands that are strings fmt prints no blank.
	switch list, ok := t.Underlying().(*types.Slice); {
	case check.IsEmptyInterface(t) && check.IsString(from) && !b.l.Native(from):
		return shape.Bridge + ".Text(" + text + ")"
	case check.IsEmptyInterface(t) && types.IsInterface(from):
		return shape.Bridge + ".Operand(" + text + ")"
	case ok && check.IsEmptyInterface(list.Elem()): // f(list...)
		return shape.Bridge + ".Operands(" + text + ")"
	}
	return text
}

// argumentText is argument for a value that is in a variable.
func (b *body) argumentText(text string, from, to types.Type, obj *types.Func, pos token.Pos) string {
	if obj == nil || state.IsSession(obj) {
		return b.convert(text, from, to, pos)
	}
	b.handOver(from, to, obj, pos)
	if check.IsEmptyInterface(to) && !types.IsInterface(from) && b.l.raw(obj, from) {
		return text
	}
	text = looked(b.convert(text, from, to, pos), from, to, obj)
	if spaces(obj) && check.IsEmptyInterface(to) && (types.IsInterface(from) || check.IsString(from) && !b.l.Native(from)) {
		return shape.Bridge + ".Operand(" + text + ")"
	}
	return text
}
