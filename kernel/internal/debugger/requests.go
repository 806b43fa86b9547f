package debugger

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/stdlib/display"
)

// thread is the only thread that front ends know.
const thread = 1

// A request is a request of the Debug Adapter Protocol, or of Jupyter's additions.
type request struct {
	Seq       int             `json:"seq"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"`
}

// A response answers a request.
type response struct {
	Seq     int    `json:"seq"`
	Type    string `json:"type"`
	Request int    `json:"request_seq"`
	Success bool   `json:"success"`
	Command string `json:"command"`
	Message string `json:"message,omitempty"`
	Body    any    `json:"body"`
}

// event sends an event to the front end. d.mu is held.
func (d *Debugger) event(name string, body any) {
	d.seq++
	text, err := json.Marshal(map[string]any{"seq": d.seq, "type": "event", "event": name, "body": body})
	if err == nil { // it consists of strings and numbers
		d.config.Event(text)
	}
}

// arguments are the arguments of all requests.
type arguments struct {
	Code   string `json:"code"`
	Source struct {
		Path string `json:"path"`
	} `json:"source"`
	Breakpoints []*breakpoint `json:"breakpoints"`
	Filters     []string      `json:"filters"`
	Start       int           `json:"start"`
	Count       int           `json:"count"`
	StartFrame  int           `json:"startFrame"`
	Levels      int           `json:"levels"`
	ThreadID    int           `json:"threadId"`
	FrameID     int           `json:"frameId"`
	Reference   int           `json:"variablesReference"`
	Name        string        `json:"name"`
	Value       string        `json:"value"`
	Expression  string        `json:"expression"`
	Variable    string        `json:"variableName"`
	From        string        `json:"srcVariableName"`
	FromFrame   int           `json:"srcFrameId"`
	To          string        `json:"dstVariableName"`
}

// static are the requests that are also answered without a debug session, and begins is the one
// that starts a session.
var static = map[string]bool{"debugInfo": true, "inspectVariables": true, "richInspectVariables": true, "modules": true, "initialize": true, "disconnect": true}

const begins = "attach"

// lists are the keys of responses that contain a list. A front end may ask about a stop when the
// program already goes on, and expects the list even then.
var lists = map[string]string{"stackTrace": "stackFrames", "scopes": "scopes", "variables": "variables"}

// A Caller runs the parts of a request that need the program.
type Caller struct {
	// Do calls f. Interrupt interrupts it; nil means that it cannot be interrupted alone.
	Do        func(f func()) error
	Interrupt func()
}

// Handle carries out a request, and returns its response.
func (d *Debugger) Handle(text []byte, caller Caller) []byte {
	var r request
	var a arguments
	err := json.Unmarshal(text, &r)
	if err == nil && len(r.Arguments) > 0 {
		err = json.Unmarshal(r.Arguments, &a)
	}
	var body any
	if err == nil {
		body, err = d.carryOut(r.Command, &a, caller)
	}
	if body == nil {
		body = struct{}{}
	}
	reply := response{Type: "response", Request: r.Seq, Success: err == nil, Command: r.Command, Body: body}
	if err != nil {
		reply.Message = err.Error()
		if l := lists[r.Command]; l != "" {
			reply.Body = map[string]any{l: []any{}}
		}
	}
	d.mu.Lock()
	d.seq++
	reply.Seq = d.seq
	d.mu.Unlock()
	encoded, err := json.Marshal(reply)
	if err != nil {
		reply.Success, reply.Message, reply.Body = false, err.Error(), struct{}{}
		encoded, _ = json.Marshal(reply) // of texts
	}
	return encoded
}

// shows are the requests that show values, with their handlers, which run without d.mu: methods of
// the program may produce the text, take long, and reach hooks.
var shows = map[string]func(*Debugger, *arguments) (any, error){
	"variables":            (*Debugger).variables,
	"inspectVariables":     (*Debugger).inspected,
	"setVariable":          (*Debugger).setVariable,
	"evaluate":             (*Debugger).evaluated,
	"richInspectVariables": (*Debugger).rich,
	"copyToGlobals":        (*Debugger).copied,
}

