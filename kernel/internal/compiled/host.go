package compiled

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"time"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

var _ cell.Host = (*Runner)(nil)

// Check implements cell.Host.
func (r *Runner) Check() {
	r.endDeep()
	r.tasks.check(false)
}

// Done implements cell.Host.
func (r *Runner) Done() <-chan struct{} {
	switch b := r.tasks.bearer(); {
	case b.task == nil:
		return nil
	case b.ending:
		return b.task.late
	default:
		return b.task.contexts.Cell().Done()
	}
}

// Stop implements cell.Host.
func (r *Runner) Stop() {
	r.tasks.check(true)
	runtime.Goexit()
}

// Sleep implements cell.Host.
func (r *Runner) Sleep(nanoseconds int64) {
	done := r.Done()
	if done == nil {
		time.Sleep(time.Duration(nanoseconds))
		return
	}
	timer := time.NewTimer(time.Duration(nanoseconds))
	defer timer.Stop()
	select {
	case <-timer.C:
		return
	case <-done:
	}
	if b := r.tasks.bearer(); b.task != nil && r.tasks.spares(b) {
		select {
		case <-timer.C:
			return
		case <-b.task.late:
		}
	}
	r.Stop()
}

// Apart implements cell.Host.
func (r *Runner) Apart(name string, f, undo func()) {
	done := r.Done()
	if done == nil {
		f()
		return
	}
	type outcome struct {
		failure  any
		returned bool
	}
	ended := make(chan outcome)
	go func() {
		var o outcome
		defer func() {
			if !o.returned {
				o.failure = recover() // nil if the goroutine ends
			}
			select {
			case ended <- o:
			case <-done:
				if o.returned {
					undo()
				}
			}
		}()
		f()
		o.returned = true
	}()
	select {
	case o := <-ended:
		switch {
		case o.failure != nil:
			panic(o.failure)
		case !o.returned:
			runtime.Goexit()
		}
	case <-done:
		if name != "" {
			fmt.Fprintf(r.stdio.err, "interrupted, but %s continues to run\n", name)
		}
		r.Stop()
	}
}

// Waits implements cell.Host.
func (r *Runner) Waits(name string, f any) any {
	v := reflect.ValueOf(f)
	call := v.Call
	if v.Type().IsVariadic() {
		call = v.CallSlice
	}
	return reflect.MakeFunc(v.Type(), func(args []reflect.Value) (results []reflect.Value) {
		r.Apart(name, func() { results = call(args) }, func() {})
		return results
	}).Interface()
}

// Guard implements cell.Host.
func (r *Runner) Guard(f func()) func() {
	label := program.Label()
	return func() {
		defer program.SetLabel(program.Label())
		program.SetLabel(label)
		defer cell.Caught()
		f()
	}
}

// Coroutine implements cell.Host.
func (r *Runner) Coroutine() cell.Coroutine { return new(program.Coroutine) }

// Caught implements cell.Host.
func (r *Runner) Caught(value any) {
	t := r.tasks.bearer().task
	number := 0
	if t != nil {
		number = t.cell
	}
	err := r.describe(number, value)
	if t != nil && r.tasks.stop(t, err) {
		return
	}
	r.mu.Lock()
	for i, f := range err.Frames {
		err.Frames[i] = r.relocations.Newest(f)
	}
	r.mu.Unlock()
	fmt.Fprint(r.stdio.err, err.InGoroutine(r.title))
}

// untilExit is how long a cell may take to end when one of its goroutines calls os.Exit.
const untilExit = 100 * time.Millisecond

// Exit implements cell.Host.
func (r *Runner) Exit(status int) {
	err := program.Exited(status)
	t := r.tasks.bearer().task
	if t == nil || !r.tasks.stop(t, err) {
		fmt.Fprintf(r.stdio.err, "os.Exit(%d) in a goroutine: only the goroutine ends\n", status)
		runtime.Goexit()
	}
	if goroutine() != t.main {
		// The call ends by itself, unless it waits for this coroutine.
		select {
		case <-t.finished:
		case <-time.After(untilExit):
		}
	}
	t.finish(err)
	select {} // no deferred call is made
}

// Reached implements cell.Host.
func (r *Runner) Reached(statements int) {
	if t := r.tasks.bearer().task; t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.reached = statements
	}
}

// Show implements cell.Host.
func (r *Runner) Show(values []any) {
	bundle := r.display(values)
	if t := r.tasks.bearer().task; t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.bundle, t.values = bundle, values
	}
}

func (r *Runner) display(values []any) *program.Bundle {
	if r.config.Display == nil {
		return text(values)
	}
	return r.config.Display(values)
}

// text shows values as fmt does.
func text(values []any) *program.Bundle {
	text := ""
	for i, v := range values {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%v", v)
	}
	return &program.Bundle{Data: map[string]any{"text/plain": text}}
}

// Failed implements cell.Host.
func (r *Runner) Failed(err error, cell, line, column int) {
	if t := r.tasks.bearer().task; t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.left = &leftOut{err, program.Frame{Cell: cell, Line: line, Column: column}}
	}
}

// Kept implements cell.Host.
func (r *Runner) Kept(cell, index int) any {
	r.mu.Lock()
	values := r.kept[cell]
	r.mu.Unlock()
	if index < len(values) {
		return values[index]
	}
	return nil
}

var errOtherType = errors.New("the type of the value has changed. Run the cell that showed it again")

// Convert implements cell.Host. Types without a name, such as []int, may exist twice: in a plugin,
// and made by reflection.
func (r *Runner) Convert(cell int, value, into any) {
	from, to := reflect.ValueOf(value), reflect.ValueOf(into).Elem()
	if from.Type().String() != to.Type().String() || !from.CanConvert(to.Type()) {
		panic(host.Failure{Err: fmt.Errorf("%s: %w", r.title(cell), errOtherType)})
	}
	to.Set(from.Convert(to.Type()))
}

// title returns the name of a cell in errors.
func (r *Runner) title(cell int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if title := r.titles[cell]; title != "" {
		return title
	}
	return fmt.Sprintf("Cell [%d]", cell)
}
