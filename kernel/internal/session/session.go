// Package session is one user's session with a Jupyter kernel: the queues of requests, the
// execution count, the history, the comms, and the busy and interrupted states. Every request has
// one handler, a function from the request to the content of its reply. Busy, idle, recovery from
// panics and sending the reply are handled once, around all handlers.
//
// Package wire sends messages, and an [Evaluator] runs cells.
//
// Wrong when a reply, busy or idle is missing or out of order, or an interrupt ends the wrong cell.
package session

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/kernel/internal/assist"
	"github.com/hierml/notebook/kernel/internal/history"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/wire"
)

// An Evaluator runs cells. Run may be called while another cell runs, in a subshell. *engine.Engine
// is one.
type Evaluator interface {
	// Run runs a cell. The output goes to out before Run returns, except the output of goroutines
	// that outlive the cell: they may use out forever. The bundle is the value of the cell's last
	// expression, or nil. Run interrupts the cell when ctx is done.
	Run(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error)
	// IsComplete says whether source is ready to run: "complete", "incomplete" with the indentation
	// of the next line, or "invalid".
	IsComplete(source string) (status, indent string)
	// Deliver passes a message of a comm to the code that listens to it, in the way that Run runs a
	// cell.
	Deliver(ctx context.Context, number int, m *program.CommMessage, out program.Output) error
	// Complete returns the completions at a position, and Inspect describes the name there, or
	// returns nil. Both may be called at any time.
	Complete(source string, cursor int) assist.Completion
	Inspect(source string, cursor, detail int) *program.Bundle
	// Kill ends a cell that ignores its interrupt. The variables of the session are lost.
	Kill()
	// Insist ends a cell that has received an interrupt only as a signal, through signal.Notify.
	Insist()
	Close() error
}

// A Debugger is an Evaluator whose cells can be debugged.
type Debugger interface {
	// CanDebug reports whether its cells can be debugged.
	CanDebug() bool
	// Debug carries out a request of the Debug Adapter Protocol, and returns the response. It may
	// be called at any time.
	Debug(ctx context.Context, request []byte) (response []byte, err error)
	// DebugEvents makes the debugger pass events of that protocol to f, one after the other.
	DebugEvents(f func(event []byte))
}

// Config holds the settings of a session.
type Config struct {
	// Version is the version of this kernel. The default is the version of the program's module, as
	// recorded by the build.
	Version string
	// Log receives dropped messages and failures that no client learns of. The default writes to
	// standard error.
	Log *slog.Logger
	// History is the file that keeps the cells of all runs, in a folder that holds nothing else. If
	// it is empty, they are forgotten at the end.
	History string
	// OneShell disables subshells. It is for kernels that another may replace without telling the
	// clients, which would go on to use the old subshells.
	OneShell bool
}

// Run serves the clients of a server until one of them asks the kernel to shut down, or ctx is
// done. Then it closes the server and the evaluator. A kernel in its own process uses Serve.
func Run(ctx context.Context, server *wire.Server, evaluator Evaluator, config Config) error {
	if config.Log == nil {
		config.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	s := newSession(server, evaluator, config)
	s.start()
	select {
	case <-s.ending:
	case <-ctx.Done():
	}
	return errors.Join(s.close(), evaluator.Close())
}

// A session is the state that handlers share.
type session struct {
	server    *wire.Server
	iopub     *wire.IOPub
	evaluator Evaluator
	config    Config
	log       *slog.Logger
	history   *history.History
	comms     comms
	calls     *shell // of the calls that comms request
	beside    beside
	turns     turns

	ctx     context.Context // of everything that runs
	cancel  context.CancelCauseFunc
	ending  chan struct{} // closed when a client requested the shutdown
	end     sync.Once
	working sync.WaitGroup // the goroutines of the shells

	serial atomic.Int64 // of the cells, stored or not, and of the comms' messages

	mu    sync.Mutex
	count int // the number of stored cells
	// the kernel's own, those of calls and of messages of comms, then the subshells
	shells      []*shell
	files       []string    // with the output of cells, removed with the session
	debugParent wire.Parent // the last request of the debugger
}

// The causes for cancelling a cell's context.
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
		history:   history.Open(config.History, config.Log),
		ending:    make(chan struct{}),
		calls:     newShell(""),
		beside:    beside{shell: newShell("")},
	}
	s.shells = []*shell{newShell(""), s.calls, s.beside.shell}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// start serves both channels.
