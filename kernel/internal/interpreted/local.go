package interpreted

import (
	"context"
	"errors"
	"log"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A Local is an executor that interprets in this process: what kills the user's code kills the
// process.
type Local struct {
	in  *Interpreter
	out *stream
}

var _ program.Executor = (*Local)(nil)

// NewLocal returns an executor for programs that write with fmt or log. The writers of config are
// not used. The logger of this process writes for the executor that was made last.
func NewLocal(config Config) (*Local, error) {
	out := &stream{}
	config.Stdout = &named{out, "stdout"}
	config.Stderr = &named{out, "stderr"}
	in, err := New(config)
	if err != nil {
		return nil, err
	}
	log.SetOutput(in.stderr())
	return &Local{in, out}, nil
}

// Run implements program.Executor.
func (l *Local) Run(ctx context.Context, p *program.Program, out program.Output) (*program.Bundle, error) {
	l.out.to(out)
	return l.in.Run(ctx, p)
}

// Reached implements program.Executor.
func (l *Local) Reached(_ context.Context, cell int, out program.Output) (int, error) {
	l.out.to(out)
	return l.in.ReachedBy(cell), nil
}

// Deliver implements program.Executor. Nobody listens.
func (l *Local) Deliver(context.Context, int, *program.CommMessage, program.Output) error { return nil }

var errCompiled = errors.New("there are no compiled cells in this process")

// Look implements program.Executor.
func (l *Local) Look(context.Context, int, []program.Look, program.Output) ([]string, error) {
	return nil, errCompiled
}

// Adopt implements program.Executor.
func (l *Local) Adopt(context.Context, *program.Adoption, program.Output) error {
	return errCompiled
}

// Close implements program.Executor.
func (l *Local) Close() error { return nil }

// stream hands what is written to the output of the cell that runs, or ran last.
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
