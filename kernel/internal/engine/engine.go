package engine

import (
	"cmp"
	"context"
	"errors"
	"go/types"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hierml/notebook/kernel/internal/assist"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/export"
	"github.com/hierml/notebook/kernel/internal/interpreted/lower"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A Config configures an Engine.
type Config struct {
	// Executor runs the lowered or compiled cells. Close closes it.
	Executor program.Executor
	// Mode says whether cells are compiled or interpreted.
	Mode program.Mode
	// Compiler makes the compiler of cells when it is first needed. It reports slow steps to
	// progress in a few words. Its error is a sentence that says why cells cannot be compiled, or
	// errors.ErrUnsupported if this system never compiles them. Nil means that cells cannot be
	// compiled. Close closes the compiler.
	Compiler func(ctx context.Context, progress func(string)) (program.Compiler, error)
	// MaxPlugins and MaxCode bound how many plugins, and how many bytes of them, the executor's
	// process may load before another process replaces it, if the executor is a Replacer. 0 means
	// 300 and 1 GiB.
	MaxPlugins int
	MaxCode    int64
	// Importer finds the packages that cells may import.
	Importer types.Importer
	// Preloaded maps names to the import paths of packages that cells use without importing them.
	Preloaded map[string]string
	// Cells reads the cells of a file, for %run. Nil means that there are no files to read.
	Cells func(path string) ([]program.Cell, error)
	// DataSets returns the names of the data sets that cells can open, for completion. Nil means
	// that none are known.
	DataSets func() []string
	// Strict leaves errors to the cells, as Go does. Without it, a cell stops if a statement
	// outside functions ignores the error of a call and that error is not nil.
	Strict bool
}

// An Engine runs the cells of one session. Its methods may be called concurrently. Declarations of
// a cell are visible to cells that begin after it has ended.
type Engine struct {
	executor  program.Executor
	declaring sync.Mutex   // held until the executor has what a cell declares
	running   atomic.Int32 // how many cells and messages run
	peeks     atomic.Int64 // how often variables were read
	numbered  atomic.Int64 // the number given to a cell last

	// mu guards the checker with its session. A check that an interrupt has abandoned holds mu
	// until it ends, which may be never. Code that takes mu outside the run of a cell must
	// therefore first ask left.work whether there is such a check, as noteMissed does.
	mu        sync.Mutex
	checker   *check.Checker
	lowerer   *lower.Lowerer
	assistant *assist.Assistant
	dead      int            // the process of the executor that died last
	last      program.Output // of the cell that started last
	inputs    []program.Cell // that were run, oldest first
	goflags   []string       // of %goflags, guarded by declaring
	// testVariables are the variables that a note of %test has named, by name.
	testVariables map[string]*state.Declaration
	outside       *outside
	cells         func(path string) ([]program.Cell, error)
	left          left
	hooking       hooking
	executors
}

// New returns an engine for a new session.
func New(config Config) *Engine {
	o := &outside{Importer: config.Importer, resolved: map[string]bool{}, failed: map[string]error{}}
	c := check.New(o, config.Preloaded, config.Strict)
	e := &Engine{
		executor:      config.Executor,
		checker:       c,
		lowerer:       lower.New(c),
		outside:       o,
		cells:         config.Cells,
		testVariables: map[string]*state.Declaration{},
		hooking:       hooking{again: map[int]string{}},
		executors:     executors{mode: config.Mode, open: config.Compiler, emitter: emit.New(c)},
	}
	e.code.maxPlugins, e.code.maxCode = cmp.Or(config.MaxPlugins, maxPlugins), cmp.Or(config.MaxCode, maxCode)
	o.folder, c.Folder, c.NotRun = e.folder, e.folder, e.notRun
	e.assistant = &assist.Assistant{Mutex: &e.mu, Checker: c, Folder: e.folder, Modules: e.moduleNames, Value: e.valueOf, DataSets: config.DataSets}
	return e
}

// Kill ends a cell that ignores its interrupt, if the executor is a Killer. The variables are lost.
func (e *Engine) Kill() {
	if killer, ok := e.executor.(program.Killer); ok {
		killer.Kill()
	}
}

// Insist ends a cell that was interrupted only by a signal, if the executor is a Killer.
func (e *Engine) Insist() {
	if killer, ok := e.executor.(program.Killer); ok {
		killer.Insist()
	}
}

// Close ends the session, its executor and its compiler.
func (e *Engine) Close() error {
	err := e.executor.Close()
	// Abandoned work holds the compiler, and ends with the process.
	_, closed := attend(ended(), e, "the session", func() (struct{}, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		return struct{}{}, e.closeCompiler()
	}, nil)
	return errors.Join(err, closed)
}

// Run runs a cell and returns what its last expression shows, nil for nothing. Every error meant
// for the user is an *Error. A cell that does not compile changes nothing; if a cell fails while it
// runs, the effects so far stay. A cell that calls os.Exit(0) ends there and does not fail.
//
// Cells that run at the same time share the variables. If they declare the same name, the
// declaration of the cell that ends last stays. An interrupt of one may end the others.
func (e *Engine) Run(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error) {
	e.running.Add(1)
	defer e.running.Add(-1)
	cell.Count, cell.Number = cell.ExecutionCount(), e.number(cell.Number)
	bundle, err := e.conduct(ctx, cell, out)
	if err != nil {
		return nil, e.worded(ctx, cell, err)
	}
	return bundle, nil
}

// number returns a number for a cell without one. It is larger than those of all earlier cells,
// including those of a %run. It does not block, since a blocked cell must be open to interrupts.
func (e *Engine) number(given int) int {
	for {
		last := e.numbered.Load()
		next := max(last+1, int64(given))
		if e.numbered.CompareAndSwap(last, next) {
			return int(next)
		}
	}
}

// Deliver gives a message of the front end to the code that listens to the comm. Errors and output
// are handled as for a cell; number identifies the message as a cell's number does the cell.
func (e *Engine) Deliver(ctx context.Context, number int, m *program.CommMessage, out program.Output) error {
	if err := e.waitUntilFree(ctx); err != nil {
		return titled("Refused", "a message of the front end", err.Error(), err)
	}
	e.running.Add(1)
	defer e.running.Add(-1)
	number = e.number(number)
	err := e.executor.Deliver(ctx, number, m, out)
	var death *program.DeathError
	var runtime *program.RuntimeError
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err == nil:
		return nil
	case errors.As(err, &death):
		e.noteDeath(death)
		return deathError(e.checker.Files, death)
	case errors.As(err, &runtime):
		// The user does not know the message as a place.
		known := *runtime
		known.Frames = slices.DeleteFunc(slices.Clone(runtime.Frames), func(f program.Frame) bool { return f.Cell == number })
		return e.runtimeError(&known)
	case ctx.Err() != nil, wasStopped(err):
		return interrupted(err)
	}
	return err
}

