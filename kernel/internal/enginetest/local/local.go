// Package local has an executor that interprets in the process of the test, for tests of the engine
// and its users that need no child process. Only tests use it.
//
// It is not in package enginetest because the tests of package interpreted use that package.
package local

import (
	"context"
	"errors"
	"log"
	"sync"

	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/program"
)

// An Executor interprets in this process: what kills the user's code kills the process.
type Executor struct {
	in  *interpreted.Interpreter
	out *stream
}

var _ program.Executor = (*Executor)(nil)

// New returns an executor for programs that write with fmt or log. The writers of config are not
// used. The logger of this process writes for the executor that was made last.
func New(config interpreted.Config) (*Executor, error) {
	out := &stream{}
	config.Stdout = &named{out, "stdout"}
	config.Stderr = &named{out, "stderr"}
	in, err := interpreted.New(config)
	if err != nil {
		return nil, err
	}
	log.SetOutput(config.Stderr)
	return &Executor{in, out}, nil
}

// Run implements program.Executor.
func (e *Executor) Run(ctx context.Context, p *program.Program, out program.Output) (*program.Bundle, error) {
	e.out.to(out)
	return e.in.Run(ctx, p)
}

// Reached implements program.Executor.
func (e *Executor) Reached(_ context.Context, cell int, out program.Output) (int, error) {
	e.out.to(out)
	return e.in.ReachedBy(cell), nil
}

// Deliver implements program.Executor. Nothing listens.
func (e *Executor) Deliver(context.Context, int, *program.CommMessage, program.Output) error {
	return nil
}

var errCompiled = errors.New("there are no compiled cells in this process")

// Look implements program.Executor.
func (e *Executor) Look(context.Context, int, []program.Look, program.Output) ([]string, error) {
	return nil, errCompiled
}

// Adopt implements program.Executor.
func (e *Executor) Adopt(context.Context, *program.Adoption, program.Output) error {
	return errCompiled
}

// Close implements program.Executor.
func (e *Executor) Close() error { return nil }

// stream passes text to the output of the cell that runs, or ran last.
type stream struct {
	mu  sync.Mutex
	out program.Output
}

func (s *stream) to(out program.Output) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = out
}

type named struct {
	*stream
	name string
}

func (n *named) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.out != nil {
		n.out.Stream(n.name, string(p))
	}
	return len(p), nil
}
