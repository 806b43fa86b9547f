package guard

import (
	"bufio"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Reasons for closing a peer. zmq4 forgets a connection only if its error is io.EOF or a net.Error
// that is not a time-out, hence the type.
var (
	errClosed  = &goneError{"the listener was closed"}
	errLeft    = &goneError{"the peer left"}
	errStalled = &goneError{"the peer does not read its messages"}
	errEvicted = &goneError{"the peer has sent no signed message, and was closed to make room for another"}
	errBroken  = &goneError{"the peer broke the protocol or a limit"}
)

type goneError struct{ reason string }

var _ net.Error = (*goneError)(nil)

func (e *goneError) Error() string   { return "guard: " + e.reason }
func (e *goneError) Timeout() bool   { return false }
func (e *goneError) Temporary() bool { return false }

// A conn is a peer after its handshake, as zmq4 sees it. zmq4 reads and writes it from one
// goroutine at a time each.
type conn struct {
	net.Conn
	l        *Listener
	route    []byte
	routable atomic.Bool // zmq4 sends messages for its route to it

	// The listener's mu guards these.
	signed     bool
	spoke      bool  // it has sent a complete message, or subscribed
	unfinished int64 // bytes of a stranger's unfinished message

	in  inbound
	out assembler

	waiting atomic.Int64  // bytes in the queue
	taken   atomic.Uint64 // how often the peer took something

	mu        sync.Mutex
	work      sync.Cond // the queue, held or reason changed
	queue     []piece
	held      bool // the writer waits
	finishing bool // closing is up to finish
	reason    *goneError
}

// A piece is a part of a message in the queue. The last piece of a message carries the cost of the
// message.
type piece struct {
	data []byte
	cost int64
}

// overhead is added to the bytes of a queued message.
const overhead = 64

func newConn(l *Listener, src *source, reader *bufio.Reader, peerType string, route []byte) *conn {
	peer := &conn{
		Conn:  src.Conn,
		l:     l,
		route: route,
	}
	peer.work.L = &peer.mu
	peer.in.source, peer.in.r = src, reader
	peer.in.ready = append(append([]byte(nil), greeting...), ready(peerType, route)...)
	return peer
}

// Write takes a part of a message from zmq4. It never blocks.
func (c *conn) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		var message [][]byte
		message, p = c.out.add(p)
		if message == nil || c.isMark(message) {
			continue
		}
		if err := c.send(message); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// isMark reports whether a message is a mark of the sentinel.
func (c *conn) isMark(message [][]byte) bool {
	s := c.l.sentinel
	return s != nil && len(message) == 1 && len(message[0]) == 2+len(s.topic) && string(message[0][2:]) == string(s.topic)
}

// send queues a message. If a peer of a ROUTER is full, it is cut off; so is the fullest one if too
// much waits for all of them. send never blocks.
func (c *conn) send(message [][]byte) error {
	if c.l.config.Type == zmq4.Router {
		if c.waiting.Load() > c.l.limits.Queue {
			c.stall()
		}
		if c.l.queued.Load() > c.l.limits.Total {
			if full := c.l.byFullness(); len(full) > 0 {
				full[0].stall()
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason != nil {
		return c.reason
	}
	c.queue = append(c.queue, c.pieces(message)...)
	c.work.Signal()
	return nil
}

// stall cuts off a peer that does not read.
func (c *conn) stall() {
	c.l.stalled.Add(1)
	c.close(errStalled)
}

// pieces accounts for a message that is about to be queued.
func (c *conn) pieces(message [][]byte) []piece {
	pieces := make([]piece, len(message))
	cost := int64(overhead)
	for i, data := range message {
		pieces[i].data = data
		cost += int64(len(data))
	}
	pieces[len(pieces)-1].cost = cost
	c.book(cost)
	return pieces
}

// book changes the number of bytes that wait for this peer, and tells the listener when the peer
// becomes full or is no longer full.
func (c *conn) book(n int64) {
	c.l.queued.Add(n)
	after := c.waiting.Add(n)
	limit := c.l.limits.Queue
	switch was, is := after-n > limit, after > limit; {
	case is && !was:
		c.l.full.Add(1)
	case was && !is:
		c.l.full.Add(-1)
	}
}

// writeSize bounds one write to the network, so that progress is visible during a large message,
// too.
const writeSize = 256 << 10

// write is the goroutine that sends the queue.
func (c *conn) write() {
	var batch net.Buffers
	for {
		taken, cost, err := c.next(&batch)
		if err != nil {
			return
		}
		if len(taken) == 1 {
			_, err = c.Conn.Write(taken[0])
		} else {
			_, err = taken.WriteTo(c.Conn)
		}
		if err != nil {
			c.close(errLeft)
			return
		}
		c.mu.Lock()
		if c.reason == nil {
			c.book(-cost)
		}
		c.work.Broadcast()
		c.mu.Unlock()
		c.taken.Add(1)
		c.l.moved.send()
	}
}

// next waits for work and takes up to writeSize bytes of it from the queue.
func (c *conn) next(batch *net.Buffers) (taken net.Buffers, cost int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.reason == nil && (len(c.queue) == 0 || c.held) {
		c.work.Wait()
	}
	if c.reason != nil {
		return nil, 0, c.reason
	}
	*batch = (*batch)[:0]
	room, done := writeSize, 0
	for done < len(c.queue) && room > 0 {
		first := &c.queue[done]
		if len(first.data) > room {
			*batch = append(*batch, first.data[:room])
			first.data = first.data[room:]
			break
		}
		*batch = append(*batch, first.data)
		room -= len(first.data)
		cost += first.cost
		*first = piece{}
		done++
	}
	c.queue = c.queue[done:]
	if len(c.queue) == 0 {
		c.queue = nil
	}
	return *batch, cost, nil
}

// Close is called by zmq4: the peer left, or the socket is closed.
func (c *conn) Close() error {
	c.mu.Lock()
	finishing := c.finishing
	c.mu.Unlock()
	if !finishing {
		c.close(errLeft)
	}
	return nil
}

// close ends the connection for a reason; only the first reason counts.
func (c *conn) close(reason *goneError) {
	c.mu.Lock()
	if c.reason != nil {
		c.mu.Unlock()
		return
	}
	c.reason = reason
	c.queue = nil
	c.book(-c.waiting.Load())
	c.work.Broadcast()
	c.mu.Unlock()
	c.Conn.Close()
	c.in.source.end()
	c.l.dismiss(c)
	c.l.moved.send()
}

// finish gives the peer until the deadline to read its queue, and closes. It reads all input of the
// peer to the end, because closing with unread input would destroy data on its way to the peer.
func (c *conn) finish(deadline time.Time) {
	const grace = 250 * time.Millisecond
	c.mu.Lock()
	c.finishing = true
	timer := time.AfterFunc(time.Until(deadline), func() { c.close(errClosed) })
	defer timer.Stop()
	for c.reason == nil && c.waiting.Load() > 0 {
		c.work.Wait()
	}
	c.mu.Unlock()
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		// Close however the reading ends.
		if c.SetReadDeadline(time.Now().Add(grace)) == nil {
			_, _ = io.Copy(io.Discard, c.Conn)
		}
	}
	c.close(errClosed)
}
