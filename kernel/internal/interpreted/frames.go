package interpreted

import (
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
)

// own is the path of this package, which identifies its functions in a stack.
const own = "github.com/hierml/notebook/kernel/internal/interpreted"

// frames is the interpreter's standard error. When a panic passes a function, yaegi writes a line
// there with the position of the function's first statement. Lowered code gives each function a
// unique position, so these lines, which are kept and not passed on, are the calls of the panic.
type frames struct {
	out    io.Writer
	faults *faults

	mu    sync.Mutex
	known map[int]*frame
	calls map[uint64]*trace
}

// A frame is a function of the session. at holds its last noted position.
type frame struct {
	name string
	cell int
	at   *int
}

// A trace is the calls that a panic of one goroutine has passed so far.
type trace struct {
	calls []program.Frame
	seen  map[int]bool
	fault fault
	// before holds the texts of panics that this one replaced, and again is set if its value was
	// recovered before.
	before []string
	again  bool
}

// columns is the factor for the line in lowered code when a number combines line and column.
const columns = 1000

// innermost and outermost are how many calls are kept of a deep recursion.
const innermost, outermost = 30, 10

func newFrames(out io.Writer) *frames {
	if out == nil {
		out = os.Stderr
	}
	return &frames{out: out, faults: &faults{}, known: map[int]*frame{}, calls: map[uint64]*trace{}}
}

func (f *frames) register(id int, name string, cell int, at *int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[id] = &frame{name, cell, at}
}

// passed matches yaegi's line when a panic passes a function.
var passed = regexp.MustCompile(`^(?:[^ \n]*:)?(\d{7,})(?::\d+)?: panic: main[^\n]*\(\.\.\.\)\n$`)

// other matches such lines for functions without a position, because they cannot panic themselves.
var other = regexp.MustCompile(`^(?:[^ \n]*:)?\d+(?::\d+)?: panic: main[^\n]*\(\.\.\.\)\n$`)

// Write takes the interpreter's standard error.
func (f *frames) Write(p []byte) (int, error) {
	m := passed.FindSubmatch(p)
	if m == nil && !other.Match(p) {
		return f.out.Write(p)
	}
	first := f.look()
	if m == nil {
		return len(p), nil
	}
	id, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return len(p), nil
	}
	goroutine := goroutineID()
	f.mu.Lock()
	defer f.mu.Unlock()
	known, t := f.known[id], f.calls[goroutine]
	if known == nil || t == nil {
		return len(p), nil
	}
	call := program.Frame{Function: known.name, Cell: known.cell}
	// If a function is on the stack several times, only the innermost call noted the place last.
	if !t.seen[id] {
		t.seen[id] = true
		call.Line, call.Column = *known.at/columns, *known.at%columns
		call.Operation = "call"
		if first {
			call.Operation = kinds[t.fault.operation]
			if t.fault.ours {
				call.Operation = ""
			}
		}
	}
	t.add(call)
	return len(p), nil
}

// add adds a call to those that the panic passed. In a very deep recursion it only counts the calls
// in the middle.
func (t *trace) add(call program.Frame) {
	if n := len(t.calls); n > 0 {
		last := &t.calls[n-1]
		if call.Line == 0 && last.Line == 0 && last.Function == call.Function && last.Cell == call.Cell {
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

// look resets the trace when a panic passes its first function: compiled code may have recovered
// the previous one. It reports whether it did.
func (f *frames) look() bool {
	if goesOn() {
		return false
	}
	goroutine := goroutineID()
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.calls[goroutine]; t != nil {
		*t = trace{seen: map[int]bool{}, fault: f.faults.last()}
	}
	return true
}

// again are the functions that panic with a recovered value.
var again = []string{
	"github.com/traefik/yaegi/interp.runCfg.func1",
	own + ".(*Interpreter).protect.func1",
	own + ".(*Interpreter).apart",
}

// goesOn reports whether yaegi's panic has passed a function before: then the panicking function is
// one that panics again with a recovered value.
func goesOn() bool {
	var pcs [16]uintptr
	calls := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicked := false
	for {
		call, more := calls.Next()
		if panicked {
			return slices.Contains(again, call.Function)
		}
		panicked = call.Function == "runtime.gopanic"
		if !more {
			return false
		}
	}
}

// begin starts recording the calls of panics on a goroutine, and end stops it.
func (f *frames) begin(goroutine uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[goroutine] = &trace{seen: map[int]bool{}}
}

// lend attributes the calls that panics pass on the goroutine to to from.
func (f *frames) lend(from, to uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.calls[from]; t != nil {
		f.calls[to] = t
	}
}

func (f *frames) end(goroutine uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.calls, goroutine)
}

// take returns and removes the calls that the last panic of a goroutine has passed.
func (f *frames) take(goroutine uint64) trace {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.calls[goroutine]
	if t == nil {
		return trace{}
	}
	was := *t
	*t = trace{seen: map[int]bool{}}
	return was
}

// resume restores the calls of a panic that continues after deferred calls.
func (f *frames) resume(goroutine uint64, was trace) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.calls[goroutine]; t != nil && was.seen != nil {
		*t = was
	}
}

func stackHead() []byte {
	buf := make([]byte, 64)
	return buf[:runtime.Stack(buf, false)]
}
