// Package interpreted runs the programs that the engine lowers, with yaegi, in this process. It is
// the only package that knows yaegi.
//
// It adds what yaegi lacks and can be added from outside: cancellation that keeps functions of
// earlier cells alive (cancel.go), the calls and lines of a panic (frames.go), Go's words for it
// (panics.go, faults.go), and the functions that lowered code calls (bridge.go). Package values
// implements the types that exist only in the session.
//
// Wrong when the lowered text is right and its result is not: then yaegi differs from Go, and
// lowering must avoid the feature, or refuse it by name.
package interpreted

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/host"
)

// A Config configures an Interpreter.
type Config struct {
	// Symbols are the compiled packages that programs may import.
	Symbols interp.Exports
	// Stdin, Stdout and Stderr are the files for fmt and log; nil means those of the process.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Display makes a bundle of the values of a cell's last expression. Values of session types are
	// fmt.Formatters; Shower finds their methods for displays (HTML, SVG, PNG, MimeBundle). Nil
	// means text.
	Display func(values []any) *program.Bundle
}

// An Interpreter runs programs, several at a time if necessary. Their declarations are evaluated
// one after the other.
type Interpreter struct {
	config  Config
	yaegi   *interp.Interpreter
	control *control
	frames  *frames
	types   *values.Types
	// standard returns the replacement for a standard file.
	standard func(*os.File) *standard

	panics *panics

	evaluating sync.Mutex // held while source is evaluated
	globals    *globals
	trees      *trees

	instructions *instructions
	zeros        *zeros
	hooks        *hooks
	recursive    *recursive

	mu      sync.Mutex
	reached map[int]int      // of failed cells, see ReachedBy
	tasks   map[uint64]*task // by goroutine
	// lingering says that some of the goroutines belong to stopped tasks.
	lingering atomic.Bool
	kept      map[int][]any  // values of cells
	titles    map[int]string // of cells
	failed    atomic.Pointer[func(*program.RuntimeError)]
}

// New returns an interpreter with nothing declared.
func New(config Config) (*Interpreter, error) {
	in := &Interpreter{config: config, types: values.NewTypes(values.Wrappers(config.Symbols)), panics: newPanics(), reached: map[int]int{}, tasks: map[uint64]*task{}, kept: map[int][]any{}, titles: map[int]string{}}
	in.types.StopIfCancelled = in.stopIfCancelled
	in.types.Translate = func(panicked any) any { return translated(panicked, fault{}) }
	in.frames = newFrames(config.Stderr)
	in.standard = in.standards()
	in.yaegi = interp.New(interp.Options{
		Stdin:        currentStdin{in},
		Stdout:       currentStdout{in},
		Stderr:       in.frames,
		Unrestricted: true,
	})
	if err := in.yaegi.Use(config.Symbols); err != nil {
		return nil, fmt.Errorf("interpreter: symbols: %w", err)
	}
	if err := in.yaegi.Use(in.bridge()); err != nil {
		return nil, fmt.Errorf("interpreter: bridge: %w", err)
	}
	if err := in.yaegi.Use(in.interruptible()); err != nil {
		return nil, fmt.Errorf("interpreter: what can be interrupted: %w", err)
	}
	if err := in.yaegi.Use(in.logging()); err != nil {
		return nil, fmt.Errorf("interpreter: log: %w", err)
	}
	// yaegi has its own arguments and flags; cells use those of the process, as %args sets them.
	if err := in.yaegi.Use(interp.Exports{
		"os/os":     {"Args": reflect.ValueOf(&os.Args).Elem()},
		"flag/flag": {"CommandLine": reflect.ValueOf(&flag.CommandLine).Elem(), "Parse": reflect.ValueOf(parseCommandLine)},
	}); err != nil {
		return nil, fmt.Errorf("interpreter: arguments: %w", err)
	}
	control, err := newControl(in.yaegi)
	if err != nil {
		return nil, err
	}
	in.control = control
	if in.globals, err = newGlobals(in.yaegi); err != nil {
		return nil, err
	}
	if in.trees, err = newTrees(in.yaegi); err != nil {
		return nil, err
	}
	if in.instructions, err = newInstructions(in.yaegi); err != nil {
		return nil, err
	}
	if in.recursive, err = newRecursive(in.yaegi); err != nil {
		return nil, err
	}
	if in.frames.faults, err = newFaults(in.yaegi); err != nil {
		return nil, err
	}
	if in.zeros, err = newZeros(in.instructions); err != nil {
		return nil, err
	}
	in.hooks = newHooks(in.zeros, in.frames.faults)
	return in, nil
}

