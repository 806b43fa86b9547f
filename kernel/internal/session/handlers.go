package session

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/wire"
)

// A handler answers a request with the content of its reply; nil for messages
// that are not replied to. An error becomes an error reply.
type handler func(s *session, r *request) (content any, err error)

// handlers holds the handler of every type of message that is understood, on
// shell and on control.
var handlers map[string]handler

func init() {
	// Not in the declaration, because handlers reach back to the table.
	handlers = map[string]handler{
		"execute_request":     execute,
		"complete_request":    complete,
		"inspect_request":     inspect,
		"is_complete_request": isComplete,
		"history_request":     readHistory,
		"kernel_info_request": kernelInfo,
		"connect_request":     connect,
		"comm_info_request":   commInfo,
		"comm_open":           commOpen,
		"comm_msg":            commMessage,
		"comm_close":          commClose,
		callType:              call,
		"interrupt_request":   interrupt,
		"shutdown_request":    shutdown,

		"create_subshell_request": createSubshell,
		"delete_subshell_request": deleteSubshell,
		"list_subshell_request":   listSubshells,
	}
}

// concurrent holds the requests on shell that need not wait for a cell.
var concurrent = map[string]bool{
	"complete_request":    true,
	"inspect_request":     true,
	"is_complete_request": true,
	"history_request":     true,
	"comm_info_request":   true,
}

// oneWay holds the messages that are not replied to.
var oneWay = map[string]bool{"comm_open": true, "comm_msg": true, "comm_close": true, callType: true}

// runsCode holds the messages that run the user's code.
var runsCode = map[string]bool{"execute_request": true, "comm_open": true, "comm_msg": true, "comm_close": true}

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

// shutdown replies; [session.answer] ends the session when the reply is out.
func shutdown(s *session, r *request) (any, error) {
	var request wire.ShutdownRequest
	if err := r.Decode(&request); err != nil {
		s.log.Warn("shutdown_request read as {}", "reason", err)
	}
	reply := wire.ShutdownReply{Status: "ok", Restart: request.Restart}
	s.publish(r.AsParent(), "shutdown_reply", reply)
	return reply, nil
}

func isShutdown(r *wire.Request) bool { return r.Header.Type == "shutdown_request" }
