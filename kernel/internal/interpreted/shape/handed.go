package shape

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// A Treatment says how a compiled function takes a value of a session type as an empty interface.
// At run time the value has neither its type's name, nor its methods, nor the names of its fields;
// its carrier has them, for those who ask in one of the ways that it knows.
type Treatment int

const (
	// AsRefused is the default: the function would not find what it would find in a compiled
	// program. A value that is known to be of a session type is AsRefused before the cell runs, one
	// that turns out to be when it gets there.
	AsRefused Treatment = iota
	// AsPrinted: the function prints values with fmt's verbs. It gets a carrier, which prints
	// itself.
	AsPrinted
	// AsKept: the function keeps the value, and gives it back or hands it to functions of the
	// session, or shows it as the value of a cell is shown. It gets a carrier.
	AsKept
	// AsRaw: the function looks at the shape only. It gets the value as it is.
	AsRaw
	// AsEncoded: encoding/json, which looks at the shape, too, and which finds out about values in
	// interfaces from their carriers. Encodable refuses the types whose shape does not suffice.
	AsEncoded
)

// treatments says what is not refused: functions and methods by package and name, and the packages
// that only keep values.
var treatments = []struct {
	treatment Treatment
	pkg       string
	names     string // all if empty
}{
	{AsPrinted, "fmt", "Print Println Printf Sprint Sprintln Sprintf Fprint Fprintln Fprintf Errorf Append Appendf Appendln"},
	{AsPrinted, "log", "Print Println Printf Fatal Fatalf Fatalln Panic Panicf Panicln"},
	{AsKept, "container/heap", ""},
	{AsKept, "container/list", ""},
	{AsKept, "container/ring", ""},
	{AsKept, "context", ""},
	{AsKept, "errors", "As"}, // of compiled types; the bridge has one for the others
	{AsKept, "runtime", "KeepAlive"},
	{AsKept, "sync", ""},
	{AsKept, "sync/atomic", ""},
	{AsKept, "github.com/hierml/notebook/stdlib/magic", "Stop"},
	{AsKept, "github.com/hierml/notebook/stdlib/nb", ""},
	{AsRaw, "sort", "Slice SliceStable SliceIsSorted"},
	{AsEncoded, "encoding/json", "Marshal MarshalIndent Unmarshal Encode Decode"},
	{AsEncoded, "github.com/hierml/notebook/stdlib/cache", "Keep"},
}

// handed is the table by its names, packages with a period behind them.
var handed = func() map[string]Treatment {
	m := map[string]Treatment{}
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

// TreatmentBy returns how a compiled function or method takes values.
func TreatmentBy(obj *types.Func) Treatment {
	if obj == nil || obj.Pkg() == nil {
		return AsRefused
	}
	if t, ok := handed[obj.Pkg().Path()+"."+obj.Name()]; ok {
		return t
	}
	return handed[obj.Pkg().Path()+"."]
}

// Prints reports the functions that print their arguments with fmt's verbs.
func Prints(obj *types.Func) bool { return TreatmentBy(obj) == AsPrinted }

// TakesAsIs reports whether a compiled function gets a value as it is.
func (l *Shapes) TakesAsIs(obj *types.Func, t types.Type) bool {
	switch TreatmentBy(obj) {
	case AsRaw:
		return true
	case AsEncoded:
		return l.shapeOnly(t, map[types.Type]bool{})
	}
	return false
}

// Encodes notes that a function literal, which cannot be written again, gives values of a type to
// encoding/json as they are.
func (l *Shapes) Encodes(t types.Type) { l.note(encodedKey(l.S.Identities.Of(t)), "by a literal") }

// shapeOnly reports whether all that encoding/json looks at in values of a type is there at run
// time: there must be neither embedded structs nor types that encode themselves.
func (l *Shapes) shapeOnly(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if !state.IsSession(named.Obj()) {
			return true
		}
		set := types.NewMethodSet(types.NewPointer(named))
		for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"} {
			if set.Lookup(nil, name) != nil {
				return false
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if u.Field(i).Embedded() || u.Field(i).Exported() && !l.shapeOnly(u.Field(i).Type(), seen) {
				return false
			}
		}
	case *types.Pointer:
		return l.shapeOnly(u.Elem(), seen)
	case *types.Slice:
		return l.shapeOnly(u.Elem(), seen)
	case *types.Array:
		return l.shapeOnly(u.Elem(), seen)
	case *types.Map:
		return l.shapeOnly(u.Key(), seen) && l.shapeOnly(u.Elem(), seen)
	case *types.Interface:
		return u.NumMethods() == 0
	case *types.Chan, *types.Signature:
		return l.Native(t) // encoding/json complains of it by its name
	}
	return true
}

// Encodable refuses a session type whose values encoding/json would not encode and decode as those
// of a compiled program.
func (l *Shapes) Encodable(t types.Type, pos token.Pos) {
	if !l.shapeOnly(t, map[types.Type]bool{}) {
		l.Refuse(pos, fmt.Sprintf("json of a type of the session needs compiled cells: in %s there are methods that encode it, embedded structs or interfaces with methods", typed.Shown(t)))
	}
}

// HoldsInterface reports whether values of a type have interfaces in them, in which there may be
// values of session types.
func HoldsInterface(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Pointer:
		return HoldsInterface(u.Elem(), seen)
	case *types.Slice:
		return HoldsInterface(u.Elem(), seen)
	case *types.Array:
		return HoldsInterface(u.Elem(), seen)
	case *types.Map:
		return HoldsInterface(u.Key(), seen) || HoldsInterface(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if HoldsInterface(u.Field(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}

// TakesAny reports the types of parameters through which values get as empty interfaces: these, and
// lists of them.
func TakesAny(t types.Type) bool {
	if s, ok := t.(*types.Slice); ok {
		t = s.Elem()
	}
	return typed.IsEmptyInterface(t)
}

// FuncName returns a function with its package, as complaints name it.
func FuncName(obj *types.Func) string { return obj.Pkg().Name() + "." + obj.Name() }

// Spaces reports the functions that print blanks between operands which are not strings.
func Spaces(obj *types.Func) bool {
	if !Prints(obj) {
		return false
	}
	switch obj.Name() {
	case "Print", "Sprint", "Fprint", "Append", "Fatal", "Panic":
		return true
	}
	return false
}

// FormatParameter returns which parameter of a printing function is its format.
func FormatParameter(obj *types.Func) (int, bool) {
	if obj == nil || !Prints(obj) || !strings.HasSuffix(obj.Name(), "f") {
		return 0, false
	}
	if obj.Name() == "Fprintf" || obj.Name() == "Appendf" {
		return 1, true
	}
	return 0, true
}