// Run runs a program to its end and returns the value of its last expression. It may be called
// while other programs run.
//
// A panic is a *program.RuntimeError. If ctx is done first, interpreted code stops at its next
// step, and with it all other programs, and Run returns an error that wraps context.Cause(ctx); it
// waits for a compiled function that does not return. Any other error means that the program could
// not run, and that nothing of its Call did.
func (in *Interpreter) Run(ctx context.Context, p *program.Program) (*program.Bundle, error) {
	if p.Title != "" {
		in.mu.Lock()
		in.titles[p.Cell] = p.Title
		in.mu.Unlock()
	}
	var cell func()
	var err error
	in.control.evaluate(func() { cell, err = in.declare(p) })
	if err != nil || cell == nil {
		return nil, err
	}
	if p.Declared != nil {
		p.Declared()
	}
	t := newTask(p.Cell)
	err = in.supervise(ctx, t, cell)
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.reached, p.Cell)
	if err != nil && t.reached > 0 {
		in.reached[p.Cell] = t.reached
	}
	if err == nil && p.Keep {
		in.kept[p.Cell] = t.values
	}
	return t.bundle, err
}

// ReachedBy returns how many statements of a cell's last program ran, if that failed. It may be
// called once.
func (in *Interpreter) ReachedBy(cell int) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	defer delete(in.reached, cell)
	return in.reached[cell]
}

// declare evaluates the source of a program, and returns the function that holds its statements,
// nil if it has none.
func (in *Interpreter) declare(p *program.Program) (cell func(), err error) {
	in.evaluating.Lock()
	defer in.evaluating.Unlock()
	settled := len(p.Recursive) == 0
	for _, unit := range p.Source {
		if _, err := in.evaluate(unit); err != nil {
			return nil, err
		}
		if !settled && in.recursive.declared(p.Recursive[0]).IsValid() {
			settled = true
			if err := in.recursive.settle(p.Recursive); err != nil {
				return nil, err
			}
		}
	}
	in.trees.release(p.Variables, p.Temporary)
	if p.Call == "" {
		return nil, nil
	}
	before := in.globals.length()
	v, err := in.evaluate(p.Call)
	if err != nil {
		return nil, err
	}
	in.globals.forget(before)
	in.trees.release(nil, []string{p.Call})
	cell, ok := v.Interface().(func())
	if !ok {
		return nil, fmt.Errorf("interpreter: %s is a %s, not a function", p.Call, v.Type())
	}
	return cell, nil
}

// evaluate evaluates a unit of source. It never runs user code.
func (in *Interpreter) evaluate(unit string) (v reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	compiled, err := in.yaegi.Compile(unit)
	if err == nil && compiled != nil {
		in.globals.extend()
		in.zeros.keep(compiled)
		in.hooks.keep(compiled)
		if v, err = in.yaegi.Execute(compiled); err == nil {
			err = in.instructions.missing(compiled)
		}
	}
	var p interp.Panic
	if errors.As(err, &p) {
		return v, fmt.Errorf("%v", p.Value)
	}
	return v, err
}

// Do calls f, which may call functions of the session, on behalf of the cell with a number. Its
// errors are those of Run.
func (in *Interpreter) Do(ctx context.Context, cell int, f func()) error {
	return in.supervise(ctx, newTask(cell), f)
}

// End stops the calling goroutine at its next step, once the context of its cell is done: the
// goroutine that stops the cell may learn of that later. It returns at once if no interpreted code
// is running.
func (in *Interpreter) End() {
	in.mu.Lock()
	t := in.tasks[goroutineID()]
	in.mu.Unlock()
	if t != nil {
		in.control.await(t)
	}
}

