package guard

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// A sentinel is a subscriber of a PUB socket in this process. It subscribes to a secret topic. zmq4
// gives its subscribers every message before the next one. So when a message with that topic
// arrives here, all earlier ones have arrived in the queues of all peers.
type sentinel struct {
	topic []byte
	out   assembler

	mu     sync.Mutex
	in     []byte        // bytes for zmq4 to read
	known  chan struct{} // closed when zmq4 knows of the subscription
	closed chan struct{}
	marks  []chan struct{} // one for each mark in transit
	once   sync.Once
}

func newSentinel() *sentinel {
	s := &sentinel{
		topic:  []byte("\x00guard-" + rand.Text()),
		known:  make(chan struct{}),
		closed: make(chan struct{}),
	}
	s.in = append(s.in, greeting...)
	s.in = append(s.in, ready("SUB", []byte("sentinel"))...)
	s.in = appendFrame(s.in, 0, append([]byte{1}, s.topic...))
	return s
}

func (s *sentinel) sync(ctx context.Context, done <-chan struct{}, socket zmq4.Socket) error {
	select {
	case <-s.known:
	case <-done:
		return net.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	mark := make(chan struct{})
	s.mu.Lock()
	s.marks = append(s.marks, mark)
	s.mu.Unlock()
	if err := socket.Send(zmq4.NewMsg(s.topic)); err != nil {
		return err
	}
	select {
	case <-mark:
		return nil
	case <-done:
		return net.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *sentinel) Read(p []byte) (int, error) {
	s.mu.Lock()
	if len(s.in) > 0 {
		n := copy(p, s.in)
		s.in = s.in[n:]
		s.mu.Unlock()
		return n, nil
	}
	s.mu.Unlock()
	s.once.Do(func() { close(s.known) })
	<-s.closed
	return 0, io.EOF
}

func (s *sentinel) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		var pieces [][]byte
		pieces, p = s.out.add(p)
		if pieces == nil {
			continue
		}
		s.mu.Lock()
		if len(s.marks) > 0 {
			close(s.marks[0])
			s.marks = s.marks[1:]
		}
		s.mu.Unlock()
	}
	return n, nil
}

func (s *sentinel) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

func (s *sentinel) LocalAddr() net.Addr              { return sentinelAddr{} }
func (s *sentinel) RemoteAddr() net.Addr             { return sentinelAddr{} }
func (s *sentinel) SetDeadline(time.Time) error      { return nil }
func (s *sentinel) SetReadDeadline(time.Time) error  { return nil }
func (s *sentinel) SetWriteDeadline(time.Time) error { return nil }

type sentinelAddr struct{}

func (sentinelAddr) Network() string { return scheme }
func (sentinelAddr) String() string  { return "sentinel" }
