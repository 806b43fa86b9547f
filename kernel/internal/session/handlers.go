package session

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/wire"
)

// A handler handles messages of one type.
type handler struct {
	// handle returns the content of the reply to a request; nil for messages without a reply. An
	// error becomes an error reply.
	handle func(s *session, r *request) (content any, err error)

	concurrent bool // on the shell channel, it need not wait for a cell
	oneWay     bool // it has no reply
	runsCode   bool // it runs user code: also on the control channel, it waits for its turn in a shell
	comm       bool // it does not wait for a running cell
	ends       bool // the session ends after the reply
}

// handlers maps every supported type of message on shell and control to its handler. Other types
// have the zero value.
var handlers map[string]handler

func init() {
	// An initializer would be a cycle, since handlers refer to the table.
	handlers = map[string]handler{
		"execute_request":     {handle: execute, runsCode: true},
		"complete_request":    {handle: complete, concurrent: true},
		"inspect_request":     {handle: inspect, concurrent: true},
		"is_complete_request": {handle: isComplete, concurrent: true},
		"history_request":     {handle: readHistory, concurrent: true},
		"kernel_info_request": {handle: kernelInfo},
		"connect_request":     {handle: connect},
		"comm_info_request":   {handle: commInfo, concurrent: true},
		"comm_open":           {handle: commOpen, oneWay: true, runsCode: true, comm: true},
		"comm_msg":            {handle: commMessage, oneWay: true, runsCode: true, comm: true},
		"comm_close":          {handle: commClose, oneWay: true, runsCode: true, comm: true},
		"interrupt_request":   {handle: interrupt},
		"shutdown_request":    {handle: shutdown, ends: true},
		"debug_request":       {handle: debugRequest, concurrent: true},

		"create_subshell_request": {handle: createSubshell},
		"delete_subshell_request": {handle: deleteSubshell},
		"list_subshell_request":   {handle: listSubshells},
	}
}

var ok = wire.OK{Status: "ok"}

func complete(s *session, r *request) (any, error) {
	var request wire.CompleteRequest
	if err := r.Decode(&request); err != nil {
		return nil, err
	}
	at := cursor(request.Code, request.Cursor)
	found := s.evaluator.Complete(request.Code, at)
	matches := make([]string, len(found.Candidates))
	types := make([]wire.CompletionType, len(found.Candidates))
	for i, c := range found.Candidates {
		matches[i] = c.Text
		types[i] = wire.CompletionType{Text: c.Text, Type: c.Kind, Signature: c.Signature, Start: found.Start, End: found.End}
	}
	return wire.CompleteReply{
		Status:   "ok",
		Matches:  matches,
		Start:    found.Start,
		End:      found.End,
		Metadata: map[string]any{"_jupyter_types_experimental": types},
	}, nil
}

func inspect(s *session, r *request) (any, error) {
	var request wire.InspectRequest
	if err := r.Decode(&request); err != nil {
		return nil, err
	}
	reply := wire.InspectReply{Status: "ok", Data: map[string]json.RawMessage{}, Metadata: map[string]any{}}
	if bundle := s.evaluator.Inspect(request.Code, cursor(request.Code, request.Cursor), request.Detail); bundle != nil {
		data, problems := encodeBundle(bundle)
		if err := errors.Join(problems...); err != nil {
			return nil, err
		}
		reply.Found, reply.Data, reply.Metadata = true, data.Data, data.Metadata
	}
	return reply, nil
}

// cursor returns a position within the code, in code points.
func cursor(code string, at *int) int {
	end := utf8.RuneCountInString(code)
	if at == nil {
		return end
	}
	return max(0, min(*at, end))
}

func isComplete(s *session, r *request) (any, error) {
	var request wire.IsCompleteRequest
	if err := r.Decode(&request); err != nil {
		return nil, err
	}
	status, indent := s.evaluator.IsComplete(request.Code)
	reply := wire.IsCompleteReply{Status: status}
	if status == "incomplete" {
		reply.Indent = &indent
	}
	return reply, nil
}

func readHistory(s *session, r *request) (any, error) {
	var request wire.HistoryRequest
	if err := r.Decode(&request); err != nil {
		return nil, err
	}
	found, err := entries(s.history, request)
	if err != nil {
		return nil, err
	}
	return wire.HistoryReply{Status: "ok", History: found}, nil
}

func connect(s *session, _ *request) (any, error) {
	info := s.server.Info()
	return wire.ConnectReply{
		Status:        "ok",
		ShellPort:     info.ShellPort,
		IOPubPort:     info.IOPubPort,
		StdinPort:     info.StdinPort,
		ControlPort:   info.ControlPort,
		HeartbeatPort: info.HeartbeatPort,
	}, nil
}

func interrupt(s *session, _ *request) (any, error) {
	s.interrupt()
	return ok, nil
}

// shutdown replies; [session.answer] ends the session after the reply.
func shutdown(s *session, r *request) (any, error) {
	var request wire.ShutdownRequest
	if err := r.Decode(&request); err != nil {
		s.log.Warn("shutdown_request read as {}", "reason", err)
	}
	reply := wire.ShutdownReply{Status: "ok", Restart: request.Restart}
	s.publish(r.AsParent(), "shutdown_reply", reply)
	return reply, nil
}
