package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib/host"
)

// CanDebug reports whether cells can be debugged: whether the executor is a program.Debuggee.
func (e *Engine) CanDebug() bool {
	_, ok := e.executor.(program.Debuggee)
	return ok
}

// DebugEvents makes the debugger send its events to f, one after the other.
func (e *Engine) DebugEvents(f func(event []byte)) {
	if d, ok := e.executor.(program.Debuggee); ok {
		d.DebugEvents(f)
	}
}

// Debug carries out a request of the Debug Adapter Protocol, and returns the response. It may be
// called while cells run. Cells that begin after a front end has attached have hooks.
func (e *Engine) Debug(ctx context.Context, request []byte) (response []byte, err error) {
	d, ok := e.executor.(program.Debuggee)
	if !ok {
		return nil, errors.New("cells cannot be debugged here")
	}
	var asked struct {
		Command   string `json:"command"`
		Arguments struct {
			Source struct {
				Path string `json:"path"`
			} `json:"source"`
		} `json:"arguments"`
	}
	if err := json.Unmarshal(request, &asked); err != nil {
		return nil, err
	}
	response, err = e.askDebugger(ctx, d, request)
	if err == nil && asked.Command == "copyToGlobals" {
		response, err = e.declareForCopy(ctx, d, request, response)
	}
	if err == nil && asked.Command == "evaluate" {
		response, err = e.evaluateBeyond(ctx, d, request, response)
	}
	if err != nil {
		return nil, err
	}
	if asked.Command == "attach" {
		e.Hook(true)
		e.hookEarlier(ctx)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch asked.Command {
	case "attach":
		e.hooking.note(asked.Command, request)
	case "setBreakpoints":
		e.hooking.note(asked.Command+" "+asked.Arguments.Source.Path, request)
	case "setExceptionBreakpoints":
		e.hooking.note(asked.Command, request)
	case "disconnect", "terminate":
		e.hooking.on, e.hooking.requests = false, nil
	}
	return response, nil
}

// askDebugger sends a request to the process that runs cells.
func (e *Engine) askDebugger(ctx context.Context, d program.Debuggee, request []byte) (response []byte, err error) {
	response, err = d.Debug(ctx, asideNumber+int(e.peeks.Add(1)), request, e.globals(), nowhere{})
	if err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.noteDeath(err)
	}
	return response, err
}

// declareForCopy handles the response to a copyToGlobals request. If the session lacks the
// variable, it declares the variable as a cell would and sends the request again. It returns other
// responses unchanged.
func (e *Engine) declareForCopy(ctx context.Context, d program.Debuggee, request, response []byte) ([]byte, error) {
	name, typ, err := undeclared(response)
	if err != nil || name == "" {
		return response, err
	}
	err = e.declareAside(ctx, "var "+name+" "+typ)
	var failed *program.Error
	switch {
	case errors.As(err, &failed):
		return refusing(response, fmt.Sprintf("cannot declare a variable %s of type %s in the session now: %s; others can use the declarations of the stopped cell only after it has ended", name, typ, withoutPlace(failed.Message)))
	case err != nil:
		return nil, err
	}
	if response, err = e.askDebugger(ctx, d, request); err != nil {
		return nil, err
	}
	if still, _, err := undeclared(response); err != nil || still == "" {
		return response, err
	}
	return refusing(response, fmt.Sprintf("type %s of the session differs from that of the stopped program: %s was declared, but no value was copied to it", typ, name))
}

// undeclared returns the name and type of the variable that a request needs and the session lacks.
// They are empty for other responses.
func undeclared(response []byte) (name, typ string, err error) {
	var r struct {
		Body struct{ Undeclared, Type string }
	}
	err = json.Unmarshal(response, &r)
	return r.Body.Undeclared, r.Body.Type, err
}

// declareAside runs a declaration as a hidden cell. It may be called while a cell is stopped.
func (e *Engine) declareAside(ctx context.Context, source string) error {
	cell := program.Cell{Number: e.number(0), Count: 1, Name: debuggerTitle, Source: source, Aside: true, Passing: true}
	return e.runAside(ctx, syntax.NewLexed(syntax.NewSource(cell)))
}

