package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/kernel/internal/compiled"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
	"github.com/hierml/notebook/stdlib/host"
)

// A connection is the parent's side of one child: the process and its pipes.
type connection struct {
	number int // of the child, counted by its Process
	grace  time.Duration
	memory int64 // that the child may use, 0 for no limit
	cmd    *exec.Cmd
	event  func(text []byte) // receives the debugger's events
	// killings is the value of systemKillings before the child started.
	killings int64
	// exited is closed when the child has ended, and gone when its pipes are closed as well.
	exited, gone chan struct{}

	commands *os.File   // to the child
	sending  sync.Mutex // held while a frame is written to it

	asking    sync.Mutex   // held while the user answers
	questions atomic.Int32 // waiting for asking

	inlets *inlets // used by the goroutine of loop only
	tree   tree

	mu       sync.Mutex
	jobs     map[int]*job // by cell
	watching bool         // the memory is watched
	quiet    bool         // nothing more is shown
	ended    bool         // no more jobs can begin
	cause    string       // of death, once known
	exit     *program.ExitError
}

// connect starts a child.
func connect(config Config, number int, event func([]byte)) (*connection, error) {
	c := &connection{
		event:    event,
		number:   number,
		grace:    config.Grace,
		memory:   config.Memory,
		cmd:      exec.Command(config.Command[0], config.Command[1:]...),
		jobs:     map[int]*job{},
		killings: systemKillings(),
		exited:   make(chan struct{}),
		gone:     make(chan struct{}),
	}
	c.cmd.Dir, c.cmd.Env = config.Dir, config.environment
	c.cmd.SysProcAttr = sysProcAttr()
	if program, err := process.Program(); err == nil && c.cmd.Path == program {
		c.cmd.Args[0] = os.Args[0] // the name in lists of processes
	}
	started := make(chan error)
	go func() {
		// The system signals the death of the thread that starts the child, so this goroutine keeps
		// its thread while the child lives.
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
	if c.memory > 0 {
		// With this limit, Go collects its garbage in time.
		_ = c.send(0, &pipe.Memory{Bytes: c.memory - c.memory/16}) // see send
	}
	return c, nil
}

// start makes the pipes and starts the process.
func (c *connection) start() error {
	in, outlets, err := openInlets()
	if err != nil {
		return err
	}
	commands, toChild, err := os.Pipe()
	if err == nil {
		c.cmd.Stdout, c.cmd.Stderr = outlets[pipeStdout], outlets[pipeRuntime]
		err = pipe.Hand(c.cmd, commands, outlets[pipeFrames], outlets[pipeStderr])
		if err == nil {
			err = c.cmd.Start()
		}
		if err != nil {
			closeAll(toChild)
		}
		closeAll(commands)
	}
	closeAll(outlets[:]...)
	if err == nil {
		if c.tree, err = treeOf(c.cmd); err != nil {
			closeAll(toChild) // this ends the child
			err = errors.Join(err, c.cmd.Wait())
		}
	}
	if err != nil {
		in.close()
		return err
	}
	c.commands, c.inlets = toChild, in
	go func() {
		_ = c.cmd.Wait() // its result is in cmd.ProcessState
		close(c.exited)
	}()
	return nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // a pipe: nothing can be lost
	}
}

// kill ends the child and the processes that it has started.
func (c *connection) kill(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.gone:
		return // another process may have its id by now
	default:
	}
	if c.cause == "" {
		c.cause = why
	}
	c.tree.kill()
}

// whyKilled says what is known about who killed the child.
func (c *connection) whyKilled() string {
	switch killings := systemKillings(); {
	case killings < 0:
		return " (perhaps out of memory)"
	case killings > c.killings:
		return " by the system, which was out of memory"
	}
	return " by a signal (SIGKILL)"
}

// insist ends the cells that an interrupt has only sent a signal to, and reports whether there are
// any.
func (c *connection) insist() bool {
	found := false
	for _, j := range c.running() {
		if j.signalled.Swap(false) {
			found = true
			_ = c.send(j.cell, &pipe.Interrupt{}) // can be encoded
		}
	}
	return found
}

