package child

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/cells"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
	"github.com/hierml/notebook/stdlib/host"
)

// A Runner runs user code in the child: it is a program.Executor without outputs. Its methods may
// be called concurrently.
type Runner interface {
	Run(ctx context.Context, p *program.Program) (*program.Bundle, error)
	Reached(cell int) int
	Look(ctx context.Context, cell int, looks []program.Look) ([]string, error)
	Adopt(a *program.Adoption) error
	// Save writes the variables to move, and what cells have shown, to a file. Load is Adopt with
	// the variables from such a file.
	Save(file string, a *program.Adoption) (program.LeftBehind, error)
	Load(file string, a *program.Adoption) (program.LeftBehind, error)
	// EndDeep ends the goroutines whose stacks have at least size bytes, until it is called with 0,
	// and reports whether it can. It first calls tell with the cell of each.
	EndDeep(size uintptr, tell func(cell int)) bool
	// Debug carries out a request of the debugger as the cell with that number, and Ended records
	// that a cell has ended. SetEvents sets the receiver of its events.
	Debug(ctx context.Context, cell int, request []byte, globals []program.Global) []byte
	Ended(cell int)
	SetEvents(f func(event []byte))
	// Do calls f on behalf of the cell with that number.
	Do(ctx context.Context, cell int, f func()) error
}

// Serve is the main loop of the child. It makes the Runner once the pipes are connected, and runs
// the programs that come in until the parent is gone. It returns only if it cannot start.
func Serve(newRunner func(cells.Means) (Runner, error)) error {
	commands, frames, stderr, err := pipe.Handed()
	if err != nil {
		return err
	}
	// The standard output and error belong to the cells, which may close them.
	ownStdout, err := duplicate(os.Stdout, "/dev/stdout")
	if err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	ownStderr, err := duplicate(stderr, "/dev/stderr")
	if err != nil {
		return fmt.Errorf("standard error: %w", err)
	}
	c := newChild(&outlets{frames: frames, stdout: ownStdout, stderr: ownStderr, runtime: os.Stderr})
	os.Stderr = stderr
	log.SetOutput(c.host.Stderr())
	host.Set(c.host)

	// The death of the parent closes the pipe, and on Linux also comes as a signal. This process
	// must not react to a terminal's interrupts. They are caught without a listener: if they were
	// ignored, the processes that cells start would ignore them, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP)
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go func() {
		<-term
		end()
	}()

	// A new runner's memory stays in use: collecting garbage meanwhile costs more than the rest of
	// its start.
	percent := debug.SetGCPercent(-1)
	r, err := newRunner(c.host.Means())
	debug.SetGCPercent(percent)
	if err != nil {
		return err
	}
	r.SetEvents(func(event []byte) { c.must(c.out.event(event)) })
	c.receive(r, commands)
	end()
	return nil
}

// A child is the child's side of the protocol.
type child struct {
	out   *outlets
	host  *cells.Host
	lines chan *pipe.Line // answers to questions

	mu      sync.Mutex
	running map[int]*cell                // by number
	opening map[string]chan *pipe.Opened // answers to opened comms, by their ID
	// watching says that watchStacks runs; atRest is the number of goroutines before the first
	// cell.
	watching bool
	atRest   int
}

func newChild(out *outlets) *child {
	c := &child{
		out:     out,
		lines:   make(chan *pipe.Line, 1),
		running: map[int]*cell{},
		opening: map[string]chan *pipe.Opened{},
	}
	c.host = cells.NewHost(c, func(number int) {
		// Another program of the cell may have begun.
		go func() { c.must(out.forget(number, c.host.Alive)) }()
	})
	return c
}

// must ends the process if err is not nil: the parent waits for this message and is gone.
func (c *child) must(err error) {
	if err != nil {
		end()
	}
}

