package debugger

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/magic"
)

// A Config configures a Debugger.
type Config struct {
	// Goroutine returns a number that identifies the calling goroutine while it lives.
	Goroutine func() uintptr
	// Context returns a context that is done when the cell of the calling goroutine is interrupted.
	// End then ends the goroutine if its code would not end by itself.
	Context func() context.Context
	End     func()
	// Print writes the text of log points to the output of the calling goroutine's cell.
	Print func(text string)
	// Event sends an event to the front end. Calls do not overlap.
	Event func(event []byte)
	// Globals returns the variables of the session; nil means none.
	Globals func() []Variable
	// Passes reports whether the calling goroutine belongs to a cell that does not stop. Nil means
	// that all stop.
	Passes func() bool
	// Symbol returns a member of a package that cells know by a name: a function, a variable, or a
	// constant.Value; the zero value if there is none. Nil means that there are no packages.
	Symbol func(pkg, name string) reflect.Value
	// Method returns the method of a value whose type reflection does not know, and the arguments
	// to insert before its own. Carry returns such a value as an interface holds it. Nil means that
	// there are no such types.
	Method func(t display.Type, v reflect.Value, name string) (f reflect.Value, bound []reflect.Value)
	Carry  func(t display.Type, v any) any
}

// A Variable is a variable to show: Pointer points to it, and is a display.Typed if reflection does
// not know its type.
type Variable struct {
	Name, Type string
	Pointer    any
}

// A Debugger debugs the cells of one process. Its methods may be called concurrently.
type Debugger struct {
	config Config
	// asking are the goroutines that carry out requests, and their number. Methods that they call
	// to show a value do not stop.
	asking  sync.Map
	askings atomic.Int32
	// patience bounds how long a request waits for such methods.
	patience time.Duration

	mu       sync.Mutex
	attached bool
	sites    []place // by number
	sources  map[string]string
	// breakpoints are the breakpoints by path, and bound those by site.
	breakpoints map[string][]*breakpoint
	bound       map[int][]*breakpoint
	// panics and failures say where to stop: failures are errors that stop a cell without a panic.
	panics, failures bool
	pausing          bool
	goroutines       map[uintptr]*goroutine
	stepping         int // how many goroutines are stepping

	current *stop   // known to the front end
	waiting []*stop // waiting for their turn
	seq     int     // of the last message
	frames  []*call // by number minus 1, while something is stopped
	refs    []reference
	// shown counts how often refs was reset.
	shown int
}

// A place is a site and its cell.
type place struct {
	*program.Hooks
	*program.Site
	path string
}

func (p place) function() program.HookedFunction { return p.Functions[p.Site.Function] }

// whole reports whether the site is in the statements of the cell itself.
func (p place) whole() bool { return p.Site.Function == 0 && p.Functions[0].Name == "" }

// A goroutine is the state of a goroutine that has reached hooks.
type goroutine struct {
	key   uintptr
	calls []*call // the outermost first
	// leaf is the call of a function that is not recorded on entry. left are the calls that have
	// ended since the last hook, the innermost first.
	leaf *call
	left []*call
	step step
	// depth is how many calls there were when the step began.
	depth int
}

// A step is the way in which a goroutine was resumed.
type step int

const (
	running step = iota
	over
	into
	out
)

// A call is an active call of a function.
type call struct {
	number    int
	place     place
	variables []any
	changed   int // one bit per variable
	adHoc     bool
	top       bool // it is the call that has stopped
}

// A stop is a goroutine that waits to be resumed.
type stop struct {
	reason string
	// kind and text are the name and the message of a failure.
	kind, text   string
	frames       []*call // the innermost first
	g            *goroutine
	turn, resume chan struct{}
}

// New returns a debugger, and installs it as that of the hooks.
func New(config Config) *Debugger {
	d := &Debugger{config: config, patience: 5 * time.Second, sources: map[string]string{}, breakpoints: map[string][]*breakpoint{}, bound: map[int][]*breakpoint{}, goroutines: map[uintptr]*goroutine{}}
	magic.SetDebugger(d)
	return d
}

// Add registers the hooks of a program before it runs.
func (d *Debugger) Add(all []*program.Hooks) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range all {
		d.add(h)
	}
	if len(all) > 0 {
		d.arm()
	}
}

// add is Add for those of one cell. d.mu is held.
func (d *Debugger) add(h *program.Hooks) {
	for len(d.sites) < h.First+len(h.Sites) {
		d.sites = append(d.sites, place{})
	}
	path := Path(h.Source)
	for i := range h.Sites {
		d.sites[h.First+i] = place{h, &h.Sites[i], path}
	}
	d.sources[path] = h.Source
	d.bind(path)
}

