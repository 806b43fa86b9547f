package guard

import (
	"bufio"
	"context"
	"encoding/binary"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
)

// A Listener accepts peers for one zmq4 socket.
type Listener struct {
	config   Config
	limits   Limits
	ln       net.Listener
	accepted chan net.Conn
	done     chan struct{}
	sentinel *sentinel // of a PUB

	refused, broken, stalled atomic.Int64

	queued atomic.Int64 // bytes waiting, over all peers
	full   atomic.Int64 // peers whose queue is full

	mu      sync.Mutex
	closed  bool
	serial  uint64
	pending []net.Conn // in their handshake, longest first
	peers   map[*conn]struct{}
	routes  map[string][]*conn // by announced identity, oldest first
}

var _ net.Listener = (*Listener)(nil)

// Accept hands zmq4 the next peer that completed its handshake.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Addr returns the address listened to.
func (l *Listener) Addr() net.Addr { return l.ln.Addr() }

// Close stops listening and closes every peer without waiting for its queue; [Listener.Shutdown] is
// the graceful way.
func (l *Listener) Close() error {
	err := l.stop()
	for _, c := range l.snapshot() {
		c.close(errClosed)
	}
	return err
}

// stop ends the acceptance of new peers.
func (l *Listener) stop() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	close(l.done)
	pending := l.pending
	l.pending = nil
	l.mu.Unlock()
	for _, c := range pending {
		c.Close()
	}
	if l.sentinel != nil {
		l.sentinel.Close()
	}
	return l.ln.Close()
}

// Shutdown stops listening, gives every peer the time up to the deadline to take what waits for it,
// and closes. All peers are waited for at once.
func (l *Listener) Shutdown(deadline time.Time) error {
	err := l.stop()
	var wg sync.WaitGroup
	for _, c := range l.snapshot() {
		wg.Go(func() { c.finish(deadline) })
	}
	wg.Wait()
	return err
}

func (l *Listener) snapshot() []*conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	peers := make([]*conn, 0, len(l.peers))
	for c := range l.peers {
		peers = append(peers, c)
	}
	return peers
}

// Stats returns what has been refused so far.
func (l *Listener) Stats() Stats {
	return Stats{Refused: l.refused.Load(), Broken: l.broken.Load(), Stalled: l.stalled.Load()}
}

// serve accepts connections. An error other than the listener's end, such as too many open files,
// is waited out.
func (l *Listener) serve() {
	if l.sentinel != nil {
		select {
		case l.accepted <- l.sentinel:
		case <-l.done:
			return
		}
	}
	const patience = 20 * time.Millisecond
	for {
		c, err := l.ln.Accept()
		if err != nil {
			select {
			case <-l.done:
				return
			case <-time.After(patience):
				continue
			}
		}
		// Here, and not in the goroutine, so that the peers are known in the order in which they
		// came.
		if !l.enter(c) {
			c.Close()
			return
		}
		go l.greet(c)
	}
}

// greet does the handshake with a peer and hands it to zmq4.
func (l *Listener) greet(c net.Conn) {
	reader := bufio.NewReaderSize(c, readBuffer)
	err := c.SetDeadline(time.Now().Add(l.limits.Handshake))
	var peerType string
	var identity []byte
	if err == nil {
		peerType, identity, err = handshake(c, reader, l.config.Type)
	}
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	evicted := !l.leave(c)
	if err != nil || evicted {
		l.refused.Add(1)
		c.Close()
		return
	}
	peer := l.admit(c, reader, peerType, identity)
	if peer == nil {
		c.Close()
		return
	}
	select {
	case l.accepted <- peer:
	case <-l.done:
		peer.close(errClosed)
	}
}

// enter counts c among the peers in their handshake, evicting the one that has been at it longest
// where there are too many.
func (l *Listener) enter(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	if len(l.pending) >= l.limits.Pending {
		l.pending[0].Close()
		l.pending = slices.Delete(l.pending, 0, 1)
	}
	l.pending = append(l.pending, c)
	return true
}

// leave reports whether c was still among the peers in their handshake, and removes it from them.
func (l *Listener) leave(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.pending, c)
	if i < 0 {
		return false
	}
	l.pending = slices.Delete(l.pending, i, i+1)
	return true
}

// admit makes a peer of a connection whose handshake is done. Its route, the identity that zmq4
// knows it by, is unique; it is nil when the listener was closed meanwhile.
func (l *Listener) admit(c net.Conn, reader *bufio.Reader, peerType string, identity []byte) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.serial++
	route := append(binary.BigEndian.AppendUint64(nil, l.serial), identity...)
	peer := newConn(l, c, reader, peerType, route)
	l.peers[peer] = struct{}{}
	if len(identity) > 0 {
		l.routes[string(identity)] = append(l.routes[string(identity)], peer)
	}
	go peer.write()
	return peer
}

// dismiss forgets a peer that was closed.
func (l *Listener) dismiss(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.peers, c)
	identity := string(Identity(c.route))
	if same := l.routes[identity]; len(same) > 0 {
		same = slices.DeleteFunc(same, func(other *conn) bool { return other == c })
		if len(same) == 0 {
			delete(l.routes, identity)
		} else {
			l.routes[identity] = same
		}
	}
}

// Identity returns the identity that a peer announced, given the route that zmq4 reports as the
// first frame of its messages. It is empty for a peer that announced none.
func Identity(route []byte) []byte {
	if len(route) < 8 {
		return nil
	}
	return route[8:]
}

// Route returns the route to the peer that announced an identity; of several, to the one that has
// been connected longest, so that none can take the place of another. It is nil when there is no
// such peer, and before zmq4 knows it: what is sent until then is lost.
func (l *Listener) Route(identity []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if same := l.routes[string(identity)]; len(identity) > 0 && len(same) > 0 && same[0].known.Load() {
		return same[0].route
	}
	return nil
}

// WaitRoom returns when no peer is full. A full peer is waited for as long as it takes something;
// one that takes nothing for Limits.Stall is cut off. What zmq4 has not yet put into the queues
// does not count; see [Listener.Sync]. The error is that of ctx.
func (l *Listener) WaitRoom(ctx context.Context) error {
	for l.full.Load() > 0 || l.queued.Load() > l.limits.Total {
		c := l.fullest()
		if c == nil {
			return nil
		}
		timer := time.NewTimer(l.limits.Stall)
		select {
		case <-c.progress:
		case <-c.gone:
		case <-l.done:
			timer.Stop()
			return nil
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
			l.stalled.Add(1)
			c.close(errStalled)
		}
		timer.Stop()
	}
	return nil
}

// fullest returns the peer with the longest queue.
func (l *Listener) fullest() *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fullest *conn
	var most int64
	for c := range l.peers {
		if n := c.waiting.Load(); n > most {
			fullest, most = c, n
		}
	}
	return fullest
}

// Sync returns when zmq4 has put everything that was sent to the PUB socket before into the queues
// of the peers. The error is that of ctx, or that of sending.
func (l *Listener) Sync(ctx context.Context, socket zmq4.Socket) error {
	return l.sentinel.sync(ctx, l.done, socket)
}
