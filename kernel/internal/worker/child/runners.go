package child

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/hierml/notebook/kernel/internal/compiled"
	"github.com/hierml/notebook/kernel/internal/debugger"
	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/cells"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/host"
	"github.com/hierml/notebook/stdlib/magic"
)

// Main is the program of the child. It runs interpreted or compiled programs from the parent, and
// ends the process when the parent is gone. load loads a plugin; nil means that the program cannot
// load any. Main returns only if it cannot start.
func Main(load func(plugin string) error) error {
	setName()
	return Serve(func(means cells.Means) (Runner, error) { return newRunners(means, load) })
}

// runners is a Runner that runs each cell interpreted or compiled, as it comes.
type runners struct {
	interpreted *interpreted.Interpreter
	compiled    *compiled.Runner
	debugger    *debugger.Debugger

	// passing are the contexts of programs that the debugger does not stop, and passes counts them.
	passing sync.Map
	passes  atomic.Int32

	mu      sync.Mutex
	globals []program.Global
	events  func(event []byte)
}

func newRunners(means cells.Means, load func(plugin string) error) (*runners, error) {
	interpreter, err := cells.NewInterpreter(means)
	if err != nil {
		return nil, err
	}
	r := &runners{interpreted: interpreter}
	r.debugger = debugger.New(debugger.Config{
		Goroutine: compiled.Goroutine,
		Context:   func() context.Context { return host.Current().Context() },
		End: func() {
			compiled.End()
			interpreter.End()
		},
		Print:   func(text string) { fmt.Fprint(host.Stdout(), text) },
		Event:   func(event []byte) { r.events(event) },
		Globals: r.variables,
		Passes:  r.passesBy,
		Symbol:  symbol,
		Method:  values.Method,
		Carry:   values.Carry,
	})
	interpreter.SetFailed(r.debugger.Failed)
	r.compiled = compiled.New(compiled.Config{
		Load:    load,
		Stdin:   means.In,
		Stdout:  means.Out,
		Stderr:  means.Err,
		Display: cells.Displayed,
		Relabel: means.Relabel,
		Failed:  r.debugger.Failed,
	})
	return r, nil
}

// SetEvents implements Runner.
func (r *runners) SetEvents(f func(event []byte)) { r.events = f }

// Debug implements Runner.
func (r *runners) Debug(ctx context.Context, cell int, request []byte, globals []program.Global) []byte {
	r.mu.Lock()
	r.globals = globals
	r.mu.Unlock()
	caller := debugger.Caller{Do: func(f func()) error { return r.Do(ctx, cell, f) }}
	if r.compiled.Used() { // an interrupt of interpreted code would also end the stopped cell
		caller.Interrupt = host.Current().Interrupter()
	}
	return r.debugger.Handle(request, caller)
}

// passesBy reports whether the debugger ignores the cell of the calling goroutine.
func (r *runners) passesBy() bool {
	if r.passes.Load() == 0 {
		return false
	}
	_, passes := r.passing.Load(host.Current().Context())
	return passes
}

// symbol returns a symbol of a package that cells use without an import.
func symbol(pkg, name string) reflect.Value {
	path := stdlib.Preloaded[pkg]
	return stdlib.Symbols()[path+"/"+pkg][name]
}

// Ended implements Runner.
func (r *runners) Ended(cell int) { r.debugger.Ended(cell) }

// variables returns the variables of the session that the parent sent last.
func (r *runners) variables() []debugger.Variable {
	r.mu.Lock()
	globals := r.globals
	r.mu.Unlock()
	var list []debugger.Variable
	for _, g := range globals {
		pointer := r.compiled.Pointer(g.Unit, g.Variable)
		if g.Unit == "" {
			if v, ok := r.interpreted.Variable(g.Variable); ok && v.CanAddr() {
				pointer = v.Addr().Interface()
			}
		}
		if pointer != nil {
			list = append(list, debugger.Variable{Name: g.Name, Type: g.Type, Pointer: pointer})
		}
	}
	return list
}

// Run implements Runner.
func (r *runners) Run(ctx context.Context, p *program.Program) (*program.Bundle, error) {
	r.debugger.Add(p.Hooks)
	if p.Passing {
		r.passing.Store(ctx, true)
		r.passes.Add(1)
		defer func() {
			r.passes.Add(-1)
			r.passing.Delete(ctx)
		}()
	}
	if p.Begins {
		magic.NewFlags()
	}
	if p.Compiled != nil {
		return r.compiled.Run(ctx, p)
	}
	return r.interpreted.Run(ctx, p)
}

// Reached implements Runner. A cell ran in one of the two ways.
func (r *runners) Reached(cell int) int {
	return max(r.compiled.ReachedBy(cell), r.interpreted.ReachedBy(cell))
}

// Look implements Runner.
func (r *runners) Look(ctx context.Context, cell int, looks []program.Look) ([]string, error) {
	return r.compiled.Look(ctx, cell, looks)
}

// Adopt implements Runner.
func (r *runners) Adopt(a *program.Adoption) error { return r.compiled.Adopt(a) }

// Save implements Runner.
func (r *runners) Save(file string, a *program.Adoption) (program.LeftBehind, error) {
	return r.compiled.Save(file, a.Moved, a.Shown)
}

// Load implements Runner.
func (r *runners) Load(file string, a *program.Adoption) (program.LeftBehind, error) {
	return r.compiled.Load(file, a)
}

// Do implements Runner. Compiled code that f calls stops in its own way, and interpreted code in
// its own.
func (r *runners) Do(ctx context.Context, cell int, f func()) error {
	if r.compiled.Used() {
		return r.compiled.Do(ctx, cell, f)
	}
	return r.interpreted.Do(ctx, cell, f)
}

// EndDeep implements Runner. Interpreted code cannot tell its goroutines apart.
func (r *runners) EndDeep(size uintptr, tell func(cell int)) bool {
	return r.compiled.EndDeep(size, tell)
}
