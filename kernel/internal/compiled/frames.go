package compiled

import (
	"iter"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
)

// cellFile begins the file names of cells that are not in a file on disk. The cell's number
// follows, and the user's name for the cell.
const cellFile = "/" + toolchain.Prefix

// innermost and outermost are how many calls are kept of a deep recursion.
const innermost, outermost = 30, 10

// calls returns the active calls of user functions on the calling goroutine, which has panicked
// with a value, innermost first. Files are those of program.Units.
func calls(value any, files map[string]int) []program.Frame {
	t := trace{failed: operationOf(value), files: files}
	for f := range stack() {
		t.add(f)
	}
	return t.calls
}

// stack yields the active calls of the calling goroutine, innermost first.
func stack() iter.Seq[runtime.Frame] {
	pcs := make([]uintptr, 256)
	n := runtime.Callers(2, pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 4*len(pcs))
		n = runtime.Callers(2, pcs)
	}
	return func(yield func(runtime.Frame) bool) {
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); !yield(f) {
				return
			}
		}
	}
}

// calledBack reports whether a package called the innermost cell function of the calling goroutine,
// directly or through other cell functions.
func calledBack() bool {
	inCell := false
	for f := range stack() {
		switch {
		case strings.HasPrefix(f.Function, state.PackagePath+"."):
			inCell = true
		case inCell && !strings.HasPrefix(f.Function, "runtime.") && !strings.HasPrefix(f.Function, ownPackages):
			return true
		}
	}
	return false
}

// ownPackages begins the names of the functions that run cells.
const ownPackages = "github.com/hierml/notebook/kernel/internal/"

// A trace is a list of calls.
type trace struct {
	calls []program.Frame
	files map[string]int // of program.Units
	// failed is the operation that panicked.
	failed string
	// next is the operation of the next user call, and direct says that the call before it is the
	// builtin function panic.
	next   string
	direct bool
	// names are the user's names of functions.
	names map[string]string
}

// add adds a call, if it is a user's. In a deep recursion it only counts the calls in the middle.
func (t *trace) add(f runtime.Frame) {
	number, ok := t.cellOf(f.File)
	if !ok {
		switch {
		case f.Function == "runtime.gopanic":
			t.next, t.direct = t.failed, true
		case !failsFor(f.Function):
			t.next, t.direct = callOperation, false
		default:
			t.direct = false
		}
		return
	}
	call := program.Frame{Function: t.name(f.Function), Cell: number, Line: f.Line, Operation: t.next}
	if t.direct {
		call.Operation = panicOperation
	}
	t.next, t.direct = callOperation, false
	if n := len(t.calls); n > 1 {
		// The innermost call of a recursion shows where it ended, and the next one where it recurs.
		last := &t.calls[n-1]
		again := *last
		again.More = 0
		if again == call && call.Function != "" {
			last.More++
			return
		}
	}
	if len(t.calls) == innermost+outermost {
		t.calls[innermost-1].More += 1 + t.calls[innermost].More
		t.calls = append(t.calls[:innermost], t.calls[innermost+1:]...)
	}
	t.calls = append(t.calls, call)
}

func (t *trace) name(function string) string {
	name, ok := t.names[function]
	if !ok {
		name = userName(function)
		if t.names == nil {
			t.names = map[string]string{}
		}
		t.names[function] = name
	}
	return name
}

// cellOf returns the number of the cell for a file name. Cell 0 is generated text.
func (t *trace) cellOf(file string) (number int, ok bool) {
	if number, ok := t.files[file]; ok {
		return number, true
	}
	rest, ok := strings.CutPrefix(file, cellFile)
	if !ok {
		return 0, false
	}
	name, _, _ := strings.Cut(rest, "/")
	number, err := strconv.Atoi(name)
	return number, err == nil && number > 0
}

// statements is the name of the function that holds the statements of a cell.
const statements = "init"

// variables precedes literals in the values of variables.
const variables = "glob."

// Parts of names that the compiler makes: of function literals, of the bodies of loops over
// functions, and of a literal inside an inlined function; and those of the functions init.
var (
	inits    = regexp.MustCompile(`^init\.\d+$`)
	literals = regexp.MustCompile(`\.(func|gowrap|deferwrap)?\d+$`)
	inlined  = regexp.MustCompile(`^.*(\.func\d+|-range\d+)\.`)
	bodies   = regexp.MustCompile(`-range\d+$`)
)

// userName returns the user's name for a function; empty for the statements of a cell. The run
// time's main.(*T).m.func1 is (*T).m.func.
func userName(function string) string {
	name := function[strings.LastIndexByte(function, '/')+1:]
	if _, after, ok := strings.Cut(name, "."); ok {
		name = after
	}
	name = strings.ReplaceAll(name, "[...]", "")
	suffix := ""
	for {
		if cut := bodies.ReplaceAllString(name, ""); cut != name {
			name = cut
			continue
		}
		at := literals.FindStringIndex(name)
		if at == nil || inits.MatchString(name) {
			break
		}
		name, suffix = name[:at[0]], suffix+".func"
	}
	name = strings.TrimSuffix(name, "-fm")
	if at := inlined.FindStringIndex(name); at != nil {
		name = name[at[1]:]
	}
	switch {
	case inits.MatchString(name):
		name = statements
	case name == statements, name == variables:
		name = ""
	default:
		name = strings.TrimPrefix(name, statements+".")
	}
	return strings.TrimPrefix(name+suffix, ".")
}

// placed matches the place of a call in the run time's output.
var placed = regexp.MustCompile(`^(.*):(\d+)( [^:]*)?$`)

// CallsIn returns the active calls of user functions in the run time's output about the goroutine
// that ended the process, innermost first. Files are those of program.Units.
func CallsIn(lastWords string, files map[string]int) []program.Frame {
	t := trace{files: files}
	function := ""
	for line := range strings.Lines(lastWords) {
		line = strings.TrimRight(line, "\n")
		place, indented := strings.CutPrefix(line, "\t")
		creator, created := strings.CutPrefix(line, "created by ")
		switch {
		case (line == "" || created) && len(t.calls) > 0:
			return t.calls
		case created: // the place of a goroutine without calls of the user
			function, _, _ = strings.Cut(creator, " in goroutine ")
		case !indented:
			if function = withoutArguments(line); function == "panic" {
				function = "runtime.gopanic" // its usual name
			}
		default:
			if m := placed.FindStringSubmatch(place); m != nil {
				n, _ := strconv.Atoi(m[2]) // it consists of digits
				t.add(runtime.Frame{Function: function, File: m[1], Line: n})
			}
			function = ""
		}
	}
	return t.calls
}

// withoutArguments returns the function of a call in the run time's output.
func withoutArguments(call string) string {
	depth := 0
	for i := len(call) - 1; i >= 0; i-- {
		switch call[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return call[:i]
			}
		}
	}
	return call
}