// showing calls f with hooks disabled for methods of the program. It waits for a limited time,
// since the front end can ask for nothing else meanwhile, not even to continue.
func (d *Debugger) showing(caller Caller, f func() (any, error)) (any, error) {
	type outcome struct {
		body any
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if r := recover(); r != nil {
				o = outcome{nil, fmt.Errorf("a method panics: %v", r)}
			}
			done <- o
		}()
		err := caller.Do(func() { d.quietly(func() { o.body, o.err = f() }) })
		if err != nil {
			o.err = err
		}
	}()
	select {
	case o := <-done:
		return o.body, o.err
	case <-time.After(d.patience):
		err := fmt.Errorf("the method that the debugger called has not returned within %v: it may wait for the stopped goroutine", d.patience)
		if caller.Interrupt == nil {
			return nil, fmt.Errorf("%w; it continues until you interrupt the cell", err)
		}
		caller.Interrupt()
		return nil, err
	}
}

// carryOut calls the handler of a command.
func (d *Debugger) carryOut(command string, a *arguments, caller Caller) (any, error) {
	d.mu.Lock()
	if !d.attached && !static[command] && command != begins {
		d.mu.Unlock()
		return nil, fmt.Errorf("%s: the debugger is not attached", command)
	}
	if show := shows[command]; show != nil {
		d.mu.Unlock()
		return d.showing(caller, func() (any, error) { return show(d, a) })
	}
	defer d.mu.Unlock()
	switch command {
	case "debugInfo":
		return d.info(), nil
	case "initialize":
		return capabilities(), nil
	case begins:
		if !d.attached {
			d.attached = true
			d.event("initialized", struct{}{})
		}
		d.arm()
	case "disconnect", "terminate":
		if d.attached {
			d.detach()
			d.event("terminated", struct{}{})
		}
	case "configurationDone":
	case "dumpCell":
		path := Path(a.Code)
		d.sources[path] = a.Code
		return map[string]any{"sourcePath": path}, nil
	case "source":
		text, ok := d.sources[a.Source.Path]
		if !ok {
			return nil, fmt.Errorf("no cell has the source %s", a.Source.Path)
		}
		return map[string]any{"content": text, "mimeType": "text/x-go"}, nil
	case "setBreakpoints":
		return d.setBreakpoints(a), nil
	case "breakpointLocations":
		return map[string]any{"breakpoints": list(d.lines(a.Source.Path), func(n int) any { return map[string]any{"line": n} })}, nil
	case "setExceptionBreakpoints":
		d.panics, d.failures = slices.Contains(a.Filters, "panic"), slices.Contains(a.Filters, "error")
		d.arm()
	case "threads":
		return d.threads(), nil
	case "stackTrace":
		return d.stackTrace(a), nil
	case "scopes":
		return d.scopes(a)
	case "continue":
		return map[string]any{"allThreadsContinued": true}, d.goOn(running)
	case "next":
		return nil, d.goOn(over)
	case "stepIn":
		return nil, d.goOn(into)
	case "stepOut":
		return nil, d.goOn(out)
	case "pause":
		d.pausing = d.current == nil
		d.arm()
	case "modules":
		return map[string]any{"modules": []any{}, "totalModules": 0}, nil
	default:
		return nil, fmt.Errorf("%s: the debugger does not know this request", command)
	}
	return nil, nil
}

func (d *Debugger) info() any {
	stopped := []int{}
	if d.current != nil {
		stopped = []int{thread}
	}
	points := []any{}
	for _, path := range slices.Sorted(maps.Keys(d.breakpoints)) {
		points = append(points, map[string]any{"source": path, "breakpoints": list(d.breakpoints[path], func(b *breakpoint) any {
			told := map[string]any{"line": b.Line}
			for key, text := range map[string]string{"condition": b.Condition, "hitCondition": b.Hits, "logMessage": b.Log} {
				if text != "" {
					told[key] = text
				}
			}
			return told
		})})
	}
	return map[string]any{
		"isStarted": d.attached, "hashMethod": "Murmur2", "hashSeed": seed, "tmpFilePrefix": prefix, "tmpFileSuffix": suffix,
		"breakpoints": points, "stoppedThreads": stopped, "richRendering": true, "exceptionPaths": []string{}, "copyToGlobals": true,
	}
}

