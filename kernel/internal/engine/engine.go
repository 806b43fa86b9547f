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

// A Config says what an Engine works with.
type Config struct {
	// Executor runs what the engine lowers or compiles. Close closes it.
	Executor program.Executor
	// Mode says which of the two it is.
	Mode program.Mode
	// Compiler makes what compiles cells, when it is first needed, and says to progress in a few
	// words what it does where that takes long. Its error is a sentence that says why cells cannot
	// be compiled; it is errors.ErrUnsupported if this system never compiles them. Nil means that
	// cells cannot be compiled. Close closes the compiler.
	Compiler func(ctx context.Context, progress func(string)) (program.Compiler, error)
	// MaxPlugins and MaxCode are how many plugins, and how many bytes of them, the process of the
	// executor may have loaded before it is replaced by another, if the executor is a Replacer; 0
	// means 300 and 1 GiB.
	MaxPlugins int
	MaxCode    int64
	// Importer finds the packages that cells may import.
	Importer types.Importer
	// Preloaded maps names to the import paths of packages that cells use without importing them.
	Preloaded map[string]string
	// Cells reads the cells of a file, for %run. Nil means that there are none to be read.
	Cells func(path string) ([]program.Cell, error)
	// DataSets returns the names of the data sets that cells can open, for completion. Nil means
	// that none are known.
	DataSets func() []string
	// Strict leaves errors to the cells, as Go does: without it, a statement of a cell, outside
	// functions, that leaves out the error of a call stops the cell.
	Strict bool
}

// An Engine runs the cells of one session. Its methods may be called at the same time. What a cell
// declares is there for cells that begin when it has ended.
type Engine struct {
	executor  program.Executor
	declaring sync.Mutex   // held until the executor has what a cell declares
	running   atomic.Int32 // how many cells and messages do
	peeks     atomic.Int64 // how often variables were looked at
	numbered  atomic.Int64 // the number of the cell that was given one last

	// mu guards the checker with its session. A check that an interrupt has abandoned holds it
	// until it ends, which may be never: whatever takes mu outside the run of a cell first asks
	// left.work whether there is one, as noteMissed does.
	mu        sync.Mutex
	checker   *check.Checker
	lowerer   *lower.Lowerer
	assistant *assist.Assistant
	dead      int            // the process of the executor that died last
	last      program.Output // of the cell that began last
	inputs    []program.Cell // that were run, oldest first
	goflags   []string       // of %goflags, guarded by declaring
	// testVariables are the variables that a note of %test has named, by their names.
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

// Kill ends a cell that does not heed its interrupt, where the executor is a Killer. The variables
// are lost.
func (e *Engine) Kill() {
	if killer, ok := e.executor.(program.Killer); ok {
		killer.Kill()
	}
}

// Insist ends a cell that an interrupt was only sent to as a signal, where the executor is a
// Killer.
func (e *Engine) Insist() {
	if killer, ok := e.executor.(program.Killer); ok {
		killer.Insist()
	}
}

// Close ends the session, its executor and its compiler.
func (e *Engine) Close() error {
	err := e.executor.Close()
	// Work that was left holds the compiler, and ends with the process.
	_, closed := attend(ended(), e, "the session", func() (struct{}, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		return struct{}{}, e.closeCompiler()
	}, nil)
	return errors.Join(err, closed)
}

// Run runs a cell and returns what its last expression shows, nil for nothing. Every failure that
// the user is to see is an *Error. A cell that does not compile changes nothing; of one that fails
// while it runs, what was done before stays. A cell that calls os.Exit(0) ends there and does not
// fail.
//
// Cells that run at the same time share the variables; where they declare the same name, that of
// the cell which ends last stays. The interrupt of one may end the others.
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

// number returns the number of a cell that is given one by the session: it is larger than those of
// all cells before, also of those of a %run. It waits for nothing: what waits is to be interrupted.
func (e *Engine) number(given int) int {
	for {
		last := e.numbered.Load()
		next := max(last+1, int64(given))
		if e.numbered.CompareAndSwap(last, next) {
			return int(next)
		}
	}
}

// Deliver gives a message of the front end to the code that listens to the comm. Errors, and what
// the code writes and shows, are as for a cell; number stands for the message as the number of a
// cell does for the cell.
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
		// The message is no place that the user knows.
		known := *runtime
		known.Frames = slices.DeleteFunc(slices.Clone(runtime.Frames), func(f program.Frame) bool { return f.Cell == number })
		return e.runtimeError(&known)
	case ctx.Err() != nil, wasStopped(err):
		return interrupted(err)
	}
	return err
}

// IsComplete tells whether the source is a whole cell: "complete", "incomplete" with the
// indentation that the next line begins with, as gofmt would have it unless it begins with a
// closing bracket or a case, "invalid", or "unknown" of a text that is too long to be looked at.
func (e *Engine) IsComplete(source string) (status, indent string) {
	if len(source) > maxAsked {
		return "unknown", ""
	}
	if status, source = magics.Completeness(source, e.known); status != "" {
		return status, ""
	}
	return syntax.Completeness(source)
}

// known reports whether a name means something in the session.
func (e *Engine) known(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.checker.Known(name)
}

// Complete returns what may stand at the cursor, a position in Unicode code points of the source,
// given what the session has declared.
func (e *Engine) Complete(source string, cursor int) assist.Completion {
	nothing := assist.Completion{Start: cursor, End: cursor}
	return ask(e, source, nothing, func() assist.Completion { return e.assistant.Complete(source, cursor) })
}

// Inspect describes what stands at, or ends before, the cursor, a position in Unicode code points
// of the source, with detail 1 in full; nil if nothing is known.
func (e *Engine) Inspect(source string, cursor, detail int) *program.Bundle {
	return ask(e, source, nil, func() *program.Bundle { return e.assistant.Inspect(source, cursor, detail) })
}

// folder returns the folder in which the cells work.
func (e *Engine) folder() string {
	if located, ok := e.executor.(program.Located); ok {
		return located.Folder()
	}
	return ""
}

// Export writes cells as a Go program that prints what they show as text when they are run one
// after the other. Nothing is run, and the Executor of the config is not used. An error that is the
// fault of a cell is an *Error that says where; there is no program then. The end of ctx ends it.
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
		return nil, context.Cause(ctx) // there are no cells to come that could be told more
	}
	return text, err
}
