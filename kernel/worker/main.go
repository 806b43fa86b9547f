package worker

import (
	"context"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/worker/interpreter"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/display"
)

// Main is the program of the child: it runs what the parent sends, with the
// interpreter, and ends the process when the parent is gone. It returns only
// if it cannot begin.
func Main() error { return serve(interpret) }

func interpret(stdio Stdio) (runner, error) {
	stdlib.SetOutput(stdio.Out, stdio.Err)
	in, err := interpreter.New(interpreter.Config{
		Symbols: stdlib.Symbols(),
		Stdin:   stdio.In,
		Stdout:  stdio.Out,
		Stderr:  stdio.Err,
		Display: show,
	})
	return direct{in}, err
}

// direct delivers without the interpreter's help.
type direct struct{ *interpreter.Interpreter }

func (d direct) Do(_ context.Context, _ int, f func()) error {
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
