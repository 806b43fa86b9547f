package worker

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"time"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/worker/interpreter"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/display"
)

// Main is the program of the child: it runs what the parent sends, with the
// interpreter, and ends the process when the parent is gone. It returns only
// if it cannot begin.
func Main() error { return serve(interpret) }

func interpret(stdio Stdio, b *belonging) (runner, error) {
	stdlib.SetOutput(stdio.Out, stdio.Err)
	in, err := interpreter.New(interpreter.Config{
		Symbols: symbols(b),
		Stdin:   stdio.In,
		Stdout:  stdio.Out,
		Stderr:  stdio.Err,
		Display: show,
	})
	if err != nil {
		return nil, err
	}
	if r, ok := any(in).(runner); ok {
		return r, nil
	}
	return direct{in}, nil
}

// symbols are those of the standard library, with timers that call functions
// for the cell that has set them: the run time starts their goroutines, which
// inherit nothing.
func symbols(b *belonging) map[string]map[string]reflect.Value {
	const name = "time/time"
	all := maps.Clone(stdlib.Symbols())
	all[name] = maps.Clone(all[name])
	all[name]["AfterFunc"] = reflect.ValueOf(func(d time.Duration, f func()) *time.Timer {
		return time.AfterFunc(d, b.carry(f))
	})
	return all
}

// direct calls functions where the interpreter cannot. They are not
// interrupted.
type direct struct{ *interpreter.Interpreter }

func (d direct) Do(_ context.Context, _ int, f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stdlib.Exit:
			err = &engine.RuntimeError{Name: "exit", Message: r.Error()}
		default:
			err = &engine.RuntimeError{Name: "panic", Message: fmt.Sprint(r)}
		}
	}()
	f()
	return nil
}

// show makes the bundle of a cell's last expression.
func show(values []any) *engine.Bundle {
	b := display.Of(values...)
	if b == nil {
		return nil
	}
	return &engine.Bundle{Data: b.Data, Metadata: b.Metadata}
}