// silence stops all output.
func (c *connection) silence() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quiet = true
}

// expectExit handles a closed pipe, which normally means that the child ends. If it does not end at
// once, expectExit kills it: code in a cell can close or replace the pipe, and then the parent
// knows nothing of the child any more.
func (c *connection) expectExit() {
	const patience = 2 * time.Second
	select {
	case <-c.exited:
	case <-time.After(patience):
		c.kill("a cell closed its pipe to the kernel")
	}
}

// send sends a message of a cell, or of none, to the child. If writing fails, the child is ending,
// or should.
func (c *connection) send(cell int, m pipe.Message) error {
	data, err := pipe.Encode(&pipe.Frame{Cell: cell, Message: m})
	if err != nil {
		return err
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	if _, err := c.commands.Write(data); err != nil {
		go c.expectExit()
	}
	return nil
}

// ask sends a request to the child, and returns its answer.
func (c *connection) ask(ctx context.Context, cell int, request pipe.Request, out program.Output) (pipe.Answer, error) {
	j := newJob(ctx, cell, request, out)
	defer j.cancel(nil)
	if err := c.add(j); err != nil {
		return nil, err
	}
	if err := c.send(cell, request); err != nil {
		c.remove(cell)
		return nil, fmt.Errorf("send the cell to the worker: %w", err)
	}
	select {
	case <-j.done:
		return j.answer, j.err
	case <-j.ctx.Done():
	}
	if j.ended() {
		return j.answer, j.err
	}
	deep := errors.Is(context.Cause(j.ctx), program.ErrDeep)
	_ = c.send(cell, &pipe.Interrupt{Signal: !deep}) // can be encoded
	grace := c.grace
	if deep {
		grace += time.Minute // until its stack is gone, see the child's awaitShallow
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-j.done:
	case <-patience.C:
		if j.signalled.Load() {
			j.text(host.Notes, "note: the program handles interrupts itself (signal.Notify) and got this one as a signal; interrupt again to end the cell\n")
			<-j.done
			break
		}
		j.text(host.Notes, "interrupted, but the cell has not ended yet; interrupt again to end it and lose all variables\n")
		<-j.done
	}
	return j.answer, j.err
}

// add registers a job. Its end is then waited for.
func (c *connection) add(j *job) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return j.died(program.DeathError{Cause: c.cause, Exit: c.exit, Process: c.number})
	}
	if other := c.jobs[j.cell]; other != nil && !other.ended() {
		return fmt.Errorf("cell %d runs already", j.cell)
	}
	c.jobs[j.cell] = j
	if c.memory > 0 && !c.watching {
		c.watching = true
		go c.watch()
	}
	return nil
}

// remove removes the job of a cell.
func (c *connection) remove(cell int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.jobs, cell)
}

// job returns the job of a cell, or nil if no output of it may be shown.
func (c *connection) job(cell int) *job {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quiet {
		return nil
	}
	return c.jobs[cell]
}

// running returns the jobs that have not ended.
func (c *connection) running() []*job {
	c.mu.Lock()
	defer c.mu.Unlock()
	var jobs []*job
	for _, j := range c.jobs {
		if !j.ended() {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// finish ends all jobs after the child has ended, given the last words of its run time.
func (c *connection) finish(lastWords string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == "" {
		c.cause, c.exit = causeOfDeath(lastWords, c.cmd.ProcessState)
		if killed(c.cmd.ProcessState) && !isLastWords(lastWords) {
			c.cause = "killed" + c.whyKilled()
		}
	}
	c.ended = true
	close(c.gone)
	files := map[string]int{}
	for _, j := range c.jobs {
		if j.program != nil && j.program.Compiled != nil {
			maps.Copy(files, j.program.Compiled.Files)
		}
	}
	death := program.DeathError{Cause: c.cause, Exit: c.exit, Process: c.number, Frames: compiled.CallsIn(lastWords, files)}
	for _, j := range c.jobs {
		if !j.ended() {
			j.end(nil, j.died(death))
		}
	}
	c.jobs = nil
}
