package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/wire"
)

// aborting is the content of a reply after which the queued cells are aborted.
type aborting struct{ content any }

// execute runs a cell.
func execute(s *session, r *request) (any, error) {
	var content wire.ExecuteRequest
	if err := r.Decode(&content); err != nil {
		return nil, err
	}
	serial := s.nextSerial()
	count := s.nextCount(content.StoreHistory)
	parent := r.AsParent()
	out := newOutput(s, parent)
	out.silent = content.Silent
	out.takeQuestions(r.Request, content.AllowStdin)
	// This comes before any client can know that the cell runs, and interrupt it.
	ctx, done := s.interruptible(r.shell, out)
	defer done()
	if !content.Silent {
		s.publish(parent, "execute_input", wire.ExecuteInput{Code: content.Code, Count: count})
	}
	cell := program.Cell{Number: serial, Count: count, Source: content.Code, Aside: content.Silent || !content.StoreHistory, Next: r.shell.queue.cells}
	bundle, err := s.evaluateInTurn(ctx, r, cell, out)
	payload := out.finish()
	if err != nil {
		f := s.explain(ctx, err)
		if !content.Silent {
			s.publish(parent, "error", wire.Error{Name: f.Name, Value: f.Message, Traceback: f.Traceback})
		}
		if content.StoreHistory {
			s.history.Add(count, content.Code, "")
		}
		reply := f.executeReply(count, payload)
		if content.StopOnError || isInterrupted(ctx) {
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
		if !content.Silent && len(data.Data) > 0 {
			data.Count = count
			s.iopub.WaitRoom()
			s.publish(parent, "execute_result", data)
		}
	}
	if content.StoreHistory {
		s.history.Add(count, content.Code, text)
	}
	expressions := make(map[string]any, len(content.UserExpressions))
	for name, source := range content.UserExpressions {
		expressions[name] = s.expression(ctx, parent, source)
	}
	return wire.ExecuteReply{Status: "ok", Count: count, UserExpressions: expressions, Payload: payload}, nil
}

// evaluateInTurn calls evaluate when no comm's call runs. The next call begins when the request is
// finished.
func (s *session) evaluateInTurn(ctx context.Context, r *request, cell program.Cell, out *output) (*program.Bundle, error) {
	if err := s.turns.cell(ctx); err != nil {
		return nil, err
	}
	r.turn = s.turns.cellDone
	s.mu.Lock()
	r.shell.cell = true
	s.mu.Unlock()
	s.takeBeside(r.shell)
	return s.evaluate(ctx, cell, out)
}

// evaluate runs the code of a cell. If the worker dies, it closes the comms.
func (s *session) evaluate(ctx context.Context, cell program.Cell, out *output) (bundle *program.Bundle, err error) {
	defer func() {
		if p := recover(); p != nil {
			bundle, err = nil, s.panicked(p, "a cell")
		}
		if isDeath(err) {
			s.closeComms(out.parent)
		}
	}()
	return s.evaluator.Run(ctx, cell, out)
}

// isDeath reports whether an error says that the worker died.
func isDeath(err error) bool {
	var death *program.DeathError
	return errors.As(err, &death)
}

func isInterrupted(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), errInterrupted)
}

// nextSerial returns a number that no other cell or message of a comm has.
func (s *session) nextSerial() int { return int(s.serial.Add(1)) }

// executions is the number of cells that were run and stored.
func (s *session) executions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// nextCount returns the execution count of the next cell.
func (s *session) nextCount(stored bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !stored {
		return s.count + 1
	}
	s.count++
	return s.count
}

// expression evaluates a user expression. If that fails, the cell does not fail.
func (s *session) expression(ctx context.Context, parent wire.Parent, source string) any {
	out := newOutput(s, parent)
	out.silent = true
	bundle, err := s.evaluate(ctx, program.Cell{Number: s.nextSerial(), Name: "user expression", Source: source, Aside: true}, out)
	out.finish()
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

// encodeBundle encodes a bundle. It leaves out parts that cannot be encoded, and returns their
// errors.
func encodeBundle(bundle *program.Bundle) (wire.Data, []error) {
	data := wire.Data{Data: make(map[string]json.RawMessage, len(bundle.Data)), Metadata: bundle.Metadata}
	var problems []error
	for mime, value := range bundle.Data {
		encoded, err := wire.Encode(value)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", mime, err))
			continue
		}
		data.Data[mime] = encoded
	}
	if _, err := wire.Encode(data.Metadata); err != nil || data.Metadata == nil {
		if err != nil {
			problems = append(problems, fmt.Errorf("metadata: %w", err))
		}
		data.Metadata = map[string]any{}
	}
	return data, problems
}