// debuggerTitle is the title of the debugger's own cells in errors.
const debuggerTitle = "the debugger"

// withoutPlace returns the message of an error in such a cell without its place, since the user
// cannot see that cell.
func withoutPlace(message string) string {
	rest, found := strings.CutPrefix(message, debuggerTitle+":")
	if place, text, cut := strings.Cut(rest, ": "); found && cut && strings.Trim(place, "0123456789:") == "" {
		return text
	}
	return message
}

// runAside runs a cell that only declares, beside the running cells. The output of these cells is
// not affected.
func (e *Engine) runAside(ctx context.Context, src *syntax.Lexed) error {
	e.running.Add(1)
	defer e.running.Add(-1)
	e.mu.Lock()
	out := aside{e.last}
	e.mu.Unlock()
	if out.Output == nil {
		out.Output = nowhere{}
	}
	_, err := e.run(ctx, src, out)
	e.mu.Lock()
	e.last = out.Output
	e.mu.Unlock()
	if err != nil {
		return e.worded(ctx, src.Cell, err)
	}
	return nil
}

// aside is the output of a hidden cell: nobody would read notes on it.
type aside struct{ program.Output }

func (a aside) Stream(name, text string) {
	if name != host.Notes {
		a.Output.Stream(name, text)
	}
}

// refusing returns a failed response with another message, and without a body.
func refusing(response []byte, message string) ([]byte, error) {
	var r map[string]any
	if err := json.Unmarshal(response, &r); err != nil {
		return nil, err
	}
	r["success"], r["message"], r["body"] = false, message, struct{}{}
	return json.Marshal(r)
}

// note keeps the last request of each kind, to repeat it for another process.
func (h *hooking) note(kind string, request []byte) {
	if h.requests == nil {
		h.requests = map[string][]byte{}
	}
	h.requests[kind] = request
}

// attachAgain repeats for a new process the requests that the debugger sent to the one before.
func (e *Engine) attachAgain(ctx context.Context, p *program.Program) {
	d, ok := e.executor.(program.Debuggee)
	e.mu.Lock()
	requests := maps.Clone(e.hooking.requests)
	due := ok && e.hooking.stale && e.hooking.on
	e.hooking.stale = e.hooking.stale && !due
	if due {
		p.Hooks = slices.Clone(e.hooking.known)
	}
	e.mu.Unlock()
	if !due {
		return
	}
	for _, kind := range slices.Sorted(maps.Keys(requests)) { // attach comes first
		_, err := d.Debug(ctx, asideNumber+int(e.peeks.Add(1)), requests[kind], nil, nowhere{})
		e.mu.Lock()
		e.noteDeath(err) // the cell reports what is lost
		e.mu.Unlock()
	}
}

// globals returns the variables of the session, for the debugger.
func (e *Engine) globals() []program.Global {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []program.Global
	for name, d := range e.checker.Session.Live {
		v, ok := d.Object.(*types.Var)
		if !ok || d.Lowered == "" || d.Lost != "" {
			continue
		}
		g := program.Global{Name: name, Type: typed.Shown(v.Type()), Variable: d.Lowered}
		if e.compiled {
			if g.Unit, g.Variable, ok = e.emitter.Variable(d); !ok {
				continue
			}
		}
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b program.Global) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// nowhere is an output that discards what requests of the debugger show.
type nowhere struct{}

func (nowhere) Stream(string, string)                 {}
func (nowhere) Display(*program.Bundle, string, bool) {}
func (nowhere) Clear(bool)                            {}
func (nowhere) Comm(*program.CommMessage) error       { return host.ErrNoFrontEnd }
func (nowhere) Page(*program.Bundle)                  {}
func (nowhere) NextInput(string, bool)                {}
func (nowhere) Input(context.Context, string, bool) (string, error) {
	return "", errors.New("there is no front end to ask for input")
}