func capabilities() any {
	return map[string]any{
		"supportsConfigurationDoneRequest": true, "supportsConditionalBreakpoints": true, "supportsHitConditionalBreakpoints": true,
		"supportsLogPoints": true, "supportsSetVariable": true, "supportsEvaluateForHovers": true, "supportsTerminateRequest": true,
		"supportsBreakpointLocationsRequest": true,
		"exceptionBreakpointFilters": []any{
			map[string]any{"filter": "panic", "label": "Panics", "default": false},
			map[string]any{"filter": "error", "label": "Errors that stop a cell", "default": false},
		},
	}
}

func list[T any](from []T, of func(T) any) []any {
	all := make([]any, 0, len(from))
	for _, x := range from {
		all = append(all, of(x))
	}
	return all
}

func (d *Debugger) setBreakpoints(a *arguments) any {
	path := a.Source.Path
	d.breakpoints[path] = a.Breakpoints
	if len(a.Breakpoints) == 0 {
		delete(d.breakpoints, path)
	}
	for _, b := range a.Breakpoints {
		d.seq++
		b.ID = d.seq
	}
	d.bind(path)
	d.arm()
	return map[string]any{"breakpoints": list(a.Breakpoints, func(b *breakpoint) any {
		return map[string]any{"id": b.ID, "verified": true, "line": b.Line, "source": d.source(path)}
	})}
}

// source describes the source of a cell by its title, if the cell has run.
func (d *Debugger) source(path string) any {
	name := filepath.Base(path)
	for _, p := range d.sites {
		if p.Site != nil && p.path == path {
			name = p.Title
		}
	}
	return map[string]any{"name": name, "path": path}
}

// threads lists the stopped goroutine, or the one that will be, and those that wait.
func (d *Debugger) threads() any {
	all := []any{map[string]any{"id": thread, "name": "cell"}}
	for i, s := range d.waiting {
		all = append(all, map[string]any{"id": thread + 1 + i, "name": "goroutine that waits in line " + fmt.Sprint(s.frames[0].place.Line)})
	}
	return map[string]any{"threads": all}
}

func (d *Debugger) stackTrace(a *arguments) any {
	var told []any
	if d.current != nil && a.ThreadID == thread {
		for i, c := range d.frames {
			p := c.place
			name := p.function().Name
			if name == "" {
				name = p.Title
			}
			told = append(told, map[string]any{"id": i + 1, "name": name, "line": p.Line, "column": p.Column, "endLine": p.End, "source": d.source(p.path)})
		}
	}
	total := len(told)
	told = told[min(a.StartFrame, total):]
	if a.Levels > 0 {
		told = told[:min(a.Levels, len(told))]
	}
	return map[string]any{"stackFrames": append([]any{}, told...), "totalFrames": total}
}

// frame returns the call with a number; nil, without an error, for 0. d.mu is held.
func (d *Debugger) frame(id int) (*call, error) {
	switch {
	case id == 0:
		return nil, nil
	case id < 0 || id > len(d.frames):
		return nil, errors.New("the program is no longer stopped in this call")
	}
	return d.frames[id-1], nil
}

// A reference is the meaning of a number while the program is stopped: variables of a call, or of
// the session, or parts of a value.
type reference struct {
	frame   int
	globals bool
	part    *variable
	// root is the variable of the call that contains the part; -1 if the part can be changed in
	// place.
	root int
}

// refer returns a number for a reference. d.mu is held.
func (d *Debugger) refer(r reference) int {
	d.refs = append(d.refs, r)
	return len(d.refs)
}

