package worker

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// Stdio is what the executor in the child gives to cells as their standard
// input, output and error.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
}

// serve is the life of the child: it runs the programs that come in, with the
// executor that is made once the pipes are in place, until the parent is gone.
// It returns only if it cannot begin.
func serve(newExecutor func(Stdio) (engine.Executor, error)) error {
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
	c := &child{
		out: &outlets{
			frames:  os.NewFile(4, "frames"),
			stdout:  os.NewFile(uintptr(stdoutFd), "/dev/stdout"),
			stderr:  os.NewFile(uintptr(stderrFd), "/dev/stderr"),
			runtime: os.Stderr,
		},
		lines: make(chan *frame, 1),
	}
	os.Stderr = os.NewFile(5, "/dev/stderr")
	stdout, stderr := stream{c.out, c.out.stdout}, stream{c.out, c.out.stderr}
	log.SetOutput(stderr)
	host.Set(c)

	// The death of the parent closes the pipe, and on Linux also comes as a
	// signal. Terminals' interrupts are not for this process.
	signal.Ignore(unix.SIGINT, unix.SIGQUIT, unix.SIGHUP)
	term := make(chan os.Signal, 1)
	signal.Notify(term, unix.SIGTERM)
	go func() {
		<-term
		end()
	}()

	executor, err := newExecutor(Stdio{In: inputReader{c, new(bufferedLine)}, Out: stdout, Err: stderr})
	if err != nil {
		return err
	}
	c.receive(executor)
	end()
	return nil
}

// end ends the process and all processes it has started: they share its group.
func end() {
	if err := unix.Kill(0, unix.SIGKILL); err != nil {
		os.Exit(1)
	}
}

// A child is the child's side of the protocol: the host of the running cell
// and, for the executor, its output.
type child struct {
	out   *outlets
	lines chan *frame // answers to input frames
	asks  sync.Mutex  // held while a line is asked for

	mu     sync.Mutex
	ctx    context.Context // of the running cell, or of the last one
	cancel context.CancelFunc
}

// receive handles the frames from the parent until there are no more.
func (c *child) receive(executor engine.Executor) {
	programs := make(chan *frame)
	go func() {
		for f := range programs {
			c.run(executor, f)
		}
	}()
	for in := bufio.NewReader(os.NewFile(3, "commands")); ; {
		f, err := readFrame(in)
		if err != nil {
			return
		}
		switch f.Kind {
		case frameRun:
			// The context is there before the next frame, which may
			// be the interrupt.
			ctx, cancel := context.WithCancel(context.Background())
			c.mu.Lock()
			c.ctx, c.cancel = ctx, cancel
			c.mu.Unlock()
			programs <- f
		case frameInterrupt:
			c.mu.Lock()
			if c.cancel != nil {
				c.cancel()
			}
			c.mu.Unlock()
		case frameLine:
			select {
			case c.lines <- f:
			default: // nobody asked
			}
		}
	}
}

func readFrame(r io.Reader) (*frame, error) {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(n[:]))
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	f := new(frame)
	return f, json.Unmarshal(body, f)
}

func (c *child) run(executor engine.Executor, f *frame) {
	ctx := c.Context()
	shown, err := executor.Run(ctx, f.Program, childOutput{c})
	done := &frame{Kind: frameDone}
	if err == nil {
		done.Bundle, err = packBundle(shown)
	}
	if err != nil {
		done.Failure = &failure{Message: err.Error(), Canceled: ctx.Err() != nil && errors.Is(err, context.Cause(ctx))}
		if !errors.As(err, &done.Failure.Runtime) {
			done.Failure.Runtime = nil
		}
	}
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	if err := c.out.send(done); err != nil {
		end() // the parent is gone
	}
}

// Context implements host.Host.
func (c *child) Context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// Display implements host.Host.
func (c *child) Display(b *display.Bundle, id string, update bool) {
	if b == nil {
		return
	}
	childOutput{c}.Display(&engine.Bundle{Data: b.Data, Metadata: b.Metadata}, id, update)
}

// Clear implements host.Host.
func (c *child) Clear(wait bool) { childOutput{c}.Clear(wait) }

// Updates implements host.Host.
func (c *child) Updates() bool { return true }

// Comm implements host.Host.
func (c *child) Comm(m *host.CommMessage) error { return childOutput{c}.Comm(m) }

// Page implements host.Host.
func (c *child) Page(b *display.Bundle) {
	if b != nil {
		childOutput{c}.Page(&engine.Bundle{Data: b.Data, Metadata: b.Metadata})
	}
}

// NextInput implements host.Host.
func (c *child) NextInput(source string, replace bool) { childOutput{c}.NextInput(source, replace) }

// Input implements host.Host.
func (c *child) Input(prompt string, password bool) (string, error) {
	return childOutput{c}.Input(c.Context(), prompt, password)
}

// childOutput is the output of the cell for the executor in the child.
type childOutput struct{ c *child }

func (o childOutput) Stream(name, text string) {
	file := o.c.out.stdout
	if name == "stderr" {
		file = o.c.out.stderr
	}
	// A pipe that cannot be written to has lost its reader, the parent;
	// the end of the commands ends this process.
	_, _ = io.WriteString(stream{o.c.out, file}, text)
}

func (o childOutput) Display(b *engine.Bundle, id string, update bool) {
	packed, err := packBundle(b)
	if err != nil {
		o.Stream("stderr", fmt.Sprintf("display: %v\n", err))
		return
	}
	_ = o.c.out.send(&frame{Kind: frameDisplay, Bundle: packed, ID: id, Update: update}) // as in Stream
}

func (o childOutput) Comm(m *engine.CommMessage) error {
	return o.c.out.send(&frame{Kind: frameComm, Comm: m})
}

func (o childOutput) Page(b *engine.Bundle) {
	packed, err := packBundle(b)
	if err != nil {
		o.Stream("stderr", fmt.Sprintf("page: %v\n", err))
		return
	}
	_ = o.c.out.send(&frame{Kind: framePage, Bundle: packed}) // as in Stream
}

func (o childOutput) NextInput(source string, replace bool) {
	_ = o.c.out.send(&frame{Kind: frameNextInput, Text: source, Replace: replace}) // as in Stream
}

func (o childOutput) Clear(wait bool) {
	_ = o.c.out.send(&frame{Kind: frameClear, Wait: wait}) // as in Stream
}

func (o childOutput) Input(ctx context.Context, prompt string, password bool) (string, error) {
	o.c.asks.Lock()
	defer o.c.asks.Unlock()
	if err := o.c.out.send(&frame{Kind: frameInput, Text: prompt, Password: password}); err != nil {
		return "", err
	}
	// The parent answers in any case; an interrupt ends the question there.
	f := <-o.c.lines
	switch {
	case f.Failure == nil:
		return f.Text, nil
	case f.Failure.Canceled:
		<-ctx.Done() // the interrupt is on its way
		return "", context.Cause(ctx)
	}
	return "", errors.New(f.Failure.Message)
}

// inputReader is standard input as far as it is read through fmt.Scan and its
// like: each line is asked for when it is needed.
type inputReader struct {
	c    *child
	line *bufferedLine
}

type bufferedLine struct {
	mu   sync.Mutex
	rest []byte
}

func (r inputReader) Read(p []byte) (int, error) {
	r.line.mu.Lock()
	defer r.line.mu.Unlock()
	if len(r.line.rest) == 0 {
		line, err := r.c.Input("", false)
		if err != nil {
			return 0, err
		}
		r.line.rest = []byte(line + "\n")
	}
	n := copy(p, r.line.rest)
	r.line.rest = r.line.rest[n:]
	return n, nil
}
