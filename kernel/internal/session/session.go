// Package session is one user's session with a Jupyter kernel: the queues of requests, the
// execution count, the history, the comms, what is busy and what is interrupted. Every request has
// one handler, a function from the request to the content of its reply; busy, idle, recovery from
// panics and the reply's way back are dealt with once, around all of them.
//
// How messages travel is left to package wire, and what a cell means to an [Evaluator].
//
// Wrong when a reply, busy or idle is missing or out of order, or an interrupt ends another cell
// than it should.
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

// An Evaluator gives cells their meaning. Run may be called while another cell runs, for one of a
// subshell. *engine.Engine is one.
type Evaluator interface {
	// Run runs a cell. What the cell shows goes to out, all of it before Run returns, save the
	// output of what outlives the cell: out may be used for ever. The bundle is the value of the
	// cell's last expression, or nil. The end of ctx interrupts the cell.
	Run(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error)
	// IsComplete says whether source can be run as it is: "complete", "incomplete" with the
	// indentation of the next line, or "invalid".
	IsComplete(source string) (status, indent string)
	// Deliver gives a message of a comm to the code that listens to it, as Run runs a cell.
	Deliver(ctx context.Context, number int, m *program.CommMessage, out program.Output) error
	// Complete returns what may stand at a position, and Inspect, or nil, what is known of what
	// stands there. Both may be called at any time.
	Complete(source string, cursor int) assist.Completion
	Inspect(source string, cursor, detail int) *program.Bundle
	// Kill ends a cell that does not heed its interrupt, at the price of the variables of the
	// session.
	Kill()
	// Insist ends a cell that an interrupt was only sent to as a signal, with signal.Notify.
	Insist()
	Close() error
}

// A Debugger is an Evaluator whose cells can be debugged.
type Debugger interface {
	// CanDebug reports whether they can be.
	CanDebug() bool
	// Debug carries out a request of the Debug Adapter Protocol, and returns the response. It may
	// be called at any time.
	Debug(ctx context.Context, request []byte) (response []byte, err error)
	// DebugEvents has events of that protocol given to f, one after the other.
	DebugEvents(f func(event []byte))
}

// Config holds the settings of a session.
type Config struct {
	// Version is the version of this kernel. The default is that of the program's module, as the
	// build recorded it.
	Version string
	// Log hears of dropped messages and failures that no client hears of. The default writes to
	// standard error.
	Log *slog.Logger
	// History is the file that keeps the cells of all runs, in a folder of its own. Without it they
	// are forgotten at the end.
	History string
	// OneShell leaves subshells out, where another kernel may take this one's place without a word
	// to clients, who would go on to use them.
	OneShell bool
}

// Run serves the clients of a server until one of them asks the kernel to end, or ctx ends. Then it
// closes the server and the evaluator. A kernel that is a process is run by Serve.
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
	calls     *shell // of what comms ask for
	beside    beside
	turns     turns

	ctx     context.Context // of all that runs
	cancel  context.CancelCauseFunc
	ending  chan struct{} // closed when a client asked for the end
	end     sync.Once
	working sync.WaitGroup // the goroutines of the shells

	serial atomic.Int64 // of the cells, stored or not, and of the comms' messages

	mu    sync.Mutex
	count int // of the cells that were stored
	// the kernel's own, those of calls and of messages of comms, and then the subshells
	shells      []*shell
	files       []string    // with what cells wrote, which go with the session
	debugParent wire.Parent // the last request of the debugger
}

// The causes of the end of a cell's context.
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

// close interrupts what runs, gives it a moment to say so, and closes the channels.
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

// keepFile has a file with what a cell wrote removed at the end of the session.
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

// readShell gives the requests of the shell channel to their shells. What can be answered while a
// cell runs is answered at once when one does.
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

// serveControl answers the requests of the control channel, which nothing that runs in a shell
// holds up. What runs the user's code takes its turn in a shell.
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

// patience is how long after an interrupt the next one means that the cell is to end at any price;
// before, it may be a key pressed twice.
const patience = time.Second

// interrupt ends the cells that run, in all shells, and aborts what waits behind them. When a cell
// was interrupted before, and did not end, all are killed. Cells that were sent a signal only end
// by any second interrupt.
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