func (d *Debugger) scopes(a *arguments) (any, error) {
	c, err := d.frame(a.FrameID)
	if err != nil || c == nil {
		return nil, errors.Join(err, errIf(c == nil, "the request names no call"))
	}
	return map[string]any{"scopes": []any{
		map[string]any{"name": "Locals", "presentationHint": "locals", "variablesReference": d.refer(reference{frame: a.FrameID}), "namedVariables": len(c.place.Variables), "expensive": false},
		map[string]any{"name": "Globals", "presentationHint": "globals", "variablesReference": d.refer(reference{frame: a.FrameID, globals: true}), "expensive": false},
	}}, nil
}

func errIf(so bool, text string) error {
	if so {
		return errors.New(text)
	}
	return nil
}

// parts returns the parts behind a reference, and the stop that it belongs to.
func (d *Debugger) parts(number, start, count int) (parts []variable, r reference, shown int, err error) {
	d.mu.Lock()
	shown = d.shown
	var c *call
	if number < 1 || number > len(d.refs) {
		err = errors.New("the program has continued since these variables were shown")
	} else {
		r = d.refs[number-1]
		c, err = d.frame(r.frame)
	}
	d.mu.Unlock()
	switch {
	case err != nil:
	case r.part != nil:
		parts = r.part.value.parts(r.part.evaluate, start, count)
	case r.globals:
		parts = d.globals()
	case c != nil:
		parts = c.names()
	}
	return parts, r, shown, err
}

// at returns the call with a number, and the stop that it belongs to.
func (d *Debugger) at(frame int) (c *call, shown int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, err = d.frame(frame)
	return c, d.shown, err
}

func (d *Debugger) variables(a *arguments) (any, error) {
	parts, r, shown, err := d.parts(a.Reference, a.Start, a.Count)
	if err != nil {
		return nil, err
	}
	return map[string]any{"variables": d.encodeVariables(parts, &r, shown)}, nil
}

func (d *Debugger) inspected(*arguments) (any, error) {
	_, shown, err := d.at(0)
	return map[string]any{"variables": d.encodeVariables(d.globals(), nil, shown)}, err
}

// encodeVariables encodes the variables behind a reference for the front end.
func (d *Debugger) encodeVariables(parts []variable, of *reference, shown int) []any {
	all := []any{}
	for i := range parts {
		n := &parts[i]
		text := n.text()
		told := map[string]any{"name": n.name, "value": text, "evaluateName": n.evaluate}
		if t := n.panelType(text); t != "" {
			told["type"] = t
		}
		maps.Copy(told, d.expandable(n, of, i, shown))
		all = append(all, told)
	}
	return all
}

