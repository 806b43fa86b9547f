// Package page is a kernel in one process, as a page of a browser has it: a session whose messages
// come by calls of functions, and whose cells are interpreted beside it. What the page itself is
// made of is in the command kernel/page.
package page

import (
	"context"
	"errors"
	"log/slog"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/session"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/inproc"
	"github.com/hierml/notebook/kernel/internal/worker/inprocess"
	"github.com/hierml/notebook/stdlib"
)

// A Kernel is the one of this process.
type Kernel struct {
	executor *inprocess.Executor
	server   *wire.Server
	log      *slog.Logger
}

// New returns a kernel whose clients are at the other end of a transport. kill ends the process, for
// a cell that does not heed its interrupts.
func New(t *inproc.Transport, kill func(), log *slog.Logger) (*Kernel, error) {
	executor, err := inprocess.New(kill)
	if err != nil {
		return nil, err
	}
	server, err := t.Listen(wire.Config{Log: log})
	if err != nil {
		return nil, err
	}
	return &Kernel{executor, server, log}, nil
}

// Serve answers the clients until one of them asks the kernel to end, or ctx ends.
func (k *Kernel) Serve(ctx context.Context) error {
	e := engine.New(engine.Config{
		Executor:  k.executor,
		Compiler:  func(context.Context, func(string)) (program.Compiler, error) { return nil, errNoCompiler },
		Importer:  stdlib.Importer,
		Preloaded: stdlib.Preloaded,
	})
	return session.Run(ctx, k.server, e, session.Config{Log: k.log})
}

var errNoCompiler = errors.New("a browser has neither Go's compiler nor another process for cells")

// StopDeep ends the cells that run, as one of them calls functions that are nested too deep.
func (k *Kernel) StopDeep() { k.executor.StopDeep() }

// Write takes what code has written to a file that stands for the cells' standard output or error,
// by name "stdout" or "stderr".
func (k *Kernel) Write(name string, p []byte) (int, error) { return k.executor.Text(nil, name, p) }
