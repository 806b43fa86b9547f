// Package session is one user's session with a Jupyter kernel: the queue of
// requests, the execution count, the history, what is busy and what is
// interrupted. Every request has one handler, a function from the request to
// the content of its reply; busy, idle, recovery from panics and the reply's
// way back are dealt with once, around all of them.
//
// How messages travel is left to package wire, and what a cell means to an
// [Evaluator].
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/wire"
)

// An Evaluator gives cells their meaning. Run may be called while
// another cell runs, for one of a subshell. *engine.Engine is one.
type Evaluator interface {
	// Run runs a cell. What the cell shows goes to out, all of it before Run
	// returns, save the output of what outlives the cell: out may be used for
	// ever. The bundle is the value of the cell's last expression, or nil.
	// The end of ctx interrupts the cell.
	Run(ctx context.Context, cell engine.Cell, out engine.Output) (*engine.Bundle, error)
	// IsComplete says whether source can be run as it is: "complete",
	// "incomplete" with the indentation of the next line, or "invalid".
	IsComplete(source string) (status, indent string)
	// Deliver gives a message of a comm to the code that listens to it, as
	// Run runs a cell.
	Deliver(ctx context.Context, number int, m *engine.CommMessage, out engine.Output) error
	// Complete returns what may stand at a position, and Inspect, or nil,
	// what is known of what stands there. Both may be called at any time.
	Complete(source string, cursor int) engine.Completion
	Inspect(source string, cursor, detail int) *engine.Bundle
	// Kill ends a cell that does not heed its interrupt, at the price of the
	// variables of the session.
	Kill()
	Close() error
}

// Config holds the settings of a session.
type Config struct {
	// Version is the version of this kernel. The default is that of the
	// program's module, as the build recorded it.
	Version string
	// Log hears of dropped messages and failures that no client hears of. The
	// default writes to standard error.
	Log *slog.Logger
}

// Serve is a Jupyter kernel: it serves the front ends that come by way of the
// connection file, until one of them asks it to end, ctx ends or the process
// receives SIGTERM. It closes the evaluator. SIGINT interrupts the cell that
// runs and does nothing while none does. The error is nil when the kernel ended
// as it was asked to.
func Serve(ctx context.Context, connectionFile string, evaluator Evaluator, config Config) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Before a client can reach the kernel: one that saw it listen may end.
	orphaned := orphanhood(ctx, os.Getenv("JPY_PARENT_PID"))
	defer func() { err = errors.Join(err, evaluator.Close()) }()
	if config.Log == nil {
		config.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	info, err := wire.ReadConnectionFile(connectionFile)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	server, err := wire.Listen(info, wire.Config{Log: config.Log})
	if err != nil {
		return err
	}
	s := newSession(server, evaluator, config)
	s.start()
	for {
		select {
		case signal := <-signals:
			if signal == os.Interrupt {
				s.interrupt()
				continue
			}
		case <-orphaned:
			config.Log.Warn("the process that started this kernel is gone")
		case <-s.ending:
		case <-ctx.Done():
		}
		return s.close()
	}
}

// A session is the state that handlers share.
type session struct {
	server    *wire.Server
	iopub     *wire.IOPub
	evaluator Evaluator
	config    Config
	log       *slog.Logger
	history   history

	ctx     context.Context // of all that runs
	cancel  context.CancelCauseFunc
	queue   queue
	ending  chan struct{} // closed when a client asked for the end
	end     sync.Once
	working sync.WaitGroup // the goroutine that runs cells

	serial int // of the cells, stored or not; the shell goroutine's

	mu      sync.Mutex
	count   int          // of the cells that were stored
	cell    *run         // of the cell that runs
	running *wire.Parent // the request that runs on shell
}

// A run is one run of a cell.
type run struct {
	cancel context.CancelCauseFunc
	since  time.Time // when it was told to end; zero if it was not
}

// errInterrupted is the cause of the end of a cell's context.
var (
	errInterrupted = errors.New("the cell was interrupted")
	errShutdown    = errors.New("the kernel was shut down")
)

