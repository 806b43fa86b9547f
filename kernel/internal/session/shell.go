package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/hierml/notebook/kernel/internal/wire"
)

// maxSubshells bounds how many subshells there are.
const maxSubshells = 64

// A shell does its tasks one after the other. The kernel has one, and as many subshells beside it
// as its clients create (JEP 91); they share all but their queues.
type shell struct {
	id    string // empty for the kernel's own
	queue queue

	// The session's mu guards what follows.
	deleted bool         // it is one no more, and perhaps a cell of it still runs
	running *wire.Parent // of the task that is being done
	run     *run         // of the user's code
	cell    bool         // which is a cell
	// interrupted says that an interrupt came between two runs, and is meant for the next.
	interrupted bool
}

func newShell(id string) *shell {
	sh := &shell{id: id}
	sh.queue.init()
	return sh
}

// shell returns the shell of an id, nil if there is none.
func (s *session) shell(id string) *shell {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sh := range s.shells {
		if sh.id == id && !sh.deleted {
			return sh
		}
	}
	return nil
}

// serve does the tasks of a shell one after the other, until its queue is closed.
func (s *session) serve(sh *shell) {
	for {
		t, ok := sh.queue.take()
		if !ok {
			return
		}
		s.setRunning(sh, t.parent)
		t.run(sh)
		if sh == s.beside.shell {
			s.beside.pending.Add(-1)
		}
	}
}

// beside has the messages of comms that come while a cell runs. They are delivered at once, in
// their order, so that widgets react also where the front end does not send them to a subshell.
type beside struct {
	shell   *shell
	pending atomic.Int32 // messages that are not delivered yet
	moving  sync.Mutex
}

// shellOf returns the shell in whose queue a request for sh belongs: a message of a comm must not
// overtake others.
func (b *beside) shellOf(r *wire.Request, sh *shell) *shell {
	if handlers[r.Header.Type].comm && b.pending.Load() > 0 {
		b.pending.Add(1)
		return b.shell
	}
	return sh
}

// takeBeside takes the messages of comms that wait for the cell of a shell, if one runs.
func (s *session) takeBeside(sh *shell) {
	s.beside.moving.Lock()
	defer s.beside.moving.Unlock()
	s.mu.Lock()
	cell := sh.cell
	s.mu.Unlock()
	if !cell {
		return
	}
	for _, t := range sh.queue.takeComms() {
		s.beside.pending.Add(1)
		if !s.beside.shell.queue.put(t) {
			s.refuse(t.request, errDeleted)
		}
	}
}

// asked is the task of a client's request.
func (s *session) asked(r *wire.Request) task {
	return task{parent: r.AsParent(), request: r, run: func(sh *shell) {
		for _, aborted := range s.answer(&request{Request: r, shell: sh}) {
			s.refuse(aborted, errBehind)
		}
	}}
}

func (s *session) isRunning(sh *shell) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sh.running != nil
}

func (s *session) setRunning(sh *shell, parent wire.Parent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.running = &parent
}

func createSubshell(s *session, _ *request) (any, error) {
	if s.config.OneShell {
		return nil, errors.New("this kernel has no subshells")
	}
	sh := newShell(uuid.NewString())
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := context.Cause(s.ctx); err != nil {
		return nil, err
	}
	if len(s.shells) >= 3+maxSubshells {
		return nil, fmt.Errorf("there are %d subshells already, and no more are allowed", maxSubshells)
	}
	s.shells = append(s.shells, sh)
	s.working.Go(func() {
		s.serve(sh)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.shells = slices.DeleteFunc(s.shells, func(other *shell) bool { return other == sh })
	})
	return wire.CreateSubshellReply{Status: "ok", ID: sh.id}, nil
}

// deleteSubshell interrupts what runs in the subshell, and does not wait until it has ended.
func deleteSubshell(s *session, r *request) (any, error) {
	var content wire.DeleteSubshellRequest
	if err := r.Decode(&content); err != nil {
		return nil, err
	}
	sh := s.shell(content.ID)
	if sh == nil || sh.id == "" {
		return nil, unknownSubshell(content.ID)
	}
	s.mu.Lock()
	sh.deleted = true
	if sh.run != nil {
		sh.run.interrupt(time.Now())
	}
	s.mu.Unlock()
	for _, waiting := range sh.queue.close() {
		s.refuse(waiting, errDeleted)
	}
	return ok, nil
}

func listSubshells(s *session, _ *request) (any, error) {
	reply := wire.ListSubshellReply{Status: "ok", IDs: []string{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sh := range s.shells {
		if sh.id != "" && !sh.deleted {
			reply.IDs = append(reply.IDs, sh.id)
		}
	}
	return reply, nil
}

// A run is one run of the user's code: of a cell, or of what listens to a comm.
type run struct {
	cancel context.CancelCauseFunc
	out    *output
	since  time.Time // when it was told to end; zero if it was not
}

// interrupt tells the code to end, unless it was told so before.
func (r *run) interrupt(now time.Time) {
	if r.since.IsZero() {
		r.since = now
		r.out.curb()
		r.cancel(errInterrupted)
	}
}

// interruptible returns a context that [session.interrupt] ends, until done is called.
func (s *session) interruptible(sh *shell, out *output) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.run = &run{cancel: cancel, out: out}
	sh.queue.begun()
	if sh.deleted || sh.interrupted {
		sh.interrupted = false
		sh.run.interrupt(time.Now())
	}
	return ctx, func() {
		s.mu.Lock()
		sh.run, sh.cell = nil, false
		s.mu.Unlock()
		cancel(nil)
	}
}
