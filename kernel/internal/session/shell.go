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

// maxSubshells bounds the number of subshells.
const maxSubshells = 64

// A shell does its tasks one after the other. The kernel has one shell, and the subshells that its
// clients create (JEP 91). They share everything except their queues.
type shell struct {
	id    string // empty for the kernel's own
	queue queue

	// mu of the session guards these fields.
	deleted bool         // it was deleted, but a cell of it may still run
	running *wire.Parent // of the current task
	run     *run         // of user code
	cell    bool         // run is a cell
	// interrupted says that an interrupt came between two runs, and applies to the next.
	interrupted bool
}

func newShell(id string) *shell {
	sh := &shell{id: id}
	sh.queue.init()
	return sh
}

// shell returns the shell with an id, or nil.
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

// beside holds the messages of comms that arrive while a cell runs. They are delivered at once and
// in order, so that widgets react even if the front end does not send them to a subshell.
type beside struct {
	shell   *shell
	pending atomic.Int32 // messages not delivered yet
	moving  sync.Mutex
}

// shellOf returns the shell whose queue gets a request for sh: a message of a comm must not
// overtake others.
func (b *beside) shellOf(r *wire.Request, sh *shell) *shell {
	if handlers[r.Header.Type].comm && b.pending.Load() > 0 {
		b.pending.Add(1)
		return b.shell
	}
	return sh
}

// takeBeside takes the waiting messages of comms from a shell that runs a cell.
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

// asked returns the task for a client's request.
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
		return nil, fmt.Errorf("there are already %d subshells, and no more are allowed", maxSubshells)
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

// deleteSubshell interrupts the code in the subshell, and does not wait until it has ended.
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

// A run is one run of user code: of a cell, or of code that listens to a comm.
type run struct {
	cancel context.CancelCauseFunc
	out    *output
	since  time.Time // when it was interrupted; zero if it was not
}

// interrupt interrupts the code, unless that has happened before.
func (r *run) interrupt(now time.Time) {
	if r.since.IsZero() {
		r.since = now
		r.out.curb()
		r.cancel(errInterrupted)
	}
}

// interruptible returns a context that [session.interrupt] cancels, until done is called.
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
