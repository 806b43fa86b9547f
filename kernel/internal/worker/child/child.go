package child

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
	"github.com/hierml/notebook/stdlib/host"
)

// Means are what a Runner gives to cells.
type Means struct {
	// In, Out and Err are their standard input, output and error.
	In       io.Reader
	Out, Err io.Writer
	// Relabel gives the calling goroutine a label of its own that tells the same cell. Carry
	// returns f made to belong to the cell of the goroutine that calls Carry, on whatever goroutine
	// it is called.
	Relabel func()
	Carry   func(f func()) func()
}

// A Runner runs the user's code in the child: it is a program.Executor without outputs. Its methods
// may be called while others run.
type Runner interface {
	Run(ctx context.Context, p *program.Program) (*program.Bundle, error)
	Reached(cell int) int
	Look(ctx context.Context, cell int, looks []program.Look) ([]string, error)
	Adopt(a *program.Adoption) (program.LeftBehind, error)
	// Save writes the variables that are to be moved, and what cells have shown, to a file, and
	// Load is Adopt from such a file.
	Save(file string, a *program.Adoption) (program.LeftBehind, error)
	Load(file string, a *program.Adoption) (program.LeftBehind, error)
	// EndDeep ends the goroutines whose stacks have at least that many bytes, until it is called with
	// 0, and reports whether it can. tell hears of the cell of each before.
	EndDeep(size uintptr, tell func(cell int)) bool
	// Asleep reports whether all goroutines of cells wait for each other.
	Asleep() bool
	// Do calls f, for the cell of that number.
	Do(ctx context.Context, cell int, f func()) error
}

// Serve is the life of the child: it runs the programs that come in, with the Runner that is made
// once the pipes are in place, until the parent is gone. It returns only if it cannot begin.
func Serve(newRunner func(Means) (Runner, error)) error {
	for fd := 3; fd <= 5; fd++ {
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFIFO {
			return errors.New("the worker is started by the kernel, which gives it the pipes it needs")
		}
		unix.CloseOnExec(fd)
	}
	// Descriptors 1 and 5 are the cells' own, to be closed if they like.
	stdoutFd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 6)
	if err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	stderrFd, err := unix.FcntlInt(5, unix.F_DUPFD_CLOEXEC, 6)
	if err != nil {
		return fmt.Errorf("standard error: %w", err)
	}
	c := newChild(&outlets{
		frames:  os.NewFile(4, "frames"),
		stdout:  os.NewFile(uintptr(stdoutFd), "/dev/stdout"),
		stderr:  os.NewFile(uintptr(stderrFd), "/dev/stderr"),
		runtime: os.Stderr,
	})
	os.Stderr = os.NewFile(5, "/dev/stderr")
	log.SetOutput(c.stderr)
	host.Set(c)

	// The death of the parent closes the pipe, and on Linux also comes as a signal. Terminals'
	// interrupts are not for this process. They are caught, and nobody listens: if they were
	// ignored, the processes that cells start would ignore them, too.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGQUIT, unix.SIGHUP)
	term := make(chan os.Signal, 1)
	signal.Notify(term, unix.SIGTERM)
	go func() {
		<-term
		end()
	}()

	// What a runner begins with stays: to collect garbage meanwhile costs more than all else of it.
	percent := debug.SetGCPercent(-1)
	r, err := newRunner(Means{
		In: inputReader{c, new(bufferedLine)}, Out: c.stdout, Err: c.stderr,
		Relabel: c.out.belonging.renew, Carry: c.out.belonging.carry,
	})
	debug.SetGCPercent(percent)
	if err != nil {
		return err
	}
	c.receive(r)
	end()
	return nil
}

// end ends the process and all processes it has started: they share its group.
func end() {
	if err := unix.Kill(0, unix.SIGKILL); err != nil {
		os.Exit(1)
	}
}

// A child is the child's side of the protocol.
type child struct {
	out            *outlets
	stdout, stderr stream
	asking         chan struct{}   // holds a value while a line is asked for
	lines          chan *pipe.Line // answers to questions

	mu      sync.Mutex
	running map[int]*cell                // by number
	opening map[string]chan *pipe.Opened // answers to the opening of comms, by their ID
	// watching says that watchStacks runs; atRest is how many goroutines there were before the first
	// cell.
	watching bool
	atRest   int
}

func newChild(out *outlets) *child {
	c := &child{
		out:     out,
		stdout:  stream{out, "stdout", out.stdout},
		stderr:  stream{out, "stderr", out.stderr},
		asking:  make(chan struct{}, 1),
		lines:   make(chan *pipe.Line, 1),
		running: map[int]*cell{},
		opening: map[string]chan *pipe.Opened{},
	}
	out.belonging = newBelonging(func(number int) {
		go func() { c.must(out.forget(number)) }()
	})
	return c
}

