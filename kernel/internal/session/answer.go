package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/wire"
)

// A request is being answered.
type request struct {
	*wire.Request
	shell *shell // where it waits for its turn; nil if it is answered at once
	turn  func() // ends the turn of a cell; nil for others
}

// Reasons for rejecting requests.
var (
	errBehind  = refusal("Aborted", "not run: a cell before it failed or was interrupted")
	errFull    = refusal("Aborted", "not run: too many cells wait already")
	errDeleted = refusal("Aborted", "not run: the subshell was deleted, or the kernel ends")
)

func unknownSubshell(id string) error {
	return refusal("UnknownSubshell", fmt.Sprintf("there is no subshell %q", id))
}

func refusal(name, message string) error {
	return &program.Error{Name: name, Message: message, Traceback: []string{message}}
}

// answer answers one request. It returns the cells to abort that waited behind it. A cell that a
// client sends after the reply is never among them.
func (s *session) answer(r *request) (abort []*wire.Request) {
	parent := r.AsParent()
	s.check("status", s.iopub.Status(parent, "busy"))
	content, err := s.handle(r)
	if err != nil {
		content = s.failedReply(r.Request, failed(err))
	}
	if a, ok := content.(aborting); ok {
		content = a.content
		abort = s.takeBehind(r.shell)
	}
	s.iopub.Flush(parent)
	s.reply(r.Request, content)
	s.idle(parent, r.shell)
	if r.turn != nil {
		r.turn()
	}
	if handlers[r.Header.Type].ends {
		s.end.Do(func() { close(s.ending) })
	}
	return abort
}

// takeBehind takes the cells that wait behind one that failed or was interrupted. If all of them
// must go, it also waits for requests that clients sent before they could know of the failure, so
// that the result does not depend on how fast a cell fails.
func (s *session) takeBehind(sh *shell) (cells []*wire.Request) {
	time.Sleep(abortGrace)
	ctx, cancel := context.WithTimeout(s.ctx, drainPatience)
	defer cancel()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		if err := s.server.Drain(ctx, wire.Shell); err != nil {
			s.log.Warn("cells that were sent before an interrupt or an error may run", "reason", err)
		}
	}()
	for {
		select {
		case <-sh.queue.full:
			cells = append(cells, sh.queue.takeAll("execute_request")...)
		case <-drained:
			return append(cells, sh.queue.takeAll("execute_request")...)
		}
	}
}

// handle calls the request's handler. A panic of the handler is an error of the request.
func (s *session) handle(r *request) (content any, err error) {
	handler := handlers[r.Header.Type]
	if handler.handle == nil {
		s.log.Warn("unknown request", "type", r.Header.Type, "channel", r.Channel)
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			content, err = nil, s.panicked(p, r.Header.Type)
		}
	}()
	return handler.handle(s, r)
}

// panicked returns the error of kernel code that panicked.
func (s *session) panicked(p any, what string) error {
	s.log.Error("panic in the kernel", "during", what, "panic", p, "stack", string(debug.Stack()))
	return fmt.Errorf("internal error of the kernel in %s: %v", what, p)
}

// refuse answers a request with the reason why it is rejected.
func (s *session) refuse(r *wire.Request, reason error) {
	s.check("status", s.iopub.Status(r.AsParent(), "busy"))
	s.reply(r, s.failedReply(r, failed(reason)))
	s.idle(r.AsParent(), nil)
}

// failedReply is the content of the reply to a request that failed.
func (s *session) failedReply(r *wire.Request, f failure) any {
	if r.Header.Type == "execute_request" {
		return f.executeReply(s.executions(), nil)
	}
	return f.reply()
}

// reply replies to a request if its type has a reply.
func (s *session) reply(r *wire.Request, content any) {
	if handler := handlers[r.Header.Type]; handler.handle == nil || handler.oneWay {
		return
	}
	if err := r.Reply(content); err != nil {
		s.log.Debug("reply not sent", "type", r.Header.Type, "reason", err)
	}
}

// idle publishes the end of a request, or of another task, that ran in a shell; sh is nil if it ran
// in none. If another task still runs in a shell, front ends are reminded that the kernel is busy.
func (s *session) idle(parent wire.Parent, sh *shell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.check("status", s.iopub.Status(parent, "idle"))
	if sh != nil {
		sh.running = nil
		sh.queue.begun()
		sh.interrupted = sh.interrupted && sh.queue.isAboutToRun()
	}
	for _, other := range s.shells {
		if other.running != nil {
			s.check("status", s.iopub.Status(*other.running, "busy"))
			return
		}
	}
}