// Ended records that a cell has ended: what is known of its goroutine must not be taken for another
// goroutine's.
func (d *Debugger) Ended(cell int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, g := range d.goroutines {
		if len(g.calls) > 0 && g.calls[0].place.whole() && g.calls[0].place.Cell == cell {
			d.resumed(g, running)
			delete(d.goroutines, key)
		}
	}
	d.pausing = false
	d.arm()
}

// arm sets the switches of the hooks. d.mu is held.
func (d *Debugger) arm() {
	all := d.attached && (d.pausing || d.panics || d.failures || d.stepping > 0)
	traced := d.attached && (all || len(d.bound) > 0)
	for i, p := range d.sites {
		if p.Site != nil {
			magic.Switch(i).Store(all || traced && (p.Entry || p.Calls || len(d.bound[i]) > 0))
		}
	}
}

// resumed prepares a goroutine to go on with a step. d.mu is held.
func (d *Debugger) resumed(g *goroutine, how step) {
	if g.step != running {
		d.stepping--
	}
	if g.step = how; how != running {
		d.stepping++
	}
}

// goroutine returns the state of the calling goroutine. d.mu is held.
func (d *Debugger) goroutine() *goroutine {
	key := d.config.Goroutine()
	g := d.goroutines[key]
	if g == nil {
		g = &goroutine{key: key}
		d.goroutines[key] = g
	}
	return g
}

// quietly calls f, in which the hooks do not stop the calling goroutine.
func (d *Debugger) quietly(f func()) {
	key := d.config.Goroutine()
	_, already := d.asking.LoadOrStore(key, true)
	d.askings.Add(1)
	defer func() {
		d.askings.Add(-1)
		if !already {
			d.asking.Delete(key)
		}
	}()
	f()
}

// asks reports whether the calling goroutine carries out a request, or work for one.
func (d *Debugger) asks() bool {
	if d.config.Passes != nil && d.config.Passes() {
		return true
	}
	if d.askings.Load() == 0 {
		return false
	}
	_, asks := d.asking.Load(d.config.Goroutine())
	return asks
}

