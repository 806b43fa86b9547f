package wire

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// ErrNoInput says that the front end that sent a request is not connected to stdin.
var ErrNoInput = errors.New("the front end that runs this cell is not connected to the kernel's stdin channel")

// presence is how often Input checks whether the asked front end is still connected.
const presence = 500 * time.Millisecond

// stdin is the state of the stdin channel: at most one question at a time.
type stdin struct {
	asking chan struct{} // holds one value during a question

	mu       sync.Mutex
	question *question
}

// A question goes to the front end that sent the request: to all peers that the transport takes for
// the same client. Over ZeroMQ these announce its identity, which is that of the session and public
// on iopub, and come from the same origin. So a connection that came first, or a dead one, cannot
// intercept a question, and processes of other users do not even receive it. The signature of the
// answer decides.
type question struct {
	id     string
	asker  []byte // the route of the request
	answer chan string
}

// Input asks the user of the front end that sent the request for a line. It waits for an earlier
// question to end. The error is ErrNoInput, also if the front end leaves without an answer, or that
// of ctx.
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
	content, err := marshal(InputRequest{prompt, password})
	if err != nil {
		return "", err
	}
	id, frames := s.encode("input_request", r.RawHeader, nil, content, nil)
	q := &question{id, r.Identities[0], make(chan string, 1)}
	s.stdin.set(q)
	defer s.stdin.set(nil)
	return s.ask(ctx, q, r.Identities[1:], frames)
}

// ask sends a question to the matching peers, including later ones, until there is an answer. It
// gives up if none is connected for a while: a peer that has sent a request on another channel may
// still be connecting to this one.
func (s *Server) ask(ctx context.Context, q *question, envelope, frames [][]byte) (answer string, err error) {
	const step = 5 * time.Millisecond
	asked := make(map[string]bool)
	seen := time.Now()
	for {
		routes := s.transport.Routes(Stdin, q.asker)
		for _, route := range routes {
			if asked[string(route)] {
				continue
			}
			asked[string(route)] = true
			// A peer that has left is noticed soon.
			_ = s.send(Stdin, append([][]byte{route}, envelope...), frames)
		}
		pause := presence
		if len(routes) > 0 {
			seen = time.Now()
		} else if pause = step; time.Since(seen) > presence {
			return "", ErrNoInput
		}
		select {
		case answer := <-q.answer:
			return answer, nil
		case <-time.After(pause):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-s.ctx.Done():
			return "", ErrClosed
		}
	}
}

func (in *stdin) set(q *question) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.question = q
}

// readStdin delivers answers to the current question. It drops answers to earlier ones, and answers
// of other peers.
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
		return errors.New("a message on stdin that is not an input_reply")
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
	if q == nil || parent.ID != "" && parent.ID != q.id || !s.transport.IsSame(q.asker, r.Identities[0]) {
		return errors.New("an input_reply to no question")
	}
	s.stdin.question = nil
	q.answer <- reply.Value
	return nil
}
