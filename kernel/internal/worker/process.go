package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
)

// Config says how to start a worker. Its zero value is what the kernel uses.
type Config struct {
	// Command is the program that calls Main, and its arguments. Empty
	// means this program with the argument "worker".
	Command []string
	// Dir is the working directory of the cells; empty means this process's.
	Dir string
	// Grace is how long an interrupted cell may take to end before the
	// user is told that it does not; 0 means five seconds.
	Grace time.Duration
	// Memory is how many bytes of memory the child may use before its cells
	// are interrupted; 0 means 80 % of what the machine or the control group
	// has, and a negative number that there is no limit. The child is killed
	// if the cells do not end within a second, and if it gets above the limit
	// by a tenth, or by 64 MB where that is more.
	Memory int64

	environment []string // of the child; nil means that of this process
}

// A Process is a worker: an program.Executor whose programs run in a child
// process. When the child dies, the method that notices returns a
// *program.DeathError, and the next one starts a fresh child.
type Process struct {
	config Config

	mu       sync.Mutex // guards the fields below
	conn     *connection
	children int // that were started
	closed   bool
}

var (
	_ program.Executor  = (*Process)(nil)
	_ program.Located   = (*Process)(nil)
	_ program.Restarter = (*Process)(nil)
	_ program.Replacer  = (*Process)(nil)
)

// Start starts a worker. It does not wait for the child to be ready: the first
// Run does.
func Start(config Config) (*Process, error) {
	if len(config.Command) == 0 {
		self, err := os.Executable()
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
		conn, err := connect(p.config, p.children+1)
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
	answer, err := p.ask(ctx, &frame{Kind: frameRun, Cell: prog.Cell, Program: prog}, out)
	if err != nil {
		return nil, err
	}
	return answer.Bundle.unpack(), nil
}

// Reached implements program.Executor.
func (p *Process) Reached(ctx context.Context, cell int, out program.Output) (statements int, err error) {
	answer, err := p.ask(ctx, &frame{Kind: frameReached, Cell: cell}, out)
	if err != nil {
		return 0, err
	}
	return int(answer.Size), nil
}

// Deliver implements program.Executor.
func (p *Process) Deliver(ctx context.Context, cell int, m *program.CommMessage, out program.Output) error {
	_, err := p.ask(ctx, &frame{Kind: frameDeliver, Cell: cell, Comm: packMessage(m)}, out)
	return err
}

// Look implements program.Executor.
func (p *Process) Look(ctx context.Context, cell int, looks []program.Look, out program.Output) ([]string, error) {
	answer, err := p.ask(ctx, &frame{Kind: frameLook, Cell: cell, Looks: looks}, out)
	if err != nil {
		return nil, err
	}
	return answer.Texts, nil
}

// Adopt implements program.Executor.
func (p *Process) Adopt(ctx context.Context, a *program.Adoption, out program.Output) (program.LeftBehind, error) {
	answer, err := p.ask(ctx, &frame{Kind: frameAdopt, Cell: a.Cell, Adoption: a}, out)
	if err != nil {
		return program.LeftBehind{}, err
	}
	return answer.left(), nil
}

// ask has the child carry out a request, and returns its answer.
func (p *Process) ask(ctx context.Context, request *frame, out program.Output) (*frame, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	conn, err := p.connection()
	if err != nil {
		return nil, err
	}
	answer, err := conn.ask(ctx, request, out)
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

// Folder implements program.Located: it returns the folder that the cells work
// in, where the system tells it, or else that in which the child was started.
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

// Kill ends the child and the processes it has started, whatever they are
// doing: the last resort where an interrupt is not enough. A running cell ends
// with an *program.DeathError, and so does the next one if none is running.
func (p *Process) Kill() {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	if conn != nil {
		conn.kill("stopped by the user")
	}
}

// Restart implements program.Restarter: it ends the child as Close does, and
// starts another.
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

// Close implements program.Executor: it ends the child and the processes it has
// started, and waits until the child is gone.
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
