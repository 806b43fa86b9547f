package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// Stdio is what the runner in the child gives to cells as their standard
// input, output and error.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
}

// A runner runs the user's code in the child: it is a program.Executor without
// outputs. Its methods may be called while others run.
type runner interface {
	Run(ctx context.Context, p *program.Program) (*program.Bundle, error)
	Reached(cell int) int
	Look(ctx context.Context, cell int, looks []program.Look) ([]string, error)
	Adopt(a *program.Adoption) (program.LeftBehind, error)
	// Save writes the variables that are to be moved, and what cells have shown,
	// to a file, and Load is Adopt from such a file.
	Save(file string, a *program.Adoption) (program.LeftBehind, error)
	Load(file string, a *program.Adoption) (program.LeftBehind, error)
	// Do calls f, for the cell of that number.
	Do(ctx context.Context, cell int, f func()) error
}

// serve is the life of the child: it runs the programs that come in, with the
// runner that is made once the pipes are in place, until the parent is gone.
// It returns only if it cannot begin.
func serve(newRunner func(Stdio, *belonging) (runner, error)) error {
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

	// The death of the parent closes the pipe, and on Linux also comes as a
	// signal. Terminals' interrupts are not for this process. They are
	// caught, and nobody listens: if they were ignored, the processes that
	// cells start would ignore them, too.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGQUIT, unix.SIGHUP)
	term := make(chan os.Signal, 1)
	signal.Notify(term, unix.SIGTERM)
	go func() {
		<-term
		end()
	}()

	r, err := newRunner(Stdio{In: inputReader{c, new(bufferedLine)}, Out: c.stdout, Err: c.stderr}, c.out.belonging)
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
	asking         chan struct{} // holds a value while a line is asked for
	lines          chan *frame   // answers to input frames

	mu      sync.Mutex
	running map[int]*cell          // by number
	opening map[string]chan *frame // answers to the opening of comms, by their ID
	// watching says that watchStacks runs.
	watching bool
}

func newChild(out *outlets) *child {
	c := &child{
		out:     out,
		stdout:  stream{out, "stdout", out.stdout},
		stderr:  stream{out, "stderr", out.stderr},
		asking:  make(chan struct{}, 1),
		lines:   make(chan *frame, 1),
		running: map[int]*cell{},
		opening: map[string]chan *frame{},
	}
	out.belonging = newBelonging(func(number int) {
		go func() { c.must(out.forget(number)) }()
	})
	return c
}

// must ends the process when the parent cannot be told what it waits for: it
// is gone.
func (c *child) must(err error) {
	if err != nil {
		end()
	}
}

// receive handles the frames from the parent until there are no more.
func (c *child) receive(r runner) {
	for in := bufio.NewReaderSize(os.NewFile(3, "commands"), 64<<10); ; {
		f, err := readFrame(in)
		if err != nil {
			return
		}
		switch f.Kind {
		case frameRun, frameReached, frameDeliver, frameLook, frameAdopt, frameSave, frameLoad:
			// The cell is there before the next frame, which may be
			// its interrupt.
			cell := newCell(f.Cell)
			c.mu.Lock()
			c.running[cell.number] = cell
			if !c.watching {
				c.watching = true
				go c.watchStacks()
			}
			c.mu.Unlock()
			go c.run(r, cell, f)
		case frameInterrupt:
			c.mu.Lock()
			cell := c.running[f.Cell]
			c.mu.Unlock()
			if cell != nil {
				cell.interrupt()
			}
		case frameLine:
			select {
			case c.lines <- f:
			default: // nobody asked
			}
		case frameOpened:
			c.mu.Lock()
			answer := c.opening[f.ID]
			c.mu.Unlock()
			select {
			case answer <- f:
			default: // nobody waits
			}
		case frameMemory:
			debug.SetMemoryLimit(f.Size)
		case frameFree:
			go debug.FreeOSMemory()
		}
	}
}

// run carries out a request, and says what became of it.
func (c *child) run(r runner, cell *cell, request *frame) {
	c.out.belonging.adopt(cell)
	done := &frame{Kind: frameDone}
	if request.Kind != frameDeliver {
		c.must(c.out.begin(cell))
	}
	if err := c.answer(r, cell, request, done); err != nil {
		done.Failure = &failure{Message: err.Error(), Canceled: cell.ctx.Err() != nil && errors.Is(err, context.Cause(cell.ctx))}
		if !errors.As(err, &done.Failure.Runtime) {
			done.Failure.Runtime = nil
		}
	}
	c.mu.Lock()
	if c.running[cell.number] == cell {
		delete(c.running, cell.number)
	}
	c.mu.Unlock()
	cell.end()
	c.must(c.out.send(cell, done))
}

// answer puts into done what a request asks for.
func (c *child) answer(r runner, cell *cell, request, done *frame) (err error) {
	left := func(left program.LeftBehind, err error) error {
		done.Left = &left
		return err
	}
	switch request.Kind {
	case frameDeliver:
		return c.deliver(r, cell, request.Comm.unpack())
	case frameReached:
		done.Size = int64(r.Reached(cell.number))
		return nil
	case frameLook:
		done.Texts, err = r.Look(cell.ctx, cell.number, request.Looks)
		return err
	case frameAdopt:
		return left(r.Adopt(request.Adoption))
	case frameSave:
		done.Texts = os.Environ()
		return left(r.Save(request.Name, request.Adoption))
	case frameLoad:
		return left(r.Load(request.Name, request.Adoption))
	}
	p := request.Program
	if len(p.Source) > 0 || p.Compiled != nil {
		p.Declared = func() { c.must(c.out.send(cell, &frame{Kind: frameDeclared})) }
	}
	p.Interpreted = func(d time.Duration) { done.Size = int64(d) }
	shown, err := r.Run(cell.ctx, p)
	if err != nil {
		return err
	}
	done.Bundle, err = packBundle(shown)
	return err
}

// deliver gives a message to the code that listens to its comm. A comm that
// nobody wants is closed.
func (c *child) deliver(r runner, cell *cell, m *program.CommMessage) error {
	run, received, err := receive(m)
	switch {
	case err != nil:
		return err
	case run != nil:
		return r.Do(cell.ctx, cell.number, run)
	case !received && m.Kind == "open":
		return c.out.send(cell, &frame{Kind: frameComm, Comm: packMessage(&program.CommMessage{Kind: "close", ID: m.ID})})
	}
	return nil
}

// receive is host.Receive. A panic there, where no code of the user runs, costs
// the message only.
func receive(m *program.CommMessage) (run func(), received bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error with a message of a comm: %v", p)
		}
	}()
	run, received = host.Receive(m)
	return run, received, nil
}
