// Package inprocess runs cells in the process of the kernel, where there is no other, as in a
// browser page. If a cell kills the process, the kernel is gone, too. There are no compiled cells.
package inprocess

import (
	"cmp"
	"context"
	"errors"
	"log"
	"os"
	"sync"
	"sync/atomic"

	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/cells"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
	"github.com/hierml/notebook/stdlib/magic"
)

// An Executor interprets programs. There is one per process, and it takes over the packages host
// and log.
type Executor struct {
	kill        func()
	host        *cells.Host
	interpreter *interpreted.Interpreter

	mu   sync.Mutex
	main *job
	jobs map[int]*job // running, or with goroutines left, by the number of the cell
}

var (
	_ program.Executor = (*Executor)(nil)
	_ program.Located  = (*Executor)(nil)
	_ program.Killer   = (*Executor)(nil)
	_ cells.Outlet     = (*Executor)(nil)
)

// A job is a cell and the output that it shows things on.
type job struct {
	*cells.Cell

	deep  atomic.Bool // it was stopped because its calls were nested too deep
	mu    sync.Mutex  // held while out is called, except for its Input
	out   program.Output
	texts cells.Texts
}

// New returns an executor. kill ends the process, for a cell that ignores its interrupt.
func New(kill func()) (*Executor, error) {
	e := &Executor{kill: kill, jobs: map[int]*job{}}
	e.host = cells.NewHost(e, func(number int) { go e.forget(number) })
	log.SetOutput(e.host.Stderr())
	host.Set(e.host)
	var err error
	e.interpreter, err = cells.NewInterpreter(e.host.Means())
	return e, err
}

// Run implements program.Executor.
func (e *Executor) Run(ctx context.Context, p *program.Program, out program.Output) (shown *program.Bundle, err error) {
	err = e.do(ctx, p.Cell, out, true, func(c *cells.Cell) (err error) {
		if p.Begins {
			magic.NewFlags()
		}
		shown, err = e.interpreter.Run(c.Context(), p)
		return err
	})
	return shown, err
}

// Reached implements program.Executor.
func (e *Executor) Reached(_ context.Context, cell int, _ program.Output) (int, error) {
	return e.interpreter.ReachedBy(cell), nil
}

// Deliver implements program.Executor.
func (e *Executor) Deliver(ctx context.Context, cell int, m *program.CommMessage, out program.Output) error {
	return e.do(ctx, cell, out, false, func(c *cells.Cell) error { return e.host.Deliver(c, m, e.interpreter.Do) })
}

// errNotCompiled is the error of the methods for compiled cells.
var errNotCompiled = errors.New("there are no compiled cells in the kernel's own process")

// Look implements program.Executor.
func (e *Executor) Look(context.Context, int, []program.Look, program.Output) ([]string, error) {
	return nil, errNotCompiled
}

// Adopt implements program.Executor.
func (e *Executor) Adopt(context.Context, *program.Adoption, program.Output) error {
	return errNotCompiled
}

// Folder implements program.Located.
func (e *Executor) Folder() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}

// Kill implements program.Killer.
func (e *Executor) Kill() { e.kill() }

// Insist implements program.Killer. There are no signals.
func (e *Executor) Insist() bool { return false }

// Close implements program.Executor. The process ends soon, and the remaining goroutines of cells
// with it.
func (e *Executor) Close() error { return nil }

// do calls f on a goroutine of a cell, and interrupts it when ctx is done.
func (e *Executor) do(ctx context.Context, number int, out program.Output, isCell bool, f func(*cells.Cell) error) error {
	j := &job{Cell: cells.New(number, nil), out: out}
	e.mu.Lock()
	e.jobs[number] = j
	was := e.main
	if isCell && (was == nil || was.Ended()) {
		e.main = j
	}
	e.mu.Unlock()
	if was != nil {
		e.forget(was.Number)
	}
	stop := context.AfterFunc(ctx, j.Interrupt)
	defer stop()
	failed := make(chan error)
	go func() {
		e.host.Adopt(j.Cell)
		failed <- f(j.Cell)
	}()
	err := <-failed
	j.flush()
	j.End()
	if err != nil && j.deep.Load() {
		return errDeep
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(j.Context())) {
		return program.Interruption(ctx)
	}
	return err
}

var errDeep = &program.StoppedError{Name: "StackOverflow", Message: "stack overflow: function calls are nested too deep for a browser; variables are kept"}

// StopDeep ends all running cells, since one of them nests calls too deep. It does not wait for
// their ends.
func (e *Executor) StopDeep() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, j := range e.jobs {
		if !j.Ended() {
			j.deep.Store(true)
			j.Interrupt()
		}
	}
}

// forget drops a cell that has no goroutines left.
func (e *Executor) forget(number int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[number]; j != nil && j != e.main && j.Ended() && !e.host.Alive(number) {
		delete(e.jobs, number)
	}
}

// jobOf returns the job of a cell. For nil and for a forgotten cell it returns the main one, which
// is nil before the first cell.
func (e *Executor) jobOf(c *cells.Cell) *job {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c != nil {
		if j := e.jobs[c.Number]; j != nil {
			return j
		}
	}
	return e.main
}

var errNoCell = errors.New("no cell has run yet")

// show calls f with the output of the job, if there is a job.
func (j *job) show(f func(program.Output)) error {
	if j == nil {
		return errNoCell
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f(j.out)
	return nil
}

// flush shows the text that was held back.
func (j *job) flush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.texts.Flush(j.out.Stream)
}

// Main implements cells.Outlet.
func (e *Executor) Main() *cells.Cell {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.main == nil {
		return nil
	}
	return e.main.Cell
}

// Text implements cells.Outlet. Text of no cell belongs to the main cell.
func (e *Executor) Text(c *cells.Cell, name string, p []byte) (int, error) {
	j := e.jobOf(c)
	if err := j.show(func(out program.Output) { j.texts.Take(name, p, out.Stream) }); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Display implements cells.Outlet.
func (e *Executor) Display(c *cells.Cell, b *display.Bundle, id string, update bool) error {
	return e.jobOf(c).show(func(out program.Output) { out.Display(b, id, update) })
}

// Page implements cells.Outlet.
func (e *Executor) Page(c *cells.Cell, b *display.Bundle) error {
	return e.jobOf(c).show(func(out program.Output) { out.Page(b) })
}

// Clear implements cells.Outlet.
func (e *Executor) Clear(c *cells.Cell, wait bool) error {
	return e.jobOf(c).show(func(out program.Output) { out.Clear(wait) })
}

// NextInput implements cells.Outlet.
func (e *Executor) NextInput(c *cells.Cell, source string, replace bool) error {
	return e.jobOf(c).show(func(out program.Output) { out.NextInput(source, replace) })
}

// Comm implements cells.Outlet.
func (e *Executor) Comm(c *cells.Cell, m *host.CommMessage) (err error) {
	shown := e.jobOf(c).show(func(out program.Output) { err = out.Comm(m) })
	return cmp.Or(shown, err)
}

// Ask implements cells.Outlet.
func (e *Executor) Ask(c *cells.Cell, prompt string, password bool) (string, error) {
	j := e.jobOf(c)
	if j == nil {
		return "", errNoCell
	}
	return j.out.Input(c.Context(), prompt, password)
}