// IsComplete tells whether the source is a whole cell. The status is "complete", "invalid",
// "unknown" for a text that is too long to check, or "incomplete". For the last, indent is the
// indentation of the next line according to gofmt, unless that line begins with a closing bracket
// or a case.
func (e *Engine) IsComplete(source string) (status, indent string) {
	if len(source) > maxAsked {
		return "unknown", ""
	}
	if status, source = magics.Completeness(source, e.known); status != "" {
		return status, ""
	}
	return syntax.Completeness(source)
}

// known reports whether a name is defined in the session.
func (e *Engine) known(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.checker.Known(name)
}

// Complete returns what may follow at the cursor, a position in Unicode code points of the source,
// given what the session has declared.
func (e *Engine) Complete(source string, cursor int) assist.Completion {
	nothing := assist.Completion{Start: cursor, End: cursor}
	return ask(e, source, nothing, func() assist.Completion { return e.assistant.Complete(source, cursor) })
}

// Inspect describes the identifier at the cursor, or the one that ends before it. The cursor is a
// position in Unicode code points of the source. Detail 1 asks for the full text. The result is nil
// if nothing is known.
func (e *Engine) Inspect(source string, cursor, detail int) *program.Bundle {
	return ask(e, source, nil, func() *program.Bundle { return e.assistant.Inspect(source, cursor, detail) })
}

// folder returns the working directory of the cells.
func (e *Engine) folder() string {
	if located, ok := e.executor.(program.Located); ok {
		return located.Folder()
	}
	return ""
}

// Export writes cells as a Go program. Run one after the other, the cells print as text what they
// show. Export runs nothing and does not use the Executor of the config. If a cell is at fault, the
// error is an *Error that says where, and there is no program. Export stops when ctx is done.
func Export(ctx context.Context, config Config, cells []export.Cell) ([]byte, error) {
	e := New(config)
	text, err := attend(ctx, e, "the notebook", func() (text []byte, err error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		done := e.workFor(ctx)
		defer func() {
			if failed := done(recover()); failed != nil {
				text, err = nil, failed
			}
		}()
		return export.Write(e.checker, cells)
	}, nil)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx) // there are no later cells to inform
	}
	return text, err
}
