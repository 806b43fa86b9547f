package compiled

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"

	"github.com/hierml/notebook/kernel/internal/carry"
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/compiled/standard"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A Config configures a Runner.
type Config struct {
	// Load loads a plugin into this process and initializes its packages. Nil means that the
	// program cannot load any.
	Load func(plugin string) error
	// Stdin, Stdout and Stderr are the files of cells; nil means those of the process.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Display makes a bundle of the values of a cell's last expression. Nil means text.
	Display func(values []any) *program.Bundle
	// Relabel gives the calling goroutine new labels whose address has the same meaning to others
	// as before. Nil means that only this package uses labels.
	Relabel func(labels pprof.LabelSet)
	// Failed, if not nil, is called first when the goroutine of a cell has ended by a panic or an
	// error.
	Failed func(*program.RuntimeError)
}

// A Runner runs compiled cells, several at a time if necessary. There is one per process.
type Runner struct {
	config Config
	stdio  *stdio

	loading sync.Mutex
	tasks   *tasks
	deep    deep

	mu          sync.Mutex
	reached     map[int]int    // of failed cells
	kept        map[int][]any  // values of cells
	titles      map[int]string // of cells
	files       map[string]int // of program.Units
	relocations program.Relocations
	used        bool // a program was run
}

// New returns a runner with nothing loaded.
func New(config Config) *Runner {
	r := &Runner{
		config:      config,
		tasks:       newTasks(config.Relabel),
		reached:     map[int]int{},
		kept:        map[int][]any{},
		titles:      map[int]string{},
		files:       map[string]int{},
		relocations: program.Relocations{},
	}
	r.stdio = newStdio(r)
	cell.SetHost(r)
	standard.SetHost(standardHost{r})
	runtime.KeepAlive(called)
	return r
}

// ErrCannotLoad says that this program cannot load plugins.
var ErrCannotLoad = errors.New("this program cannot load compiled cells: it was built without cgo, or for a platform where Go has no plugins")

// Run loads the units of a program and runs the statements of one of them to their end. It returns
// the value of their last expression. It may be called while other programs run.
//
// A panic is a *program.RuntimeError. If ctx is done first, the cell's goroutines end at their next
// check or wait, and Run returns an error that wraps context.Cause(ctx); it waits for a compiled
// function that does not return. Any other error means that the program could not run.
func (r *Runner) Run(ctx context.Context, p *program.Program) (*program.Bundle, error) {
	if p.Compiled == nil {
		return nil, errors.New("compiled: the program is not compiled")
	}
	r.note(p.Cell, p.Title)
	lost, err := r.load(&p.Compiled.Units)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	for _, to := range p.Relocated {
		r.relocations.Add(to)
	}
	r.mu.Unlock()
	path := p.Compiled.Run
	if path == "" && len(lost) == 0 {
		return nil, nil
	}
	code, ok := cell.Lookup(path)
	if path != "" && (!ok || code.Run == nil) {
		return nil, fmt.Errorf("compiled: the unit %s has no statements", path)
	}
	if p.Declared != nil {
		p.Declared()
	}
	t := newTask(p.Cell)
	err = r.supervise(ctx, t, func() {
		for _, l := range lost {
			fmt.Fprintf(r.stdio.err, "note: %s became empty when a type was compiled again: %s\n", l.Name, l)
		}
		if code.Run != nil {
			code.Run()
		}
	})
	bundle, values, reached := t.outcome()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.reached, p.Cell)
	if err != nil {
		if reached > 0 {
			r.reached[p.Cell] = reached
		}
		return nil, err
	}
	if p.Keep {
		r.kept[p.Cell] = values
	}
	return bundle, nil
}

// ReachedBy returns how many statements of a cell's last program ran, if that failed. It may be
// called once.
func (r *Runner) ReachedBy(cell int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer delete(r.reached, cell)
	return r.reached[cell]
}

// Adopt loads units into a new process.
func (r *Runner) Adopt(a *program.Adoption) error {
	r.note(a.Cell, a.Title)
	r.loading.Lock()
	defer r.loading.Unlock()
	return r.register(&a.Units)
}

// note records the title of a cell.
func (r *Runner) note(cell int, title string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = true
	if title != "" {
		r.titles[cell] = title
	}
}

// load loads units and moves their variables. It returns the losses.
func (r *Runner) load(u *program.Units) ([]carry.Lost, error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	if err := r.register(u); err != nil {
		return nil, err
	}
	r.mu.Lock()
	shown := slices.Collect(maps.Values(r.kept))
	r.mu.Unlock()
	return carry.Variables(u.Moved, shown...)
}

// register loads the plugin of units, which register themselves.
func (r *Runner) register(u *program.Units) error {
	r.mu.Lock()
	maps.Copy(r.files, u.Files)
	r.mu.Unlock()
	if u.Plugin != "" {
		err := r.open(u.Plugin)
		if err := errors.Join(err, os.Remove(u.Plugin)); err != nil {
			return err
		}
	}
	for _, path := range u.Paths {
		if _, ok := cell.Lookup(path); !ok {
			return fmt.Errorf("compiled: the plugin does not have the unit %s", path)
		}
	}
	return nil
}

func (r *Runner) open(plugin string) (err error) {
	if r.config.Load == nil {
		return ErrCannotLoad
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("compiled: a unit cannot be initialized: %s", panicText(v))
		}
	}()
	if err := cell.Open(plugin, r.config.Load); err != nil {
		return fmt.Errorf("compiled: %w", err)
	}
	return nil
}

// Used reports whether a program has run.
func (r *Runner) Used() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// Do calls f, which may call functions of the session, on behalf of the cell with a number. Its
// errors are those of Run.
func (r *Runner) Do(ctx context.Context, cell int, f func()) error {
	return r.supervise(ctx, newTask(cell), f)
}

// supervise calls f as task t in a new goroutine, and waits for its end.
func (r *Runner) supervise(ctx context.Context, t *task, f func()) error {
	if ctx.Err() != nil {
		return program.Interruption(ctx)
	}
	go func() {
		r.tasks.begin(t)
		returned := false // false after runtime.Goexit
		ended := program.NewRuntimeError("exit", "runtime.Goexit ended the goroutine of the cell", program.Frame{Cell: t.cell})
		defer func() {
			defer t.finish(ended) // for a method of the panic's value that does not return
			if v := recover(); v != nil {
				failure := r.runtimeError(t, v)
				var failed *program.RuntimeError
				if errors.As(failure, &failed) && r.config.Failed != nil {
					r.config.Failed(failed)
				}
				if ctx.Err() != nil { // the failure may be a consequence, such as an interrupted process
					failure = program.Interruption(ctx)
				}
				t.finish(failure)
			} else if returned || t.stopped() {
				t.finish(nil)
			} else {
				t.finish(ended)
			}
		}()
		f()
		returned = true
	}()
	select {
	case <-t.finished:
	case <-ctx.Done():
		r.tasks.stop(t, program.Interruption(ctx))
		<-t.finished
	}
	r.tasks.end(t)
	return t.err()
}
