package conversion

import (
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// A treatment says how a compiled function takes a value of a session type as an empty interface.
// At run time the value has neither its type's name, nor its methods, nor the names of its fields;
// its carrier has them, for those who ask in one of the ways that it knows.
type treatment int

const (
	// asRefused is the default: the function would not find what it would find in a compiled
	// program. A value that is known to be of a session type is refused before the cell runs, one
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
	// interfaces from their carriers. Encodable refuses the types whose shape does not suffice.
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
	{asKept, "github.com/hierml/notebook/stdlib/magic", "Stop"},
	{asKept, "github.com/hierml/notebook/stdlib/nb", ""},
	{asRaw, "sort", "Slice SliceStable SliceIsSorted"},
	{asEncoded, "encoding/json", "Marshal MarshalIndent Unmarshal Encode Decode"},
	{asEncoded, "github.com/hierml/notebook/stdlib/cache", "Keep"},
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

// holdsInterface reports whether values of a type have interfaces in them, in which there may be
// values of session types.
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

// takesAny reports the types of parameters through which values get as empty interfaces: these, and
// lists of them.
func takesAny(t types.Type) bool {
	if s, ok := t.(*types.Slice); ok {
		t = s.Elem()
	}
	return typed.IsEmptyInterface(t)
}

// funcName returns a function with its package, as complaints name it.
func funcName(obj *types.Func) string { return obj.Pkg().Name() + "." + obj.Name() }

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

// FormatParameter returns which parameter of a printing function is its format.
func FormatParameter(obj *types.Func) (int, bool) {
	if obj == nil || !prints(obj) || !strings.HasSuffix(obj.Name(), "f") {
		return 0, false
	}
	if obj.Name() == "Fprintf" || obj.Name() == "Appendf" {
		return 1, true
	}
	return 0, true
}

// replacedMethods maps methods of compiled types to the functions of the bridge that stand in for
// them.
var replacedMethods = map[string]string{
	// They may never return; the functions do, when the cell is interrupted.
	"(*sync.Mutex).Lock":     "Lock",
	"(*sync.RWMutex).Lock":   "Lock",
	"(*sync.RWMutex).RLock":  "RLock",
	"(sync.Locker).Lock":     "Lock",
	"(*sync.WaitGroup).Wait": "Await",
	"(*sync.Cond).Wait":      "AwaitCond",
	// It starts a goroutine, which belongs to the cell.
	"(*sync.WaitGroup).Go": "GroupGo",
	// They compare types, which carriers have in common.
	"(*sync/atomic.Value).Store":          "AtomicStore",
	"(*sync/atomic.Value).Swap":           "AtomicSwap",
	"(*sync/atomic.Value).CompareAndSwap": "AtomicCAS",
	// They end the process; the functions end the cell.
	"(*flag.FlagSet).Parse": "ParseFlags",
	"(*log.Logger).Fatal":   "Fatal",
	"(*log.Logger).Fatalf":  "Fatalf",
	"(*log.Logger).Fatalln": "Fatalln",
}

// Replacement returns the function of the bridge that stands in for a method of a compiled type, if
// one does.
func Replacement(m *types.Func) (function string, ok bool) {
	function, ok = replacedMethods[m.FullName()]
	return shape.Bridge + "." + function, ok
}