// expandable returns how the front end gets the parts of a variable during a stop.
func (d *Debugger) expandable(n *variable, of *reference, at, shown int) map[string]any {
	count, indexed := n.value.count()
	if count == 0 {
		return map[string]any{"variablesReference": 0}
	}
	r := reference{part: n, root: -1}
	if of != nil {
		r.frame = of.frame
		switch k := n.value.open().rv.Kind(); {
		case k != reflect.Struct && k != reflect.Array:
		case of.part != nil:
			r.root = of.root
		case !of.globals:
			r.root = at
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if shown != d.shown {
		return map[string]any{"variablesReference": 0}
	}
	told := map[string]any{"variablesReference": d.refer(r), "namedVariables": count}
	if indexed {
		delete(told, "namedVariables")
		told["indexedVariables"] = count
	}
	return told
}

func (n *variable) typeName() string {
	if v := n.value.open(); n.typ == "" || n.value.rv.Kind() == reflect.Interface && v.rv.IsValid() && v.rv.Kind() != reflect.Interface {
		return v.typeName()
	}
	return n.typ
}

// inline is the maximum length of a value that is shown in place of its type.
const inline = 80

// panelType returns the type of a variable in the front end's list for a value with that text;
// empty for none. JupyterLab shows only the values of types with a Python name, reading int and
// float as a JavaScript number, and values without a type. Otherwise it shows the type.
func (n *variable) panelType(text string) string {
	const exact = 1 << 53
	if v := n.value.open(); v.rv.IsValid() && v.typ == nil && v.rv.Type().PkgPath() == "" {
		switch r := v.rv; {
		case r.Kind() == reflect.Bool:
			return "bool"
		case r.Kind() == reflect.String:
			return "str"
		case r.CanFloat() && !math.IsInf(r.Float(), 0):
			return "float"
		case r.CanInt() && -exact <= r.Int() && r.Int() <= exact, r.CanUint() && r.Uint() <= exact:
			return "int"
		}
	}
	if len(text) <= inline {
		return ""
	}
	return n.typeName()
}

func (d *Debugger) setVariable(a *arguments) (any, error) {
	parts, r, shown, err := d.parts(a.Reference, 0, 0)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(parts, func(n variable) bool { return n.name == a.Name })
	if at < 0 {
		return nil, fmt.Errorf("no variable %s", a.Name)
	}
	c, _, err := d.at(r.frame)
	if err != nil {
		return nil, err
	}
	n := &parts[at]
	root := r.root
	if r.part == nil {
		root = at
	}
	if r.globals {
		root = -1
	}
	if !n.value.rv.IsValid() || n.set == nil && !n.value.rv.CanSet() {
		return nil, fmt.Errorf("%s cannot be set", a.Name)
	}
	v, err := d.evaluateAs(a.Value, c, n.value.rv.Type())
	if err != nil {
		return nil, err
	}
	if err := d.set(n, v, c, root, shown); err != nil {
		return nil, err
	}
	told := map[string]any{"value": n.text(), "type": n.typeName()}
	maps.Copy(told, d.expandable(n, &r, at, shown))
	return told, nil
}

// set assigns a value to a part of a variable of a call, during a stop.
func (d *Debugger) set(n *variable, v value, c *call, root, shown int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case shown != d.shown:
		return errors.New("the program has continued since these variables were shown")
	case root >= 0 && (c == nil || !c.top):
		return errors.New("only variables of the function that has stopped can be changed, and not those of its callers")
	}
	if n.set != nil {
		n.set(v.rv)
		n.value = v
	} else {
		n.value.rv.Set(v.rv)
	}
	if root >= 0 {
		c.changed |= 1 << root
	}
	return nil
}

// evaluated answers an evaluate request.
func (d *Debugger) evaluated(a *arguments) (any, error) {
	d.mu.Lock()
	c, err := d.frame(a.FrameID)
	if c == nil && len(d.frames) > 0 {
		c = d.frames[0]
	}
	shown := d.shown
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	v, err := d.evaluate(a.Expression, c)
	if beyond := (*beyond)(nil); errors.As(err, &beyond) {
		return Beyond{true, c.mentioned(a.Expression)}, err
	}
	if err != nil {
		return nil, err
	}
	n := &variable{name: a.Expression, evaluate: a.Expression, value: v}
	told := map[string]any{"result": v.text(), "type": n.typeName()}
	maps.Copy(told, d.expandable(n, nil, 0, shown))
	return told, nil
}

// rich answers with a variable in the form in which a cell would show it.
func (d *Debugger) rich(a *arguments) (any, error) {
	c, _, err := d.at(a.FrameID)
	if err != nil {
		return nil, err
	}
	v, err := d.evaluate(a.Variable, c)
	if err != nil {
		return nil, err
	}
	data := map[string]any{"text/plain": v.text()}
	metadata := map[string]any{}
	if v.typ == nil && v.rv.IsValid() && v.rv.CanInterface() && !strings.Contains(v.rv.Type().String(), "main.") {
		// Types of cells produce their text by methods that may have hooks.
		if b := display.Of(v.rv.Interface()); b != nil {
			for mime, content := range b.Data {
				if bytes, ok := content.([]byte); ok {
					content = base64.StdEncoding.EncodeToString(bytes)
				}
				data[mime] = content
			}
			maps.Copy(metadata, b.Metadata)
		}
	}
	return map[string]any{"data": data, "metadata": metadata}, nil
}

// goOn resumes the stopped goroutine.
func (d *Debugger) goOn(how step) error {
	s := d.current
	if s == nil {
		return errors.New("the program is not stopped")
	}
	s.g.depth = len(s.frames)
	d.resumed(s.g, how)
	d.release(s)
	d.arm()
	close(s.resume)
	return nil
}