// must ends the process when the parent cannot be told what it waits for: it is gone.
func (c *child) must(err error) {
	if err != nil {
		end()
	}
}

// receive handles the frames from the parent until there are no more.
func (c *child) receive(r Runner) {
	for in := bufio.NewReaderSize(os.NewFile(3, "commands"), 64<<10); ; {
		f, err := pipe.Read(in)
		if err != nil {
			return
		}
		switch m := f.Message.(type) {
		case pipe.Request:
			// The cell is there before the next frame, which may be its interrupt.
			cell := newCell(f.Cell)
			c.mu.Lock()
			c.running[cell.number] = cell
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
			if cell != nil {
				cell.interrupt()
			}
		case *pipe.Line:
			select {
			case c.lines <- m:
			default: // nobody asked
			}
		case *pipe.Opened:
			c.mu.Lock()
			answer := c.opening[m.ID]
			c.mu.Unlock()
			select {
			case answer <- m:
			default: // nobody waits
			}
		case *pipe.Memory:
			debug.SetMemoryLimit(m.Bytes)
		case *pipe.Free:
			go debug.FreeOSMemory()
		}
	}
}

// run carries out a request, and says what became of it.
func (c *child) run(r Runner, cell *cell, request pipe.Request) {
	c.out.belonging.adopt(cell)
	if _, message := request.(*pipe.Deliver); !message {
		c.must(c.out.begin(cell))
	}
	answer, err := c.answer(r, cell, request)
	cell.awaitShallow()
	if err != nil {
		canceled := cell.ctx.Err() != nil && errors.Is(err, context.Cause(cell.ctx)) || errors.Is(err, program.ErrDeep)
		failed := &pipe.Failed{Failure: pipe.Failure{Message: err.Error(), Canceled: canceled}}
		if !errors.As(err, &failed.Failure.Runtime) {
			failed.Failure.Runtime = nil
		}
		answer = failed
	}
	c.mu.Lock()
	if c.running[cell.number] == cell {
		delete(c.running, cell.number)
	}
	c.mu.Unlock()
	cell.end()
	c.must(c.out.send(cell, answer))
}

// answer returns what a request asks for.
func (c *child) answer(r Runner, cell *cell, request pipe.Request) (pipe.Answer, error) {
	switch m := request.(type) {
	case *pipe.Run:
		return c.runProgram(r, cell, m.Program)
	case *pipe.Reached:
		return &pipe.Count{Statements: r.Reached(cell.number)}, nil
	case *pipe.Deliver:
		return &pipe.Delivered{}, c.deliver(r, cell, m.Comm.Unpack())
	case *pipe.Look:
		texts, err := r.Look(cell.ctx, cell.number, m.Looks)
		return &pipe.Seen{Texts: texts}, err
	case *pipe.Adopt:
		left, err := r.Adopt(m.Adoption)
		return &pipe.Adopted{Left: left}, err
	case *pipe.Save:
		left, err := r.Save(m.File, m.Adoption)
		return &pipe.Saved{Left: left, Environment: os.Environ()}, err
	case *pipe.Load:
		left, err := r.Load(m.File, m.Adoption)
		return &pipe.Adopted{Left: left}, err
	}
	return nil, fmt.Errorf("the worker does not know what %T asks for", request)
}

func (c *child) runProgram(r Runner, cell *cell, p *program.Program) (pipe.Answer, error) {
	if len(p.Source) > 0 || p.Compiled != nil {
		p.Declared = func() { c.must(c.out.send(cell, &pipe.Declared{})) }
	}
	var interpreted time.Duration
	p.Interpreted = func(d time.Duration) { interpreted = d }
	c.watchSleep(r, cell)
	shown, err := r.Run(cell.ctx, p)
	if interpreted > 0 {
		c.must(c.out.send(cell, &pipe.Interpreted{Time: interpreted}))
	}
	if err != nil {
		return nil, err
	}
	bundle, err := pipe.PackBundle(shown)
	return &pipe.Shown{Bundle: bundle}, err
}

// deliver gives a message to the code that listens to its comm. A comm that nobody wants is closed.
func (c *child) deliver(r Runner, cell *cell, m *program.CommMessage) error {
	run, received, err := receive(m)
	switch {
	case err != nil:
		return err
	case run != nil:
		return r.Do(cell.ctx, cell.number, run)
	case !received && m.Kind == "open":
		closing := pipe.PackComm(&program.CommMessage{Kind: "close", ID: m.ID})
		return c.out.send(cell, &closing)
	}
	return nil
}

// receive is host.Receive. A panic there, where no code of the user runs, costs the message only.
func receive(m *program.CommMessage) (run func(), received bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error with a message of a comm: %v", p)
		}
	}()
	run, received = host.Receive(m)
	return run, received, nil
}