func (s *session) start() {
	s.check("status", s.iopub.Status(wire.Parent{}, "starting"))
	s.listenToDebugger()
	parent := s.shells[0]
	s.working.Go(func() { s.serve(parent) })
	s.working.Go(func() { s.serve(s.calls) })
	s.working.Go(func() { s.serve(s.beside.shell) })
	go s.readShell()
	go s.serveControl()
}

// close interrupts running code, gives it a moment to report that, and closes the channels.
func (s *session) close() error {
	const patience = 500 * time.Millisecond
	s.mu.Lock()
	s.cancel(errShutdown)
	for _, sh := range s.shells {
		sh.queue.close()
	}
	s.mu.Unlock()
	stopped := make(chan struct{})
	go func() {
		s.working.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(patience):
	}
	err := s.server.Close()
	s.history.Close()
	return errors.Join(err, s.removeFiles())
}

// keepFile registers a file with the output of a cell, to be removed at the end of the session.
func (s *session) keepFile(path string) {
	if path == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, path)
}

func (s *session) removeFiles() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.files {
		err = errors.Join(err, temporary.Remove(path))
	}
	s.files = nil
	return err
}

// readShell passes the requests of the shell channel to their shells. While a cell runs, it answers
// at once the requests that need not wait for it.
func (s *session) readShell() {
	for {
		r, err := s.server.Receive(wire.Shell)
		if err != nil {
			return
		}
		switch sh := s.shell(r.Header.SubshellID); {
		case sh == nil:
			s.refuse(r, unknownSubshell(r.Header.SubshellID))
		case handlers[r.Header.Type].concurrent && s.isRunning(sh):
			s.answer(&request{Request: r})
		case !s.beside.shellOf(r, sh).queue.put(s.asked(r)):
			s.refuse(r, errDeleted)
		default:
			s.takeBeside(sh)
		}
	}
}

// serveControl answers the requests of the control channel, which do not wait for the shells.
// Requests that run user code take their turn in a shell.
func (s *session) serveControl() {
	for {
		r, err := s.server.Receive(wire.Control)
		if err != nil {
			return
		}
		if !handlers[r.Header.Type].runsCode {
			s.answer(&request{Request: r})
			continue
		}
		switch sh := s.shell(r.Header.SubshellID); {
		case sh == nil:
			s.refuse(r, unknownSubshell(r.Header.SubshellID))
		case !s.beside.shellOf(r, sh).queue.offer(s.asked(r)):
			s.refuse(r, errFull)
		default:
			s.takeBeside(sh)
		}
	}
}

// patience is the time after an interrupt within which another one may be a key pressed twice. A
// later one ends the cell in any case.
const patience = time.Second

// interrupt ends the running cells in all shells, and aborts the requests that wait behind them. If
// a cell was interrupted before and has not ended, all cells are killed. Cells that have received
// only a signal end on any second interrupt.
func (s *session) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	kill, insist := false, false
	for _, sh := range s.shells {
		switch {
		case sh.run == nil:
			sh.interrupted = sh.queue.isAboutToRun()
		case sh.run.since.IsZero():
			sh.run.interrupt(now)
		case now.Sub(sh.run.since) > patience:
			kill = true
		default:
			insist = true
		}
	}
	switch {
	case kill:
		s.evaluator.Kill()
	case insist:
		s.evaluator.Insist()
	}
}

// publish sends a message of a request to all clients.
func (s *session) publish(parent wire.Parent, msgType string, content any) {
	s.check(msgType, s.iopub.Publish(parent, wire.Broadcast{Type: msgType, Content: content}))
}

func (s *session) check(msgType string, err error) {
	if err != nil && !errors.Is(err, wire.ErrClosed) {
		s.log.Error("message not published", "type", msgType, "reason", err)
	}
}
