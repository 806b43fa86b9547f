package worker

import (
	"maps"
	"reflect"
	"time"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/worker/interpreter"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// Main is the program of the child: it runs what the parent sends, with the
// interpreter, and ends the process when the parent is gone. It returns only
// if it cannot begin.
func Main() error { return serve(interpret) }

func interpret(stdio Stdio, b *belonging) (runner, error) {
	stdlib.SetOutput(stdio.Out, stdio.Err)
	host.SetOutput(stdio.Out, stdio.Err)
	return interpreter.New(interpreter.Config{
		Symbols: symbols(b),
		Stdin:   stdio.In,
		Stdout:  stdio.Out,
		Stderr:  stdio.Err,
		Display: show,
	})
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

// show makes the bundle of a cell's last expression.
func show(values []any) *engine.Bundle {
	b := display.Of(values...)
	if b == nil {
		return nil
	}
	return &engine.Bundle{Data: b.Data, Metadata: b.Metadata}
}
