package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hierml/notebook/kernel/engine"
)

// A connection is the parent's side of one child: the process and its pipes.
type connection struct {
	grace time.Duration
	cmd   *exec.Cmd
	jobs  chan *job // at most one, announced on wake
	// exited is closed when the child has ended, gone when its pipes are
	// closed, too.
	exited, gone chan struct{}

	wake     *os.File   // the end of pipeWake that is written
	commands *os.File   // to the child
	sending  sync.Mutex // held while a frame is written to it

	// The ends that are read, by the goroutine of loop only.
	files [pipes]*os.File
	fds   [pipes]int
	eof   [pipes]bool

	mu    sync.Mutex
	cause string // of death, once known
}

// A job is one program that the child runs.
type job struct {
	ctx     context.Context
	program *engine.Program
	done    chan struct{}

	mu  sync.Mutex // held while out is called
	out engine.Output

	shown *engine.Bundle
	err   error
}

// connect starts a child.
func connect(config Config) (*connection, error) {
	c := &connection{
		grace:  config.Grace,
		cmd:    exec.Command(config.Command[0], config.Command[1:]...),
		jobs:   make(chan *job, 1),
		exited: make(chan struct{}),
		gone:   make(chan struct{}),
	}
	c.cmd.Dir = config.Dir
	c.cmd.SysProcAttr = sysProcAttr()
	started := make(chan error)
	go func() {
		// The child is told of the death of the thread that starts it,
		// so this goroutine keeps its thread as long as the child lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.start()
		started <- err
		if err == nil {
			c.loop()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// start makes the pipes and starts the process.
func (c *connection) start() (err error) {
	var files []*os.File
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w
	}
	commands, toChild := pipe()
	frames, fromChild := pipe()
	stdout, childStdout := pipe()
	stderr, childStderr := pipe()
	words, childWords := pipe()
	woken, wake := pipe()
	if err == nil {
		c.cmd.Stdout, c.cmd.Stderr = childStdout, childWords
		c.cmd.ExtraFiles = []*os.File{commands, fromChild, childStderr}
		err = c.cmd.Start()
	}
	if err != nil {
		closeAll(files...)
		return err
	}
	closeAll(commands, fromChild, childStdout, childStderr, childWords)
	c.commands, c.wake = toChild, wake
	c.files = [pipes]*os.File{pipeFrames: frames, pipeStdout: stdout, pipeStderr: stderr, pipeRuntime: words, pipeWake: woken}
	for i, f := range c.files {
		c.fds[i] = int(f.Fd())
	}
	go func() {
		_ = c.cmd.Wait() // its result is in cmd.ProcessState
		close(c.exited)
	}()
	return nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // of a pipe: nothing can be lost
	}
}

// kill ends the child and its process group.
func (c *connection) kill(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.gone:
		return // its number may be another process's by now
	default:
	}
	if c.cause == "" {
		c.cause = why
	}
	_ = unix.Kill(-c.cmd.Process.Pid, unix.SIGKILL) // fails if all are gone
}

// send sends a frame to the child. An error means that the child is ending,
// which is noticed where its frames are read.
func (c *connection) send(f *frame) error {
	data, err := encodeFrame(f)
	if err != nil {
		return err
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	_, err = c.commands.Write(data)
	return err
}

// execute has the child run the program.
func (c *connection) execute(ctx context.Context, program *engine.Program, out engine.Output) (*engine.Bundle, error) {
	j := &job{ctx: ctx, program: program, out: out, done: make(chan struct{})}
	c.jobs <- j
	_, _ = c.wake.Write([]byte{0}) // fails once the child is gone
	select {
	case <-j.done:
		return j.shown, j.err
	case <-c.gone:
		return nil, c.death("")
	case <-ctx.Done():
	}
	_ = c.send(&frame{Kind: frameInterrupt}) // see send
	select {
	case <-j.done:
		return j.shown, j.err
	case <-c.gone:
		return nil, c.death("")
	case <-time.After(c.grace):
		j.show(func(out engine.Output) {
			out.Stream("stderr", "interrupted, but the cell runs compiled code that cannot be stopped; a second interrupt ends it together with all variables\n")
		})
	}
	select {
	case <-j.done:
		return j.shown, j.err
	case <-c.gone:
		return nil, c.death("")
	}
}

func (j *job) show(f func(engine.Output)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(j.out)
}

// death describes the end of the child, given what the run time said.
func (c *connection) death(lastWords string) *engine.DeathError {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != "" {
		return &engine.DeathError{Cause: c.cause}
	}
	return &engine.DeathError{Cause: causeOfDeath(lastWords, c.cmd.ProcessState)}
}

// result takes over what the child said of the job's end and returns the error.
func (j *job) result(f *frame) error {
	switch {
	case f.Failure == nil:
		j.shown = f.Bundle.unpack()
		return nil
	case f.Failure.Runtime != nil:
		return f.Failure.Runtime
	case f.Failure.Canceled && j.ctx.Err() != nil:
		return fmt.Errorf("interrupted: %w", context.Cause(j.ctx))
	}
	return errors.New(f.Failure.Message)
}
