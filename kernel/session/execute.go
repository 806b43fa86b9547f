package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/wire"
)

// aborting is the content of a reply after which the queue is aborted.
type aborting struct{ content any }

// execute runs a cell.
func execute(s *session, r *wire.Request) (any, error) {
	var request wire.ExecuteRequest
	if err := r.Decode(&request); err != nil {
		return failed(err).executeReply(s.executions()), nil
	}
	s.serial++
	count := s.nextCount(request.StoreHistory)
	parent := r.AsParent()
	if !request.Silent {
		s.publish(parent, "execute_input", wire.ExecuteInput{Code: request.Code, Count: count})
	}
	out := &output{session: s, request: r, silent: request.Silent, stdin: request.AllowStdin}
	ctx, done := s.interruptible()
	defer done()
	cell := engine.Cell{Number: s.serial, Name: cellName(s.serial, count), Source: request.Code}
	bundle, err := s.evaluator.Run(ctx, cell, out)
	stopped := errors.Is(context.Cause(ctx), errInterrupted) && err != nil
	if err != nil {
		f := s.explain(ctx, err)
		if !request.Silent {
			s.publish(parent, "error", wire.Error{Name: f.Name, Value: f.Message, Traceback: f.Traceback})
		}
		if request.StoreHistory {
			s.history.add(count, request.Code, "")
		}
		reply := f.executeReply(count)
		if stopped || request.StopOnError {
			return aborting{reply}, nil
		}
		return reply, nil
	}
	var text string
	if bundle != nil {
		data, problems := encodeBundle(bundle)
		out.complain(problems)
		if t, ok := bundle.Data["text/plain"].(string); ok {
			text = t
		}
		if !request.Silent && len(data.Data) > 0 {
			data.Count = count
			s.iopub.WaitRoom()
			s.publish(parent, "execute_result", data)
		}
	}
	if request.StoreHistory {
		s.history.add(count, request.Code, text)
	}
	expressions := make(map[string]any, len(request.UserExpressions))
	for name, source := range request.UserExpressions {
		expressions[name] = s.evaluate(ctx, r, source)
	}
	return wire.ExecuteReply{Status: "ok", Count: count, UserExpressions: expressions, Payload: []any{}}, nil
}

// executions is the number of cells that were run and stored.
func (s *session) executions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// nextCount is the execution count of the next cell.
func (s *session) nextCount(stored bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !stored {
		return s.count + 1
	}
	s.count++
	return s.count
}

// cellName is what errors call a cell, where its number, which no other cell
// has, is not its execution count; empty where it is.
func cellName(serial, count int) string {
	if serial == count {
		return ""
	}
	return fmt.Sprintf("Cell [%d]", count)
}

// interruptible returns a context that [session.interrupt] ends, until done is
// called.
func (s *session) interruptible() (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.mu.Lock()
	s.cell = &run{cancel: cancel}
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		s.cell = nil
		s.mu.Unlock()
		cancel(nil)
	}
}

// evaluate evaluates a user expression. Its failure is not the cell's.
func (s *session) evaluate(ctx context.Context, r *wire.Request, source string) any {
	s.serial++
	out := &output{session: s, request: r, silent: true}
	bundle, err := s.evaluator.Run(ctx, engine.Cell{Number: s.serial, Name: "user expression", Source: source}, out)
	if err == nil && bundle == nil {
		err = errors.New("the expression has no value")
	}
	if err != nil {
		return s.explain(ctx, err).reply()
	}
	data, problems := encodeBundle(bundle)
	if len(data.Data) == 0 {
		return failed(errors.Join(problems...)).reply()
	}
	return struct {
		Status string `json:"status"`
		wire.Data
	}{"ok", data}
}

// refuse answers a cell with the reason for which it is not run.
func (s *session) refuse(r *wire.Request, reason string) {
	s.check("status", s.iopub.Status(r.AsParent(), "busy"))
	message := "not run: " + reason
	f := failure{Name: "Aborted", Message: message, Traceback: []string{message}}
	if err := r.Reply(f.executeReply(s.executions())); err != nil {
		s.log.Debug("reply not sent", "type", r.Header.Type, "reason", err)
	}
	s.idle(r)
}

// encodeBundle encodes a bundle, leaving out and naming what cannot be.
func encodeBundle(bundle *engine.Bundle) (wire.Data, []error) {
	data := wire.Data{Data: make(map[string]json.RawMessage, len(bundle.Data)), Metadata: bundle.Metadata}
	var problems []error
	for mime, value := range bundle.Data {
		encoded, err := encode(value)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", mime, err))
			continue
		}
		data.Data[mime] = encoded
	}
	if _, err := encode(data.Metadata); err != nil || data.Metadata == nil {
		if err != nil {
			problems = append(problems, fmt.Errorf("metadata: %w", err))
		}
		data.Metadata = map[string]any{}
	}
	return data, problems
}