// Enter implements magic.Debugger.
func (d *Debugger) Enter(hook int) (number int) {
	if d.asks() {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if hook >= len(d.sites) || d.sites[hook].Site == nil {
		return 0
	}
	g := d.goroutine()
	g.leaf, g.left = nil, nil
	d.seq++
	g.calls = append(g.calls, &call{number: d.seq, place: d.sites[hook]})
	return d.seq
}

// Leave implements magic.Debugger.
func (d *Debugger) Leave(number int) {
	if d.asks() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key := d.config.Goroutine()
	g := d.goroutines[key]
	if g == nil {
		return
	}
	at := len(g.calls) - 1
	for at >= 0 && g.calls[at].number != number {
		at--
	}
	if at < 0 {
		return
	}
	if d.panics || d.failures {
		if g.leaf != nil {
			g.left = append(g.left, g.leaf)
		}
		for _, c := range slices.Backward(g.calls[at:]) {
			g.left = append(g.left, c)
		}
	}
	g.leaf = nil
	g.calls = g.calls[:at]
	if at == 0 && !d.panics && !d.failures {
		d.resumed(g, running)
		delete(d.goroutines, key)
		d.arm()
	}
}

// at records that a goroutine is at a place.
func (g *goroutine) at(p place, variables []any, d *Debugger) *call {
	g.left = nil
	same := func(c *call) bool { return c.place.Hooks == p.Hooks && c.place.Site.Function == p.Site.Function }
	var c *call
	switch {
	case p.function().Leaf && !p.whole():
		c = &call{}
		g.leaf = c
	case p.whole():
		if len(g.calls) == 0 || !same(g.calls[0]) {
			g.calls = []*call{{}}
		}
		g.calls = g.calls[:1]
		c, g.leaf = g.calls[0], nil
	default:
		at := len(g.calls) - 1
		for at >= 0 && !same(g.calls[at]) {
			at--
		}
		// A function that was entered before the debugger listened is in no list.
		if at < 0 || at < len(g.calls)-1 && !g.calls[at+1].adHoc {
			g.calls = append(g.calls, &call{adHoc: true})
			at = len(g.calls) - 1
		}
		g.calls = g.calls[:at+1]
		c, g.leaf = g.calls[at], nil
	}
	c.place, c.variables, c.changed = p, variables, 0
	return c
}

// stack returns the calls, the innermost first.
func (g *goroutine) stack() []*call {
	all := slices.Clone(g.calls)
	if g.leaf != nil {
		all = append(all, g.leaf)
	}
	slices.Reverse(all)
	return all
}

// Stop implements magic.Debugger.
func (d *Debugger) Stop(hook int, variables []any) (changed int) {
	if d.asks() {
		return 0
	}
	d.mu.Lock()
	if hook >= len(d.sites) || d.sites[hook].Site == nil || !d.attached {
		d.mu.Unlock()
		return 0
	}
	g := d.goroutine()
	c := g.at(d.sites[hook], variables, d)
	s := &stop{g: g, frames: g.stack()}
	depth := len(s.frames)
	points := d.bound[hook]
	switch {
	case g.step == into, g.step == over && depth <= g.depth, g.step == out && depth < g.depth:
		s.reason = "step"
	case d.pausing:
		s.reason = "pause"
	}
	c.top = true
	d.mu.Unlock()
	for _, b := range points {
		// The conditions are user code, and may take long.
		if d.meets(b, c) && s.reason == "" {
			s.reason = "breakpoint"
		}
	}
	if s.reason != "" {
		if !d.wait(d.config.Context(), s) {
			d.config.End()
		}
	}
	c.top = false
	return c.changed
}

// Failed handles the end of a cell's goroutine by a panic, or by an error that stops a cell; err
// has its calls. The goroutine stops there if the front end asks for that.
func (d *Debugger) Failed(err *program.RuntimeError) {
	if d.asks() {
		return
	}
	d.mu.Lock()
	g := d.goroutines[d.config.Goroutine()]
	if !d.attached || g == nil || !d.excepts(err) {
		d.mu.Unlock()
		return
	}
	calls := slices.Clone(g.calls)
	for _, c := range slices.Backward(g.left) {
		calls = append(calls, c)
	}
	if g.leaf != nil {
		calls = append(calls, g.leaf)
	}
	// Calls that had returned before the panic are not its place.
	for len(calls) > 1 && len(err.Frames) > 0 {
		p, f := calls[len(calls)-1].place, err.Frames[0]
		if p.Cell == f.Cell && p.Line <= f.Line && f.Line <= p.End {
			break
		}
		calls = calls[:len(calls)-1]
	}
	slices.Reverse(calls)
	d.mu.Unlock()
	// The goroutine ends in any case. One that was interrupted ends at once.
	if ctx := d.config.Context(); len(calls) > 0 && ctx.Err() == nil {
		d.wait(ctx, &stop{g: g, frames: calls, reason: "exception", kind: err.Name, text: err.Message})
	}
}

// excepts reports whether to stop at a failure. d.mu is held.
func (d *Debugger) excepts(err *program.RuntimeError) bool {
	if err.Name == "panic" {
		return d.panics
	}
	return d.failures && err.Exit == nil
}

// wait blocks the calling goroutine until it is resumed. It returns false if ctx is done first.
func (d *Debugger) wait(ctx context.Context, s *stop) (resumed bool) {
	s.turn, s.resume = make(chan struct{}), make(chan struct{})
	d.mu.Lock()
	d.resumed(s.g, running)
	d.pausing = false
	if d.current == nil {
		d.show(s)
	} else {
		d.waiting = append(d.waiting, s)
	}
	d.arm()
	d.mu.Unlock()
	select {
	case <-s.resume:
		return true
	case <-ctx.Done():
	}
	d.mu.Lock()
	d.release(s)
	d.arm()
	d.mu.Unlock()
	return false
}

// show makes a stop the one that the front end sees. d.mu is held.
func (d *Debugger) show(s *stop) {
	d.current = s
	d.frames, d.refs = slices.Clone(s.frames), nil
	d.shown++
	body := map[string]any{"reason": s.reason, "threadId": thread, "allThreadsStopped": false, "preserveFocusHint": false}
	if s.text != "" {
		body["text"], body["description"] = s.text, s.kind+": "+s.text
	}
	d.event("stopped", body)
}

// release ends a stop, and shows the next. d.mu is held.
func (d *Debugger) release(s *stop) {
	if d.current != s {
		d.waiting = slices.DeleteFunc(d.waiting, func(other *stop) bool { return other == s })
		return
	}
	d.current, d.frames, d.refs = nil, nil, nil
	d.shown++
	d.event("continued", map[string]any{"threadId": thread, "allThreadsContinued": true})
	if len(d.waiting) > 0 {
		next := d.waiting[0]
		d.waiting = d.waiting[1:]
		d.show(next)
	}
}

// detach resumes everything. d.mu is held.
func (d *Debugger) detach() {
	d.attached, d.pausing, d.panics, d.failures = false, false, false, false
	clear(d.breakpoints)
	clear(d.bound)
	for _, g := range d.goroutines {
		d.resumed(g, running)
	}
	for _, s := range d.waiting {
		close(s.resume)
	}
	d.waiting = nil
	if s := d.current; s != nil {
		d.release(s)
		close(s.resume)
	}
	clear(d.goroutines)
	d.arm()
}
