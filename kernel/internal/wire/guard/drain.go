package guard

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// Drain returns when zmq4 has all messages from signing peers that had arrived when it was called.
// A message has arrived when the system has it; data that a peer still holds back does not count.
// The number is that of all messages that zmq4 has received from all peers so far. The error is
// that of ctx.
func (l *Listener) Drain(ctx context.Context) (messages int64, err error) {
	l.mu.Lock()
	var dry []<-chan struct{}
	for _, c := range l.peers {
		if c.signed {
			dry = append(dry, c.in.source.drain())
		}
	}
	l.mu.Unlock()
	for _, d := range dry {
		select {
		case <-d:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	return l.messages.Load(), nil
}

// A source is the input of a peer, for its bufio.Reader, which reads more only when zmq4 has all
// complete messages before.
type source struct {
	net.Conn

	mu    sync.Mutex
	woken bool            // the deadline has passed, so that Read checks new
	new   []chan struct{} // of calls of drain not seen by Read
	seen  []chan struct{} // of earlier calls, to close when nothing is left
	left  int             // unread bytes that had arrived when the newest was seen
	ended bool            // nothing more will come
}

// drain returns a channel that is closed when everything that has arrived was read and handled.
func (s *source) drain() <-chan struct{} {
	dry := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		close(dry)
		return dry
	}
	s.new = append(s.new, dry)
	if !s.woken {
		s.woken = true
		// Read will report errors of the connection.
		_ = s.SetReadDeadline(time.Unix(1, 0))
	}
	return dry
}

func (s *source) Read(p []byte) (int, error) {
	for {
		if err := s.look(); err != nil {
			return 0, err
		}
		n, err := s.Conn.Read(p)
		s.mu.Lock()
		s.left -= n
		again := n == 0 && s.woken && os.IsTimeout(err)
		s.mu.Unlock()
		if !again {
			return n, err
		}
	}
}

// look closes the channels of drain calls that are complete, before more is read.
func (s *source) look() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.woken {
		s.woken = false
		if err := s.SetReadDeadline(time.Time{}); err != nil {
			return err
		}
		var err error
		if s.left, err = arrived(s.Conn); err != nil {
			return err
		}
		s.seen = append(s.seen, s.new...)
		s.new = nil
	}
	if s.left <= 0 {
		closeAll(s.seen)
		s.seen = nil
	}
	return nil
}

// end closes the channels of all drain calls, since nothing more will come.
func (s *source) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	closeAll(s.new)
	closeAll(s.seen)
	s.new, s.seen = nil, nil
}

func closeAll(channels []chan struct{}) {
	for _, c := range channels {
		close(c)
	}
}

// arrived returns how many bytes of a connection can be read without blocking.
func arrived(c net.Conn) (n int, err error) {
	file, ok := c.(syscall.Conn)
	if !ok {
		return 0, errors.New("guard: a connection that is not a file")
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(fd uintptr) { n, err = toRead(fd) })
	return n, errors.Join(failed, err)
}
