package cells

import (
	"io"
	"maps"
	"reflect"
	"runtime/pprof"
	"time"

	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// Means are the environment of cell code.
type Means struct {
	// In, Out and Err are standard input, output and error.
	In       io.Reader
	Out, Err io.Writer
	// Relabel gives the calling goroutine new labels that identify the same cell. Carry returns a
	// function that calls f on behalf of the cell of the goroutine that calls Carry, on whatever
	// goroutine it is called.
	Relabel func(labels pprof.LabelSet)
	Carry   func(f func()) func()
}

// NewInterpreter returns an interpreter of cells with these means. The packages that cells import
// use them, too.
func NewInterpreter(means Means) (*interpreted.Interpreter, error) {
	stdlib.SetOutput(means.Out, means.Err)
	host.SetOutput(means.Out, means.Err)
	return interpreted.New(interpreted.Config{
		Symbols: symbols(means.Carry),
		Stdin:   means.In,
		Stdout:  means.Out,
		Stderr:  means.Err,
		Display: Displayed,
	})
}

// symbols are those of the standard library. Their timers call functions on behalf of the cell that
// has set them: the run time starts the goroutines of timers, which inherit nothing.
func symbols(carry func(func()) func()) map[string]map[string]reflect.Value {
	const name = "time/time"
	all := maps.Clone(stdlib.Symbols())
	all[name] = maps.Clone(all[name])
	all[name]["AfterFunc"] = reflect.ValueOf(func(d time.Duration, f func()) *time.Timer {
		return time.AfterFunc(d, carry(f))
	})
	return all
}

// Displayed makes the bundle of a cell's last expression.
func Displayed(values []any) *program.Bundle {
	return display.Of(values...)
}