func newSession(server *wire.Server, evaluator Evaluator, config Config) *session {
	s := &session{
		server:    server,
		iopub:     server.IOPub(),
		evaluator: evaluator,
		config:    config,
		log:       config.Log,
		ending:    make(chan struct{}),
	}
	s.queue.init()
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// start serves both channels.
func (s *session) start() {
	s.check("status", s.iopub.Status(wire.Parent{}, "starting"))
	go s.readShell()
	go s.serveControl()
	s.working.Go(s.serveShell)
}

// close interrupts what runs, gives it a moment to say so, and closes the
// channels.
func (s *session) close() error {
	const patience = 500 * time.Millisecond
	s.cancel(errShutdown)
	s.queue.close()
	stopped := make(chan struct{})
	go func() {
		s.working.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(patience):
	}
	return s.server.Close()
}

// readShell queues the requests of the shell channel. What can be answered
// while a cell runs is answered at once when one does.
func (s *session) readShell() {
	for {
		r, err := s.server.Receive(wire.Shell)
		if err != nil {
			return
		}
		if concurrent[r.Header.Type] && s.isRunning() {
			s.answer(r)
			continue
		}
		s.queue.put(r)
	}
}

// serveShell answers the requests of the shell channel one after the other.
func (s *session) serveShell() {
	for {
		r := s.queue.take()
		if r == nil {
			return
		}
		s.setRunning(r)
		for _, aborted := range s.answer(r) {
			s.refuse(aborted, "a cell before it failed or was interrupted")
		}
	}
}

// serveControl answers the requests of the control channel, which nothing
// that runs on shell holds up. A cell that comes this way takes its turn.
func (s *session) serveControl() {
	for {
		r, err := s.server.Receive(wire.Control)
		if err != nil {
			return
		}
		switch {
		case r.Header.Type != "execute_request":
			s.answer(r)
		case !s.queue.offer(r):
			s.refuse(r, "too many cells wait already")
		}
	}
}

// answer answers one request. It returns the cells that waited behind it and
// are to be aborted; one that a client sends after the reply is not among them.
func (s *session) answer(r *wire.Request) (abort []*wire.Request) {
	parent := r.AsParent()
	s.check("status", s.iopub.Status(parent, "busy"))
	content, err := s.handle(r)
	if err != nil {
		content = failed(err).reply()
	}
	if a, ok := content.(aborting); ok {
		content = a.content
		// Requests that a client sent in one go with this one may still be
		// on their way; it is not to matter how fast a cell fails.
		time.Sleep(abortGrace)
		abort = s.queue.takeAll("execute_request")
	}
	s.iopub.Flush(parent)
	if content != nil {
		if err := r.Reply(content); err != nil {
			s.log.Debug("reply not sent", "type", r.Header.Type, "reason", err)
		}
	}
	s.idle(r)
	if isShutdown(r) {
		s.end.Do(func() { close(s.ending) })
	}
	return abort
}

// handle calls the request's handler. A panic of the handler is an error of
// the request.
func (s *session) handle(r *wire.Request) (content any, err error) {
	handler, ok := handlers[r.Header.Type]
	if !ok {
		s.log.Warn("unknown request", "type", r.Header.Type, "channel", r.Channel)
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic in a handler", "type", r.Header.Type, "panic", p, "stack", string(debug.Stack()))
			content, err = nil, fmt.Errorf("internal error of the kernel in %s: %v", r.Header.Type, p)
		}
	}()
	return handler(s, r)
}

func (s *session) isRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil
}

func (s *session) setRunning(r *wire.Request) {
	parent := r.AsParent()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = &parent
}

// idle publishes the end of a request. Where another one still runs on shell,
// front ends are reminded that the kernel is busy with it.
func (s *session) idle(r *wire.Request) {
	parent := r.AsParent()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.check("status", s.iopub.Status(parent, "idle"))
	switch {
	case s.running == nil:
	case s.running.ID == parent.ID:
		s.running = nil
	default:
		s.check("status", s.iopub.Status(*s.running, "busy"))
	}
}

// patience is how long after an interrupt the next one means that the cell is
// to end at any price; before, it may be a key pressed twice.
const patience = time.Second

// interrupt ends the cell that runs, if one does, and aborts what waits. A cell
// that was interrupted before, and did not end, is killed.
func (s *session) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch run := s.cell; {
	case run == nil:
	case run.since.IsZero():
		run.since = time.Now()
		run.cancel(errInterrupted)
	case time.Since(run.since) > patience:
		s.evaluator.Kill()
	}
}

// publish sends a message of a request to all clients.
func (s *session) publish(parent wire.Parent, msgType string, content any) {
	s.check(msgType, s.iopub.Publish(parent, msgType, content))
}

func (s *session) check(msgType string, err error) {
	if err != nil && !errors.Is(err, wire.ErrClosed) {
		s.log.Error("message not published", "type", msgType, "reason", err)
	}
}
