package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
)

// Config configures a worker. The kernel uses the zero value.
type Config struct {
	// Command is the program that calls Main, and its arguments. Empty means this program with the
	// argument "worker".
	Command []string
	// Dir is the working directory of the cells; empty means this process's.
	Dir string
	// Grace is how long an interrupted cell may take to end before the user is told that it has
	// not; 0 means five seconds.
	Grace time.Duration
	// Memory is how many bytes of memory the child may use before its cells are interrupted. 0
	// means 80 % of the memory of the machine or the control group, and a negative number means no
	// limit. The child is killed if the cells do not end within a second, or if it exceeds the
	// limit by a tenth or by 64 MB, whichever is more.
	Memory int64

	environment []string // of the child; nil means that of this process
}

// A Process is a worker: a program.Executor whose programs run in a child process. When the child
// dies, the method that notices returns a *program.DeathError, and the next one starts a new child.
type Process struct {
	config Config

	mu       sync.Mutex // guards the fields below
	conn     *connection
	children int // started so far
	closed   bool
	events   func(event []byte) // receives the debugger's events; nil for none
}

var (
	_ program.Executor  = (*Process)(nil)
	_ program.Located   = (*Process)(nil)
	_ program.Restarter = (*Process)(nil)
	_ program.Replacer  = (*Process)(nil)
	_ program.Debuggee  = (*Process)(nil)
)

// Start starts a worker. It does not wait until the child is ready: the first Run does.
func Start(config Config) (*Process, error) {
	if len(config.Command) == 0 {
		self, err := process.Program()
		if err != nil {
			return nil, fmt.Errorf("find the program of the worker: %w", err)
		}
		config.Command = []string{self, "worker"}
	}
	if config.Grace == 0 {
		config.Grace = 5 * time.Second
	}
	config.Memory = limit(config.Memory)
	p := &Process{config: config}
	_, err := p.connection()
	return p, err
}

var errClosed = errors.New("the worker is closed")

// connection returns the connection to the child, starting one if there is none.
func (p *Process) connection() (*connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if p.conn == nil {
		conn, err := connect(p.config, p.children+1, p.event)
		if err != nil {
			return nil, fmt.Errorf("start the worker: %w", err)
		}
		p.conn = conn
		p.children++
	}
	return p.conn, nil
}

// Run implements program.Executor.
func (p *Process) Run(ctx context.Context, prog *program.Program, out program.Output) (*program.Bundle, error) {
	shown, err := ask[*pipe.Shown](ctx, p, prog.Cell, &pipe.Run{Program: prog}, out)
	if err != nil {
		return nil, err
	}
	return shown.Bundle.Unpack(), nil
}

// Reached implements program.Executor.
func (p *Process) Reached(ctx context.Context, cell int, out program.Output) (statements int, err error) {
	count, err := ask[*pipe.Count](ctx, p, cell, &pipe.Reached{}, out)
	if err != nil {
		return 0, err
	}
	return count.Statements, nil
}

// Deliver implements program.Executor.
func (p *Process) Deliver(ctx context.Context, cell int, m *program.CommMessage, out program.Output) error {
	_, err := ask[*pipe.Delivered](ctx, p, cell, &pipe.Deliver{Comm: pipe.PackComm(m)}, out)
	return err
}

// Look implements program.Executor.
func (p *Process) Look(ctx context.Context, cell int, looks []program.Look, out program.Output) ([]string, error) {
	seen, err := ask[*pipe.Seen](ctx, p, cell, &pipe.Look{Looks: looks}, out)
	if err != nil {
		return nil, err
	}
	return seen.Texts, nil
}

// Debug implements program.Debuggee.
func (p *Process) Debug(ctx context.Context, number int, request []byte, globals []program.Global, out program.Output) ([]byte, error) {
	response, err := ask[*pipe.Debugged](ctx, p, number, &pipe.Debug{Text: request, Globals: globals}, out)
	if err != nil {
		return nil, err
	}
	return response.Text, nil
}

// DebugEvents implements program.Debuggee.
func (p *Process) DebugEvents(f func(event []byte)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = f
}

// event passes an event of the debugger to the listener.
func (p *Process) event(text []byte) {
	p.mu.Lock()
	f := p.events
	p.mu.Unlock()
	if f != nil {
		f(text)
	}
}

// Adopt implements program.Executor.
func (p *Process) Adopt(ctx context.Context, a *program.Adoption, out program.Output) error {
	_, err := ask[*pipe.Adopted](ctx, p, a.Cell, &pipe.Adopt{Adoption: a}, out)
	return err
}

// ask sends a request to the child, and returns its answer.
func ask[A pipe.Answer](ctx context.Context, p *Process, cell int, request pipe.Request, out program.Output) (answer A, err error) {
	if ctx.Err() != nil {
		return answer, context.Cause(ctx)
	}
	conn, err := p.connection()
	if err != nil {
		return answer, err
	}
	answer, err = askOn[A](ctx, conn, cell, request, out)
	var death *program.DeathError
	if errors.As(err, &death) {
		p.mu.Lock()
		if p.conn == conn {
			p.conn = nil
		}
		if p.closed {
			err = errClosed
		}
		p.mu.Unlock()
	}
	return answer, err
}

// askOn is ask for a given connection, and does not check whether that has ended.
func askOn[A pipe.Answer](ctx context.Context, conn *connection, cell int, request pipe.Request, out program.Output) (answer A, err error) {
	got, err := conn.ask(ctx, cell, request, out)
	if err != nil {
		return answer, err
	}
	answer, ok := got.(A)
	if !ok {
		return answer, fmt.Errorf("the worker answered %T with %T", request, got)
	}
	return answer, nil
}

// Folder implements program.Located. It returns the working directory of the cells if the system
// tells it, or else the directory in which the child was started.
func (p *Process) Folder() string {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	if conn == nil || conn.cmd.Process == nil {
		return p.config.Dir
	}
	if folder := workingFolder(conn.cmd.Process.Pid); folder != "" {
		return folder
	}
	return p.config.Dir
}

// Kill ends the child and the processes that it has started, whatever they are doing: the last
// resort if an interrupt is not enough. A running cell ends with a *program.DeathError; if none
// runs, the next one does. Cells that have received an interrupt only as a signal end as if
// interrupted, and the child lives.
func (p *Process) Kill() {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	if conn != nil && !conn.insist() {
		conn.kill("stopped by the user")
	}
}

// Insist implements program.Killer.
func (p *Process) Insist() bool {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	return conn != nil && conn.insist()
}

// Restart implements program.Restarter: it ends the child as Close does, and starts another.
func (p *Process) Restart() (process int, err error) {
	p.mu.Lock()
	conn := p.conn
	p.conn = nil
	process = p.children
	p.mu.Unlock()
	if conn != nil {
		conn.end("reset by the user")
	}
	_, err = p.connection()
	return process, err
}

// Close implements program.Executor: it ends the child and the processes it has started, and waits
// until the child is gone.
func (p *Process) Close() error {
	p.mu.Lock()
	conn := p.conn
	p.closed = true
	p.mu.Unlock()
	if conn != nil {
		conn.end("closed")
	}
	return nil
}
