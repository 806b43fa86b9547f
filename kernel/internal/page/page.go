// Package page is a kernel in one process, as a page of a browser has it: a session whose messages
// come by calls of functions, and whose cells are interpreted beside it. What the page itself is
// made of is in the command kernel/page.
package page

import (
	"context"
	"errors"
	"log/slog"
	"math"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/session"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/inproc"
	"github.com/hierml/notebook/kernel/internal/worker/inprocess"
	"github.com/hierml/notebook/stdlib"
)

// A Kernel is the one of this process.
type Kernel struct {
	executor *inprocess.Executor
	engine   *engine.Engine
	server   *wire.Server
	log      *slog.Logger
}

// New returns a kernel whose clients are at the other end of a transport. kill ends the process,
// for a cell that ignores its interrupts.
func New(t *inproc.Transport, kill func(), log *slog.Logger) (*Kernel, error) {
	executor, err := inprocess.New(kill)
	if err != nil {
		return nil, err
	}
	server, err := t.Listen(wire.Config{Log: log})
	if err != nil {
		return nil, err
	}
	e := engine.New(engine.Config{
		Executor:  executor,
		Compiler:  func(context.Context, func(string)) (program.Compiler, error) { return nil, errNoCompiler },
		Importer:  stdlib.Importer,
		Preloaded: stdlib.Preloaded,
	})
	return &Kernel{executor, e, server, log}, nil
}

// Declare declares what cells of a kernel that has died had declared: imports, types, constants and
// functions, but for functions that use variables, which are lost. It is called before Serve.
func (k *Kernel) Declare(ctx context.Context, sources []string) {
	number := math.MinInt // below those of all cells of the session
	run := func(source string, keep func(syntax.Item) bool, items []syntax.Item) error {
		number++
		_, err := k.engine.Run(ctx, program.Cell{Number: number, Name: "an earlier cell", Source: syntax.Blank(source, keep, items), Plain: true}, silence{})
		return err
	}
	for _, source := range sources {
		items := syntax.Split(source)
		if run(source, declares, items) == nil {
			continue
		}
		// What can be declared of it is, one after the other.
		for i, item := range items {
			if !declares(item) {
				continue
			}
			if err := run(source, func(it syntax.Item) bool { return it.Start == items[i].Start }, items); err != nil {
				k.log.Debug("not declared again", "error", err)
			}
		}
	}
}

func declares(it syntax.Item) bool {
	return it.Kind != syntax.ItemStatement && it.Kind != syntax.ItemPackage
}

// silence is the output of cells that show nothing.
type silence struct{ program.Output }

func (silence) Stream(string, string) {}

// Serve answers the clients until one of them asks the kernel to end, or ctx ends.
func (k *Kernel) Serve(ctx context.Context) error {
	return session.Run(ctx, k.server, k.engine, session.Config{Log: k.log, OneShell: true})
}

// errNoCompiler is why cells are interpreted. It is an errors.ErrUnsupported: the user cannot
// change it.
var errNoCompiler = noCompilerError{}

type noCompilerError struct{}

func (noCompilerError) Error() string {
	return "a browser has neither Go's compiler nor another process for cells"
}

func (noCompilerError) Is(target error) bool { return target == errors.ErrUnsupported }

// StopDeep ends the cells that run, as one of them calls functions that are nested too deep.
func (k *Kernel) StopDeep() { k.executor.StopDeep() }

// Write takes what code has written to a file that stands for the cells' standard output or error,
// by name "stdout" or "stderr".
func (k *Kernel) Write(name string, p []byte) (int, error) { return k.executor.Text(nil, name, p) }
