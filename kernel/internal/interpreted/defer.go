package interpreted

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hierml/notebook/stdlib"
)

// defers holds the deferred calls of one call of a function.
type defers struct {
	calls []deferred
	// number is the number of the current deferred call. If it is 0, depth is how many functions of
	// lowered code are between that call and the function that may recover, inclusive.
	number, depth int
	// recovered is set when the call has recovered the panic, with value and passed.
	recovered bool
	// exits is set when a call has ended the goroutine.
	exits bool
	// value is the current panic, if any, and passed the calls that it passed.
	value     any
	passed    trace
	panicking bool
}

// panicked records the panic for which the calls are made, or a panic in one of them, which
// replaces the previous one.
func (d *defers) panicked(value any, passed trace) {
	switch {
	case d.recovered && same(d.value, value):
		passed.calls = d.passed.calls
		passed.again = true
	case d.recovered:
		passed.before = append(d.passed.before, d.passed.text(d.value)+" [recovered]")
	case d.panicking:
		passed.before = append(d.passed.before, d.passed.text(d.value))
	}
	d.recovered = false
	d.value, d.passed, d.panicking = value, passed, true
}

// A deferred is a deferred call, with the number of the called function for recover. For an unknown
// function it is 0, or its negative depth.
type deferred struct {
	call   func()
	number int
}

// panics records which deferred calls a goroutine makes.
type panics struct {
	mu      sync.Mutex
	current map[uint64][]*defers
}

func newPanics() *panics { return &panics{current: map[uint64][]*defers{}} }

func (p *panics) push(goroutine uint64, d *defers) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current[goroutine] = append(p.current[goroutine], d)
}

func (p *panics) pop(goroutine uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stack := p.current[goroutine]
	if len(stack) <= 1 {
		delete(p.current, goroutine)
		return
	}
	p.current[goroutine] = stack[:len(stack)-1]
}

// top returns the innermost deferred calls, and second those before.
func (p *panics) top(goroutine uint64) *defers    { return p.last(goroutine, 1) }
func (p *panics) second(goroutine uint64) *defers { return p.last(goroutine, 2) }

func (p *panics) last(goroutine uint64, n int) *defers {
	p.mu.Lock()
	defer p.mu.Unlock()
	stack := p.current[goroutine]
	if len(stack) < n {
		return nil
	}
	return stack[len(stack)-n]
}

// none reports whether no goroutine makes deferred calls.
func (p *panics) none() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.current) == 0
}

// protect runs the body of a function with deferred calls, and then these, the last first. A panic
// that they do not recover continues.
func (in *Interpreter) protect(d *defers, body func()) {
	finished := false
	defer func() {
		if !finished {
			// nil only when the goroutine ends by runtime.Goexit.
			if r := recover(); r != nil {
				if _, ok := r.(stdlib.Exit); ok {
					panic(r)
				}
				goroutine := goroutineID()
				d.panicked(in.caught(r, goroutine))
				in.raising(goroutine, (*task).settle)
			}
		}
		if !d.panicking && in.control.postpone(d) {
			return
		}
		in.runDeferred(d)
		if d.panicking {
			goroutine := goroutineID()
			in.frames.resume(goroutine, d.passed)
			in.raising(goroutine, (*task).raise)
			panic(d.value)
		}
	}()
	body()
	finished = true
}

// raising tells the task of a panicking goroutine how far the goroutine has got.
func (in *Interpreter) raising(goroutine uint64, note func(*task, uint64)) {
	in.mu.Lock()
	t := in.tasks[goroutine]
	in.mu.Unlock()
	if t != nil {
		note(t, goroutine)
	}
}

func (in *Interpreter) runDeferred(d *defers) {
	if len(d.calls) == 0 {
		return
	}
	goroutine := goroutineID()
	in.panics.push(goroutine, d)
	defer in.panics.pop(goroutine)
	in.makeCalls(d)
}

// makeCalls makes the remaining deferred calls, and continues after one that ends the goroutine,
// which also ends a panic.
func (in *Interpreter) makeCalls(d *defers) {
	defer func() {
		if d.exits {
			d.exits, d.panicking = false, false
			in.makeCalls(d)
		}
	}()
	for len(d.calls) > 0 {
		last := d.calls[len(d.calls)-1]
		d.calls = d.calls[:len(d.calls)-1]
		in.deferredCall(d, last)
	}
}

// deferredCall makes one deferred call. A panic in it replaces the previous one.
func (in *Interpreter) deferredCall(d *defers, f deferred) {
	returned := false
	defer func() {
		if returned {
			return
		}
		r := recover()
		if r == nil {
			d.exits = true
			return
		}
		if _, ok := r.(stdlib.Exit); ok {
			panic(r)
		}
		d.panicked(in.caught(r, goroutineID()))
	}()
	d.number, d.depth, d.recovered = f.number, ordinary, false
	if f.number < -1 {
		d.number, d.depth = 0, -f.number
	}
	f.call()
	returned = true
}

// ordinary is the depth of functions called by the function that makes a deferred call.
const ordinary = 2

// recover is Go's recover, called by the function with a number.
func (in *Interpreter) recover(number int) any {
	d := in.panics.top(goroutineID())
	if d == nil {
		return nil
	}
	return d.recover(number)
}

func (d *defers) recover(number int) any {
	if !d.panicking || d.number != number {
		return nil
	}
	v := d.value
	if s, ok := v.(*stopped); ok {
		v = s.err
	}
	d.panicking, d.recovered = false, true
	return v
}

// recoverAtLast is a deferred call of recover itself, in the function with a number.
func (in *Interpreter) recoverAtLast(number int) {
	goroutine := goroutineID()
	own := in.panics.top(goroutine)
	if own == nil || own.panicking {
		return
	}
	if d := in.panics.second(goroutine); d != nil {
		d.recover(number)
	}
}

// entered is called at the beginning of functions that may recover, with their number. If the
// deferred function was unknown, and it is this one, it is known from then on.
func (in *Interpreter) entered(number int) {
	if in.panics.none() {
		return
	}
	if d := in.panics.top(goroutineID()); d != nil && d.panicking && d.number == 0 && deferredAt(d.depth) {
		d.number = number
	}
}

// through is called by functions that do not exist in the source. It increases the expected depth
// of the function that may recover from before by functions.
func (in *Interpreter) through(before, functions int) {
	if in.panics.none() {
		return
	}
	if d := in.panics.top(goroutineID()); d != nil && d.panicking && d.number == 0 && deferredAt(d.depth-before) {
		d.depth += functions
	}
}

// deferredAt reports whether the calling function of lowered code is at a depth in a deferred call,
// without a compiled function from the source in between.
func deferredAt(depth int) bool {
	const yaegi = "github.com/traefik/yaegi/interp."
	var pcs [64]uintptr
	count := 0
	for skip := 3; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		if n == 0 {
			return false
		}
		calls := runtime.CallersFrames(pcs[:n])
		for more := true; more; {
			var call runtime.Frame
			call, more = calls.Next()
			switch {
			case strings.HasSuffix(call.Function, "(*Interpreter).deferredCall"):
				return count == depth
			case call.Function == yaegi+"runCfg":
				if count++; count > depth {
					return false
				}
			case !slices.ContainsFunc([]string{yaegi, "reflect.", "runtime.", own + ".", own + "/values.", "github.com/hierml/notebook/stdlib/internal/"}, func(p string) bool { return strings.HasPrefix(call.Function, p) }):
				return false
			}
		}
	}
}
