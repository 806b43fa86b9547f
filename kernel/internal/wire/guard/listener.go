package guard

import (
	"bufio"
	"context"
	"maps"
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

	refused, evicted, broken, stalled atomic.Int64

	messages atomic.Int64 // received by zmq4

	queued atomic.Int64 // bytes waiting, over all peers
	full   atomic.Int64 // peers whose queue is full
	moved  signal       // a peer took something, or is gone

	mu         sync.Mutex
	closed     bool
	serial     uint64
	pending    []pending        // in their handshake, oldest first
	peers      map[string]*conn // by route
	identities map[string][]*conn
	strangers  strangers
	judged     sync.Cond // a stranger's message was judged, or a peer is gone
}

// A pending peer is one in its handshake.
type pending struct {
	net.Conn
	origin Origin
}

func (l *Listener) init() {
	l.peers = make(map[string]*conn)
	l.identities = make(map[string][]*conn)
	l.strangers.unjudged = make(map[string]int64)
	l.judged.L = &l.mu
}

var _ net.Listener = (*Listener)(nil)

// Accept gives zmq4 the next peer that has completed its handshake.
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

// stop stops accepting new peers.
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

// Shutdown stops listening, gives each peer until the deadline to read its queue, and closes. It
// waits for all peers at once.
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
	return slices.Collect(maps.Values(l.peers))
}

// Stats returns what has been refused so far.
func (l *Listener) Stats() Stats {
	return Stats{Refused: l.refused.Load(), Evicted: l.evicted.Load(), Broken: l.broken.Load(), Stalled: l.stalled.Load()}
}

// serve accepts connections. After errors such as too many open files, it waits and continues.
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
		if !isOurs(c) {
			l.refused.Add(1)
			c.Close()
			continue
		}
		// This happens here, and not in the goroutine, so that the order of the peers is that of
		// their arrival.
		p := pending{c, originOf(c)}
		if !l.enter(p) {
			c.Close()
			return
		}
		go l.greet(p)
	}
}

// greet does the handshake with a peer and passes it to zmq4.
func (l *Listener) greet(c pending) {
	src := &source{Conn: c.Conn}
	reader := bufio.NewReaderSize(src, readBuffer)
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
	peer := l.admit(src, c.origin, reader, peerType, identity)
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

// enter adds c to the peers in their handshake. If there are too many, it evicts the one with the
// longest handshake, preferring unknown origins.
func (l *Listener) enter(c pending) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	if len(l.pending) >= l.limits.Pending {
		i := max(0, slices.IndexFunc(l.pending, func(p pending) bool { return !l.isKnown(p.origin) }))
		l.pending[i].Close()
		l.pending = slices.Delete(l.pending, i, i+1)
	}
	l.pending = append(l.pending, c)
	return true
}

// leave removes c from the peers in their handshake, and reports whether it was still there.
func (l *Listener) leave(c pending) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.pending, c)
	if i < 0 {
		return false
	}
	l.pending = slices.Delete(l.pending, i, i+1)
	return true
}

// admit makes a peer of a connection after its handshake. The peer's route, its identity in zmq4,
// is unique. The result is nil if the listener was closed meanwhile.
func (l *Listener) admit(src *source, origin Origin, reader *bufio.Reader, peerType string, identity []byte) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.makeRoom()
	l.serial++
	peer := newConn(l, src, reader, peerType, newRoute(l.serial, origin, identity))
	l.peers[string(peer.route)] = peer
	l.strangers.number++
	if len(identity) > 0 {
		l.identities[string(identity)] = append(l.identities[string(identity)], peer)
	}
	go peer.write()
	return peer
}

// dismiss removes a closed peer.
func (l *Listener) dismiss(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(c)
}

// Routes returns the routes to the peers from an origin that announced an identity. It omits peers
// that zmq4 does not know yet, since messages to them would be lost. There may be several: anyone
// who knows an identity can announce it, and a peer that left may not have been noticed yet.
func (l *Listener) Routes(identity []byte, origin Origin) [][]byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	var routes [][]byte
	for _, c := range l.identities[string(identity)] {
		if c.routable.Load() && Source(c.route) == origin {
			routes = append(routes, c.route)
		}
	}
	return routes
}

// Sync returns when zmq4 has put all earlier messages of the PUB socket into the queues of the
// peers. The error is that of ctx, or that of sending.
func (l *Listener) Sync(ctx context.Context, socket zmq4.Socket) error {
	return l.sentinel.sync(ctx, l.done, socket)
}
