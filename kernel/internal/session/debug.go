package session

import (
	"encoding/json"
	"errors"
)

// debugger returns the evaluator if its cells can be debugged, nil otherwise.
func (s *session) debugger() Debugger {
	if d, ok := s.evaluator.(Debugger); ok && d.CanDebug() {
		return d
	}
	return nil
}

// debugRequest passes a request to the debugger. The response is the content of the reply.
func debugRequest(s *session, r *request) (any, error) {
	d := s.debugger()
	if d == nil {
		return nil, errors.New("cells cannot be debugged here")
	}
	var content json.RawMessage
	if err := r.Decode(&content); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.debugParent = r.AsParent()
	s.mu.Unlock()
	response, err := d.Debug(s.ctx, content)
	return json.RawMessage(response), err
}

// listenToDebugger publishes the debugger's events.
func (s *session) listenToDebugger() {
	d := s.debugger()
	if d == nil {
		return
	}
	d.DebugEvents(func(event []byte) {
		s.mu.Lock()
		parent := s.debugParent
		s.mu.Unlock()
		s.publish(parent, "debug_event", json.RawMessage(event))
	})
}