// supervise calls f as task t in a new goroutine, until it returns, a goroutine that it has started
// fails, or ctx is done.
func (in *Interpreter) supervise(ctx context.Context, t *task, f func()) error {
	if ctx.Err() != nil {
		return program.Interruption(ctx)
	}
	var result error
	returned := false // false after runtime.Goexit
	go func() {
		defer in.control.end(t)
		id := goroutineID()
		defer func() {
			t.settle(id)
			result = t.end(result)
		}()
		in.frames.begin(id)
		defer in.frames.end(id)
		in.join(id, t)
		defer in.leave(id)
		defer func() {
			if r := recover(); r != nil {
				result = in.runtimeError(r, id, t.cell)
				if ctx.Err() != nil { // the failure may be a consequence, such as an interrupted process
					result = program.Interruption(ctx)
				}
			} else if !returned && in.control.stopped(t) {
				result = stoppedBeside(t.cell)
			} else if !returned {
				result = program.NewRuntimeError("exit", "runtime.Goexit ended the goroutine of the cell", program.Frame{Cell: t.cell})
			}
		}()
		if in.control.begin(t) {
			f()
		}
		returned = true
		if in.control.stopped(t) {
			result = stoppedBeside(t.cell)
		}
	}()
	select {
	case <-t.finished:
		return result
	case <-t.failed:
		in.stop(t)
		return result
	case <-ctx.Done():
	}
	in.stop(t)
	return program.Interruption(ctx)
}

// forDeferred bounds the time of a deferred call of a stopped function.
const forDeferred = time.Second

// stop ends a task, and makes the deferred calls of its functions.
func (in *Interpreter) stop(t *task) {
	in.control.stop(t, func(t *task) bool {
		in.mu.Lock()
		defer in.mu.Unlock()
		return slices.Contains(slices.Collect(maps.Values(in.tasks)), t)
	})
	in.mu.Lock()
	in.linger()
	in.mu.Unlock()
	if t.deferred {
		return
	}
	for _, call := range in.control.takePostponed() {
		ctx, cancel := context.WithTimeout(context.Background(), forDeferred)
		after := newTask(t.cell)
		after.deferred = true
		// The cell was stopped: a panic or a timeout here tells the user nothing more.
		_ = in.supervise(ctx, after, call)
		cancel()
	}
}

// stoppedBeside is the error of a cell that was ended by the interrupt of another one.
func stoppedBeside(cell int) error {
	return program.NewRuntimeError("interrupted", "stopped by the interrupt of another cell", program.Frame{Cell: cell})
}

// SetFailed sets the function that is called first when the goroutine of a cell has ended by a
// panic or an error.
func (in *Interpreter) SetFailed(f func(*program.RuntimeError)) { in.failed.Store(&f) }

// failing reports a failure that ends a goroutine, and returns it.
func (in *Interpreter) failing(err *program.RuntimeError) *program.RuntimeError {
	if f := in.failed.Load(); f != nil {
		(*f)(err)
	}
	return err
}

// runtimeError describes a panic that ends a goroutine of a cell.
func (in *Interpreter) runtimeError(value any, goroutine uint64, cell int) *program.RuntimeError {
	value, passed := in.caught(value, goroutine)
	if status, ok := value.(stdlib.Exit); ok {
		return program.Exited(int(status))
	}
	if s, ok := value.(*stopped); ok {
		return in.failing(program.NewRuntimeError(errorName(s.err), s.text, s.at))
	}
	if len(passed.calls) == 0 {
		passed.calls = []program.Frame{{Cell: cell}}
	}
	if failure, ok := value.(host.Failure); ok {
		return in.failing(program.NewRuntimeError("error", failure.Error(), passed.calls...))
	}
	if err, ok := value.(error); ok {
		if failed, ok := program.Demanded(errorName(err), errorText(err), passed.calls); ok {
			return in.failing(failed)
		}
	}
	return in.failing(program.NewRuntimeError("panic", passed.message(value), passed.calls...))
}

// goroutineID returns the number of the calling goroutine, which the run time tells only in text.
func goroutineID() uint64 {
	text := string(stackHead())
	text = strings.TrimPrefix(text, "goroutine ")
	var id uint64
	for _, r := range text {
		if r < '0' || r > '9' {
			break
		}
		id = id*10 + uint64(r-'0')
	}
	return id
}
