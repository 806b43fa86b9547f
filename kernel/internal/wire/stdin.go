package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire/guard"
)

// ErrNoInput says that the front end that sent a request is not there to be asked.
var ErrNoInput = errors.New("the front end that runs this cell is not connected to the kernel's stdin channel")

// presence is how often it is looked whether who was asked is still there.
const presence = 500 * time.Millisecond

// stdin is the state of the stdin channel: at most one question at a time.
type stdin struct {
	asking chan struct{} // holds one value while a question is under way

	mu       sync.Mutex
	question *question
}

type question struct {
	id       string
	identity []byte // of the peer that was asked
	answer   chan string
}

// Input asks the user of the front end that sent the request for a line. It waits for its turn
// where another question is under way. The error is ErrNoInput, also when the front end leaves
// without an answer, or that of ctx.
func (r *Request) Input(ctx context.Context, prompt string, password bool) (string, error) {
	s := r.server
	select {
	case s.stdin.asking <- struct{}{}:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-s.ctx.Done():
		return "", ErrClosed
	}
	defer func() { <-s.stdin.asking }()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	identity := guard.Identity(r.Identities[0])
	route, err := s.routeToStdin(ctx, identity)
	if err != nil {
		return "", err
	}
	content, err := marshal(InputRequest{prompt, password})
	if err != nil {
		return "", err
	}
	id, frames := s.encode("input_request", r.RawHeader, nil, content, nil)
	q := &question{id, identity, make(chan string, 1)}
	s.stdin.set(q)
	defer s.stdin.set(nil)
	identities := append([][]byte{route}, r.Identities[1:]...)
	if err := s.sockets[Stdin].send(identities, frames); err != nil {
		return "", ErrNoInput
	}
	ticker := time.NewTicker(presence)
	defer ticker.Stop()
	for {
		select {
		case answer := <-q.answer:
			return answer, nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-s.ctx.Done():
			return "", ErrClosed
		case <-ticker.C:
			if !bytes.Equal(s.sockets[Stdin].guard.Route(identity), route) {
				return "", ErrNoInput
			}
		}
	}
}

// routeToStdin returns the route to a front end. One that has sent a request on another channel may
// still be about to connect to this one.
func (s *Server) routeToStdin(ctx context.Context, identity []byte) ([]byte, error) {
	const step = 5 * time.Millisecond
	for deadline := time.Now().Add(presence); ; {
		if route := s.sockets[Stdin].guard.Route(identity); route != nil {
			return route, nil
		}
		if time.Now().After(deadline) {
			return nil, ErrNoInput
		}
		select {
		case <-time.After(step):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.ctx.Done():
			return nil, ErrClosed
		}
	}
}

func (in *stdin) set(q *question) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.question = q
}

// readStdin delivers answers to the question that is under way. An answer to an earlier one, or by
// another peer, is dropped.
func (s *Server) readStdin() {
	for {
		r, err := s.Receive(Stdin)
		if err != nil {
			return
		}
		if err := s.answer(r); err != nil {
			s.drop(Stdin, err)
		}
	}
}

func (s *Server) answer(r *Request) error {
	if r.Header.Type != "input_reply" {
		return errors.New("a message on stdin that is no input_reply")
	}
	var reply InputReply
	if err := r.Decode(&reply); err != nil {
		return err
	}
	// Some clients answer without a parent.
	var parent Header
	if err := json.Unmarshal(r.Parent, &parent); err != nil {
		return err
	}
	s.stdin.mu.Lock()
	defer s.stdin.mu.Unlock()
	q := s.stdin.question
	if q == nil || parent.ID != "" && parent.ID != q.id || !bytes.Equal(guard.Identity(r.Identities[0]), q.identity) {
		return errors.New("an input_reply to no question")
	}
	s.stdin.question = nil
	q.answer <- reply.Value
	return nil
}