// receive handles the frames from the parent until the pipe ends.
func (c *child) receive(r Runner, commands *os.File) {
	for in := bufio.NewReaderSize(commands, 64<<10); ; {
		f, err := pipe.Read(in)
		if err != nil {
			return
		}
		switch m := f.Message.(type) {
		case pipe.Request:
			// The cell must exist before the next frame, which may be its interrupt.
			cell := newCell(f.Cell)
			c.mu.Lock()
			c.running[cell.Number] = cell
			if !c.watching {
				c.watching = true
				c.atRest = cmp.Or(c.atRest, runtime.NumGoroutine())
				go c.watchStacks(r)
			}
			c.mu.Unlock()
			go c.run(r, cell, m)
		case *pipe.Interrupt:
			c.mu.Lock()
			cell := c.running[f.Cell]
			c.mu.Unlock()
			switch {
			case cell == nil:
			case m.Signal && canSignal && !c.host.Asking() && program.CellSignals.Wanted():
				c.must(c.out.send(cell.Cell, &pipe.Signalled{})) // before the program's own output
				signalProcesses(cell.began, syscall.SIGINT)
				signalSelf()
			default:
				cell.Interrupt()
			}
		case *pipe.Line:
			select {
			case c.lines <- m:
			default: // no question is open
			}
		case *pipe.Opened:
			c.mu.Lock()
			answer := c.opening[m.ID]
			c.mu.Unlock()
			select {
			case answer <- m:
			default: // nothing waits for it
			}
		case *pipe.Memory:
			debug.SetMemoryLimit(m.Bytes)
		case *pipe.Free:
			go debug.FreeOSMemory()
		}
	}
}

// run carries out a request, and sends the result.
func (c *child) run(r Runner, cell *cell, request pipe.Request) {
	c.host.Adopt(cell.Cell)
	switch request.(type) {
	case *pipe.Deliver, *pipe.Debug:
	default:
		c.must(c.out.begin(cell.Cell))
	}
	answer, err := c.answer(r, cell, request)
	if _, asked := request.(*pipe.Debug); !asked { // a debugger request runs no code that could be stopped
		r.Ended(cell.Number)
	}
	cell.awaitShallow()
	if err != nil {
		canceled := cell.Context().Err() != nil && errors.Is(err, context.Cause(cell.Context())) || errors.Is(err, program.ErrDeep)
		failure := pipe.Failure{Canceled: canceled}
		if !errors.As(err, &failure.Runtime) {
			failure.Message = program.Shorten(err.Error())
		}
		answer = &pipe.Failed{Failure: failure}
	}
	c.mu.Lock()
	if c.running[cell.Number] == cell {
		delete(c.running, cell.Number)
	}
	c.mu.Unlock()
	cell.End()
	if err := c.out.send(cell.Cell, answer); errors.Is(err, pipe.ErrTooLong) {
		c.must(c.out.send(cell.Cell, &pipe.Failed{Failure: pipe.Failure{Message: err.Error()}}))
	} else {
		c.must(err)
	}
}

// answer returns the answer to a request.
func (c *child) answer(r Runner, cell *cell, request pipe.Request) (pipe.Answer, error) {
	switch m := request.(type) {
	case *pipe.Run:
		return c.runProgram(r, cell, m.Program)
	case *pipe.Reached:
		return &pipe.Count{Statements: r.Reached(cell.Number)}, nil
	case *pipe.Deliver:
		return &pipe.Delivered{}, c.host.Deliver(cell.Cell, m.Comm.Unpack(), r.Do)
	case *pipe.Look:
		texts, err := r.Look(cell.Context(), cell.Number, m.Looks)
		return &pipe.Seen{Texts: texts}, err
	case *pipe.Debug:
		return &pipe.Debugged{Text: r.Debug(cell.Context(), cell.Number, m.Text, m.Globals)}, nil
	case *pipe.Adopt:
		return &pipe.Adopted{}, r.Adopt(m.Adoption)
	case *pipe.Save:
		left, err := r.Save(m.File, m.Adoption)
		return &pipe.Saved{Left: left, Environment: os.Environ(), Arguments: os.Args}, err
	case *pipe.Load:
		left, err := r.Load(m.File, m.Adoption)
		return &pipe.Adopted{Left: left}, err
	}
	return nil, fmt.Errorf("the worker does not support the request %T", request)
}

func (c *child) runProgram(r Runner, cell *cell, p *program.Program) (pipe.Answer, error) {
	if len(p.Source) > 0 || p.Compiled != nil {
		p.Declared = func() { c.must(c.out.send(cell.Cell, &pipe.Declared{})) }
	}
	shown, err := r.Run(cell.Context(), p)
	if err != nil {
		return nil, err
	}
	bundle, err := pipe.PackBundle(shown)
	return &pipe.Shown{Bundle: bundle}, err
}
