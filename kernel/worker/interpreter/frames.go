package interpreter

import (
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"sync"

	"github.com/hierml/notebook/kernel/engine"
)

// frames is the interpreter's standard error. When a panic passes a function,
// yaegi writes a line there with the position of the function's first
// statement, and lowered code gives each function a position of its own: so
// these lines, which are kept and not passed on, are the calls of the panic.
type frames struct {
	out io.Writer

	mu    sync.Mutex
	known map[int]*frame
	calls map[uint64]*trace
}

// A frame is a function of the session. at holds the line that it noted last.
type frame struct {
	name string
	cell int
	at   *int
}

// A trace is what a panic of one goroutine passed so far.
type trace struct {
	calls []engine.Frame
	seen  map[int]bool
}

// maxCalls bounds the calls that are kept of an endless recursion.
const maxCalls = 100

func newFrames(out io.Writer) *frames {
	if out == nil {
		out = os.Stderr
	}
	return &frames{out: out, known: map[int]*frame{}, calls: map[uint64]*trace{}}
}

func (f *frames) register(id int, name string, cell int, at *int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[id] = &frame{name, cell, at}
}

// passed matches what yaegi writes when a panic passes a function.
var passed = regexp.MustCompile(`^(?:[^ \n]*:)?(\d{7,})(?::\d+)?: panic: main[^\n]*\(\.\.\.\)\n$`)

// other matches what it writes of functions that lowered code did not give a
// position, because they cannot panic themselves.
var other = regexp.MustCompile(`^(?:[^ \n]*:)?\d+(?::\d+)?: panic: main[^\n]*\(\.\.\.\)\n$`)

// Write takes what the interpreter writes to standard error.
func (f *frames) Write(p []byte) (int, error) {
	m := passed.FindSubmatch(p)
	if m == nil {
		if other.Match(p) {
			return len(p), nil
		}
		return f.out.Write(p)
	}
	id, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return len(p), nil
	}
	goroutine := goroutineID()
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.known[id]
	t := f.calls[goroutine]
	if known == nil || t == nil || len(t.calls) >= maxCalls {
		return len(p), nil
	}
	call := engine.Frame{Function: known.name, Cell: known.cell}
	// Of a function that is on the stack several times only the innermost
	// call noted the line last.
	if !t.seen[id] {
		t.seen[id] = true
		call.Line = *known.at
	}
	t.calls = append(t.calls, call)
	return len(p), nil
}

// begin starts to keep the calls of panics on a goroutine, and end stops it.
func (f *frames) begin(goroutine uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[goroutine] = &trace{seen: map[int]bool{}}
}

// lend has what panics pass on the goroutine to count as passed by from.
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

// take returns the calls of the last panic of a goroutine, the innermost
// first, and forgets them.
func (f *frames) take(goroutine uint64) []engine.Frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.calls[goroutine]
	if t == nil {
		return nil
	}
	calls := t.calls
	f.calls[goroutine] = &trace{seen: map[int]bool{}}
	return calls
}

func stackHead() []byte {
	buf := make([]byte, 64)
	return buf[:runtime.Stack(buf, false)]
}
